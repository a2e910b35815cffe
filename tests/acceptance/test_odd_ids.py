"""Every id is refused at the door or served by every verb; none makes a job fail (P4, S1)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tables.odd_ids import NO_PAGE, PAGE, REFUSED, TRICKY
from taishi import InputError, Memory, Scope, load
from taishi.backends.profile_files.names import file_name
from taishi.types import Partition

Open = Callable[..., Memory]
HARDEST = (*TRICKY, *NO_PAGE)
QUICK = {"query.recall_timeout": 10.0, "summary.min_messages": 1}


def shown(id: object) -> str:
    text = ascii(id)
    return text if len(text) < 30 else f"{text[:20]}…{len(str(id))}"


def scope_of(role: str, id: str) -> Scope:
    """The id in one role; a group has a speaker."""
    match role:
        case "user":
            return Scope(user=id)
        case "group":
            return Scope(group=id, user="speaker")
        case "agent":
            return Scope(agent=id)
        case "workspace":
            return Scope(user="speaker", workspace=id)
        case _:
            return Scope(user="speaker", session=id)


def mark(role: str, number: int) -> str:
    return f"{role.capitalize()}town{number:03d}q"


def tell(memory: Memory, role: str, number: int, id: str) -> str:
    """What a bot does in a turn; the turn's id."""
    scope = scope_of(role, id)
    town = mark(role, number)
    memory.remember(scope, f"the boat lies in {town} harbour")
    memory.observe(scope, "search", {"q": town}, "found")
    memory.consider(scope, [{"text": f"I moved to {town} in May", "speaker": "Ann"}])
    turn = memory.end_turn(
        scope, f"Ann spoke of {town}", new_info=f"I live in {town}", sender_name="Ann",
        messages=[{"text": f"I live in {town}", "speaker": "Ann"}], request_id=id,
    )  # fmt: skip
    assert turn is not None
    return turn


