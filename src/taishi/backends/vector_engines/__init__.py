"""Vector databases behind ports.VectorEngine, chosen by address, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from ...errors import MissingExtraError
from ...ports import VectorEngine
from .address import EngineAddress, parse_address

__all__ = ["EngineAddress", "open_engine", "parse_address"]

# By scheme: the class, and the packages without which it cannot work.
_ENGINES = {
    "milvus": ("MilvusVectors", ("pymilvus",)),
    "lancedb": ("LanceVectors", ("lancedb", "pyarrow")),
    "chroma": ("ChromaVectors", ("chromadb",)),
}


def open_engine(address: EngineAddress, collection: str, dimensions: int) -> VectorEngine:
    """The engine at an address. Nothing is connected yet, so one that is down stops nobody."""
    name, packages = _ENGINES[address.scheme]
    if address.scheme == "milvus" and address.path is not None:
        packages = (*packages, "milvus_lite")
    if any(find_spec(package) is None for package in packages):
        raise MissingExtraError(f"storage.vectors = {address}", address.scheme)
    module = import_module(f".{address.scheme}", __package__)
    return cast(VectorEngine, getattr(module, name)(address, collection, dimensions))
