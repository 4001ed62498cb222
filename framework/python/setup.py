# SPDX-License-Identifier: BSD-3-Clause
"""Puts a kernel that was built into the package, where there is one.

It is taken from the folder that ANCORA_BUILD_DIR names, else from build/release of the repository.
Without one the package holds the module alone and finds an installed Ancora, or ANCORA_LIBRARY.
"""

import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent


def kernel():
    """The library of a build, or None."""
    named = os.environ.get("ANCORA_BUILD_DIR")
    folder = pathlib.Path(named) if named else HERE.parents[1] / "build" / "release"
    found = [link.resolve() for link in sorted(folder.glob("lib/**/libancora_framework.so"))]
    if named and not found:
        raise SystemExit(f"ANCORA_BUILD_DIR: there is no lib/libancora_framework.so in {folder}")
    return found[0] if found else None


class BuildWithKernel(build_py):
    def run(self):
        super().run()
        library = kernel()
        if library is None:
            return
        to = pathlib.Path(self.build_lib) / "ancora" / "kernel" / "lib"
        shutil.rmtree(to, ignore_errors=True)
        (to / "ancora" / "plugins").mkdir(parents=True)
        shutil.copy2(library, to / "libancora_framework.so")
        for plugin in sorted((library.parent / "ancora" / "plugins").glob("*.so")):
            shutil.copy2(plugin, to / "ancora" / "plugins")


class DistributionWithKernel(Distribution):
    def has_ext_modules(self):
        return kernel() is not None


try:
    from wheel.bdist_wheel import bdist_wheel

    class WheelForAnyPython(bdist_wheel):
        """The kernel is of one platform, but of no version of Python."""

        def get_tag(self):
            python, abi, platform = super().get_tag()
            return ("py3", "none", platform) if kernel() is not None else (python, abi, platform)

    commands = {"build_py": BuildWithKernel, "bdist_wheel": WheelForAnyPython}
except ImportError:
    commands = {"build_py": BuildWithKernel}

setup(cmdclass=commands, distclass=DistributionWithKernel)
