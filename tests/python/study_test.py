# SPDX-License-Identifier: BSD-3-Clause
"""The study of examples/ancf_against_rotations runs, and what it measures besides time is right."""

import csv
import math
import subprocess
import sys
import tempfile
import unittest

from support import SOURCE

FOLDER = SOURCE / "examples/ancf_against_rotations"


class Study(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.before = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.is_file()}
        cls.done = subprocess.run([sys.executable, "-B", FOLDER / "study.py", "--quick", "--out",
                                   cls.folder.name], capture_output=True, text=True)
        if cls.done.returncode == 0:
            with open(f"{cls.folder.name}/measurements.csv", newline="") as file:
                cls.rows = list(csv.DictReader(file))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def of(self, system, formulation, method):
        rows = [row for row in self.rows if (row["system"], row["formulation"], row["method"]) ==
                (system, formulation, method)]
        self.assertEqual(len(rows), 2, (system, formulation, method))
        return rows

    def test_it_runs_and_leaves_its_own_folder_alone(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        after = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.is_file()}
        self.assertEqual(after, self.before)
        self.assertGreater(len(self.rows), 50)
        for row in self.rows:
            self.assertTrue(row["said"] or float(row["cpu_seconds"]) > 0.0, row)

    def test_errors_fall_with_the_order_of_the_method(self):
        for system, formulation, method, order in (
                ("top", "ancf", "emm 2", 2), ("top", "ancf", "emm 4", 4), ("top", "ancf", "emm 6", 6),
                ("top", "quaternion", "rk4", 4), ("top", "quaternion", "generalized_alpha", 2),
                ("chain10", "ancf", "emm 2", 2), ("chain10", "quaternion", "generalized_alpha", 2)):
            coarse, fine = self.of(system, formulation, method)
            seen = (math.log(float(coarse["error"]) / float(fine["error"]))
                    / math.log(float(coarse["step"]) / float(fine["step"])))
            self.assertAlmostEqual(seen, order, delta=0.9 if method == "rk4" else 0.4,
                                   msg=(system, method))

    def test_formulations_agree_and_emm_alone_keeps_the_energy(self):
        for system in ("top", "chain10"):
            for formulation in ("ancf", "quaternion"):
                self.assertLess(float(self.of(system, formulation, "dopri5")[1]["error"]), 1e-3)
            for row in self.rows:
                if row["system"] != system or not row["error"]:
                    continue
                if row["integrator"] == "emm":
                    self.assertLess(float(row["energy"]), 3e-14, row)
                    self.assertLess(float(row["angular_momentum"]), 3e-14, row)
                elif row["step"] == "0.1":
                    self.assertGreater(float(row["energy"]), 1e-8, row)

    def test_loops_by_hand_agree_with_the_framework(self):
        loops = [row for row in self.rows if row["system"] == "loops"]
        if not loops:
            self.skipTest("there is no C++ compiler")
        inside = float(self.of("top", "ancf", "emm 2")[1]["error"])  # at 0.05 s
        by_hand = [row for row in loops if row["method"] == "base vectors 2" and row["step"] == "0.05"]
        self.assertAlmostEqual(float(by_hand[0]["error"]) / inside, 1.0, delta=1e-3)
        best = min(float(row["error"]) for row in loops)
        self.assertLess(best, 1e-9)

    def test_chains_by_hand_agree_with_the_framework_and_converge(self):
        loops = [row for row in self.rows if row["system"] == "chain10 loops"]
        if not loops:
            self.skipTest("there is no C++ compiler, or no Eigen")
        inside = float(self.of("chain10", "ancf", "emm 2")[1]["error"])  # at 0.01 s
        for method in ("base vectors 2", "rotation midpoint 2"):
            rows = {float(row["step"]): row for row in loops if row["method"] == method}
            self.assertGreaterEqual(len(rows), 6)
            coarse, fine = float(rows[2e-3]["error"]), float(rows[5e-4]["error"])
            self.assertAlmostEqual(math.log(coarse / fine) / math.log(4.0), 2.0, delta=0.1, msg=method)
            for row in rows.values():
                # As above, and what each step rounds by: nothing carries that over by hand.
                self.assertLess(float(row["energy"]), 3e-14 + 1e-16 * int(row["steps"]), row)
            if method == "base vectors 2":
                self.assertAlmostEqual(float(rows[0.01]["error"]) / inside, 1.0, delta=1e-3)

    def test_the_measurements_that_are_shown_are_whole(self):
        with open(FOLDER / "measurements.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        systems = {row["system"] for row in rows}
        chains = {"chain10", "chain100", "chain1000"}
        self.assertEqual(systems, chains | {f"{chain} loops" for chain in chains} |
                         {"top", "loops", "bricard", "net"})
        # The text has the tables of these measurements.
        text = (FOLDER / "README.md").read_text()
        for table in (FOLDER / "table.md").read_text().strip().split("\n\n"):
            self.assertIn(table, text)
        for row in rows:
            self.assertTrue(row["said"] or row["error"], row)


if __name__ == "__main__":
    unittest.main()
