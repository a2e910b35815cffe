"""The encoder as a PyTorch module: the same arithmetic as the graph of `encoder_graph`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from packed_weights import load_packed

WIDTH = 384
MAX_TOKENS = 256
EPSILON = 1e-12
ROTARY_BASE = 10000.0
ROTARY_POSITIONS = 512
PART_BYTES = 15.5e6

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Encoder(nn.Module):
    """Without a position table it is rotary; with a pooler it reads the first token."""

    def __init__(self, weights: dict[str, Tensor], heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.layers = max(int(name.split(".")[0]) for name in weights if name[0].isdigit()) + 1
        self.rotary = "pos" not in weights
        # A parameter's name may not hold a dot.
        self.weights = nn.ParameterDict(
            {name.replace(".", "_"): nn.Parameter(v.clone()) for name, v in weights.items()}
        )
        if self.rotary:
            half = WIDTH // heads // 2
            frequencies = ROTARY_BASE ** (-torch.arange(half).float() / half)
            angles = torch.outer(torch.arange(ROTARY_POSITIONS).float(), frequencies)
            both = torch.cat([angles, angles], 1)
            self.register_buffer("cosines", both.cos())
            self.register_buffer("sines", both.sin())

    def weight(self, name: str) -> Tensor:
        return self.weights[name.replace(".", "_")]

    def forward(self, ids: Tensor, mask: Tensor, first_token: bool = False) -> Tensor:
        """Sentence vectors of any length; `first_token`: what the pooler would be given."""
        state = functional.embedding(ids, self.weight("words"))
        if not self.rotary:
            state = state + self.weight("pos")[: ids.shape[1]]
        state = self._norm(state, "norm")
        for number in range(self.layers):
            state = self._layer(number, state, mask[:, None, None, :])
        if "pool_w" in self.weights:
            first = state[:, 0].float()
            return first if first_token else self.pool(first)
        counted = mask[..., None].float()
        return (state.float() * counted).sum(1) / counted.sum(1)

    def pool(self, first: Tensor) -> Tensor:
        return first @ self.weight("pool.w") + self.weight("pool.b")

    def _layer(self, number: int, state: Tensor, mask: Tensor) -> Tensor:
        batch, length = state.shape[:2]
        packed = self._dense(state, f"{number}.attention_in")
        query, key, value = (
            part.view(batch, length, self.heads, -1).transpose(1, 2) for part in packed.chunk(3, -1)
        )
        if self.rotary:
            query, key = self._turn(query), self._turn(key)
        attended = functional.scaled_dot_product_attention(
            query, key, value.to(query.dtype), attn_mask=mask
        )
        attended = attended.transpose(1, 2).reshape(batch, length, WIDTH)
        attended = self._dense(attended, f"{number}.attention_out")
        state = self._norm(attended + state, f"{number}.attention_norm")
        wide = functional.gelu(self._dense(state, f"{number}.up"))
        return self._norm(self._dense(wide, f"{number}.down") + state, f"{number}.down_norm")

    def _norm(self, state: Tensor, name: str) -> Tensor:
        scale, bias = self.weight(f"{name}.s"), self.weight(f"{name}.b")
        return functional.layer_norm(state.float(), (WIDTH,), scale, bias, EPSILON)

    def _dense(self, state: Tensor, name: str) -> Tensor:
        return state @ self.weight(f"{name}.w") + self.weight(f"{name}.b")

    def _turn(self, state: Tensor) -> Tensor:
        length = state.shape[2]
        first, second = state.chunk(2, -1)
        cosines = self.cosines[:length].to(state.dtype)
        sines = self.sines[:length].to(state.dtype)
        return state * cosines + torch.cat([-second, first], -1) * sines


def load_weights(path: Path) -> dict[str, Tensor]:
    return {name: torch.tensor(values) for name, values in load_packed(path).items()}


def save_weights(model: Encoder, prefix: Path, leave_out: Sequence[str] = ()) -> None:
    """Half floats in files PREFIX-0.npz, PREFIX-1.npz … of a size that is easy to carry."""
    part: dict[str, np.ndarray] = {}
    size = number = 0
    for name, parameter in model.weights.items():
        if name in leave_out:
            continue
        values = parameter.detach().half().cpu().numpy()
        if size + values.nbytes > PART_BYTES:
            np.savez(f"{prefix}-{number}.npz", **part)
            part, size, number = {}, 0, number + 1
        part[name] = values
        size += values.nbytes
    np.savez(f"{prefix}-{number}.npz", **part)


def pad(sequences: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
    """Ids and mask; the length is a multiple of eight."""
    length = min(MAX_TOKENS, (max(map(len, sequences)) + 7) // 8 * 8)
    ids = np.zeros((len(sequences), length), np.int64)
    mask = np.zeros((len(sequences), length), bool)
    for row, sequence in enumerate(sequences):
        kept = sequence[:length]
        ids[row, : len(kept)] = kept
        mask[row, : len(kept)] = True
    return (
        torch.from_numpy(ids).to(DEVICE, non_blocking=True),
        torch.from_numpy(mask).to(DEVICE, non_blocking=True),
    )


def autocast() -> torch.autocast:
    return torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda")


def encode(model: Encoder, sequences: Sequence[np.ndarray], grad: bool = True) -> Tensor:
    """Unit vectors of one batch."""
    with autocast(), torch.set_grad_enabled(grad):
        return functional.normalize(model(*pad(sequences)).float(), dim=-1)


def by_length(sequences: Sequence[np.ndarray]) -> list[int]:
    """Places, shortest sequence first: little padding in a batch."""
    return sorted(range(len(sequences)), key=lambda place: len(sequences[place]))


def encode_all(model: Encoder, sequences: Sequence[np.ndarray], size: int = 2048) -> Tensor:
    """Unit vectors of any number of sequences, without gradients."""
    order = by_length(sequences)
    vectors = torch.empty(len(sequences), WIDTH, device=DEVICE)
    for start in range(0, len(order), size):
        places = order[start : start + size]
        batch = [sequences[place] for place in places]
        vectors[torch.tensor(places, device=DEVICE)] = encode(model, batch, grad=False)
    return vectors


@torch.no_grad()
def first_tokens(model: Encoder, sequences: Sequence[np.ndarray], size: int = 2048) -> Tensor:
    """What the pooler would be given for every sequence."""
    order = by_length(sequences)
    states = torch.empty(len(sequences), WIDTH, device=DEVICE)
    for start in range(0, len(order), size):
        places = order[start : start + size]
        with autocast():
            found = model(*pad([sequences[place] for place in places]), first_token=True)
        states[torch.tensor(places, device=DEVICE)] = found.float()
    return states
