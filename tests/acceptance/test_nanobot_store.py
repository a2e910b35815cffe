"""nanobot's `MemoryStore` face: a scripted week, MEMORY.md, tool runs. No nanobot is needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support import scripted_week as week
from taishi import Memory, Scope
from taishi.adapters.nanobot import Chat, MemoryStore, scope_of
from taishi.errors import InputError


@pytest.fixture
def clock() -> week.Clock:
    return week.Clock()


@pytest.fixture
def store(
    open_memory: Callable[..., Memory], tmp_path: Path, clock: week.Clock
) -> Iterator[MemoryStore]:
    changes = {"query.recall_timeout": 10.0, "memory.timezone": week.TIMEZONE}
    memory = open_memory(changes, clock=clock)
    with MemoryStore(tmp_path, memory, clock=clock) as opened:
        yield opened


def key(said: week.Said) -> str:
    return f"qq:{said.chat.group or said.chat.user}"


def live_through_the_week(store: MemoryStore, clock: week.Clock) -> None:
    for said in week.TURNS:
        clock.now = said.epoch
        who = {"sender_id": said.user, "sender_name": said.user_name}
        store.feed_message("user", said.text, session_key=key(said), **who)
        store.feed_message("assistant", said.reply, session_key=key(said), sender_id=said.user)
    assert store.memory.drain(60)


def block(store: MemoryStore, said: week.Said) -> str:
    return store.get_memory_context(said.text, session_key=key(said), sender_id=said.user)


def test_T3_told_on_monday_is_in_the_prompt_on_friday(
    store: MemoryStore, clock: week.Clock
) -> None:
    live_through_the_week(store, clock)
    for question in week.QUESTIONS:
        clock.now = question.epoch
        week.check_block(question.chat, block(store, question), question.expects)


def test_T3_nothing_crosses_the_chats(store: MemoryStore, clock: week.Clock) -> None:
    live_through_the_week(store, clock)
    for question in week.QUESTIONS:
        clock.now = question.epoch
        for elsewhere in week.asked_everywhere(question):
            week.check_block(elsewhere.chat, block(store, elsewhere), ())


def test_two_people_who_speak_before_the_reply_are_told_apart(store: MemoryStore) -> None:
    say = store.feed_message
    say("user", "我对花生过敏。", session_key="qq:900", sender_id="1", sender_name="安")
    say("user", "我对虾过敏。", session_key="qq:900", sender_id="2", sender_name="白")
    say("assistant", "都记下了。", session_key="qq:900", sender_id="1")
    assert store.memory.drain(30)
    found = store.memory.search_events(Scope(group="qq:900"), "过敏").hits
    assert {(hit.speaker, "花生" in hit.text) for hit in found} == {("安", True), ("白", False)}


OLD_MEMORY = "# Me\n- I answer briefly.\n"
OLD_LOG = """\
[2026-02-01 10:00] Ann asked for the rota.
It hangs in the kitchen.

[2026-02-02 11:30] The boiler was mended.
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text(OLD_MEMORY)
    (tmp_path / "memory" / "HISTORY.md").write_text(OLD_LOG)
    return tmp_path


def test_the_files_of_a_workspace_are_taken_over_once(workspace: Path) -> None:
    entries = [
        ("2026-02-01 10:00", "Ann asked for the rota.\nIt hangs in the kitchen."),
        ("2026-02-02 11:30", "The boiler was mended."),
    ]
    for _ in range(2):
        with MemoryStore(workspace) as store:
            assert store.read_memory() == OLD_MEMORY
            log = store.read_unprocessed_history()
            assert [(one["timestamp"], one["content"]) for one in log] == entries
            (hit,) = store.memory.recall(store.agent, "boiler", deadline=5).hits
            assert hit.kind == "note" and hit.time and (hit.time.month, hit.time.day) == (2, 2)
    with MemoryStore(workspace) as store:
        store.write_memory("# Me\n- I talk a lot.\n")
        store.memory.forget(store.agent, hit.id)
    with MemoryStore(workspace) as store:
        assert store.read_memory() == "# Me\n- I talk a lot.\n"
        assert store.memory.recall(store.agent, "boiler", deadline=5).hits == ()
        store.memory.forget(store.agent)
    with MemoryStore(workspace) as store:
        assert store.read_memory() == "" and store.read_unprocessed_history() == []
    assert (workspace / "memory" / "MEMORY.md").read_text() == OLD_MEMORY
    assert (workspace / "memory" / "HISTORY.md").read_text() == OLD_LOG


def test_a_note_that_was_removed_is_not_taken_over_again(workspace: Path) -> None:
    with MemoryStore(workspace) as store:
        store.memory.notes.remove(store.agent, "MEMORY.md")
    with MemoryStore(workspace) as store:
        assert store.read_memory() == ""


def test_entries_of_a_chat_go_to_that_chat_and_odd_lines_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    lines = [
        {"cursor": 1, "timestamp": "2026-02-01 10:00", "content": "the agent's own"},
        {"cursor": 2, "timestamp": "soon", "content": "in a chat", "session_key": "qq:7"},
        {"cursor": 3, "content": "no key", "session_key": "qq"},
        {"cursor": 4, "content": 5},
    ]
    text = "\n".join([*map(json.dumps, lines), "{", "[]", ""])
    (tmp_path / "memory" / "history.jsonl").write_text(text)
    (tmp_path / "memory" / "HISTORY.md").write_text("[2025-01-01 10:00] older\n")
    with MemoryStore(tmp_path) as store:
        own = [one["content"] for one in store.read_unprocessed_history()]
        chat = [one["content"] for one in store.read_unprocessed_history(session_key="qq:7")]
    assert (own, chat) == (["the agent's own", "no key"], ["in a chat"])


