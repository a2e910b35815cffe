"""`Memory.open("http://…")`: the same verbs with the same results, in a folder and on a server.

Each test runs on both: what it says of a memory of one's own is also so of one behind HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.running_app import RunningApp
from taishi import (
    AsyncMemory,
    ClosedError,
    InputError,
    Memory,
    Message,
    Scope,
    ScopeError,
    TimeError,
    VersionError,
    load,
    tools,
)
from taishi.api_keys import Keys
from taishi.errors import AuthorityError, OperationError
from taishi.server.app import create_app

ANN, BOB = Scope(user="ann"), Scope(user="bob")
CLUB = Scope(group="club", user="ann")
ODD = ("小明/一班", "a b&c=d?#", "dots.and:colons", "%2e%2e", "émile", "👩‍👩‍👧", "..")


@pytest.fixture(params=["folder", "server"])
def memory(request: pytest.FixtureRequest, open_memory: Callable[..., Memory]) -> Iterator[Memory]:
    kept = open_memory({"query.recall_timeout": 5.0}).start_worker()
    if request.param == "folder":
        yield kept
        return
    app = create_app(kept, keys=Keys(kept.status()["folder"]))
    with RunningApp(app, kept.settings.server) as server, Memory.open(server.url) as memory:
        yield memory


def texts(memory: Memory, scope: Scope, query: str) -> list[str]:
    return [hit.text for hit in memory.recall(scope, query, deadline=20).hits]


def test_what_is_remembered_is_recalled_in_its_scope_alone(memory: Memory) -> None:
    when = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    data = {"n": 1, "list": ["茶", None], "path": Path("a.txt")}
    id = memory.remember(ANN, "Ann moved to Oslo", time=when, source=7, metadata=data)
    found = memory.recall(ANN, "where does Ann live?", top_k=3, kinds=["fact"], deadline=20)
    (hit,) = found.hits
    assert (hit.id, hit.text, hit.kind, hit.source) == (id, "Ann moved to Oslo", "fact", "7")
    assert hit.time == when
    assert (hit.metadata["n"], hit.metadata["list"]) == (1, ["茶", None])
    assert hit.metadata["path"] == "a.txt"
    assert hit.metadata["place"] == "default/private:ann"
    assert found.level == "hybrid"
    assert not found.skipped
    assert texts(memory, BOB, "where does Ann live?") == []


def test_many_are_kept_in_order_as_notes(memory: Memory) -> None:
    items = [{"text": f"note number {n}", "confidence": 0.5} for n in range(1003)]
    items[5] |= {"kind": "fact", "id": "my-own", "time": datetime(2026, 1, 1, tzinfo=UTC)}
    ids = memory.remember_many(ANN, items)
    assert (len(ids), len(set(ids)), ids[5]) == (1003, 1003, "my-own")
    record = memory.records.get(ANN, ids[1002])
    assert record is not None
    assert (record.kind, record.text, record.confidence) == ("note", "note number 1002", 0.5)
    assert memory.remember_many(ANN, []) == []


def test_a_source_may_be_as_long_as_a_path(memory: Memory) -> None:
    path = '["users","' + "k" * 3900 + '"]'
    id = memory.remember(ANN, "Ann moved to Oslo", source=path)
    record = memory.records.get(ANN, id or "")
    assert record is not None and record.source == path


def test_the_last_message_is_taken_back(memory: Memory) -> None:
    session = memory.session(Scope(user="ann", session="s1"))
    assert session.pop() is None
    session.append([{"role": "user", "content": text} for text in ("one", "two")])
    popped = session.pop()
    assert popped is not None and popped.message == {"role": "user", "content": "two"}
    assert [one.message["content"] for one in session.history()] == ["one"]
    assert memory.session(Scope(user="bob", session="s1")).pop() is None


def test_what_an_operation_on_notes_came_to(memory: Memory) -> None:
    memory.notes.write(ANN, "a.md", "one", operation="op-1", fingerprint="f")
    known = memory.notes.operation(ANN, "op-1")
    assert known is not None and (known.id, known.version, known.count) == ("op-1", 1, 0)
    assert memory.notes.operation(ANN, "op-1", "f") == known
    assert memory.notes.operation(ANN, "op-2") is None
    assert memory.notes.operation(BOB, "op-1") is None
    with pytest.raises(OperationError, match="another change"):
        memory.notes.operation(ANN, "op-1", "g")


def test_a_turn_has_the_metadata_that_was_given(memory: Memory) -> None:
    said = [Message("I live in Cork.", speaker="Ann")]
    ids = [
        memory.end_turn(ANN, new_info="I live in Cork.", metadata={"n": 1, "p": Path("a")}),
        memory.consider(ANN, said, sender_name="Ann", metadata={"n": 2, "p": Path("a")}),
    ]
    assert memory.drain(30)
    for number, id in enumerate(ids, start=1):
        event = memory.records.get(ANN, id or "")
        assert event is not None and (event.data["n"], event.data["p"]) == (number, "a")


def test_a_turn_becomes_an_event_and_a_fact(memory: Memory) -> None:
    id = memory.end_turn(
        CLUB,
        "The assistant noted it",
        ["Ann likes cod"],
        [Message("I like cod", "Ann"), {"text": "Noted", "speaker": "Quill"}],
        sender_id="ann",
        sender_name="Ann",
        group_name="Club",
        time="2026-03-02T19:12:00+00:00",
        wait=20,
    )
    assert id is not None
    assert any("cod" in text for text in texts(memory, CLUB, "what does Ann like, cod?"))
    assert memory.drain(60)
    event = memory.get(CLUB, id)
    assert event is not None
    assert (event.kind, "cod" in event.text) == ("event", True)
    assert event.time == datetime(2026, 3, 2, 19, 12, tzinfo=UTC)
    assert [fact.text for fact in memory.facts.list(CLUB)] == ["Ann likes cod"]
    assert memory.end_turn(CLUB) is None
    assert memory.consider(CLUB, [Message("I moved to Bergen", "Ann")], sender_name="Ann")


def test_the_block_and_why_there_is_none(memory: Memory) -> None:
    memory.remember(ANN, "小安搬到了奥斯陆")
    brief = memory.brief(ANN, "小安住在哪里？", deadline=20, explain=True, language="zh")
    assert "小安搬到了奥斯陆" in brief.text
    assert [hit.text for hit in brief.recall.hits] == ["小安搬到了奥斯陆"]
    assert brief.tokens is not None
    assert brief.tokens.total == brief.tokens.frame + sum(brief.tokens.sections.values())
    assert {"keyword", "block"} <= {stage.name for stage in brief.recall.stages}
    assert memory.context(ANN, "小安住在哪里？", deadline=20) != ""
    small = memory.brief(ANN, "小安住在哪里？", max_tokens=5, deadline=20)
    assert (small.text, small.reason) == ("", "budget")
    assert memory.brief(BOB, "anything", deadline=20).reason == "nothing"
    assert memory.context(ANN, "小安", form="xml", deadline=20).startswith("<")


def test_explain_says_the_same(memory: Memory) -> None:
    memory.remember(ANN, "Ann has a boat in Bergen")
    found = memory.recall(ANN, "where is Ann's boat?", deadline=20, explain=True)
    (why,) = [one for one in found.explain if one.dropped is None]
    assert (why.id, why.excerpt) == (found.hits[0].id, "Ann has a boat in Bergen")
    assert found.intent is not None
    assert found.weights
    assert found.stages


def test_searches_are_narrowed(memory: Memory) -> None:
    memory.end_turn(CLUB, "Ann brought flour", sender_id="ann", wait=20)
    memory.end_turn(Scope(group="club", user="ben"), "Ben brought flour", sender_id="ben", wait=20)
    found = memory.search_events(CLUB, "flour", target_user_id="ben", deadline=20)
    assert ["Ben" in hit.text for hit in found.hits] == [True]
    memory.profiles.set(ANN, "- lives in Oslo", name="Ann")
    (page,) = memory.search_profiles(ANN, "Oslo", entity_type="user", deadline=20).hits
    assert page.metadata["entity_id"] == "ann"


def test_facts_are_decided(memory: Memory) -> None:
    id = memory.remember(ANN, "Ann lives in Oslo")
    assert id is not None
    new = memory.facts.correct(ANN, id, "Ann lives in Bergen")
    assert [fact.text for fact in memory.facts.list(ANN, ["approved"])] == ["Ann lives in Bergen"]
    memory.facts.reject(ANN, new)
    assert memory.facts.list(ANN, ["approved"]) == []
    memory.facts.approve(ANN, new)
    assert memory.records.versions(ANN, new)[0].text.endswith("Bergen")
    assert memory.facts.conflicts(ANN) == []
    with pytest.raises(InputError):
        memory.facts.approve(ANN, "no-such-fact")
    evidence = memory.records.evidence(ANN, new)
    assert [source.kind for source in evidence.sources] == ["person"] * 2


def test_records_are_listed_and_put_right(memory: Memory) -> None:
    ids = memory.remember_many(ANN, [{"text": f"note {n}"} for n in range(5)])
    page = memory.records.list(ANN, kinds=["note"], limit=2)
    rest = memory.records.list(ANN, kinds=["note"], after=page.next, limit=10)
    assert [record.id for record in (*page.records, *rest.records)] == ids
    assert all(record.place == ANN.home for record in page.records)
    newest = memory.records.newest(ANN, text="note 3", time_from="2020-01-01", limit=10)
    assert [record.id for record in newest.records] == [ids[3]]
    before = memory.records.change_count(ANN)
    changed = memory.records.update(ANN, ids[0], "note zero", metadata={"k": "v"})
    assert (changed.text, changed.data["k"]) == ("note zero", "v")
    assert memory.records.change_count(ANN) > before
    assert memory.records.digest(ANN).total == 5
    assert sum(memory.records.growth(ANN, 2)["note"].values()) == 5
    assert memory.drain(60)
    assert len(memory.records.map(ANN).points) == 5
    assert memory.records.related(ANN, ids[1], 2)
    assert memory.forget(ANN, ids[0]) == 1
    assert memory.forget(ANN, ids[0]) == 0
    assert (memory.get(ANN, ids[0]), memory.records.get(ANN, ids[0])) == (None, None)
    assert [info.records for info in memory.partitions()] == [4]


def test_filters_and_what_expires(memory: Memory) -> None:
    soon = datetime(2099, 1, 1, tzinfo=UTC)
    red = memory.remember(ANN, "the red boat", "note", metadata={"colour": "red"}, expires=soon)
    memory.remember(ANN, "the blue boat", metadata={"colour": "blue"})
    only = {"metadata.colour": {"eq": "red"}}
    found = memory.recall(ANN, "which boat?", deadline=20, filters=only)
    assert [(hit.id, hit.expires) for hit in found.hits] == [(red, soon)]
    assert "blue" not in memory.context(ANN, "which boat?", deadline=20, filters=only)
    page = memory.records.newest(ANN, filters=only, order_by="created")
    assert [record.expires for record in page.records] == [soon.timestamp()]
    assert memory.records.update(ANN, str(red), speaker="Ann").expires == soon.timestamp()
    assert memory.records.update(ANN, str(red), expires=None).expires is None
    with pytest.raises(InputError):
        memory.recall(ANN, "x", filters={"metadata.colour": {"like": "r"}})


def test_pages_and_their_revisions(memory: Memory) -> None:
    memory.profiles.set(ANN, "- lives in Oslo", name="Ann", tags=["a", "b"])
    before = memory.profiles.source(ANN)
    assert before is not None
    assert (before.name, before.tags) == ("Ann", ("a", "b"))
    memory.profiles.edit(ANN, "- lives in Bergen", before)
    revision = memory.profiles.revisions(ANN)[0]
    assert "+- lives in Bergen" in memory.profiles.diff(ANN, revision)
    assert memory.profiles.history(ANN)[0].name == revision
    assert "Oslo" in memory.profiles.rollback(ANN, revision).body
    page = memory.get_profile(ANN, "user", "ann")
    assert page is not None
    assert "Oslo" in page.body
    assert memory.get_profile(BOB, "user", "ann") is None
    assert memory.profiles.source(BOB) is None


def test_notes_and_documents(memory: Memory, tmp_path: Path) -> None:
    note = memory.notes.write(ANN, "plans/周末.md", "# Plan")
    assert note is not None
    memory.notes.append(ANN, "plans/周末.md", "- tea")
    with pytest.raises(VersionError):
        memory.notes.write(ANN, "plans/周末.md", "x", expected_version=note.version)
    assert [one.path for one in memory.notes.list(ANN)] == ["plans/周末.md"]
    assert [one.version for one in memory.notes.history(ANN, "plans/周末.md")] == [2, 1]
    assert [one.path for one in memory.notes.search(ANN, "tea")] == ["plans/周末.md"]
    (moved,) = memory.notes.rename(ANN, "plans/周末.md", "周末.md")
    assert memory.notes.rename(ANN, "nowhere.md", "x.md") == []
    memory.notes.rename(ANN, moved.path, "plans/周末.md")
    once = [memory.notes.append(ANN, "log.md", "one", operation="op-1") for _ in range(2)]
    assert [(one.text, one.replayed) for one in once if one] == [("one", False), ("one", True)]
    assert memory.notes.remove(ANN, "log.md").removed == 1
    assert memory.notes.remove(ANN, "plans/周末.md")
    assert not memory.notes.remove(ANN, "plans/周末.md")
    assert memory.notes.read(ANN) is None

    file = tmp_path / "handbook.md"
    file.write_text("# Handbook\n\nThe warranty is two years.\n")
    info = memory.knowledge.add(ANN, file)
    assert info is not None
    assert (info.name, info.title, info.state) == ("handbook.md", "Handbook", "ready")
    (hit,) = memory.knowledge.search(ANN, "how long is the warranty?", deadline=20).hits
    assert hit.metadata["citation"].startswith("handbook.md")
    chunks = memory.knowledge.chunks(ANN, "handbook.md")
    assert chunks is not None
    assert chunks[0].section == ("Handbook",)
    assert memory.knowledge.original(ANN, info.id) == file.read_bytes()
    assert [one.id for one in memory.knowledge.list(ANN)] == [info.id]
    assert memory.knowledge.remove(ANN, info.id)
    assert memory.knowledge.get(ANN, info.id) is None
    assert memory.knowledge.original(ANN, info.id) is None


def test_a_session(memory: Memory) -> None:
    session = memory.session(Scope(user="ann", session="s/1"))
    ids = session.append([{"role": "user", "content": "Where did we stop?"}, Message("And you?")])
    assert [one.id for one in session.history()] == ids
    assert session.get(ids[0]).message["content"] == "Where did we stop?"  # type: ignore[union-attr]
    assert session.get("none") is None
    window = session.messages(max_tokens=8000)
    assert ([one["role"] for one in window.messages], window.level) == (["user"] * 2, "none")
    session.scratchpad.patch(current_goal="ship", decisions=[{"what": "wait", "why": "tests"}])
    pad = session.scratchpad.patch(current_goal=None)
    assert (pad.current_goal, pad.decisions[0].why) == ("", "tests")
    assert (session.scratchpad.clear(), session.scratchpad.clear()) == (True, False)
    assert [one.id for one in session.latest(1)] == ids[1:]
    assert [one.session for one in memory.sessions.list(ANN)] == ["s/1"]
    assert memory.sessions.add_messages(session.scope, [Message("hello", "Ann", id="m9")]) == 1
    assert session.end()
    assert session.clear() >= 2
    with pytest.raises(InputError, match="session"):
        memory.session(ANN)


def test_tool_runs_arrive(memory: Memory) -> None:
    memory.observe(ANN, "weather", {"city": "Oslo", "odd": object()}, {"sun": True})
    assert memory.drain(60)
    (run,) = memory.records.newest(ANN, kinds=["observation"]).records
    assert "Oslo" in run.text


def test_shared_memory_and_procedures(memory: Memory) -> None:
    agent = Scope(agent="coder")
    id = memory.shared.propose(agent, "Commits are in English", "convention", topic="commits")
    assert id is not None
    with pytest.raises(AuthorityError, match="coordinator") as refused:
        memory.shared.approve(agent, id)
    assert refused.value.reason == "authority"
    assert memory.shared.approve(ANN, id, reason="agreed") == "approved"
    (entry,) = memory.shared.list(agent, ["approved"], ["convention"])
    assert (entry.id, entry.place.kind) == (id, "workspace")
    assert [act.reason for act in memory.shared.audit(ANN, id)][-1] == "agreed"
    new = memory.shared.supersede(ANN, id, "Commits are in plain English")
    memory.shared.reject(ANN, new)
    assert memory.shared.conflicts(agent) == []
    assert memory.procedures.list(agent) == []
    assert memory.procedures.get(agent, "none") is None
    assert memory.procedures.review(agent) == []


def test_export_and_import(memory: Memory) -> None:
    memory.remember_many(ANN, [{"text": f"note {n} 茶"} for n in range(300)])
    lines = list(memory.transfer.export(ANN))
    assert sum("茶" in line for line in lines) == 300
    assert memory.transfer.import_records(lines, dry_run=True).same["record"] == 300
    memory.forget(ANN)
    assert memory.records.list(ANN).records == ()
    taken = memory.transfer.import_records(iter(lines), even_forgotten=True)
    assert taken.added["record"] == 300
    assert memory.deletions.list()[0].what in ("import", "scope")


def test_looking_after_it(memory: Memory) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    status = memory.status()
    assert (status["enabled"], status["records"]["fact"]) == (True, 1)
    assert memory.is_on(ANN)
    assert memory.warm_up(ANN, 20)
    assert memory.warm_up(seconds=20)
    assert memory.maintenance.check() == "ok"
    assert memory.maintenance.rebuild(dry_run=True).events == 0
    assert memory.maintenance.reembed() >= 0
    assert (memory.jobs.list(), memory.jobs.ledger("2020-01-01")) == ([], [])
    memory.set_link(ANN, True)
    with pytest.raises(ScopeError):
        memory.set_link(Scope(group="g"), True)
    with memory.start_worker() as same:
        assert same is memory
    with pytest.raises(ClosedError):
        memory.recall(ANN, "x")


@pytest.mark.parametrize("id", ODD)
def test_ids_of_all_kinds(memory: Memory, id: str) -> None:
    scope = Scope(user=id, session=id)
    kept = memory.remember(scope, f"{id} likes tea", id=f"rec:{id}")
    assert kept == f"rec:{id}"
    assert texts(memory, scope, "who likes tea?") == [f"{id} likes tea"]
    hit = memory.get(scope, kept)
    assert hit is not None
    assert hit.metadata["user"] == id
    assert memory.forget(scope, kept) == 1


def test_bad_arguments_are_the_same_errors(memory: Memory) -> None:
    with pytest.raises(ScopeError):
        memory.recall("ann", "x")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        memory.recall(ANN, "x", top_k=-1)
    with pytest.raises(InputError):
        memory.recall(ANN, "x", kinds=["wish"])
    with pytest.raises(InputError):
        memory.remember(ANN, "")
    with pytest.raises(InputError):
        memory.remember_many(ANN, [{"text": "x", "colour": "red"}])
    with pytest.raises(TimeError):
        memory.remember(ANN, "x", time="yesterday-ish")
    with pytest.raises(InputError):
        memory.remember(ANN, "x", metadata=["not", "a", "dict"])  # type: ignore[arg-type]
    with pytest.raises(InputError):
        memory.context(ANN, "x", form="rtf")  # type: ignore[arg-type]
    assert memory.records.list(ANN).records == ()


def test_texts_and_numbers_of_a_class_of_their_own(memory: Memory) -> None:
    """Frameworks have such: the text of a message of LangChain's is one."""

    class Text(str):
        __slots__ = ()

    class Number(int):
        pass

    said = Text("Ann moved to Oslo")
    memory.remember(ANN, said, metadata={Text("of"): Text("book")})
    (hit,) = memory.recall(
        ANN, Text("Oslo"), Number(3), filters={"metadata.of": Text("book")}, deadline=20
    ).hits
    assert (hit.text, hit.metadata["of"]) == ("Ann moved to Oslo", "book")
    assert "Oslo" in memory.context(ANN, Text("Oslo"), deadline=20)
    assert memory.end_turn(ANN, "", [Text("I like tea")], request_id=Text("r1"))
    assert memory.jobs.known_turn(ANN, "r1") and memory.jobs.known_turn(BOB, "r1") is None


