"""Draws a sentence encoder as an ONNX graph with int8 weights.

The graph takes the `ids` of one text (1 × length) and gives `sentence` (1 × width), not yet of
unit length. One text at a time is a choice: the runtime measures the range of a whole tensor
when it rounds to int8, so in a batch a text's vector would depend on its neighbours, and on a
CPU a batch is not faster anyway. It also leaves no padding, hence no mask.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder_weights import Dense, EncoderWeights, Layer, Norm

OPSET = 20
FLOAT = 1  # onnx.TensorProto.FLOAT, which is not imported before it is needed
EPSILON = 1e-12
ROTARY_BASE = 10000.0
# Seven bits, not eight: older CPUs add pairs of products in 16 bits and would overflow.
LARGEST_CODE = 63


def build_encoder(weights: EncoderWeights, max_tokens: int, int8: bool = True) -> bytes:
    """The serialised graph; with `int8=False` the matrices stay float32 (for comparison)."""
    return _Drawing(weights, max_tokens, int8).draw()


class _Drawing:
    """One graph in the making. Each method adds nodes and returns the name of what they give."""

    def __init__(self, weights: EncoderWeights, max_tokens: int, int8: bool) -> None:
        self._weights = weights
        self._max_tokens = max_tokens
        self._int8 = int8
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._rotation: list[str] = []

    def draw(self) -> bytes:
        from onnx import TensorProto, helper

        width = self._weights.width
        state = self._embed()
        for layer in self._weights.layers:
            state = self._layer(layer, state)
        self._node("Identity", [self._pool(state)], output="sentence")
        graph = helper.make_graph(
            self._nodes,
            "sentence_encoder",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "length"])],
            [helper.make_tensor_value_info("sentence", TensorProto.FLOAT, [1, width])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return bytes(model.SerializeToString())

    def _node(self, kind: str, inputs: list[str], output: str = "", **settings: Any) -> str:
        return self._node_many(kind, inputs, [output] if output else 1, **settings)[0]

    def _node_many(
        self,
        kind: str,
        inputs: list[str],
        outputs: int | list[str],
        **settings: Any,
    ) -> list[str]:
        from onnx import helper

        if isinstance(outputs, int):
            outputs = [f"{kind}_{len(self._nodes)}_{number}" for number in range(outputs)]
        self._nodes.append(helper.make_node(kind, inputs, outputs, **settings))
        return outputs

    def _constant(self, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def _numbers(self, *values: int) -> str:
        return self._constant(np.array(values, np.int64))

    def _embed(self) -> str:
        words = self._weights.words
        if self._int8:
            codes, scales = quantise(words, axis=1, largest=127)
            picked = self._node("Gather", [self._constant(codes), "ids"])
            factor = self._node("Gather", [self._constant(scales), "ids"])
            state = self._node("Mul", [self._node("Cast", [picked], to=FLOAT), factor])
        else:
            state = self._node("Gather", [self._constant(words), "ids"])
        if self._weights.positions is not None:
            rows = self._weights.positions[: self._max_tokens]
            state = self._node("Add", [state, self._first_rows(rows)])
        return self._norm(self._weights.norm, state)

    def _first_rows(self, table: NDArray[Any]) -> str:
        """As many rows of `table` as the batch has tokens."""
        length = self._node("Shape", ["ids"], start=1, end=2)
        return self._node("Slice", [self._constant(table), self._numbers(0), length])

    def _norm(self, norm: Norm, state: str) -> str:
        inputs = [state, self._constant(norm.scale), self._constant(norm.bias)]
        return self._node("LayerNormalization", inputs, axis=-1, epsilon=EPSILON)

    def _dense(self, dense: Dense, state: str) -> str:
        if self._int8:
            product = self._int8_product(dense, state)
        else:
            product = self._node("MatMul", [state, self._constant(dense.matrix)])
        return self._node("Add", [product, self._constant(dense.bias)])

    def _int8_product(self, dense: Dense, state: str) -> str:
        codes, scales = quantise(dense.matrix, axis=0, largest=LARGEST_CODE)
        rounded, scale, zero = self._node_many("DynamicQuantizeLinear", [state], 3)
        product = self._node("MatMulInteger", [rounded, self._constant(codes), zero])
        factor = self._node("Mul", [scale, self._constant(scales[0])])
        return self._node("Mul", [self._node("Cast", [product], to=FLOAT), factor])

    def _layer(self, layer: Layer, state: str) -> str:
        attended = self._dense(layer.attention_out, self._attention(layer, state))
        state = self._norm(layer.attention_norm, self._node("Add", [attended, state]))
        wide = self._node("Gelu", [self._dense(layer.up, state)])
        lowered = self._dense(layer.down, wide)
        return self._norm(layer.down_norm, self._node("Add", [lowered, state]))

    def _attention(self, layer: Layer, state: str) -> str:
        head = self._weights.width // self._weights.heads
        packed = self._dense(layer.attention_in, state)
        parts = self._node_many("Split", [packed], 3, axis=-1, num_outputs=3)
        query, key, value = (self._heads(part) for part in parts)
        if self._weights.positions is None:
            query, key = self._turn(query), self._turn(key)
        # Scaling the query instead of the scores touches fewer numbers.
        query = self._node("Mul", [query, self._constant(np.array(head**-0.5, np.float32))])
        scores = self._node("MatMul", [query, self._node("Transpose", [key], perm=[0, 1, 3, 2])])
        mixed = self._node("MatMul", [self._node("Softmax", [scores], axis=-1), value])
        mixed = self._node("Transpose", [mixed], perm=[0, 2, 1, 3])
        return self._node("Reshape", [mixed, self._numbers(0, 0, self._weights.width)])

    def _heads(self, state: str) -> str:
        shape = self._numbers(0, 0, self._weights.heads, -1)
        split = self._node("Reshape", [state, shape])
        return self._node("Transpose", [split], perm=[0, 2, 1, 3])

    def _turn(self, state: str) -> str:
        """Rotary position: rotate each (first half, second half) pair by position × frequency."""
        half = self._weights.width // self._weights.heads // 2
        angles = np.outer(np.arange(self._max_tokens), ROTARY_BASE ** (-np.arange(half) / half))
        both = np.concatenate([angles, angles], axis=1)
        if not self._rotation:
            self._rotation = [
                self._first_rows(wave.astype(np.float32)) for wave in (np.cos(both), np.sin(both))
            ]
        cosines, sines = self._rotation
        first, second = self._node_many("Split", [state], 2, axis=-1, num_outputs=2)
        turned = self._node("Concat", [self._node("Neg", [second]), first], axis=-1)
        return self._node(
            "Add", [self._node("Mul", [state, cosines]), self._node("Mul", [turned, sines])]
        )

    def _pool(self, state: str) -> str:
        if self._weights.pooler is not None:
            first = self._node("Gather", [state, self._constant(np.array(0, np.int64))], axis=1)
            return self._dense(self._weights.pooler, first)
        return self._node("ReduceMean", [state, self._numbers(1)], keepdims=0)


def quantise(
    matrix: NDArray[np.float32], axis: int, largest: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Codes and scales such that codes × scales ≈ matrix, one scale along `axis`."""
    peaks = np.maximum(np.abs(matrix).max(axis=axis, keepdims=True), np.finfo(np.float32).tiny)
    scales = (peaks / largest).astype(np.float32)
    return np.round(matrix / scales).astype(np.int8), scales