def test_files_that_cannot_be_read_stop_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_bytes(b"\xff\x00\xd8 odd")
    (tmp_path / "memory" / "HISTORY.md").mkdir()
    with MemoryStore(tmp_path) as store:
        assert "odd" in store.read_memory() and store.read_unprocessed_history() == []


def test_what_nobody_answered_is_looked_at_when_the_session_ends(store: MemoryStore) -> None:
    store.feed_message("user", "我养了一只猫，叫墨水。", session_key="qq:7", sender_id="7")
    store.on_session_end("qq:7", "7")
    assert store.memory.drain(30)
    assert "墨水" in store.get_memory_context("猫叫什么", session_key="qq:7", sender_id="7")


def test_closing_looks_at_what_is_left_and_leaves_a_given_memory_open(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory()
    with MemoryStore(tmp_path, memory) as store:
        store.feed_message("user", "我养了一只猫，叫墨水。", session_key="qq:7", sender_id="7")
    assert memory.drain(30)
    assert memory.search_events(Scope(group="qq:7"), "猫").hits


def test_other_roles_are_ignored_and_unknown_ones_are_an_error(store: MemoryStore) -> None:
    store.feed_message("tool", "a page of text", session_key="qq:7")
    store.feed_message("user", "  ", session_key="qq:7")
    store.on_session_end("qq:7")
    assert store.memory.status()["queue"]["pending"] == 0
    with pytest.raises(InputError, match="user or assistant"):
        store.feed_message("narrator", "hello", session_key="qq:7")
    with pytest.raises(InputError, match="telegram:42"):
        store.feed_message("user", "hello", session_key="nowhere")


def test_MEMORY_md_is_the_agents_note_with_versions(store: MemoryStore) -> None:
    assert store.read_memory() == "" and store.get_memory_context() == ""
    store.write_long_term("# Me\n- I answer briefly.")
    store.write_memory("# Me\n- I answer briefly.\n- Tests first.")
    assert store.read_long_term().endswith("- Tests first.")
    assert store.get_memory_context().startswith("## Long-term Memory\n# Me")
    versions = store.memory.notes.history(Scope(agent="nanobot"), "MEMORY.md")
    assert [one.version for one in versions] == [2, 1]


def test_a_chats_own_MEMORY_md_is_seen_in_that_chat_only(store: MemoryStore) -> None:
    store.write_memory("- Ann likes tea", session_key="qq:7")
    assert "tea" in store.get_memory_context("drinks?", session_key="qq:7", sender_id="7")
    assert "tea" not in store.get_memory_context("drinks?", session_key="qq:8", sender_id="8")
    assert store.read_memory() == ""


def test_the_history_has_cursors_and_is_recalled_where_it_belongs(
    store: MemoryStore, clock: week.Clock
) -> None:
    clock.now = week.TURNS[0].epoch
    first = store.append_history("[2026-03-02] The boat was painted red", session_key="qq:900")
    second = store.append_history("[2026-03-03] The mast was sanded", session_key="qq:900")
    assert first < second == store.get_latest_cursor(session_key="qq:900")
    later = store.read_unprocessed_history(first, session_key="qq:900")
    assert [one["content"] for one in later] == ["[2026-03-03] The mast was sanded"]
    assert later[0]["timestamp"] == "2026-03-02 09:10"
    assert store.read_unprocessed_history() == [] and store.get_latest_cursor() == 0
    asked = {"query": "What colour was the boat painted?", "sender_id": "1"}
    assert "painted red" in store.get_memory_context(session_key="qq:900", **asked)
    assert "painted red" not in store.get_memory_context(session_key="qq:901", **asked)


def test_a_tool_run_is_an_observation_of_its_chat(store: MemoryStore) -> None:
    store.on_tool_executed("web_search", {"q": "oars"}, "red oars", session_key="qq:7")
    store.on_tool_executed("cron", None, "ok")
    assert store.memory.drain(30)
    seen = store.memory.records.list(Scope(group="qq:7"), kinds=["observation"]).records
    assert len(seen) == 1 and "web_search" in seen[0].text


@pytest.mark.parametrize(
    ("chat", "scope"),
    [
        (Chat("telegram:42", "42|ann"), Scope(user="telegram:42", group="telegram:42")),
        (Chat("telegram:-100", "42|ann"), Scope(user="telegram:42", group="telegram:-100")),
        (Chat("sdk:ann", "user"), Scope(user="sdk:user", group="sdk:ann")),
        (Chat("qq:900"), Scope(group="qq:900")),
    ],
)
def test_S1_every_session_is_a_group_of_its_own(chat: Chat, scope: Scope) -> None:
    assert scope_of(chat) == scope


def test_a_host_that_knows_its_private_chats_says_so(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory({"query.recall_timeout": 10.0})
    private = MemoryStore(tmp_path, memory, scope_of=lambda chat: Scope(user=chat.session_key))
    private.feed_message("user", "我养了一只猫，叫墨水。", session_key="qq:7", sender_id="7")
    private.on_session_end("qq:7")
    assert memory.drain(30)
    assert "墨水" in memory.context(Scope(user="qq:7"), "猫叫什么")


def test_it_opens_its_own_folder_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    store = MemoryStore(tmp_path)
    assert not (tmp_path / "memory").exists(), "nothing happens before the first use"
    store.initialize().initialize()
    store.write_memory("# Me")
    store.close()
    with MemoryStore(tmp_path) as again:
        assert again.read_memory() == "# Me"
