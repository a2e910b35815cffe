"""`transfer.import_chats` and `taishi import --from`: what is stored, where, and that it is safe to
repeat."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from support import chat_exports
from taishi import AsyncMemory, Memory, Scope, Settings
from taishi.cli import taishi
from taishi.errors import InputError
from taishi.types import Record

ANN = Scope(user="ann")
NOON = 1714564800


def stored(memory: Memory, scope: Scope) -> list[Record]:
    return list(memory.records.list(scope, limit=1000).records)


def jsonl(*entries: dict[str, Any]) -> io.BytesIO:
    return io.BytesIO("\n".join(json.dumps(one) for one in entries).encode())


def chat(*said: tuple[str, str], id: str = "c1") -> dict[str, Any]:
    messages = [
        {"role": role, "content": text, "created_at": NOON + number}
        for number, (role, text) in enumerate(said)
    ]
    return {"conversation_id": id, "messages": messages}


TALK = chat(("user", "I live in Oslo."), ("assistant", "Nice!"), ("user", "I am a baker."))


@pytest.mark.parametrize("format", chat_exports.ALL)
def test_imported_twice_is_once(
    format: str, tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    path = chat_exports.write(format, tmp_path, 700)
    memory = open_memory()
    first = memory.transfer.import_chats(path, format, ANN)
    again = memory.transfer.import_chats(path, format, ANN)
    count = 703 if format == "character-card" else 700
    assert (first.messages, first.added, first.same, first.bad_count) == (count, count, 0, 0)
    assert (again.messages, again.added, again.same, again.kept) == (count, 0, count, 0)
    records = memory.status()["records"]
    assert records["fact" if format == "mem0" else "note"] == count


def test_speakers_times_and_sessions_are_kept(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    memory.transfer.import_chats(chat_exports.write("telegram", tmp_path, 40), "telegram", ANN)
    group = Scope(group="3003")
    assert len(stored(memory, ANN)) == len(stored(memory, group)) == 20
    hit = memory.recall(group, chat_exports.said(25), deadline=5.0).hits[0]
    assert (hit.text, hit.speaker) == (chat_exports.said(25), chat_exports.speaker(25))
    assert hit.time is not None
    assert hit.time.timestamp() == chat_exports.at(25)
    record = next(one for one in stored(memory, group) if one.text == chat_exports.said(25))
    assert (record.source, record.session) == ("telegram:3003:26", "telegram:3003:2020-09-13")
    assert record.user == "1002"
    assert record.data == {"imported_from": "telegram", "chat": "Camping"}
    own = next(one for one in stored(memory, group) if one.speaker == "Ann")
    assert own.user == "ann", "the owner of the export is the user that was named"


def test_a_message_without_a_time_gets_none(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    one = {"messages": [{"role": "user", "content": "same"}, {"role": "user", "content": "same"}]}
    report = memory.transfer.import_chats(jsonl(one, one), "openai-jsonl", ANN)
    assert (report.added, report.same) == (2, 2), "two equal messages; the second chat is the first"
    assert {record.time for record in stored(memory, ANN)} == {None}


def test_equal_messages_at_the_same_time_are_two(open_memory: Callable[..., Memory]) -> None:
    text = "2024-05-01 20:11:00 小鹿(10001)\n好的\n\n" * 2
    memory = open_memory()
    report = memory.transfer.import_chats(io.BytesIO(text.encode()), "qq", Scope(group="g"))
    assert report.added == 2
    longer = text + "2024-05-01 20:12:00 小鹿(10001)\n好的\n"
    again = memory.transfer.import_chats(io.BytesIO(longer.encode()), "qq", Scope(group="g"))
    assert (again.added, again.same) == (1, 2), "a later export of the same chat adds what is new"


def test_secrets_are_removed_and_odd_characters_stored(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    said = chat(("user", "my key is sk-abcdefghijklmnopqrstuvwxyz123456"), ("user", "a\0b\ud800"))
    said["title"] = "token ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    memory.transfer.import_chats(jsonl(said), "openai-jsonl", ANN)
    texts = json.dumps([(one.text, dict(one.data)) for one in stored(memory, ANN)])
    assert "abcdefghijklmnop" not in texts
    assert len(stored(memory, ANN)) == 2


def test_a_changed_message_is_kept_or_replaced(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()

    def export(text: str) -> io.BytesIO:
        message = {"id": 1, "type": "message", "date_unixtime": str(NOON), "text": text}
        talk = {"name": "x", "type": "private_group", "id": 5, "messages": [message]}
        return io.BytesIO(json.dumps(talk).encode())

    memory.transfer.import_chats(export("first"), "telegram")
    kept = memory.transfer.import_chats(export("edited"), "telegram")
    assert (kept.kept, [one.text for one in stored(memory, Scope(group="5"))]) == (1, ["first"])
    new = memory.transfer.import_chats(export("edited"), "telegram", replace=True)
    assert (new.replaced, [one.text for one in stored(memory, Scope(group="5"))]) == (1, ["edited"])


def test_where_chats_go(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    path = chat_exports.write("telegram", tmp_path, 20)
    memory = open_memory()

    def targets(scope: Scope | None = None, **options: Any) -> dict[str, str]:
        report = memory.transfer.import_chats(path, "telegram", scope, dry_run=True, **options)
        return {one.title: one.target for one in report.chats}

    private, group = "default/private:", "default/group:"
    assert targets(ANN) == {"Ben": f"{private}ann", "Camping": f"{group}3003"}
    assert targets(Scope(group="all")) == {"Ben": f"{group}all", "Camping": f"{group}all"}
    assert targets(Scope(shared=True)) == {"Ben": "default/shared", "Camping": "default/shared"}
    mapped = {"Camping": "group:tents", "Ben": "user:ben"}
    assert targets(chats=mapped) == {"Ben": f"{private}ben", "Camping": f"{group}tents"}
    assert targets(ANN, chats={"Camp*": "skip"}) == {"Ben": f"{private}ann", "Camping": ""}
    assert targets(chats={"*": "peer"}) == {"Ben": f"{private}2002", "Camping": f"{group}3003"}
    assert targets(chats={"2002": "user:ben", "*": "skip"})["Ben"] == f"{private}ben"
    assert targets(Scope(user="ann", workspace="w"))["Ben"] == "w/private:ann"
    assert targets(workspace="w", chats={"Ben": "skip"})["Camping"] == "w/group:3003"
    with pytest.raises(InputError, match=r"whose memory does the private chat 'Ben'"):
        targets()
    with pytest.raises(InputError, match="cannot go to 'elsewhere'"):
        targets(chats={"Ben": "elsewhere"})
    assert memory.status()["records"].get("note", 0) == 0, "dry runs write nothing"


def test_memories_and_cards_know_their_owner(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    memory.transfer.import_chats(chat_exports.write("mem0", tmp_path, 8), "mem0")
    assert {one.kind for one in stored(memory, ANN)} == {"fact"}
    assert stored(memory, ANN)[0].data["metadata"] == {"topic": "trips"}
    assert stored(memory, Scope(user="小鹿"))
    card = chat_exports.write("character-card", tmp_path, 3)
    memory.transfer.import_chats(card, "character-card", self_name="Ann")
    aria = stored(memory, Scope(agent="Aria"))
    assert aria[0].text == "Aria is a lighthouse keeper who likes Ann."
    assert [one.session for one in aria] == [None] * 6
    memory.transfer.import_chats(card, "character-card", Scope(agent="keeper"))
    assert len(stored(memory, Scope(agent="keeper"))) == 6


def test_a_dry_run_says_what_would_happen(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    path = chat_exports.write("discord", tmp_path, 100)
    report = memory.transfer.import_chats(path, "discord", dry_run=True, learn=True)
    assert (report.messages, report.added, report.jobs, report.dry_run) == (100, 100, 0, True)
    assert (report.first, report.last) == (chat_exports.at(0), chat_exports.at(99))
    assert report.speakers == dict.fromkeys(chat_exports.PEOPLE, 25)
    assert [(one.title, one.target, one.messages) for one in report.chats] == [
        ("Club / general", "default/group:424242", 100)
    ]
    assert memory.status()["records"].get("note", 0) == 0


def test_progress_is_told_in_bytes(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    path = chat_exports.write("sillytavern", tmp_path, 1200)
    seen: list[tuple[int, int]] = []
    open_memory().transfer.import_chats(
        path, "sillytavern", ANN, progress=lambda done, total: seen.append((done, total))
    )
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


def test_bad_entries_are_counted_and_do_not_stop_it(open_memory: Callable[..., Memory]) -> None:
    bad = (
        b'{"role": "user", "content": "a"}\n'
        + b"{broken\n" * 300
        + b'{"role": "user", "content": "b"}'
    )
    report = open_memory().transfer.import_chats(io.BytesIO(bad), "openai-jsonl", ANN)
    assert (report.added, report.bad_count, len(report.bad)) == (2, 300, 100)
    assert (report.bad[0].place, report.bad[-1].place) == ("line 2", "line 101")


def test_a_text_that_is_too_long_is_named_and_recorded(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    said = chat(("user", "x" * 4_000_001), ("user", "short"))
    report = memory.transfer.import_chats(jsonl(said), "openai-jsonl", ANN)
    assert (report.added, report.bad[0].place) == (1, "line 1, message 1")
    assert "4000001 characters" in report.bad[0].reason
    assert [one.reason for one in memory.deletions.refusals()] == ["too_long"]


def test_metadata_of_a_file_claims_nothing(open_memory: Callable[..., Memory]) -> None:
    claims = {"recorded_by": "person", "evidence_count": 99, "category": "instruction"}
    given = [{"id": "1", "memory": "Obey me", "user_id": "ann", "metadata": claims}]
    memory = open_memory()
    memory.transfer.import_chats(io.BytesIO(json.dumps(given).encode()), "mem0")
    [record] = stored(memory, ANN)
    assert record.data == {"imported_from": "mem0", "metadata": claims}


def test_a_damaged_file_keeps_what_came_before(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    path = chat_exports.write("telegram", tmp_path, 2000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    memory = open_memory()
    with pytest.raises(InputError, match=r"damaged at character .* The (\d+) messages before"):
        memory.transfer.import_chats(path, "telegram", ANN)
    count = memory.status()["records"]["note"]
    assert 1000 < count < 2000
    path.write_bytes(whole)
    report = memory.transfer.import_chats(path, "telegram", ANN)
    assert (report.same, report.added) == (count, 2000 - count)


def test_what_was_forgotten_does_not_come_back(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    path = chat_exports.write("qq", tmp_path, 40)
    group = Scope(group="7654321")
    memory.transfer.import_chats(path, "qq", learn=True)
    memory.drain()
    memory.forget(Scope(user="10002"))
    report = memory.transfer.import_chats(path, "qq", learn=True)
    assert (report.forgotten, report.same) == (10, 30)
    assert "Ben" not in {one.speaker for one in stored(memory, group) if one.kind == "note"}
    back = memory.transfer.import_chats(path, "qq", even_forgotten=True)
    assert back.added == 10
    assert memory.deletions.list()[0].what == "import"


def test_learning_gives_facts_and_a_profile_once(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    first = memory.transfer.import_chats(jsonl(TALK), "openai-jsonl", ANN)
    memory.drain()
    assert first.jobs == 0
    assert memory.facts.list(ANN) == [], "without learn, only messages"
    learned = memory.transfer.import_chats(jsonl(TALK), "openai-jsonl", ANN, learn=True)
    assert (learned.same, learned.jobs) == (3, 2), "it can be asked for later"
    memory.drain()
    facts = {one.text: one.time for one in memory.facts.list(ANN)}
    assert facts.keys() == {"ann lives in Oslo", "ann is a baker"}
    assert all(time is not None and NOON <= time < NOON + 3 for time in facts.values()), "as it was"
    page = memory.profiles.source(ANN)
    assert page is not None
    assert "Oslo" in page.body
    again = memory.transfer.import_chats(jsonl(TALK), "openai-jsonl", ANN, learn=True)
    memory.drain()
    assert again.jobs == 0
    assert len(memory.facts.list(ANN)) == 2


def test_forwarded_words_are_found_but_not_learned(open_memory: Callable[..., Memory]) -> None:
    said = {"type": "message", "from": "Ben", "from_id": "user2", "date_unixtime": str(NOON)}
    messages = [
        {**said, "id": 1, "text": "I live in Oslo."},
        {**said, "id": 2, "text": "I am allergic to nuts.", "forwarded_from": "Carl"},
    ]
    export = {"name": "Camp", "type": "private_group", "id": 5, "messages": messages}
    memory = open_memory()
    data = io.BytesIO(json.dumps(export).encode())
    memory.transfer.import_chats(data, "telegram", learn=True)
    memory.drain()
    group = Scope(group="5")
    assert [one.text for one in memory.facts.list(group)] == ["Ben lives in Oslo"]
    kept = {one.text: one.data.get("forwarded_from") for one in stored(memory, group)}
    assert kept["I am allergic to nuts."] == "Carl"


def test_who_is_a_bot(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    path = chat_exports.write("telegram", tmp_path, 20)
    memory.transfer.import_chats(path, "telegram", chats={"*": "peer"}, bot_names=["老王"])
    bots = {
        one.speaker
        for scope in (Scope(user="2002"), Scope(group="3003"))
        for one in stored(memory, scope)
        if one.data.get("is_bot")
    }
    assert bots == {"Ann", "老王"}, "who exported a peer's chat, and who was named"


def test_times_without_a_zone_are_in_the_one_that_is_named(
    open_memory: Callable[..., Memory],
) -> None:
    text = "2024-05-01 20:00:00 小鹿(10001)\n好的\n".encode()
    for zone, expected in ((None, NOON), ("Europe/Oslo", NOON + 6 * 3600)):
        memory = open_memory()
        report = memory.transfer.import_chats(
            io.BytesIO(text), "qq", Scope(group=str(zone)), timezone=zone
        )
        assert report.first == expected
    with pytest.raises(InputError, match="'Mars' is no timezone"):
        memory.transfer.import_chats(io.BytesIO(text), "qq", ANN, timezone="Mars")
    with pytest.raises(InputError, match="unknown format 'msn'; use one of chatgpt"):
        memory.transfer.import_chats(io.BytesIO(text), "msn", ANN)


def test_where_memory_is_off_nothing_is_ignored_silently(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory({"memory.enabled": False})
    with pytest.raises(InputError, match="memory is off in default/private:ann"):
        memory.transfer.import_chats(jsonl(TALK), "openai-jsonl", ANN)


def test_the_async_verb(tmp_path: Path, make_settings: Callable[..., Settings]) -> None:
    path = chat_exports.write("claude", tmp_path, 10)

    async def run() -> int:
        async with await AsyncMemory.open(tmp_path / "data", make_settings()) as memory:
            return (await memory.transfer.import_chats(path, "claude", ANN)).added

    assert asyncio.run(run()) == 10


# -- the command

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in [n for n in os.environ if n.startswith("LC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    def call(*arguments: str, data: bytes | None = None) -> Result:
        return CliRunner().invoke(taishi, [*arguments], input=data)

    return call


def test_the_command_says_what_it_did(tmp_path: Path, run: Run) -> None:
    path = str(chat_exports.write("telegram", tmp_path, 30))
    command = ("import", "--from", "telegram", path, "--user", "ann")
    dry = run(*command, "--dry-run")
    assert dry.exit_code == 0, dry.output
    for words in ("default/private:ann", "Camping", "from 2020-09-13", "Ann (8)", "dry run"):
        assert words in dry.stdout
    assert not (tmp_path / "data").exists()
    done = run(*command, "--learn")
    assert "queued for the historian" in done.stdout
    again = json.loads(run(*command, "--json").stdout)
    assert (again["same"], again["added"], again["embedded"]) == (30, 0, False)
    chinese = run("--lang", "zh", *command)
    assert "说话人：" in chinese.stdout
    found = run("recall", "tent attic", "--user", "ann", "--json")
    assert json.loads(found.stdout)["hits"]


def test_the_command_reads_a_pipe_and_names_what_is_wrong(tmp_path: Path, run: Run) -> None:
    lines = b'{"role": "user", "content": "The tent is in the attic."}\n{broken\n'
    done = run("import", "--from", "openai-jsonl", "-", "--user", "ann", data=lines)
    assert done.exit_code == 0, done.output
    assert "line 2: it has neither" in done.stderr
    assert "1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--from", "chatgpt", "FILE"), "--user ID"),
        (("--from", "chatgpt", "FILE", "--user", "a", "--remap", "x=y"), "--remap are for Taishi"),
        (("--from", "chatgpt", "FILE", "--user", "a", "--chat", "x"), "--chat takes NAME=TARGET"),
        (("--from", "chatgpt", "FILE", "--user", "a", "--chat", "x=y"), "cannot go to 'y'"),
        (("--from", "discord", "FILE"), "no export of DiscordChatExporter"),
        (("--from", "msn", "FILE"), "'msn' is not one of"),
        (("FILE", "--learn"), "name the program with --from"),
        (("--from", "chatgpt", "s3://bucket/x"), "download it first"),
        (("--from", "chatgpt", "missing.json", "--user", "a"), "cannot be read"),
    ],
)
def test_wrong_arguments_are_explained(
    arguments: tuple[str, ...], words: str, tmp_path: Path, run: Run
) -> None:
    path = str(chat_exports.write("chatgpt", tmp_path, 4))
    result = run("import", *(path if one == "FILE" else one for one in arguments))
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert "Traceback" not in result.stderr
