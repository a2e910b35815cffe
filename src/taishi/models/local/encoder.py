"""Runs one encoder graph with its tokenizer: text → vector."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtraError, ModelError, ModelMissingError
from ...ports import Vector
from ..native_calls import native_calls
from .model_package import EncoderFiles, repair_hint


def need_packages() -> None:
    """Say at once what is not installed; importing it is slow and can wait."""
    if not (find_spec("onnxruntime") and find_spec("tokenizers")):
        raise MissingExtraError("The local embedder", "local")


class Encoder:
    """Loaded when it is first needed. Safe to share between threads; one thread a call: the caller
    decides how many run."""

    def __init__(self, files: EncoderFiles, max_tokens: int) -> None:
        self._files = files
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def encode(self, text: str) -> Vector:
        """A unit vector. The text holds no lone surrogates."""
        session, tokenizer = self.load()
        with native_calls.running():
            ids = np.array([tokenizer.encode(text).ids], np.int64)
            try:
                row: Vector = session.run(None, {"ids": ids})[0][0]
            except Exception as error:  # the runtime raises its own, untyped errors
                raise ModelError(f"The local embedder failed ({error}): {repair_hint()}") from error
        length = np.linalg.norm(row)
        return row / length if length else row

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    def load(self) -> tuple[Any, Any]:
        """The session and the tokenizer."""
        with self._lock:
            if self._loaded is None:
                with native_calls.running():
                    session, tokenizer = _load(self._files.graph, self._files.tokenizer)
                tokenizer.no_padding()  # the graph has no mask
                tokenizer.enable_truncation(self._max_tokens)
                self._loaded = session, tokenizer
            return self._loaded


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
    # Texts differ in length: an arena would keep the memory of the longest.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        return session, tokenizers.Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # both libraries raise their own, untyped errors
        raise ModelMissingError(f"{graph} cannot be loaded ({error}): {repair_hint()}") from error
