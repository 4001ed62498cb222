#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tutorial of examples/first_mechanism, command by command and number by number: tutorial_test.py ANCORA SOURCE_DIR

Commands are those of its README; numbers are read there and compared with what the commands give, within half a unit of
their last digit.
"""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ANCORA, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
TEXT = (SOURCE / "examples/first_mechanism/README.md").read_text().replace("−", "-")
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what}")
    return holds


def found(pattern):
    """What a pattern of the README has in brackets."""
    match = re.search(pattern, " ".join(TEXT.split()))
    assert match, f"the README no longer has {pattern!r}"
    return match.group(1) if match.lastindex == 1 else match.groups()


def agrees(written, value, what):
    """A number as it is written is the value, rounded."""
    digits = len(written.partition(".")[2])
    check(abs(float(written) - value) <= 0.5 * 10.0 ** -digits + 1e-9, f"{what}: {written} is written, it is {value:.6g}")


def rows(file):
    with open(file, newline="") as text:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text)]


def at(table, t):
    return min(table, key=lambda row: abs(row["t"] - t))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "examples").symlink_to(SOURCE / "examples")
        environment = {**os.environ, "PATH": f"{pathlib.Path(ANCORA).parent}:{os.environ['PATH']}"}
        said = {}

        def run(line):
            done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
            check(done.returncode == 0, f"{line}: {done.returncode} {done.stderr}")
            return done.stdout

        commands = re.findall(r"^    (ancora .*)$", TEXT, re.MULTILINE)
        check(len(commands) == 5, f"{len(commands)} commands")
        for line in commands:
            if line.startswith("ancora plot") and not shutil.which("gnuplot"):
                continue
            said[line.split()[1]] = run(line)

        # Check.
        model = json.loads(run("ancora check examples/first_mechanism/model.toml --json"))
        words = json.dumps(model)
        for number, pattern in ((24, r"(\d+) coordinates"), (22, r"and (\d+) independent constraint rows")):
            check(int(found(pattern)) == number and re.search(rf"\b{number}\b", words), f"{number} of {pattern}")
            check(re.search(rf"\b{number}\b", said["check"]), f"check does not print {number}")
        check("shoulder" in said["check"] and "elbow" in said["check"], "check lists no joints")

        # Run: each line that is shown is printed, with the numbers of this machine's rounding.
        shown = re.search(r"```text\nfirst mechanism: completed\n(.*?)```", TEXT, re.DOTALL).group(1)
        for line in shown.splitlines():
            if not line.strip() or line.strip() == "...":
                continue
            parts = [re.escape(part) for part in re.split(r"\s+", line.strip())]
            parts = [r"[-+.\de]+" if re.fullmatch(r"[\d.]+(e-?\d+)?", part.replace("\\", "")) and ("e" in part) else part for part in parts]
            check(re.search(r"\s+".join(parts), said["run"]), f"the run does not print {line.strip()!r}")
        summary = json.loads((folder / "results/model/summary.json").read_text())
        check(summary["energy"]["balance"]["max_rel"] < 1e-14, f"balance {summary['energy']['balance']}")
        history = rows(folder / "results/model/history.csv")
        for column in re.findall(r"`((?:shoulder|elbow|fore)[@.][^`]*)`", TEXT):
            if not column.startswith(("shoulder.drive", "elbow.drive")):
                check(column in history[0], f"there is no column {column}")
        top, time = found(r"rises to ([\d.]+) degrees at ([\d.]+) s")
        highest = max(history, key=lambda row: row["shoulder.angle"])
        agrees(top, math.degrees(highest["shoulder.angle"]), "the shoulder's angle")
        agrees(time, highest["t"], "the time of that")
        check(highest["t"] > 0.1 and min(row["shoulder.angle"] for row in history if row["t"] < highest["t"]) < 0, "it does not sink before")
        check(history[-1]["shoulder.angle"] < 0.5 * highest["shoulder.angle"], "it does not sink behind")
        settled = float(found(r"the elbow settles near ([\d.]+) degrees"))
        check(all(abs(math.degrees(row["elbow.angle"]) - settled) < 1.5 for row in history if row["t"] > 3), "where the elbow settles")
        check((folder / "results/model/report.html").stat().st_size > 100_000, "there is no report")
        check("gnuplot" not in str(shutil.which("gnuplot")) or "<svg" in (folder / "angles.svg").read_text(), "there is no picture")

        # Inverse dynamics.
        torques = rows(folder / "torques.csv")
        table = re.findall(r"^\| (\d[\d.]*) \| (\d+) \| (\d+) \| (-?[\d.]+) \| (-?[\d.]+) \|$", TEXT, re.MULTILINE)
        check(len(table) == 5, f"{len(table)} rows of the table")
        for t, shoulder, elbow, torque, other in table:
            row = at(torques, float(t))
            check(abs(row["t"] - float(t)) < 1e-9, f"no row at {t} s")
            agrees(shoulder, math.degrees(row["shoulder.angle"]), f"shoulder at {t} s")
            agrees(elbow, math.degrees(row["elbow.angle"]), f"elbow at {t} s")
            agrees(torque, row["shoulder.drive.effort"], f"torque of the shoulder at {t} s")
            agrees(other, row["elbow.drive.effort"], f"torque of the elbow at {t} s")
        mass, arm, still = found(r"takes ([\d.]+) kg . 9\.81 m/s² . ([\d.]+) m = ([\d.]+) N m")
        agrees(still, float(mass) * 9.81 * float(arm), "the torque at rest")
        agrees(found(r"the rest of the ([\d.]+) N m"), torques[0]["shoulder.drive.effort"], "the torque at the start")
        # By the links themselves: the torque that holds them, without motion.
        bodies = re.findall(r"size = \[([^\]]*)\].*?density = ([\d.]+).*?position = \[([^\]]*)\]", (SOURCE / "examples/first_mechanism/links.toml").read_text(), re.DOTALL)
        if check(len(bodies) == 2, f"{len(bodies)} links"):
            masses = [math.prod(map(float, size.split(","))) * float(density) for size, density, _ in bodies]
            moment = sum(m * float(place.split(",")[0]) for m, (_, _, place) in zip(masses, bodies, strict=True))
            agrees(mass, sum(masses), "the mass")
            agrees(arm, moment / sum(masses), "the arm")

        # What to try.
        run("ancora run examples/first_mechanism/model.toml --quiet --out coarse --set integrator.step=1e-2")
        coarse = rows(folder / "coarse/history.csv")
        change = max(abs(math.degrees(at(history, row["t"])[key] - row[key])) for row in coarse for key in ("shoulder.angle", "elbow.angle"))
        agrees(found(r"change, by ([\d.]+) degrees at most"), change, "the change of the angles")
        text = (SOURCE / "examples/first_mechanism/model.toml").read_text()
        folder.joinpath("own").mkdir()
        for file in (SOURCE / "examples/first_mechanism").iterdir():
            if file.suffix in (".toml", ".csv"):
                shutil.copy(file, folder / "own")
        for line, joint in ((found(r"a line `(limits = [^`]*)`"), "shoulder"), (found(r"A line `(friction = [^`]*)`"), "elbow")):
            (folder / "own/model.toml").write_text(re.sub(rf'(name = "{joint}"\n)', rf"\1{line}\n", text, count=1))
            run("ancora run own/model.toml --quiet --out own/out --set integrator.end=0.5")
        (folder / "own/model.toml").write_text(re.sub(r"^motor = .*\n", "", text, flags=re.MULTILINE))
        check("Hz" in run("ancora modes own/model.toml --at-rest"), "no frequencies")
    print(f"{len(failures)} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
