#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build folder that was configured with Clang and has its precompiled header.

clang-tidy walks through every declaration of a translation unit, and those of the large headers take most of the time.
So the sources that are compiled alike are checked in batches, one translation unit each, which is several times faster.
Sources whose file-local names clash do not compile as one: such a batch is halved until it does.

Usage: tidy.py BUILD_FOLDER CLANG_TIDY SOURCE_ROOT. The last line is "N passed, N failed" and counts source files.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

BATCH = 30


def compile_groups(build_folder, root):
    """The sources of each folder of src, and of all labs, with their flags: {(directory, flags, folder): [file, ...]}."""
    with open(os.path.join(build_folder, "compile_commands.json")) as file:
        commands = json.load(file)
    groups = {}
    for entry in commands:
        source = os.path.realpath(entry["file"])
        if not source.startswith(root + os.sep) or not source.endswith(".cpp"):
            continue
        if source.startswith(os.path.join(root, "build") + os.sep):
            continue
        words = shlex.split(entry["command"])[1:]
        flags = []
        skip = False
        for word in words:
            if skip:
                skip = False
            elif word in ("-o", "-c"):
                skip = True
            else:
                flags.append(word)
        folder = os.path.dirname(source)
        if os.path.basename(os.path.dirname(folder)) == "labs":
            folder = os.path.dirname(folder)  # a lab has few files
        groups.setdefault((entry["directory"], tuple(flags), folder), []).append(source)
    return groups


class Tidy:
    def __init__(self, build_folder, clang_tidy, root):
        self.folder = os.path.join(build_folder, "tidy")
        self.clang_tidy = clang_tidy
        self.root = root
        os.makedirs(self.folder, exist_ok=True)

    def write_unit(self, files):
        name = re.sub(r"[^A-Za-z0-9]+", "_", os.path.relpath(files[0], self.root)) + f"_{len(files)}.cpp"
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.writelines(f'#include "{source}"\n' for source in files)
        return path

    def check(self, directory, flags, files):
        """Returns a list of (files, messages); messages is empty where nothing was found."""
        unit = files[0] if len(files) == 1 else self.write_unit(files)
        command = [self.clang_tidy, "--quiet", f"--config-file={self.root}/.clang-tidy", unit, "--", *flags, "-w"]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, errors="replace")
        if len(files) > 1 and "[clang-diagnostic-error]" in done.stdout:
            middle = len(files) // 2
            return self.check(directory, flags, files[:middle]) + self.check(directory, flags, files[middle:])
        if done.returncode == 0:
            return [(files, "")]
        return [(files, (done.stdout.strip() or done.stderr.strip()) or "clang-tidy failed")]


def main():
    build_folder, clang_tidy, root = sys.argv[1:]
    root = os.path.realpath(root)
    tidy = Tidy(os.path.realpath(build_folder), clang_tidy, root)
    jobs = []
    for (directory, flags, _), files in sorted(compile_groups(build_folder, root).items()):
        files.sort()
        jobs += [(directory, flags, files[i:i + BATCH]) for i in range(0, len(files), BATCH)]
    total, bad = 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for results in pool.map(lambda job: tidy.check(*job), jobs):
            for files, messages in results:
                total += len(files)
                if not messages:
                    continue
                print(messages, flush=True)
                named = {file for file in files if file + ":" in messages}
                bad |= named or {files[0]}
    print(f"{total - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
