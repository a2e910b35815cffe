"""Models from the fastembed collection, for machines that can reach a model hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import MissingExtraError, ModelError, ModelMissingError
from ..language.text import storable
from ..ports import Vector


class FastembedEmbedder:
    """Implements ports.Embedder over a fastembed `TextEmbedding`, or an object like one."""

    def __init__(
        self, model_name: str, folder: Path | None = None, threads: int = 1, model: Any = None
    ) -> None:
        self._model_name = model_name
        self._model = model if model is not None else _load(model_name, folder, threads)
        self._dimensions: int = self._rows([" "], "document").shape[1]

    @property
    def name(self) -> str:
        return f"fastembed:{self._model_name}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if not texts:
            return np.zeros((0, self._dimensions), np.float32)
        rows = self._rows([storable(text) or " " for text in texts], kind)
        if rows.shape != (len(texts), self._dimensions):
            raise ModelError(
                f"{self._model_name} gave {rows.shape} numbers for {len(texts)} texts: "
                "choose another model_name in [models.embedding]"
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)

    def close(self) -> None:
        self._model = None

    def _rows(self, texts: list[str], kind: Literal["query", "document"]) -> Vector:
        if self._model is None:
            raise ModelError(f"{self._model_name} was closed: open the memory again")
        try:
            ask = self._model.query_embed if kind == "query" else self._model.passage_embed
            return np.array(list(ask(texts)), np.float32)
        except Exception as error:  # fastembed passes on whatever its runtime raises
            raise ModelError(
                f"{self._model_name} failed ({error}): choose another model_name in "
                "[models.embedding]"
            ) from error


def _load(model_name: str, folder: Path | None, threads: int) -> Any:
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise MissingExtraError(f"The embedder {model_name}", "fastembed") from error
    try:
        return TextEmbedding(model_name, cache_dir=str(folder) if folder else None, threads=threads)
    except Exception as error:  # unknown name, no network, broken files
        raise ModelMissingError(
            f"{model_name} could not be loaded ({error}): check model_name and the network, or "
            'use the local embedder (kind = "local")'
        ) from error
