"""Weights of an encoder by name, and as int8 in an npz file that is small enough to be carried.

Names are "words", "pos", "norm.s", "norm.b", "pool.w", "pool.b" and, for each layer,
"0.attention_in.w" and so on. In the file a rounded matrix is two entries: "NAME|q" (int8) and
"NAME|s" (its scales).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder_weights import Dense, EncoderWeights, Layer, Norm

MAX_TOKENS = 256
DENSE_PARTS = ("attention_in", "attention_out", "up", "down")
NORM_PARTS = ("attention_norm", "down_norm")
Named = dict[str, NDArray[Any]]


def flatten(weights: EncoderWeights) -> Named:
    """The weights by name."""
    named: Named = {
        "words": weights.words,
        "norm.s": weights.norm.scale,
        "norm.b": weights.norm.bias,
    }
    if weights.positions is not None:
        named["pos"] = weights.positions[:MAX_TOKENS]
    if weights.pooler is not None:
        named["pool.w"], named["pool.b"] = weights.pooler.matrix, weights.pooler.bias
    for number, layer in enumerate(weights.layers):
        for part in DENSE_PARTS:
            dense = getattr(layer, part)
            named[f"{number}.{part}.w"], named[f"{number}.{part}.b"] = dense.matrix, dense.bias
        for part in NORM_PARTS:
            norm = getattr(layer, part)
            named[f"{number}.{part}.s"], named[f"{number}.{part}.b"] = norm.scale, norm.bias
    return named


def unflatten(named: Named, heads: int, layers: int = 6) -> EncoderWeights:
    """The weights that `flatten` gave the names to."""

    def dense(name: str) -> Dense:
        return Dense(named[f"{name}.w"], named[f"{name}.b"])

    def norm(name: str) -> Norm:
        return Norm(named[f"{name}.s"], named[f"{name}.b"])

    def layer(number: int) -> Layer:
        denses = {part: dense(f"{number}.{part}") for part in DENSE_PARTS}
        norms = {part: norm(f"{number}.{part}") for part in NORM_PARTS}
        return Layer(**denses, **norms)

    return EncoderWeights(
        words=named["words"],
        positions=named.get("pos"),
        norm=norm("norm"),
        layers=tuple(map(layer, range(layers))),
        heads=heads,
        pooler=dense("pool") if "pool.w" in named else None,
    )


def save_packed(path: Path, named: Named) -> None:
    """Round matrices to int8: words with one scale a row, all others with one a column."""
    packed: Named = {}
    for name, values in named.items():
        if values.ndim == 2 and name != "pos":
            axis = 1 if name == "words" else 0
            scales = np.abs(values).max(axis=axis, keepdims=True) / 127
            packed[f"{name}|q"] = np.round(values / scales).astype(np.int8)
            packed[f"{name}|s"] = scales.astype(np.float32)
        else:
            packed[name] = values.astype(np.float32)
    np.savez(path, **packed)


def load_packed(path: Path) -> Named:
    """Float weights by name."""
    with np.load(path) as packed:
        named: Named = {}
        for name in packed.files:
            if name.endswith("|q"):
                plain = name.removesuffix("|q")
                named[plain] = packed[name].astype(np.float32) * packed[f"{plain}|s"]
            elif not name.endswith("|s"):
                named[name] = packed[name]
        return named
