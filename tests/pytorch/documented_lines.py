#!/usr/bin/env python3
"""Runs the lines of PyTorch that docs/compare-with-pytorch.md shows, as they stand there, and compares what they save
with our dump.

The block reads a model from the folder `checkpoint`, runs the ids [[1, 2, 3], [4, 5, 6]] and writes
`pytorch.safetensors`, whose keys are the names of modules."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file

from common import Counter, ROOT, TOLERANCE, add_experts, build_model, difference, seeded, trace
from hook_lines import SETTINGS

PAGE = ROOT / "docs" / "compare-with-pytorch.md"
IDS = torch.tensor([[1, 2, 3], [4, 5, 6]])


def in_order_of_tokens(rows, stage, ours):
    """transformers gives an expert the tokens that chose it first, then those for which it was the second choice."""
    block, expert = stage.split(".experts.")
    choices = ours[block + ".topk_idx"]
    tokens = torch.cat([(choice == int(expert)).nonzero().flatten() for choice in choices.T])
    return rows[tokens.argsort()]


def main():
    counter = Counter()
    block = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
    if not block:
        counter.fail(PAGE.name, "there is no block of Python")
        return counter.close()
    models = {"dense": build_model(SETTINGS, 4), "MoE": build_model(add_experts({**SETTINGS}, seeded(4)), 5)}
    for name, model in models.items():
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            model.save_pretrained(place / "checkpoint")
            done = subprocess.run([sys.executable, "-c", block.group(1)], cwd=place, capture_output=True, text=True,
                                  env={**os.environ, "TRANSFORMERS_OFFLINE": "1"})
            if done.returncode != 0:
                counter.fail(f"{PAGE.name}, {name}", done.stderr.strip())
                continue
            theirs = load_file(place / "pytorch.safetensors")
            try:
                ours, _ = trace(place / "checkpoint", IDS)
            except (RuntimeError, OSError) as error:
                counter.fail(f"{PAGE.name}, {name}", error)
                continue
        # The names that both know: the stages that are modules.
        modules = {module for module, _ in model.named_modules()}
        for stage in ours:
            if stage not in modules:
                continue
            if stage not in theirs:
                counter.fail(f"{name}, {stage}", "the block did not record it")
                continue
            reference = theirs[stage].reshape(ours[stage].shape)
            if ".experts." in stage:
                reference = in_order_of_tokens(reference, stage, ours)
            counter.check(f"{name}, {stage}", difference(ours[stage], reference))
    print(f"lines of {PAGE.name}: largest difference {counter.worst * TOLERANCE:.1e} of {TOLERANCE:.0e} allowed")
    return counter.close()


if __name__ == "__main__":
    sys.exit(main())
