# SPDX-License-Identifier: BSD-3-Clause
"""`pip install` of the folder makes a module that brings its kernel along, in an empty place."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, SOURCE

# Looked for and not imported: setuptools and pip together in one process quarrel over distutils.
for _package in ("pip", "setuptools", "wheel"):
    if importlib.util.find_spec(_package) is None:
        print(f"skipped: there is no {_package}; Debian's package is python3-{_package}")
        sys.exit(77)


class Package(unittest.TestCase):
    def test_pip_install_works_without_anything_else(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(SOURCE / "framework/python", folder / "python",
                            ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
            clean = {key: value for key, value in os.environ.items()
                     if key not in ("PYTHONPATH", "ANCORA_LIBRARY", "ANCORA_PLUGIN_PATH")}
            made = subprocess.run(
                [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation",
                 "--quiet", "--target", folder / "site", folder / "python"],
                env={**clean, "ANCORA_BUILD_DIR": str(BUILD)}, capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            script = ("import ancora, pathlib\n"
                      "model = ancora.Model('fall', gravity=[0, 0, -10])\n"
                      "model.body('ball', 'particle', mass=1.0)\n"
                      "model.integrator('emm', step=0.1, end=1.0)\n"
                      "print(round(model.simulate().run()['ball.z'], 12))\n"
                      "print(ancora._library.library._name)\n")
            run = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder,
                                 env={**clean, "PYTHONPATH": str(folder / "site")}, capture_output=True,
                                 text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            fallen, library = run.stdout.split()
            self.assertEqual(float(fallen), -5.0)
            self.assertTrue(library.startswith(str(folder / "site")), library)


if __name__ == "__main__":
    unittest.main()
