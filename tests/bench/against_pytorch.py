#!/usr/bin/env python3
"""Times our forward pass [4, 340] and decoding on a cache of 340 beside Qwen3ForCausalLM of the same sizes.

PyTorch has its default fused attention and as many threads as the program. The two take turns, since a machine drifts
by 30 % within minutes; the medians and their ratio are printed as Markdown, as docs/performance.md shows them. Exit
code 1 if we are less than 1.2 times as fast in the forward pass or 2.5 times in decoding.

Usage: against_pytorch.py PROGRAM [ROUNDS]
"""

import json
import os
import statistics
import subprocess
import sys
import time

import torch
from transformers import DynamicCache, Qwen3Config, Qwen3ForCausalLM

THREADS = 2
DECODED = 8  # tokens a round
GOALS = {"forward_4x340": 1.2, "decode_340": 2.5}


def minimind3():
    config = Qwen3Config(
        vocab_size=6400, hidden_size=768, intermediate_size=2432, num_hidden_layers=8, num_attention_heads=8,
        num_key_value_heads=4, head_dim=96, max_position_embeddings=32768, rope_theta=1e6, rms_norm_eps=1e-6,
        tie_word_embeddings=True)
    torch.manual_seed(42)
    return Qwen3ForCausalLM(config).eval()


def milliseconds(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def pytorch_round(model, ids):
    """Milliseconds of a forward pass, and of a decoded token."""
    forward = milliseconds(lambda: model(ids, use_cache=False))
    cache = DynamicCache()
    model(ids[:1], past_key_values=cache, use_cache=True, logits_to_keep=1)
    token = ids[:1, :1]

    def decode():
        for _ in range(DECODED):
            model(token, past_key_values=cache, use_cache=True)

    return {"forward_4x340": forward, "decode_340": milliseconds(decode) / DECODED}


def our_round(program):
    command = [program, "bench", "--format", "json", "--repeats", "3", "--threads", str(THREADS)]
    for name in GOALS:
        command += ["--only", name]
    environment = dict(os.environ, OMP_NUM_THREADS=str(THREADS))
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return {entry["name"]: entry["ms"] for entry in json.loads(output)}


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    torch.set_num_threads(THREADS)
    model = minimind3()
    ids = (7 * torch.arange(4 * 340) + 1).remainder(6400).view(4, 340)
    ours, theirs = [], []
    with torch.inference_mode():
        pytorch_round(model, ids)  # the first one does not count
        for _ in range(rounds):
            theirs.append(pytorch_round(model, ids))
            ours.append(our_round(program))
    print(f"| minimind3, {THREADS} threads | PyTorch {torch.__version__.split('+')[0]} | minimind | times as fast |")
    print("|---|---|---|---|")
    passed = 0
    for name, goal in GOALS.items():
        their_ms = statistics.median(entry[name] for entry in theirs)
        our_ms = statistics.median(entry[name] for entry in ours)
        print(f"| {name} | {their_ms:.1f} ms | {our_ms:.1f} ms | {their_ms / our_ms:.2f} |")
        passed += their_ms / our_ms >= goal
    print(f"{passed} passed, {len(GOALS) - passed} failed")
    return 0 if passed == len(GOALS) else 1


if __name__ == "__main__":
    sys.exit(main())
