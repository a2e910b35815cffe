"""`AsyncMemory` has the verbs of `Memory`, each as a coroutine function with the same signature."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest

from taishi import AsyncMemory, Memory, Scope, load

NOT_AWAITED = ("observe", "is_on", "session")  # they never wait for anything
ANN = Scope(user="ann")


def verbs(value: object) -> dict[str, Any]:
    members = inspect.getmembers(value, callable)
    return {name: member for name, member in members if name[0] != "_"}


def signature(verb: Any) -> inspect.Signature:
    return inspect.signature(verb).replace(return_annotation=inspect.Signature.empty)


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        yield memory


def pairs(memory: Memory) -> list[tuple[object, object]]:
    face = AsyncMemory(memory)
    nouns = [name for name in vars(memory) if name[0] != "_"]
    return [(memory, face), *((getattr(memory, name), getattr(face, name)) for name in nouns)]


def test_the_same_verbs_with_the_same_arguments(memory: Memory) -> None:
    compared = 0
    for sync, face in pairs(memory):
        assert verbs(sync).keys() == verbs(face).keys(), type(face).__name__
        for name, verb in verbs(sync).items():
            assert signature(verb) == signature(verbs(face)[name]), name
            compared += 1
    assert compared > 60


def test_each_is_a_coroutine_function(memory: Memory) -> None:
    for _, face in pairs(memory):
        for name, verb in verbs(face).items():
            if name == "export":
                assert inspect.isasyncgenfunction(verb)
            else:
                assert inspect.iscoroutinefunction(verb) is (name not in NOT_AWAITED), name


def test_M1_a_session_has_the_same_verbs(memory: Memory) -> None:
    scope = Scope(user="ann", session="s1")
    session, face = memory.session(scope), AsyncMemory(memory).session(scope)
    for sync, other in ((session, face), (session.scratchpad, face.scratchpad)):
        assert verbs(sync).keys() == verbs(other).keys()
        for name, verb in verbs(sync).items():
            assert signature(verb) == signature(verbs(other)[name]), name
            assert inspect.iscoroutinefunction(verbs(other)[name])


def test_a_task_can_be_made_of_a_verb(tmp_path: Path) -> None:
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})

    async def ask() -> list[str]:
        async with await AsyncMemory.open(tmp_path / "data", settings) as memory:
            id = await memory.remember(ANN, "Ann moved to Oslo")
            task = asyncio.create_task(memory.recall(ANN, "where does Ann live?"))
            facts = asyncio.create_task(memory.facts.list(ANN))
            assert [fact.id for fact in await facts] == [id]
            lines = [line async for line in memory.transfer.export(ANN)]
            assert any("Ann moved to Oslo" in line for line in lines)
            return [hit.text for hit in (await task).hits]

    assert asyncio.run(ask()) == ["Ann moved to Oslo"]
