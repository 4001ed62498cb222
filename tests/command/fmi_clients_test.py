# SPDX-License-Identifier: BSD-3-Clause
"""FMUs between Ancora and programs of others, where these are installed.

usage: fmi_clients_test.py ANCORA SOURCE_DIR; exit status 77 without any of

    fmusim                  in PATH, or named by ANCORA_FMUSIM (Reference FMUs)
    FMPy                    a package of this Python, or of the one that ANCORA_FMPY_PYTHON names
    FMI Library             a folder with include/ and lib/, named by ANCORA_FMILIB; needs cc
    the Reference FMUs      a folder with 2.0/ and 3.0/, named by ANCORA_REFERENCE_FMUS; needs fmusim

Every example as an FMU, by 2.0 and 3.0, gives the numbers of `ancora run` in each client; the
Reference FMUs give those of fmusim in Ancora.
"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

ancora, source = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []
STEPS = 12
# Digits that fmusim writes.
ROUNDING = 1e-15


def run(*arguments, check=True, **more):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **more)
    if check and done.returncode != 0:
        raise RuntimeError(f"{arguments[0]} ended with {done.returncode}: {done.stderr}{done.stdout}")
    return done


def table(file):
    with open(file, newline="") as text:
        rows = list(csv.reader(line for line in text if not line.startswith("#")))
    return rows[0], rows[1:]


# --- clients: each gives the rows of the outputs, with that at the start

class Fmusim:
    name = "fmusim"

    def __init__(self, program):
        self.program = program

    def rows(self, fmu, folder, step, outputs, version):
        out = folder / "fmusim.csv"
        variables = [word for name in outputs for word in ("--output-variable", name)]
        done = run(self.program, "--interface-type", "cs", "--stop-time", repr(step * STEPS),
                   "--output-interval", repr(step), "--output-file", out, *variables, fmu)
        if "rror" in done.stderr + done.stdout:
            raise RuntimeError(done.stderr + done.stdout)
        return [[float(x) for x in row[1:]] for row in table(out)[1]]


class Fmpy:
    name = "FMPy"
    script = """
import sys, fmpy
fmu, step, count, names = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
problems = fmpy.validation.validate_fmu(fmu)
result = fmpy.simulate_fmu(fmu, stop_time=step * count, step_size=step, output_interval=step, output=names,
                           fmi_type="CoSimulation")