@pytest.fixture(scope="module", params=["user", "group", "agent", "workspace", "session"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One memory in which every id of the table took part in one role, all jobs done."""
    overrides = {"models.embedding.kind": "none", "memory.timezone": "Asia/Shanghai", **QUICK}
    folder = tmp_path_factory.mktemp(request.param) / "data"
    with Memory.open(folder, load(environ={}, overrides=overrides)) as memory:
        ids = (*PAGE, *NO_PAGE) if request.param == "user" else HARDEST
        turns = {id: tell(memory, request.param, n, id) for n, id in enumerate(ids)}
        assert memory.drain(120)
        yield request.param, memory, turns, folder


def test_P4_no_job_fails_for_its_id(told: Any) -> None:
    _, memory, turns, _ = told
    queue = memory.status()["queue"]
    assert (queue["pending"], queue["processing"], queue["failed"]) == (0, 0, 0)
    assert memory.status()["jobs"]["retried"] == 0
    assert turns.keys() >= set(HARDEST)


def test_S1_each_finds_its_own_and_nobody_elses(told: Any) -> None:
    role, memory, turns, _ = told
    for number, id in enumerate(turns):
        scope, town = scope_of(role, id), mark(role, number)
        turn = memory.get(scope, turns[id])
        assert turn is not None, shown(id)
        assert (turn.kind, town in turn.text) == ("event", True), shown(id)
        found = memory.recall(scope, f"{town} harbour", floor=0.0, top_k=20)
        texts = " ".join(hit.text for hit in found.hits)
        assert town in texts, shown(id)
        if role != "session":  # sessions are of one person
            others = {mark(role, n) for n in range(len(turns))} - {town}
            assert not [one for one in others if one in texts], shown(id)
        assert town in memory.context(scope, f"{town} harbour"), shown(id)


def test_P4_pages_are_readable_or_there_is_none(told: Any) -> None:
    role, memory, turns, folder = told
    if role not in ("user", "group"):
        pytest.skip("pages are of users and groups")
    for number, id in enumerate(turns):
        scope, town = scope_of(role, id), mark(role, number)
        page = memory.get_profile(scope, role, id)
        if role == "user":
            assert (page is not None) == (id in PAGE), shown(id)
        if id in NO_PAGE:
            with pytest.raises(InputError, match=r"use another id|shorten the id"):
                memory.profiles.set(scope, "- likes tea")
            continue
        if page is not None:
            assert town in page.body, shown(id)
        written = memory.profiles.set(scope, f"- lives in {town}\n- likes tea", name="Ann")
        assert town in written.body
        assert memory.profiles.source(scope) is not None
        assert memory.search_profiles(scope, town).hits, shown(id)
    files = set((folder / "profiles" / f"{role}s").iterdir())
    assert len(files) == len(turns.keys() & set(PAGE)), "each has a file of its own"
    assert {path.parent for path in files} == {folder / "profiles" / f"{role}s"}
    assert memory.profiles.faults() == []


def test_F1_facts_are_corrected_and_rejected(told: Any) -> None:
    role, memory, turns, _ = told
    if role == "session":
        pytest.skip("facts are of one person")
    for number, id in enumerate(turns):
        scope, town = scope_of(role, id), mark(role, number)
        kept = memory.remember(scope, f"Ann works in {town}", kind="fact")
        memory.facts.approve(scope, kept)
        new = memory.facts.correct(scope, kept, f"Ann works near {town}")
        memory.facts.reject(scope, new)
        states = {one.text: one.state for one in memory.facts.list(scope)}
        assert states[f"Ann works near {town}"] == "rejected", shown(id)
        note = memory.remember(scope, "a note", kind="note")
        assert memory.records.update(scope, note, text="another note").text == "another note"


def test_W8_sessions_are_summarised(told: Any) -> None:
    role, memory, turns, _ = told
    for number, id in list(enumerate(turns))[:: 1 if role == "session" else 6]:
        base, town = scope_of(role, id), mark(role, number)
        scope = base if role == "session" else Scope(
            base.user, base.group, base.agent, f"s-{number}", base.workspace)  # fmt: skip
        memory.sessions.add_messages(
            scope, [{"text": f"We met in {town} again.", "speaker": "Ann"}]
        )
        assert memory.sessions.end(scope), shown(id)
        kept = memory.records.get(scope, f"summary:{scope.session}")
        assert kept is not None, shown(id)
        assert town in kept.text


def test_O2_export_and_import_bring_back_the_same(told: Any, open_memory: Open) -> None:
    _, memory, _, _ = told
    lines = list(memory.transfer.export())
    other = open_memory(QUICK, embedder=None)
    other.transfer.import_records(lines)
    again = list(other.export())
    assert sorted(again[1:]) == sorted(lines[1:])
    assert json.loads(lines[-1])["left_out"] == []


def test_O2_forget_reaches_each_and_only_it(told: Any) -> None:
    """The last test of each role."""
    role, memory, turns, folder = told
    if role == "session":
        pytest.skip("a session is forgotten with its person")
    marks = {id: mark(role, number).encode() for number, id in enumerate(turns)}
    for at, id in enumerate(HARDEST):
        scope = scope_of(role, id)
        assert memory.forget(scope) > 0, shown(id)
        assert memory.records.list(scope).records == (), shown(id)
        for following in HARDEST[at + 1 : at + 2]:
            assert memory.records.list(scope_of(role, following)).records, (
                f"{shown(following)} went too"
            )
    if role == "group":
        memory.forget(Scope(user="speaker"))  # what they said there is on their own page as well
    files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert [shown(id) for id in HARDEST if marks[id] in files] == []
    stayed = [id for id in turns if id not in HARDEST]
    assert [shown(id) for id in stayed if marks[id] not in files] == []
    pages = {path.stem for path in (folder / "profiles" / "users").glob("*.md")}
    assert pages == {file_name(id) for id in stayed if id in PAGE}


@pytest.mark.parametrize("role", ["user", "group", "agent", "session", "workspace"])
@pytest.mark.parametrize("id", REFUSED, ids=shown)
def test_S1_what_is_no_id_is_refused_at_the_door(role: str, id: Any) -> None:
    """Empty is as if it was left out: only a scope with nothing else is refused for it."""
    if isinstance(id, str) and not id.strip() and role in ("group", "session"):
        assert scope_of(role, id) == Scope(user="speaker")
        return
    with pytest.raises(InputError) as caught:
        scope_of(role, id)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("id", REFUSED, ids=shown)
def test_W1_other_ids_are_refused_before_anything_is_kept(memory: Memory, id: Any) -> None:
    """Of requests, senders, messages and records."""
    scope = Scope(user="ann")
    is_empty = isinstance(id, str) and not id.strip()
    verbs: tuple[Callable[[], object], ...] = (
        lambda: memory.end_turn(scope, "x", request_id=id),
        lambda: memory.end_turn(scope, "x", sender_id=id),
        lambda: memory.end_turn(scope, "x", messages=[{"text": "x", "id": id}]),
        lambda: memory.end_turn(scope, "x", messages=[{"text": "x", "speaker_id": id}]),
        lambda: memory.remember(scope, "x", session=id),
    )
    for verb in verbs:
        if is_empty:
            verb()  # as if it was left out
        else:
            with pytest.raises(InputError):
                verb()
    memory.drain(20)
    queue = memory.status()["queue"]
    assert (queue["pending"], queue["failed"]) == (0, 0)
    assert bool(memory.records.list(scope).records) == is_empty


def test_P4_two_ids_never_have_one_file(tmp_path: Path) -> None:
    names = {id: file_name(id) for id in PAGE}
    assert len(set(names.values())) == len(PAGE)
    assert all(len(f"{name}.md".encode()) < 255 for name in names.values())


@pytest.mark.skipif(sys.platform == "win32", reason="needs hard links")
@pytest.mark.parametrize(("one", "two"), [("Ann", "ann"), ("한", "\u1112\u1161\u11ab")])
def test_P4_where_a_disk_takes_two_names_for_one_neither_sees_the_others_page(
    open_memory: Open, tmp_path: Path, one: str, two: str
) -> None:
    """As macOS and Windows do with case, and macOS with ways to write a letter. A hard link is
    just that: two names, one file."""
    memory = open_memory(QUICK)
    memory.profiles.set(Scope(user=one), "- has a secret garden", name="One")
    users = tmp_path / "data" / "profiles" / "users"
    os.link(users / f"{file_name(one)}.md", users / f"{file_name(two)}.md")
    memory.close()
    memory = open_memory(QUICK)
    other = Scope(user=two)
    turn = memory.end_turn(other, new_info="I live in Oslo", sender_name="Two")
    assert memory.drain(30)
    assert memory.status()["queue"]["failed"] == 0
    assert turn is not None
    assert memory.get(other, turn) is not None
    assert "garden" not in memory.context(other, "garden")
    assert not memory.search_profiles(other, "garden").hits
    kept = memory.get_profile(Scope(user=one), "user", one)
    assert kept is not None
    assert (kept.name, kept.body.strip()) == ("One", "- has a secret garden")
    assert Partition("default", "private", two) in {
        place for place, _ in memory._services.runtime.parts.store.places()
    }, "what they said is kept all the same"
