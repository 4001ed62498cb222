# SPDX-License-Identifier: BSD-3-Clause
"""The example scripts do what they claim, and so does every example of the guide."""

import contextlib
import importlib.util
import io
import re
import subprocess
import sys
import tempfile
import unittest

from support import SOURCE

FOLDER = SOURCE / "framework/python"


def main_of(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = module.main()
    return result, out.getvalue()


class Examples(unittest.TestCase):
    def test_the_controller_holds_the_pendulum(self):
        lean, text = main_of("controller")
        self.assertLess(abs(lean), 1e-4)
        self.assertRegex(text, r"energy balance \de-1[3-9]")

    def test_the_study_finds_the_elliptic_integral(self):
        worst, _ = main_of("parameter_study")
        self.assertLess(worst, 1e-5)

    def test_the_fit_finds_what_was_measured(self):
        try:
            import scipy  # noqa: F401
        except ImportError:
            self.skipTest("there is no scipy; Debian's package is python3-scipy")
        (stiffness, damping), _ = main_of("fit")
        self.assertAlmostEqual(stiffness, 137.0, delta=0.05)
        self.assertAlmostEqual(damping, 2.3, delta=0.005)

    def test_a_controller_is_learned_in_many_copies(self):
        farthest, text = main_of("vector_environment")
        self.assertLess(farthest, 2e-3)
        self.assertIn("round 6", text)

    def test_a_throw_hits_its_target_after_a_bounce(self):
        try:
            import scipy  # noqa: F401
        except ImportError:
            self.skipTest("there is no scipy; Debian's package is python3-scipy")
        ((vx, vz), miss), text = main_of("optimise")
        ours, *others = (line.partition(":")[2] for line in text.splitlines()[1:])
        for other in others:  # PyTorch's and JAX's, where they are installed
            self.assertEqual(ours, other)
        self.assertLess(miss, 1e-8)
        # z = w s - g s^2 / 2 after a bounce with w = e sqrt(v^2 + 2 g h), s = 1 - (v + w / e) / g
        g, e, h = 9.81, 0.7, 0.5
        w = e * (vz * vz + 2.0 * g * h)**0.5
        s = 1.0 - (vz + w / e) / g
        self.assertGreater(s, 0.0)
        self.assertAlmostEqual(vx, 2.0, 8)
        self.assertAlmostEqual(w * s - 0.5 * g * s * s, 0.4, 7)

    def test_the_guide_runs_from_top_to_bottom(self):
        blocks = re.findall(r"^```python\n(.*?)^```", (FOLDER / "README.md").read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 4)
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-"], input="\n".join(blocks), text=True, cwd=folder,
                                 capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("0.49", run.stdout)


if __name__ == "__main__":
    unittest.main()