for row in result: print(*[float(row[name]).hex() for name in names])
for problem in problems: print(problem, file=sys.stderr)
sys.exit(len(problems) > 0)
"""

    def __init__(self, python):
        self.python = python

    def rows(self, fmu, folder, step, outputs, version):
        done = run(self.python, "-c", "import fmpy.validation\n" + self.script, fmu, repr(step), STEPS, *outputs)
        return [[float.fromhex(x) for x in line.split()] for line in done.stdout.splitlines()
                if line.startswith(("0x", "-0x"))]


class FmiLibrary:
    name = "FMI Library"

    def __init__(self, prefix, folder):
        self.program = folder / "fmilib_client"
        run("cc", "-std=c11", "-w", f"-I{prefix}/include", source / "tests/command/fmilib_client.c", "-o",
            self.program, f"-L{prefix}/lib", "-lfmilib", "-ldl", "-lm", "-lpthread")

    def rows(self, fmu, folder, step, outputs, version):
        unpacked = folder / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        done = run(self.program, fmu, unpacked, repr(step), STEPS, *outputs)
        return [[float.fromhex(x) for x in line.split()] for line in done.stdout.splitlines()]


def find_clients(folder):
    clients = []
    fmusim = os.environ.get("ANCORA_FMUSIM") or shutil.which("fmusim")
    if fmusim:
        clients.append(Fmusim(fmusim))
    python = os.environ.get("ANCORA_FMPY_PYTHON") or sys.executable
    if run(python, "-c", "import fmpy.validation", check=False).returncode == 0:
        clients.append(Fmpy(python))
    library = os.environ.get("ANCORA_FMILIB")
    if library:
        clients.append(FmiLibrary(library, folder))
    return clients


def near(a, b):
    return abs(a - b) <= ROUNDING * max(abs(a), abs(b))


# --- every example in every client

def examples_in(clients, folder):
    models = [m for m in sorted(source.glob("examples/*/model.toml")) if m.parent.name != "custom_constraint"]
    assert len(models) >= 20, models
    count = 0
    for model in models:
        results = folder / "run"
        step = tomllib.loads(run(ancora, "check", "--print", model).stdout)["integrator"]["step"]
        run(ancora, "run", model, "--out", results, "--set", f"integrator.end={step * STEPS!r}", "--set",
            f"output.every={step!r}", "--quiet")
        names, rows = table(results / "history.csv")
        # What is a mean over a step has no value before the first one.
        outputs = [n for n in names if n not in ("t",)][:8] + names[-8:]
        outputs = list(dict.fromkeys(outputs))
        right = [[float(row[names.index(n)]) for n in outputs] for row in rows]
        assert len(right) == STEPS + 1, (model, len(right))
        for version in (2, 3):
            fmu = folder / "model.fmu"
            fmu.unlink(missing_ok=True)
            named = [word for n in outputs for word in ("--out", n)]
            made = run(ancora, "fmu", model, *named, "--fmi", version, "--file", fmu, check=False)
            if "chooses its steps" in made.stderr:
                break
            if made.returncode != 0:
                failures.append(f"{model}: {made.stderr}")
                break
            for client in clients:
                count += 1
                title = f"{model.parent.name} by FMI {version}.0 in {client.name}"
                try:
                    got = client.rows(fmu, folder, step, outputs, version)
                except RuntimeError as error:
                    failures.append(f"{title}: {error}")
                    continue
                if len(got) != len(right):
                    failures.append(f"{title}: {len(got)} rows")
                    continue
                for k in range(1, len(right)):
                    wrong = [(n, a, b) for n, a, b in zip(outputs, got[k], right[k]) if not near(a, b)]
                    if wrong:
                        failures.append(f"{title}: step {k}: {wrong[0]}")
                        break
        shutil.rmtree(results)
    print(f"{count} runs of examples")
    assert count > 20 * len(clients)


# --- the Reference FMUs in Ancora

WHEEL = """
[[body]]
name = "wheel"
type = "particle"
mass = 1.0

