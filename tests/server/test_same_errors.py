"""Wrong arguments: the same kind of error in a folder and on a server, and never Python's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from support.running_app import RunningApp
from taishi import InputError, Memory, Scope, load
from taishi.api_keys import Keys
from taishi.errors import (
    BusyError,
    CursorError,
    ScopeError,
    SettingsError,
    TaishiError,
    TimeError,
    UnsupportedError,
)
from taishi.server.app import create_app

ANN, TALK = Scope(user="ann"), Scope(user="ann", session="s1")
# How a verb is called where nothing is wrong.
VERBS: dict[str, dict[str, Any]] = {
    "end_turn": {"scope": ANN, "new_info": "x"},
    "consider": {"scope": ANN, "messages": [{"speaker": "Ann", "text": "hi"}]},
    "remember": {"scope": ANN, "text": "Ann likes tea"},
    "remember_many": {"scope": ANN, "items": [{"text": "x"}]},
    "forget": {"scope": ANN, "id": "none"},
    "recall": {"scope": ANN, "query": "x"},
    "search_events": {"scope": ANN, "query": "x"},
    "search_profiles": {"scope": ANN, "query": "x"},
    "get_profile": {"scope": ANN, "entity_type": "user", "entity_id": "ann"},
    "get": {"scope": ANN, "id": "x"},
    "context": {"scope": ANN, "query": "x"},
    "brief": {"scope": ANN, "query": "x"},
    "warm_up": {"scope": ANN},
    "set_link": {"scope": ANN, "on": True},
    "is_on": {"scope": ANN},
    "facts.list": {"scope": ANN},
    "facts.approve": {"scope": ANN, "id": "none"},
    "facts.reject": {"scope": ANN, "id": "none"},
    "facts.correct": {"scope": ANN, "id": "none", "text": "y"},
    "facts.resolve": {"scope": ANN, "keep_id": "a", "drop_id": "b"},
    "procedures.list": {"scope": ANN},
    "procedures.get": {"scope": ANN, "id": "x"},
    "procedures.feedback": {"scope": ANN, "id": "x", "worked": True},
    "shared.propose": {"scope": ANN, "text": "we use git"},
    "shared.approve": {"scope": ANN, "id": "x"},
    "shared.supersede": {"scope": ANN, "id": "x", "text": "y"},
    "shared.list": {"scope": ANN},
    "shared.audit": {"scope": ANN, "id": "x"},
    "profiles.set": {"scope": ANN, "body": "- x"},
    "profiles.source": {"scope": ANN},
    "profiles.edit": {"scope": ANN, "body": "- x", "before": None},
    "profiles.diff": {"scope": ANN, "revision": "x"},
    "profiles.rollback": {"scope": ANN, "revision": "x"},
    "records.list": {"scope": ANN},
    "records.newest": {"scope": ANN},
    "records.map": {"scope": ANN},
    "records.growth": {"scope": ANN},
    "records.get": {"scope": ANN, "id": "x"},
    "records.update": {"scope": ANN, "id": "x"},
    "records.versions": {"scope": ANN, "id": "x"},
    "records.related": {"scope": ANN, "id": "x"},
    "records.evidence": {"scope": ANN, "id": "x"},
    "sessions.add_messages": {"scope": TALK, "messages": [{"text": "x"}]},
    "sessions.list": {"scope": ANN},
    "knowledge.get": {"scope": ANN, "id": "x"},
    "knowledge.chunks": {"scope": ANN, "id": "x"},
    "knowledge.original": {"scope": ANN, "id": "x"},
    "knowledge.remove": {"scope": ANN, "id": "x"},
    "knowledge.search": {"scope": ANN, "query": "x"},
    "notes.read": {"scope": ANN},
    "notes.write": {"scope": ANN, "path": "a.md", "text": "x"},
    "notes.append": {"scope": ANN, "path": "a.md", "text": "x"},
    "notes.list": {"scope": ANN},
    "notes.search": {"scope": ANN, "query": "x"},
    "notes.history": {"scope": ANN, "path": "a.md"},
    "notes.rename": {"scope": ANN, "path": "a.md", "new_path": "b.md"},
    "notes.remove": {"scope": ANN, "path": "z.md"},
    "notes.operation": {"scope": ANN, "operation": "op"},
    "deletions.list": {},
    "deletions.forgotten": {"scope": ANN, "ids": {"x": None}},
    "deletions.similar_users": {"scope": ANN},
    "jobs.known_turn": {"scope": ANN, "request_id": "x"},
    "jobs.retry": {"name": "x"},
    "jobs.ledger": {},
    "transfer.export": {},
    "transfer.import_records": {"lines": []},
    "configuration.change": {"changes": {}},
    "session.append": {"messages": {"role": "user", "content": "x"}},
    "session.messages": {},
    "session.history": {},
    "session.latest": {"limit": 1},
    "session.get": {"id": "x"},
}
WRONG: tuple[Any, ...] = (
    3, -4, 0, 2.5, float("nan"), "fast", "", ["hello"], {"a": 1}, [3], object(), True, b"x", None,
)  # fmt: skip
# Of this process alone, or counted elsewhere.
ASIDE = {"door", "actor_id", "progress", "count_tokens", "remap"}
# What a folder takes for true or false, and a server's REST API does not know to be wrong.
LENIENT = {("notes.operation", "fingerprint")}


@dataclass
class Both:
    folder: Memory
    remote: Memory

    def outcomes(self, verb: str, given: Mapping[str, Any]) -> tuple[Any, Any]:
        return outcome(self.folder, verb, given), outcome(self.remote, verb, given)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """One pair for all: both are asked the same, so what a case leaves is there on both sides."""
    overrides = {"models.embedding.kind": "none", "memory.timezone": "Asia/Shanghai"}
    settings = load(environ={}, overrides=overrides)
    with ExitStack() as opened:
        folder, served = (
            opened.enter_context(Memory.open(tmp_path_factory.mktemp(name), settings))
            for name in ("folder", "served")
        )
        app = create_app(served, keys=Keys(served.status()["folder"]))
        server = opened.enter_context(RunningApp(app, served.settings.server))
        yield Both(folder, opened.enter_context(Memory.open(server.url)))


def method(memory: Memory, verb: str) -> Callable[..., Any]:
    found: Any = memory
    for name in verb.split("."):
        found = memory.session(TALK) if name == "session" else getattr(found, name)
    return found  # type: ignore[no-any-return]


def outcome(memory: Memory, verb: str, given: Mapping[str, Any]) -> TaishiError | None:
    """The error; any that is not ours fails the test."""
    try:
        found = method(memory, verb)(**given)
        if isinstance(found, Iterator):
            list(found)
    except TaishiError as error:
        return error
    return None


@pytest.mark.parametrize("verb", VERBS)
def test_wrong_arguments_are_the_same_error_in_a_folder_and_on_a_server(
    both: Both, verb: str
) -> None:
    given = VERBS[verb]
    for name in inspect.signature(method(both.folder, verb)).parameters:
        if name in ASIDE or (verb, name) in LENIENT:
            continue
        for wrong in WRONG:
            own, others = both.outcomes(verb, {**given, name: wrong})
            said = f"{verb}({name}={wrong!r}): {own!r} in a folder, {others!r} on a server"
            if wrong is None and name not in ("scope", "messages", "items", "lines", "ids"):
                continue  # left out, as far as the server knows
            if isinstance(own, BusyError | SettingsError) or isinstance(others, UnsupportedError):
                continue  # the argument was no longer the matter
            assert isinstance(own, InputError) == isinstance(others, InputError), said


@pytest.mark.parametrize(
    ("verb", "given", "advice"),
    [
        ("end_turn", {"new_info": 3}, "a text or a list of texts"),
        ("consider", {"messages": "hello"}, "messages must be a list"),
        ("consider", {"messages": ["hello"]}, '{"speaker": "Ann", "text": "hello"}'),
        ("consider", {"messages": {"text": "hi"}}, "put the one into"),
        ("remember", {"text": ""}, "text is empty"),
        ("remember", {"text": "  "}, "text is empty"),
        ("remember", {"text": b"x"}, "text must be text, not bytes"),
        ("remember", {"metadata": {"a": float("nan")}}, "no number in JSON"),
        ("remember", {"metadata": {"a": [{"b": float("-inf")}]}}, "no number in JSON"),
        ("end_turn", {"metadata": {"a": float("inf")}}, "no number in JSON"),
        ("records.update", {"metadata": {"a": (1, float("inf"))}}, ""),
        ("remember_many", {"items": ["hello"]}, 'a dict such as {"text": "hello"}'),
        ("remember_many", {"items": "hello"}, "items must be a list"),
        ("session.append", {"messages": "hi"}, "messages must be a list"),
        ("session.append", {"messages": ["hi"]}, "a dict with role and content"),
        ("recall", {"deadline": "fast"}, "deadline must be a number"),
        ("recall", {"deadline": -1}, "deadline must be a number"),
        ("recall", {"floor": 3}, "floor must be a number from 0 to 1"),
        ("context", {"max_tokens": -4}, "max_tokens"),
        ("brief", {"max_tokens": -4}, "max_tokens"),
        ("facts.list", {"limit": -4}, "limit"),
        ("deletions.list", {"limit": -4}, "limit"),
        ("session.history", {"after": -4}, "after must be a whole number from 0"),
        ("records.newest", {"time_from": "soon"}, "is not a time"),
        ("remember", {"actor": "king"}, "unknown actor 'king'"),
        ("set_link", {"on": "no"}, "on must be True or False"),
    ],
)
def test_the_error_says_what_to_do_in_both(
    both: Both, verb: str, given: Mapping[str, Any], advice: str
) -> None:
    for error in both.outcomes(verb, {**VERBS[verb], **given}):
        assert isinstance(error, InputError) and advice in str(error)


@pytest.mark.parametrize(
    ("verb", "given", "documented"),
    [
        ("records.newest", {"after": "xyz"}, CursorError),
        ("records.newest", {"after": "djE6MQ", "order_by": "created"}, CursorError),
        ("records.list", {"after": "next page"}, CursorError),
        ("records.list", {"scope": None}, ScopeError),
        ("records.newest", {"time_from": "soon"}, TimeError),
    ],
)
def test_the_documented_class_is_raised_in_both(
    both: Both, verb: str, given: Mapping[str, Any], documented: type[TaishiError]
) -> None:
    own, others = both.outcomes(verb, {**VERBS.get(verb, {}), **given})
    assert (type(own), type(others)) == (documented, documented), (own, others)


@pytest.mark.parametrize("verb", [verb for verb, given in VERBS.items() if "scope" in given])
def test_S3_no_scope_is_a_scope_error_in_both(both: Both, verb: str) -> None:
    if verb == "warm_up":  # of no scope: all of the memory
        return
    for error in both.outcomes(verb, {**VERBS[verb], "scope": None}):
        assert isinstance(error, ScopeError), error


def test_what_is_right_stays_so(both: Both) -> None:
    for memory in (both.folder, both.remote):
        items = ({"text": f"number {number}", "confidence": None} for number in range(3))
        assert len(memory.remember_many(ANN, items)) == 3, "whatever can be gone through"
        assert memory.consider(ANN, ({"text": "I moved to Oslo"} for _ in range(1)))
        assert memory.end_turn(ANN, new_info=("a", "b"), messages=())
        assert len(memory.records.newest(ANN, kinds=("note",), time_from=0, limit=2).records) == 2
        assert memory.session(TALK).append(m for m in [{"role": "user", "content": "hi"}])
        assert memory.context(ANN, "x", max_tokens=0) == ""
        kept = memory.remember(ANN, "x", metadata={"a": 1.5, "b": [None, 2**70]})
        assert memory.records.get(ANN, kept or "").data == {"a": 1.5, "b": [None, 2**70]}  # type: ignore[union-attr]
