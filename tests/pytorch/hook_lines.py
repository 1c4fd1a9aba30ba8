#!/usr/bin/env python3
"""Evaluates the line of PyTorch of every hook point on recorded traces and compares it with what was recorded.

docs/hooks.md says what the names in the lines are; `variables` makes them.
"""

import json
import math
import sys
import tempfile

import torch
import torch.nn.functional as F
from transformers.activations import ACT2FN

from common import Counter, TOLERANCE, add_experts, build_model, difference, draw_ids, rows_of, run_program, seeded
from common import trace

# All sizes differ, so that a swapped axis shows.
SETTINGS = {
    "vocab_size": 61, "hidden_size": 36, "intermediate_size": 50, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 10, "rope_theta": 1e5, "rms_norm_eps": 1e-5, "max_position_embeddings": 64,
    "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip


class Run:
    """One recorded forward pass and what it was made from."""

    def __init__(self, name, model, ids, past=0, labels=None, mask=None):
        self.name = name
        self.config = model.config
        self.parameters = dict(model.state_dict())
        self.parameters.setdefault("lm_head.weight", self.parameters["model.embed_tokens.weight"])
        self.ids = ids
        self.past = past
        self.labels = labels
        self.mask = mask if mask is not None else torch.ones_like(ids)
        self.tensors = {}
        self.before = {}  # the same ids without a cache: what a cache holds

    def record(self, checkpoint):
        arguments = []
        if self.past:
            arguments += ["--past", self.past]
            self.before, _ = trace(checkpoint, self.ids)
        if self.labels is not None:
            arguments += ["--labels", rows_of(self.labels)]
        if not self.mask.all():
            arguments += ["--attention_mask", rows_of(self.mask)]
        self.tensors, _ = trace(checkpoint, self.ids, *arguments)


def fill(name, layer, expert):
    return name.replace("{i}", str(layer)).replace("{e}", str(expert))


def variables(run, point, layer, expert):
    """What the names in a point's line stand for."""
    config, tensors = run.config, run.tensors
    block = f"model.layers.{layer}."
    rows, total = run.ids.shape
    names = {"torch": torch, "F": F, "math": math, "ACT2FN": ACT2FN}

    # Other stages go by the last part of their names: those outside the blocks, then those of this block.
    for full_name, tensor in tensors.items():
        if not full_name.startswith("model.layers.") or full_name.startswith(block):
            names[full_name.rsplit(".", 1)[-1]] = tensor
    experts = {
        int(full_name.rsplit(".", 1)[-1]): tensor
        for full_name, tensor in tensors.items()
        if full_name.startswith(block + "mlp.experts.")
    }
    last = config.num_hidden_layers - 1 if layer < 0 else layer - 1
    stream = tensors.get(f"model.layers.{last}.resid_post" if last >= 0 else "model.embed_tokens")
    attention = f"{block}self_attn."
    names.update(
        stream=stream,
        experts=experts,
        input_ids=run.ids[:, run.past :],
        # Labels of cached positions are those of tokens that are gone.
        labels=None if run.labels is None else run.labels[:, run.past :],
        attention_mask=run.mask,
        positions=torch.arange(run.past, total, dtype=torch.float32),
        keys=tensors.get(attention + "k_cache", tensors.get(attention + "k_rope")),
        values=tensors.get(attention + "v_cache", tensors.get(attention + "v")),
    )
    if run.past and layer >= 0:
        names["past_k"] = run.before[attention + "k_rope"][:, : run.past]
        names["past_v"] = run.before[attention + "v"][:, : run.past]

    # x is the first input, weight the first parameter, and every parameter goes by the module that owns it.
    if point["inputs"]:
        names["x"] = names.get(point["inputs"][0])  # the MLP of a MoE block has no down_proj, and does not need it
    for parameter in reversed(point["parameters"]):
        parameter = fill(parameter, layer, expert)
        full_name = next(n for n in (block + parameter, "model." + parameter, parameter) if n in run.parameters)
        names["weight"] = names[parameter.split(".")[-2]] = run.parameters[full_name]
    if "{e}" in point["name"]:
        chosen = (names["topk_idx"] == expert).any(-1)
        names["x_e"] = names["post_attention_layernorm"].reshape(-1, config.hidden_size)[chosen]

    # The config comes last: k is the number of key/value heads, not the stage.
    D = config.head_dim
    names.update(
        B=rows, S=total - run.past, P=run.past, T=total, H=config.hidden_size, I=config.intermediate_size,
        V=config.vocab_size, h=config.num_attention_heads, k=config.num_key_value_heads, D=D,
        E=getattr(config, "num_experts", 0), K=getattr(config, "num_experts_per_tok", 0), eps=config.rms_norm_eps,
        theta=config.rope_theta, hidden_act=config.hidden_act, norm_topk_prob=getattr(config, "norm_topk_prob", True),
        logits_to_keep=0, attention_factor=1.0, inv_freq=1 / config.rope_theta ** (torch.arange(0, D, 2).float() / D),
    )  # fmt: skip
    return names


def instances(point, run):
    """(layer, expert) of every recorded stage of a point; -1 where there is none."""
    layers = range(run.config.num_hidden_layers) if "{i}" in point["name"] else [-1]
    experts = range(getattr(run.config, "num_experts", 0)) if "{e}" in point["name"] else [-1]
    return [(i, e) for i in layers for e in experts if fill(point["name"], i, e) in run.tensors]


def check_run(run, points, counter):
    """Checks every recorded stage; returns the names of the points that were recorded."""
    seen = set()
    moe = hasattr(run.config, "num_experts")
    for point in points:
        line = point["pytorch_moe"] if moe else point["pytorch"]
        for layer, expert in instances(point, run):
            name = fill(point["name"], layer, expert)
            seen.add(point["name"])
            try:
                value = eval(line, variables(run, point, layer, expert))
            except Exception as error:  # any fault of a line is a failed check
                counter.fail(f"{run.name}, {name}", f"{line}: {type(error).__name__}: {error}")
                continue
            counter.check(f"{run.name}, {name}: {line}", difference(run.tensors[name], value))
    names = {fill(p["name"], i, e) for p in points for i, e in instances(p, run)}
    for name in sorted(set(run.tensors) - names):
        counter.fail(f"{run.name}, {name}", "recorded, but not in the table")
    return seen


def runs():
    draw = seeded(7)
    dense = build_model(SETTINGS, 1)
    moe = build_model(add_experts({**SETTINGS}, draw) | {"num_experts": 5, "num_experts_per_tok": 2,
                                                         "norm_topk_prob": True}, 2)
    raw = build_model({**SETTINGS, "num_experts": 3, "num_experts_per_tok": 2, "moe_intermediate_size": 14,
                       "norm_topk_prob": False, "tie_word_embeddings": True}, 3)
    ids = draw_ids(draw, SETTINGS["vocab_size"], rows=4, length=7)
    labels = ids.clone()
    labels[0, :3] = -100
    mask = torch.ones_like(ids)
    mask[1, :2] = 0
    return [
        Run("dense with labels", dense, ids, labels=labels), Run("dense, three cached", dense, ids, past=3),
        Run("dense, padded", dense, ids, mask=mask), Run("MoE with labels", moe, ids, labels=labels),
        Run("MoE, one cached", moe, ids, past=1), Run("MoE, raw weights, tied", raw, ids),
    ], {id(model.config): model for model in (dense, moe, raw)}  # fmt: skip


def main():
    points = json.loads(run_program("hooks", "--format", "json"))
    counter = Counter()
    seen = set()
    all_runs, models = runs()
    for run in all_runs:
        with tempfile.TemporaryDirectory() as checkpoint:
            models[id(run.config)].save_pretrained(checkpoint)
            try:
                run.record(checkpoint)
            except (RuntimeError, OSError) as error:
                counter.fail(run.name, error)
                continue
        seen |= check_run(run, points, counter)
    for point in points:
        if point["name"] not in seen:
            counter.fail(point["name"], "no run recorded it")
    print(f"lines of PyTorch of {len(seen)} hook points in {len(all_runs)} runs: "
          f"largest difference {counter.worst * TOLERANCE:.1e} of {TOLERANCE:.0e} allowed")
    return counter.close()


if __name__ == "__main__":
    sys.exit(main())
