#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `ancora verify` says of each type of the zoo and of all shipped plugins, over many seeds.

    seeds.py ANCORA ZOO [--seeds N] [--shipped] [PLUGIN]...

ANCORA is the program, ZOO the folder with the zoo's plugins. For each wrong type a line: the check
that is meant for it (that of verify_test.cpp), at how many seeds that check caught it, at how many
any check did, and what else failed. A right type, and with --shipped a plugin that Ancora ships,
must pass at every seed. Ends with status 1 if a check missed what is meant for it or a right type
was accused.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

MEANT = re.compile(r'check_caught\(\s*"(\w+)",\s*"(\w+)",\s*"(\w+)"')
# The same for each type of a list.
LISTED = re.compile(r'for \(const char\* type : \{([^{}]*)\}\)\s*\{?\s*'
                    r'check_caught\(\s*"(\w+)",\s*type,\s*"(\w+)"')
# Types beside the wrong ones that are as they should be.
RIGHT = re.compile(r"^right_")


def meant_checks():
    """The check meant for each wrong type, as the suite has it."""
    test = pathlib.Path(__file__).resolve().parents[1] / "command" / "verify_test.cpp"
    text = test.read_text()
    meant = {(plugin, name): check for plugin, name, check in MEANT.findall(text)}
    for names, plugin, check in LISTED.findall(text):
        meant.update({(plugin, name): check for name in re.findall(r'"(\w+)"', names)})
    return meant


def failures(ancora, plugin, seed):
    """Checks that failed, by type; None if the plugin was refused as a whole."""
    limit = "3" if "wrong_manners" in str(plugin) else "60"
    run = subprocess.run(
        [ancora, "verify", str(plugin), "--json", "--seed", str(seed), "--time-limit", limit,
         "--memory-limit", "512"],
        capture_output=True, text=True, check=False)
    try:
        report = json.loads(run.stdout)
    except json.JSONDecodeError:
        return None
    found = {}
    for result in report.get("results", []):
        failed = found.setdefault(result["type"] or "-", set())
        if result["status"] == "FAIL":
            failed.add(result["check"])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ancora")
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("plugins", nargs="*")
    options = parser.parse_args()
    meant = meant_checks()
    right = {path.stem for path in options.zoo.glob("right_*.so")}
    names = options.plugins or sorted({plugin for plugin, _ in meant} | right)
    files = [(name, options.zoo / f"{name}.so") for name in names]
    if options.shipped:
        folder = pathlib.Path(options.ancora).resolve().parents[1] / "lib" / "ancora" / "plugins"
        files = [(path.stem, path) for path in sorted(folder.glob("*.so"))]
    bad = 0
    print("| plugin | type | check meant | caught by it | by any | other checks that failed |")
    print("|---|---|---|---|---|---|")
    for name, path in files:
        table = {}
        for seed in range(1, options.seeds + 1):
            found = failures(options.ancora, path, seed)
            for kind, checks in (found or {"-": {"refused"}}).items():
                table.setdefault(kind, []).append(checks)
        for kind, rows in table.items():
            check = meant.get((name, kind))
            caught = sum(check in row for row in rows)
            failed = sum(bool(row) for row in rows)
            others = sorted({other for row in rows for other in row if other != check})
            # beside types with a check of their own: the suite says of each what must be
            must_pass = options.shipped or RIGHT.match(kind)
            is_bad = failed > 0 if must_pass else check is not None and caught < len(rows)
            bad += is_bad
            print(f"| {name} | {kind} | {check or ''} | "
                  f"{f'{caught} of {len(rows)}' if check else ''}{' (!)' if is_bad else ''} | "
                  f"{failed} of {len(rows)} | {', '.join(others)} |", flush=True)
    print(f"\n{bad} lines are wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
