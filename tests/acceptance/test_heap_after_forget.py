"""After `forget` no object of an open memory holds the words: also in a cache nobody registered."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load

ANN = Scope(user="ann-heap", session="s1")
WORD = "bathyscaphe"
NOT_FOLLOWED = (types.ModuleType, type, types.FrameType, types.CodeType)


def texts_in(root: object, word: str) -> Iterator[str]:
    """Every text with the word among the objects that can be reached from `root`."""
    seen, waiting = {id(root)}, [root]
    while waiting:
        for value in gc.get_referents(waiting.pop()):
            if id(value) in seen or isinstance(value, NOT_FOLLOWED):
                continue
            seen.add(id(value))
            if isinstance(value, str):
                if word in value:
                    yield value
            elif isinstance(value, bytes):
                if word.encode() in value:
                    yield repr(value[:80])
            elif not (isinstance(value, dict) and value.get("__builtins__") is not None):
                waiting.append(value)  # but not the globals of a module


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "data", load(environ={}), embedder=HashEmbedder()) as memory:
        yield memory


def tell_and_ask(memory: Memory) -> None:
    memory.end_turn(ANN, new_info=f"I bought a {WORD}", sender_name="Ann")
    memory.remember(ANN, f"Ann owns a {WORD}")
    memory.profiles.set(ANN, f"- owns a {WORD}", name="Ann")
    memory.observe(ANN, "search", {"q": WORD}, f"one {WORD}")
    memory.drain()
    for _ in range(2):
        memory.recall(ANN, f"who owns the {WORD}?")
        memory.context(ANN, f"the {WORD}")
        memory.search_profiles(ANN, WORD)
        memory.get_profile(ANN, "user", "ann-heap")
    memory.records.list(ANN)
    memory.facts.list(ANN)


def test_O2_no_object_of_a_memory_holds_what_was_forgotten(memory: Memory) -> None:
    tell_and_ask(memory)
    assert any(texts_in(memory, WORD)), "the control: something is cached"
    memory.forget(ANN)
    memory.drain()
    assert list(texts_in(memory, WORD)) == []


def test_a_cache_that_nobody_registered_is_found(memory: Memory) -> None:
    memory._services.recall.cache = lru_cache(8)(str.upper)  # type: ignore[attr-defined]
    tell_and_ask(memory)
    memory._services.recall.cache(f"a {WORD}")  # type: ignore[attr-defined]
    memory.forget(ANN)
    memory.drain()
    assert list(texts_in(memory, WORD)) == [f"a {WORD}"]