def test_a_host_can_ask_which_ids_were_deleted(memory: Memory) -> None:
    for scope in (ANN, BOB):
        memory.remember_many(scope, [{"text": f"line {n}", "id": f"m{n}"} for n in range(3)])
    memory.forget(ANN, "m1")
    offered = {"m0": 1.0, "m1": datetime(2099, 1, 1, tzinfo=UTC), "m2": None}
    assert memory.deletions.forgotten(ANN, offered) == {"m1"}
    assert memory.deletions.forgotten(BOB, offered) == frozenset()
    assert memory.deletions.forgotten(ANN, {}) == frozenset()
    many = {f"m{number}": None for number in range(2500)}
    assert memory.deletions.forgotten(ANN, many) == {"m1"}
    memory.forget(ANN)
    assert memory.deletions.forgotten(ANN, {"old": "2026-01-01", "new": "2099-01-01"}) == {"old"}
    with pytest.raises(TimeError):
        memory.deletions.forgotten(ANN, {"odd": "soon"})


def test_half_a_character_harms_nobody(memory: Memory) -> None:
    memory.remember(ANN, "tea \ud83d and cake")
    assert len(texts(memory, ANN, "tea and cake \udc00")) == 1


def test_the_tools_of_an_agent_speak_as_a_model(memory: Memory) -> None:
    rejected = memory.remember(ANN, "Ann is a pilot")
    memory.facts.reject(ANN, str(rejected))
    refused = tools.call(memory, "remember", {"text": "Ann is a pilot"}, ANN)
    assert not refused.ok
    assert tools.call(memory, "remember", {"text": "Ann likes tea"}, ANN).ok
    assert texts(memory, ANN, "tea?") == ["Ann likes tea"]


def test_an_asyncio_host(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_memory({"query.recall_timeout": 5.0})
    keys = Keys(engine.status()["folder"])
    _, secret = keys.create("bot", user="ann", rights="write")
    monkeypatch.setenv("TAISHI_API_KEY", secret)

    async def chat(url: str) -> None:
        async with await AsyncMemory.open(url, load(environ={})) as memory:
            await memory.end_turn(ANN, new_info="I moved to Oslo", sender_name="Ann", wait=20)
            memory.observe(ANN, "weather", {}, "sun")
            found = await asyncio.gather(
                memory.recall(ANN, "Oslo?", deadline=20), memory.context(ANN, "Oslo?", deadline=20)
            )
            assert found[0].hits
            assert "Oslo" in found[1]
            await memory.session(Scope(user="ann", session="s")).append(Message("hi"))

    with RunningApp(create_app(engine, keys=keys), engine.settings.server) as server:
        asyncio.run(chat(server.url))
