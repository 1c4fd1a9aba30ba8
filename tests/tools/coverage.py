#!/usr/bin/env python3
"""Sums what gcovr counts by folder of src/. Usage: coverage.py ROOT BUILD_FOLDER, after the tests have run.

Branches are those of the source: the ones that the compiler adds for exceptions are left out.
"""

import json
import os
import re
import subprocess
import sys

REQUIRED = {"src/model": 95.0, "src/trace": 95.0}


def percent(hit, all_):
    return 100.0 * hit / all_ if all_ else 100.0


def counts(root, build_folder):
    """{folder: [lines hit, lines, branches hit, branches]}"""
    report = os.path.join(build_folder, "coverage.json")
    # The gcov that belongs to the compiler; a newer one cannot read its files.
    gcov = "gcov"
    with open(os.path.join(build_folder, "CMakeCache.txt")) as cache:
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read(), re.M)
    if compiler and (version := re.search(r"g\+\+(-\d+)$", compiler.group(1))):
        gcov += version.group(1)
    # The main folder is filtered by a pattern, in which a path with special signs must be escaped.
    subprocess.run(["gcovr", "--root", root, "--filter", re.escape(os.path.join(root, "src")) + "/",
                    "--gcov-executable", gcov, "--exclude-throw-branches", "--exclude-unreachable-branches",
                    "--json", report, build_folder], cwd=root, check=True, stdout=sys.stderr)
    with open(report) as file:
        files = json.load(file)["files"]
    folders = {}
    for entry in files:
        folder = "/".join(entry["file"].split("/")[:2])
        sums = folders.setdefault(folder, [0, 0, 0, 0])
        for line in entry["lines"]:
            if line.get("gcovr/noncode"):
                continue
            sums[0] += line["count"] > 0
            sums[1] += 1
            branches = [b for b in line.get("branches", []) if not b.get("throw")]
            sums[2] += sum(b["count"] > 0 for b in branches)
            sums[3] += len(branches)
    return folders


def main():
    root, build_folder = (os.path.realpath(path) for path in sys.argv[1:])
    folders = counts(root, build_folder)
    total = [sum(column) for column in zip(*folders.values())] or [0, 0, 0, 0]
    print(f"{'folder':<16} {'lines':>7} {'hit':>7} {'':>7}   {'branches':>8} {'hit':>7}")
    for folder, (hit, lines, taken, branches) in [*sorted(folders.items()), ("src", total)]:
        print(f"{folder:<16} {lines:>7} {hit:>7} {percent(hit, lines):>6.1f}%   {branches:>8} {taken:>7} "
              f"{percent(taken, branches):>6.1f}%")
    passed = failed = 0
    for folder, least in REQUIRED.items():
        hit, lines = folders.get(folder, [0, 0])[:2]
        if lines and percent(hit, lines) >= least:
            passed += 1
        else:
            failed += 1
            print(f"{folder}: {percent(hit, lines) if lines else 0:.1f} % of lines, at least {least} are required")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
