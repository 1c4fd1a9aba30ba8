#!/usr/bin/env python3
"""Twenty random small models, dense and MoE, saved by transformers: our logits are PyTorch's."""

import sys
import tempfile

import torch

from common import Counter, TOLERANCE, add_experts, build_model, difference, draw_ids, draw_settings, seeded, trace

CASES = 20


def describe(settings):
    parts = ["MoE" if "num_experts" in settings else "dense", "tied" if settings["tie_word_embeddings"] else "untied"]
    parts.append(f"{settings['num_attention_heads']}/{settings['num_key_value_heads']} heads")
    known = ("head_dim", "rope_theta", "max_position_embeddings", "hidden_act", "num_experts", "num_experts_per_tok",
             "norm_topk_prob")
    parts += [f"{name} {settings[name]}" for name in known if name in settings]
    return ", ".join(parts)


def main():
    counter = Counter()
    for case in range(CASES):
        draw = seeded(1000 + case)
        settings = draw_settings(draw)
        settings["tie_word_embeddings"] = case % 4 < 2
        if case % 2:
            add_experts(settings, draw)
        name = f"model {case} ({describe(settings)})"
        model = build_model(settings, case)
        ids = draw_ids(draw, settings["vocab_size"])
        with torch.no_grad():
            reference = model(ids).logits
        with tempfile.TemporaryDirectory() as checkpoint:
            model.save_pretrained(checkpoint)
            try:
                tensors, _ = trace(checkpoint, ids, "--filter", "lm_head")
            except (RuntimeError, OSError) as error:
                counter.fail(name, error)
                continue
        counter.check(name, difference(tensors["lm_head"], reference))
    print(f"logits of {CASES} random models: largest difference {counter.worst * TOLERANCE:.1e} "
          f"of {TOLERANCE:.0e} allowed")
    return counter.close()


if __name__ == "__main__":
    sys.exit(main())
