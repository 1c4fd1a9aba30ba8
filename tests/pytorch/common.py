"""What the comparisons with PyTorch share: small random models, running the program, comparing tensors."""

import json
import os
import pathlib
import random
import subprocess
import tempfile

import torch
from safetensors.torch import load_file
from transformers import Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MINIMIND_PROGRAM", str(ROOT / "build" / "release" / "minimind"))

# float32 sums of the same terms in another order; measured differences are a tenth of this.
TOLERANCE = 2e-5


def build_model(settings, seed):
    """A Qwen3 or (with num_experts) a Qwen3-MoE model with random weights of a size that lets every factor show."""
    moe = "num_experts" in settings
    config = (Qwen3MoeConfig if moe else Qwen3Config)(attn_implementation="eager", **settings)
    model = (Qwen3MoeForCausalLM if moe else Qwen3ForCausalLM)(config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 1:  # a norm: off 1, so that a forgotten weight shows
                parameter.copy_(1 + 0.3 * noise)
            else:
                parameter.copy_(noise / parameter.shape[-1] ** 0.5)
    return model


def draw_settings(draw):
    """The settings of one random small model; a setting that is left out has the default of the model type."""
    kv_heads = draw.choice([1, 2, 3])
    heads = kv_heads * draw.choice([1, 2, 3])
    settings = {
        "vocab_size": draw.randint(20, 200),
        "hidden_size": heads * 2 * draw.randint(3, 12),
        "intermediate_size": draw.randint(5, 150),
        "num_hidden_layers": draw.randint(1, 4),
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "tie_word_embeddings": draw.random() < 0.5,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    if draw.random() < 0.6:
        settings["head_dim"] = 2 * draw.randint(2, 20)
    if draw.random() < 0.6:
        settings["rope_theta"] = draw.choice([1e4, 5e5, 1e6])
    if draw.random() < 0.6:
        settings["max_position_embeddings"] = draw.choice([64, 512, 4096])
    if draw.random() < 0.3:
        settings["rms_norm_eps"] = draw.choice([1e-5, 1e-4])
    if draw.random() < 0.3:
        settings["hidden_act"] = draw.choice(["gelu", "gelu_new", "gelu_pytorch_tanh", "relu"])
    return settings


def add_experts(settings, draw):
    """Makes a MoE model of it, with at least two experts."""
    experts = draw.randint(2, 6)
    settings.update(
        num_experts=experts,
        num_experts_per_tok=draw.randint(1, experts),
        moe_intermediate_size=draw.randint(5, 60),
        decoder_sparse_step=1,
        mlp_only_layers=[],
    )
    if draw.random() < 0.7:
        settings["norm_topk_prob"] = draw.random() < 0.7
    return settings


def draw_ids(draw, vocab_size, rows=None, length=None):
    rows = rows or draw.randint(1, 3)
    length = length or draw.randint(2, 24)
    return torch.tensor([[draw.randrange(vocab_size) for _ in range(length)] for _ in range(rows)])


def rows_of(ids):
    """"1,2,3;4,5,6" """
    return ";".join(",".join(str(value) for value in row) for row in ids.tolist())


def run_program(*arguments):
    words = [str(argument) for argument in arguments]
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"minimind {' '.join(words)}\nended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def trace(checkpoint, ids, *arguments):
    """The recorded tensors {name: tensor} and trace.json of one forward pass."""
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder) / "dump"
        run_program("trace", "--checkpoint", checkpoint, "--input_ids", rows_of(ids), "--dump", dump, *arguments)
        step = dump / "step000"
        return load_file(step / "tensors.safetensors"), json.loads((step / "trace.json").read_text())


def difference(ours, reference):
    """The largest difference as a share of the tolerance; infinity where shapes, types or infinities differ.

    Scores behind a padding mask lie near -1e9, where a float32 is coarse: they are compared by their own size."""
    if list(ours.shape) != list(reference.shape) or ours.dtype != reference.dtype:
        return float("inf")
    if not reference.is_floating_point():
        return 0.0 if torch.equal(ours, reference) else float("inf")
    if not torch.equal(ours.isneginf(), reference.isneginf()):
        return float("inf")
    worst = 0.0
    for chosen, scale in (
        (reference > -1e8, None),
        ((reference <= -1e8) & ~reference.isneginf(), 1e-6),
    ):
        a, b = ours[chosen].double(), reference[chosen].double()
        if not a.numel():
            continue
        size = b.abs() * scale if scale else TOLERANCE * max(1.0, b.abs().max().item())
        share = ((a - b).abs() / size).max().item()
        worst = max(worst, share if share == share else float("inf"))
    if reference.isnan().any():
        worst = float("inf")
    return worst


class Counter:
    """Counts checks and says which fail."""

    def __init__(self):
        self.passed = self.failed = 0
        self.worst = 0.0

    def check(self, name, share):
        if share <= 1.0:
            self.passed += 1
            self.worst = max(self.worst, share)
        else:
            self.failed += 1
            print(f"FAILED {name}: {share:.3g} times the tolerance")

    def fail(self, name, why):
        self.failed += 1
        print(f"FAILED {name}: {why}")

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def seeded(seed):
    return random.Random(seed)