[integrator]
type = "emm"
"""
NUMBERS = ("Real", "Integer", "Enumeration", "Boolean", "Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16",
           "Int32", "UInt32", "Int64", "UInt64")
# Sample times, number of samples, values of inputs and parameters. Stair ends itself at 9 s.
REFERENCE = {
    "BouncingBall": (0.01, 300, {}, {"h": 1.5, "e": 0.8}),
    "Dahlquist": (0.1, 100, {}, {"k": 1.5, "x": 2.0}),
    "Feedthrough": (0.1, 20,
                    {"Float64_continuous_input": -1.25, "Float64_discrete_input": 7.5, "Float32_discrete_input": 0.1,
                     "Float32_continuous_input": 3.25, "Int8_input": -128, "UInt8_input": 255, "Int16_input": -32768,
                     "UInt32_input": 4294967295, "Int32_input": -2147483648, "Boolean_input": 1,
                     "Enumeration_input": 2},
                    {"UInt16_input": 65535, "Int64_input": -(2**53 - 1), "UInt64_input": 2**53 - 1}),
    "Resource": (0.1, 10, {}, {}),
    "Stair": (0.2, 44, {}, {}),
    "StateSpace": (1.0, 10, {"u[1]": 0.25, "u[2]": 2.0, "u[3]": -3.0},
                   {"A": "0.5 0 0.1 0 -0.25 0 0.2 0 0.125", "D": "1 2 0 0 1 0 3 0 1"}),
    "VanDerPol": (0.1, 200, {}, {"mu": 1.25, "x0": 1.0}),
}


def described(fmu, version):
    """Names, types and sizes of the numbers that there are, arrays by their elements."""
    import xml.etree.ElementTree as Tree
    import zipfile
    root = Tree.fromstring(zipfile.ZipFile(fmu).read("modelDescription.xml"))
    sizes = {v.get("valueReference"): int(v.get("start")) for v in root.find("ModelVariables")
             if v.get("causality") == "structuralParameter"}
    out = {}
    for variable in root.find("ModelVariables"):
        kind = variable.tag if version == 3 else variable[0].tag
        size = [int(d.get("start") or sizes[d.get("valueReference")]) for d in variable.findall("Dimension")]
        if kind in NUMBERS:
            out[variable.get("name")] = (kind, size, variable.get("causality") or "local")
    return out


def reference_fmus(library, fmusim, folder):
    for version in (2, 3):
        for name, (period, count, inputs, parameters) in REFERENCE.items():
            there = library / f"{version}.0" / f"{name}.fmu"
            if not there.exists():
                continue
            title = f"{name} of FMI {version}.0 in Ancora"
            fmu = folder / "reference.fmu"
            shutil.copy(there, fmu)
            fmu.chmod(0o644)
            known = described(fmu, version)
            plain = {n: v for n, v in (inputs | parameters).items() if n.split("[")[0] in known}
            starts = {n: str(v) for n, v in plain.items() if "[" not in n}
            if "u[1]" in plain:
                starts["u"] = " ".join(str(plain[f"u[{k}]"]) for k in (1, 2, 3))
            if "Boolean_input" in starts:
                starts["Boolean_input"] = "true"
            shown = [n for n, (_, size, role) in known.items() if role in ("output", "local") and len(size) < 2
                     and n != "time"]
            # fmusim's numbers, elements of arrays apart by spaces
            words = [w for n, v in starts.items() for w in ("--start-value", n, v)]
            words += [w for n in shown for w in ("--output-variable", n)]
            out = folder / "fmusim.csv"
            run(fmusim, "--interface-type", "cs", "--stop-time", repr(period * count), "--output-interval",
                repr(period), "--output-file", out, *words, fmu)
            read = {"true": 1.0, "false": 0.0}
            head, cells = table(out)
            right = [[read[x] if x in read else float(x) for n in shown for x in row[head.index(n)].split()]
                     for row in cells]
            columns, kinds = [], []
            for n in shown:
                kind, size, _ = known[n]
                for element in [n] if not size else [f"{n}[{k + 1}]" for k in range(size[0])]:
                    columns.append(element)
                    kinds.append(kind)
            driven = [n for n in inputs if n.split("[")[0] in known]
            given = [f"{n} = {v}" for n, v in parameters.items() if n in known]
            model = folder / "reference.toml"
            text = WHEEL + f"step = {period!r}\nend = {period * count!r}\n[output]\nevery = {period!r}\n"
            text += f'[[force]]\nname = "it"\ntype = "fmu"\nfile = "reference.fmu"\nperiod = {period!r}\n'
            text += f"inputs = {driven!r}\nparameters = {given!r}\n"
            text += "".join(f"u{k + 1} = {inputs[n]!r}\n" for k, n in enumerate(driven))
            text += f"outputs = {[f'c{k} = {n}' for k, n in enumerate(columns)]!r}\n"
            model.write_text(text)
            results = folder / "run"
            done = run(ancora, "run", model, "--out", results, "--quiet", check=False)
            if done.returncode != 0:
                failures.append(f"{title}: {done.stderr}")
                continue
            names, rows = table(results / "history.csv")
            at = [names.index(f"it.c{k}") for k in range(len(columns))]
            got = [[float(row[k]) for k in at] for row in rows]
            shutil.rmtree(results)
            if len(got) != len(right):
                failures.append(f"{title}: {len(got)} rows, {len(right)} of fmusim")
                continue
            for k, (mine, theirs) in enumerate(zip(got, right)):
                wrong = [(n, a, b) for n, kind, a, b in zip(columns, kinds, mine, theirs)
                         if abs(a - b) > (1e-6 if kind == "Float32" else 1e-13) * max(abs(a), abs(b), 1e-3)]
                if wrong or len(mine) != len(theirs):
                    failures.append(f"{title}: sample {k}: {wrong[:1]}")
                    break
            else:
                print(f"{title}: {len(columns)} numbers at {len(got)} samples")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    clients = find_clients(folder)
    print("clients:", ", ".join(c.name for c in clients) or "none")
    if not clients:
        print("skipped: none of fmusim, FMPy and the FMI Library is here")
        sys.exit(77)
    examples_in(clients, folder)
    library = os.environ.get("ANCORA_REFERENCE_FMUS")
    if library and clients[0].name == "fmusim":
        reference_fmus(pathlib.Path(library), clients[0].program, folder)
    else:
        print("skipped in part: the Reference FMUs, or fmusim, are not here")

for failure in failures:
    print("FAILED:", failure)
sys.exit(len(failures) > 0)
