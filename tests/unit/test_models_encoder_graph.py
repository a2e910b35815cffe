"""The graph against a forward pass in plain numpy, on random weights."""

from __future__ import annotations

import json
import math
import struct

import numpy as np
import pytest

from taishi.models.local.builder.encoder_graph import build_encoder, quantise
from taishi.models.local.builder.weights import (
    Array,
    Dense,
    EncoderWeights,
    Layer,
    Norm,
    minilm_weights,
    read_safetensors,
)

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
erf = np.vectorize(math.erf, otypes=[np.float32])


def random_weights(rotary: bool, width: int = 96, heads: int = 4) -> EncoderWeights:
    source = np.random.default_rng(7)

    def array(*shape: int, scale: float = 0.08) -> Array:
        return source.normal(0, scale, shape).astype(np.float32)

    def dense(rows: int, columns: int) -> Dense:
        return Dense(array(rows, columns), array(columns))

    def norm() -> Norm:
        return Norm(1 + array(width), array(width))

    layers = tuple(
        Layer(
            dense(width, 3 * width),
            dense(width, width),
            norm(),
            dense(width, 4 * width),
            dense(4 * width, width),
            norm(),
        )
        for _ in range(3)
    )
    return EncoderWeights(
        words=array(500, width, scale=1),
        positions=None if rotary else array(64, width, scale=0.3),
        norm=norm(),
        layers=layers,
        heads=heads,
        pooler=dense(width, width) if rotary else None,
    )


def normalise(norm: Norm, state: Array) -> Array:
    centred = state - state.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * norm.scale + norm.bias


def turn(vectors: Array) -> Array:
    """Rotary position, written with complex numbers: first half real, second half imaginary."""
    half = vectors.shape[-1] // 2
    angles = np.outer(np.arange(vectors.shape[1]), 10000.0 ** (-np.arange(half) / half))
    turned = (vectors[..., :half] + 1j * vectors[..., half:]) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag], axis=-1)


def forward(weights: EncoderWeights, ids: list[int]) -> Array:
    state = weights.words[ids]
    if weights.positions is not None:
        state = state + weights.positions[: len(ids)]
    state = normalise(weights.norm, state)
    for layer in weights.layers:
        packed = state @ layer.attention_in.matrix + layer.attention_in.bias
        query, key, value = (
            part.reshape(len(ids), weights.heads, -1).swapaxes(0, 1)
            for part in np.split(packed, 3, axis=-1)
        )
        if weights.positions is None:
            query, key = turn(query), turn(key)
        scores = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ value).swapaxes(0, 1).reshape(len(ids), -1)
        attended = mixed @ layer.attention_out.matrix + layer.attention_out.bias
        state = normalise(layer.attention_norm, state + attended)
        wide = state @ layer.up.matrix + layer.up.bias
        wide = wide * (1 + erf(wide / math.sqrt(2))) / 2
        state = normalise(layer.down_norm, state + wide @ layer.down.matrix + layer.down.bias)
    if weights.pooler is not None:
        return state[0] @ weights.pooler.matrix + weights.pooler.bias
    return state.mean(axis=0)


def cosine(left: Array, right: Array) -> float:
    return float(left @ right / np.linalg.norm(left) / np.linalg.norm(right))


def run(graph: bytes, ids: list[int]) -> Array:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(None, {"ids": np.array([ids], np.int64)})[0][0]


SENTENCES = [[1], [5, 7, 11], list(range(20)), list(range(100, 164))]


@pytest.mark.parametrize("rotary", [False, True])
def test_float_graph_equals_numpy(rotary: bool) -> None:
    weights = random_weights(rotary)
    graph = build_encoder(weights, max_tokens=64, int8=False)
    for ids in SENTENCES:
        np.testing.assert_allclose(run(graph, ids), forward(weights, ids), atol=2e-4)


@pytest.mark.parametrize("rotary", [False, True])
def test_int8_graph_points_the_same_way_and_is_small(rotary: bool) -> None:
    weights = random_weights(rotary)
    graph = build_encoder(weights, max_tokens=64)
    cosines = [cosine(run(graph, ids), forward(weights, ids)) for ids in SENTENCES]
    assert np.mean(cosines) >= 0.99
    assert len(graph) < 0.4 * len(build_encoder(weights, max_tokens=64, int8=False))


def test_quantise_survives_a_zero_column() -> None:
    matrix = np.array([[0.0, 1.0], [0.0, -2.0]], np.float32)
    codes, scales = quantise(matrix, axis=0, largest=63)
    np.testing.assert_allclose(codes * scales, matrix, atol=0.02)
    assert codes.max() <= 63 and codes.min() >= -63


def test_read_safetensors_and_name_them() -> None:
    source = np.random.default_rng(1)
    width, tensors = 24, {}
    for prefix, rows, columns in [
        ("embeddings.word_embeddings", 10, width),
        ("embeddings.position_embeddings", 8, width),
        ("embeddings.token_type_embeddings", 2, width),
        ("encoder.layer.0.attention.self.query", width, width),
        ("encoder.layer.0.attention.self.key", width, width),
        ("encoder.layer.0.attention.self.value", width, width),
        ("encoder.layer.0.attention.output.dense", width, width),
        ("encoder.layer.0.intermediate.dense", 2 * width, width),
        ("encoder.layer.0.output.dense", width, 2 * width),
    ]:
        tensors[f"{prefix}.weight"] = source.normal(size=(rows, columns)).astype("<f4")
        tensors[f"{prefix}.bias"] = source.normal(size=rows).astype("<f4")
    for prefix in ("embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"):
        tensors[f"{prefix}.LayerNorm.weight"] = np.ones(width, "<f4")
        tensors[f"{prefix}.LayerNorm.bias"] = np.zeros(width, "<f4")
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        end = len(body) + tensor.nbytes
        shape = list(tensor.shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), end]}
        body += tensor.tobytes()
    head = json.dumps(header).encode()
    data = struct.pack("<Q", len(head)) + head + body

    weights = minilm_weights(read_safetensors(data), layers=1, heads=4)

    own = "encoder.layer.0.attention.self"
    attention_in = weights.layers[0].attention_in.matrix
    assert attention_in.shape == (width, 3 * width)
    np.testing.assert_array_equal(
        attention_in[:, width : 2 * width], tensors[f"{own}.key.weight"].T
    )
    assert weights.positions is not None
    np.testing.assert_allclose(
        weights.positions[3],
        tensors["embeddings.position_embeddings.weight"][3]
        + tensors["embeddings.token_type_embeddings.weight"][0],
    )
