"""Runs one encoder graph with its tokenizer: text → vector."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtraError, ModelError, ModelMissingError
from ...ports import Vector
from ..native_calls import native_calls
from .files import MAX_TOKENS, PULL


def need_packages() -> None:
    """Say at once what is not installed; importing it is slow and can wait."""
    if not (find_spec("onnxruntime") and find_spec("tokenizers")):
        raise MissingExtraError("The local embedder", "local")


class Encoder:
    """Safe to share between threads. One thread a call: the caller decides how many run."""

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        with native_calls.running():
            self._session, self._tokenizer = _load(graph, tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, text: str) -> Vector:
        """A unit vector. The text holds no lone surrogates."""
        row = self.encode_raw(text)
        length = np.linalg.norm(row)
        return row / length if length else row

    def encode_raw(self, text: str) -> Vector:
        """What the graph gives, of any length."""
        with native_calls.running():
            ids = np.array([self._tokenizer.encode(text).ids], np.int64)
            try:
                row: Vector = self._session.run(None, {"ids": ids})[0][0]
            except Exception as error:  # the runtime raises its own, untyped errors
                raise ModelError(f"The local embedder failed ({error}): {PULL}") from error
        return row


def _load(graph: Path, tokenizer: Path) -> tuple[Any, Any]:
    # Read by the runtime when it is imported; its own switch comes after the first event.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise MissingExtraError("The local embedder", "local") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        return session, tokenizers.Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # both libraries raise their own, untyped errors
        raise ModelMissingError(f"{graph} cannot be loaded ({error}): {PULL}") from error
