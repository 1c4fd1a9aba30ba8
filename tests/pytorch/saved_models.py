#!/usr/bin/env python3
"""What `minimind save` writes runs in plain transformers: no missing or unexpected weights, and our logits."""

import sys
import tempfile

import torch
from transformers import AutoModelForCausalLM

from common import Counter, TOLERANCE, difference, draw_ids, run_program, seeded, trace

MODELS = {
    "dense, tied": ("qwen3", []),
    "dense, untied": ("qwen3", ["--tie_word_embeddings", "0", "--num_hidden_layers", "3"]),
    "dense, head_dim of its own": ("qwen3", ["--hidden_size", "48", "--head_dim", "20", "--hidden_act", "gelu"]),
    "MoE": ("qwen3_moe", ["--use_moe", "1", "--num_experts_per_tok", "2"]),
    "MoE, raw weights": ("qwen3_moe", ["--use_moe", "1", "--norm_topk_prob", "0", "--tie_word_embeddings", "0"]),
}


def main():
    counter = Counter()
    for case, (name, (model_type, flags)) in enumerate(MODELS.items()):
        ids = draw_ids(seeded(case), 6400)
        with tempfile.TemporaryDirectory() as folder:
            directory = f"{folder}/saved"
            try:
                run_program("save", directory, "--model_type", model_type, "--norm_weights", "random", "--seed", case, *flags)
                model, loading = AutoModelForCausalLM.from_pretrained(directory, output_loading_info=True)
                tensors, _ = trace(directory, ids, "--filter", "lm_head")
            except (RuntimeError, OSError) as error:
                counter.fail(name, error)
                continue
        if loading["missing_keys"] or loading["unexpected_keys"] or loading["mismatched_keys"]:
            counter.fail(name, loading)
            continue
        with torch.no_grad():
            counter.check(name, difference(tensors["lm_head"], model.eval()(ids).logits))
    print(f"logits of {len(MODELS)} models that `minimind save` wrote: largest difference "
          f"{counter.worst * TOLERANCE:.1e} of {TOLERANCE:.0e} allowed")
    return counter.close()


if __name__ == "__main__":
    sys.exit(main())
