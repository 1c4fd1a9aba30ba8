#!/usr/bin/env python3
"""Makes docs/step-tour.cast, a recording of the stepper for `asciinema play`, from labs/data/tour.step.

What the stepper prints is its real output; only the pace is invented: a key every 60 ms, and time to read after each
answer. Usage: tests/tools/cast.py [PROGRAM] > docs/step-tour.cast
"""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WIDTH, HEIGHT = 80, 40
PROMPT = "(step) "
KEY, LINE = 0.06, 0.12  # seconds for a key, and to read a line


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/minimind")
    words = ["step", "--batch", "--color", "always", "-x", os.path.join(ROOT, "labs/data/tour.step")]
    environment = dict(os.environ, COLUMNS=str(WIDTH), MINIMIND_LANG="en")
    output = subprocess.run([program, *words], check=True, capture_output=True, text=True, env=environment).stdout
    print(json.dumps({"version": 2, "width": WIDTH, "height": HEIGHT, "title": "minimind step"}))
    now = 0.5

    def emit(text):
        print(json.dumps([round(now, 2), "o", text], ensure_ascii=False))

    for line in output.splitlines():
        if not line.startswith(PROMPT):
            now += LINE
            emit(line + "\r\n")
            continue
        now += 1.5
        emit(PROMPT)
        for key in line[len(PROMPT):]:
            now += KEY
            emit(key)
        now += 0.4
        emit("\r\n")


if __name__ == "__main__":
    main()
