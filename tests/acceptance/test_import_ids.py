"""Old chats under the ids, in the zone and under the name that a bot will use for them."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from support import chat_exports
from support.running_app import RunningApp
from taishi import AsyncMemory, InputError, Memory, Scope, Settings, tools
from taishi.api_keys import Keys
from taishi.cli import taishi
from taishi.importers.guess import HEAD_BYTES, guessed_formats
from taishi.server.app import create_app
from taishi.types import Edit, Record

CHAT = """消息记录（此消息记录为文本格式，不支持重新导入）

================================================================
消息分组:我的QQ群
================================================================
消息对象:羽毛球摸鱼群
================================================================

2025-06-02 7:05:00 小鹿(10001)
我昨天买了新球拍

2025-06-02 9:07:00 老周(10003)
下下周我要去日本出差

2025-06-02 9:08:00 老周(10003)
我住在苏州工业园区的湖边小区

2025-06-03 21:10:00 阿绿(10004)
我对花生过敏，吃了会起疹子
"""
GROUP = Scope(group="QQClient:880011")
ZHOU = Scope(user="QQClient:10003")
WHERE = {"*": "group:QQClient:880011"}
OpenMemory = Callable[..., Memory]


def imported(memory: Memory, **options: Any) -> Any:
    options = {"chats": WHERE, "timezone": "Asia/Shanghai"} | options
    return memory.transfer.import_chats(io.BytesIO(CHAT.encode()), "qq", **options)


def users(memory: Memory, scope: Scope = GROUP) -> set[str | None]:
    return {one.user for one in memory.records.list(scope, limit=100).records}


# -- whose they are ------------------------------------------------------------------------------


def test_S1_speakers_get_the_prefix_of_the_host_and_are_forgotten_by_it(
    open_memory: OpenMemory,
) -> None:
    memory = open_memory()
    report = imported(memory, user_prefix="QQClient:", learn=True)
    assert report.suggested_user_prefix == ""
    memory.drain()
    assert users(memory) == {"QQClient:10001", "QQClient:10003", "QQClient:10004"}
    assert memory.get_profile(ZHOU, "user", "QQClient:10003") is not None
    words = memory.deletions.traces(ZHOU)
    assert memory.forget(ZHOU)
    assert memory.deletions.prove(ZHOU, words)
    assert not any("老周" in hit.text for hit in memory.recall(GROUP, "老周 日本 苏州").hits)
    assert memory.deletions.similar_users(ZHOU) == {}


def test_S1_an_import_without_the_prefix_is_put_right_by_another(open_memory: OpenMemory) -> None:
    memory = open_memory()
    first = imported(memory)
    assert first.suggested_user_prefix == "QQClient:"
    assert "10003" in users(memory)
    again = imported(memory, user_prefix="QQClient:", replace=True)
    assert (again.added, again.replaced, again.suggested_user_prefix) == (0, 4, "")
    assert users(memory) == {"QQClient:10001", "QQClient:10003", "QQClient:10004"}


@pytest.mark.parametrize(
    ("target", "suggested"),
    [("group:880011", ""), ("group:a:b:c", "a:"), ("user:QQClient:10003", ""), ("group::9", "")],
)
def test_a_prefix_is_suggested_where_the_groups_id_has_one(
    open_memory: OpenMemory, target: str, suggested: str
) -> None:
    report = imported(open_memory(), chats={"*": target}, dry_run=True)
    assert report.suggested_user_prefix == suggested


def test_the_other_side_of_a_private_chat_gets_the_prefix(
    tmp_path: Path, open_memory: OpenMemory
) -> None:
    path = chat_exports.write("telegram", tmp_path, 20)
    memory = open_memory()
    options: dict[str, Any] = {"user_prefix": "telegram:"}
    peer = memory.transfer.import_chats(path, "telegram", chats={"*": "peer"}, **options)
    targets = {one.title: one.target for one in peer.chats}
    assert targets == {"Ben": "default/private:telegram:2002", "Camping": "default/group:3003"}
    own = Scope(user="ann")
    report = memory.transfer.import_chats(path, "telegram", own, dry_run=True, **options)
    assert report.chats[0].target == "default/private:ann", "a user that was named is as named"


def test_a_prefix_is_added_once_and_must_be_short(open_memory: OpenMemory) -> None:
    memory = open_memory()
    text = "2024-05-01 20:11:00 小鹿<QQ:10001>\n好的\n"
    memory.transfer.import_chats(
        io.BytesIO(text.encode()), "qq", Scope(group="g"), user_prefix="QQ:"
    )
    assert users(memory, Scope(group="g")) == {"QQ:10001"}
    for wrong in ("x" * 65, "a\x00:"):
        with pytest.raises(InputError, match="user_prefix"):
            imported(memory, user_prefix=wrong)


def test_async_import_takes_the_prefix(
    tmp_path: Path, make_settings: Callable[..., Settings]
) -> None:
    async def told() -> set[str | None]:
        async with await AsyncMemory.open(tmp_path / "d", make_settings({})) as memory:
            await memory.transfer.import_chats(
                io.BytesIO(CHAT.encode()), "qq", chats=WHERE, user_prefix="QQClient:"
            )
            assert await memory.deletions.similar_users(Scope(user="onebot:10003")) == {
                "QQClient:10003": 2
            }
            return {one.user for one in (await memory.records.list(GROUP)).records}

    assert "QQClient:10003" in asyncio.run(told())


# -- forgetting names them -----------------------------------------------------------------------


def test_O2_users_of_the_same_id_are_named(open_memory: OpenMemory) -> None:
    memory = open_memory()
    imported(memory)
    similar = memory.deletions.similar_users
    assert similar(ZHOU) == {"10003": 2}
    assert similar(Scope(user="onebot:10003")) == {"10003": 2}
    assert similar(Scope(user="10003")) == {}
    assert similar(Scope(user="QQClient:0003")) == {}
    assert similar(Scope(user="QQClient:10003", workspace="other")) == {}
    assert similar(GROUP) == {}
    memory.remember(Scope(user="onebot:10003"), "在另一处")
    assert similar(Scope(user="10003")) == {"onebot:10003": 1}
    memory.remember(Scope(user="@ann:matrix.org"), "a colon of its own")
    assert similar(Scope(user="@bob:matrix.org")) == {}
    assert similar(Scope(user="matrix:@ann:matrix.org")) == {"@ann:matrix.org": 1}


def test_O2_a_server_names_them_and_a_narrow_key_learns_of_nobody(
    open_memory: OpenMemory,
) -> None:
    engine = open_memory()
    imported(engine)
    keys = Keys(engine.status()["folder"])
    secrets = {
        user: keys.create("test", None, "write", **({"user": user} if user else {}))[1]
        for user in (None, "QQClient:10003")
    }
    with RunningApp(create_app(engine, keys=keys), engine.settings.server) as server:
        for user, secret in secrets.items():
            headers = {"Authorization": f"Bearer {secret}"}
            answer = httpx.get(
                f"{server.url}/v1/deletions/similar-users",
                params={"user": "QQClient:10003"},
                headers=headers,
            )
            expected = {} if user else {"10003": 2}
            assert answer.json() == {"users": expected}
            with Memory.open(server.url, engine.settings, api_key=secret) as memory:
                assert memory.deletions.similar_users(ZHOU) == expected
                call = {"everything": True, "confirm": "user QQClient:10003"}
                told = tools.call(memory, "forget", call, ZHOU, names=tools.ALL_TOOLS)
                assert told.data["similar_users"] == list(expected)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "still recalled"), ("zh", "仍会被召回")], ids=["en", "zh"]
)
def test_O2_the_tool_names_them(open_memory: OpenMemory, language: str, words: str) -> None:
    memory = open_memory({"memory.language": language})
    imported(memory)
    call = {"everything": True, "confirm": "user QQClient:10003"}
    answer = tools.call(memory, "forget", call, ZHOU, names=tools.ALL_TOOLS)
    assert answer.ok and words in answer.text and "10003 (2)" in answer.text
    assert answer.data["similar_users"] == ["10003"]
    alone = {"everything": True, "confirm": "user 10003"}
    answer = tools.call(memory, "forget", alone, Scope(user="10003"), names=tools.ALL_TOOLS)
    assert words not in answer.text and answer.data["similar_users"] == []


def test_O2_the_name_of_a_group_and_markup_are_not_what_others_said(
    open_memory: OpenMemory,
) -> None:
    memory = open_memory()
    imported(memory, user_prefix="QQClient:", learn=True)
    memory.drain()
    memory.remember(Scope(group="QQClient:880011", user="QQClient:10001"), "小鹿住在湖边的苏州")
    words = memory.deletions.traces(ZHOU)
    assert "羽毛球摸鱼群" not in words and not any("--" in word for word in words)
    memory.forget(ZHOU)
    proof = memory.deletions.prove(ZHOU, [*words, "小鹿住在湖边的苏州"])
    assert proof and [one.what for one in proof.elsewhere] == ["小鹿住在湖边的苏州"]
    assert "羽毛球摸鱼群" in memory.deletions.traces(GROUP), "of the group, it is one"


def test_O2_what_several_records_of_others_say_is_named_once(open_memory: OpenMemory) -> None:
    memory = open_memory()
    said = "we play badminton on Fridays"
    for number in range(3):
        memory.remember(Scope(group="g", user="bob"), said, id=f"b{number}")
    memory.remember(Scope(group="g", user="ann"), said)
    words = memory.deletions.traces(Scope(user="ann"))
    memory.forget(Scope(user="ann"))
    assert len(memory.deletions.prove(Scope(user="ann"), words).elsewhere) == 1


def test_O2_what_the_historian_says_of_its_work_is_nobodys_words(open_memory: OpenMemory) -> None:
    memory = open_memory()
    for user in ("ann", "ben"):
        scope = Scope(group="g", user=user)
        memory.end_turn(scope, new_info="that day we met again by chance", sender_name=user)
    memory.drain()
    events = memory.records.newest(Scope(group="g"), ["event"]).records
    warnings = "\n".join(text for one in events for text in one.data["warnings"])
    assert "the words" in warnings
    words = memory.deletions.traces(Scope(user="ann"))
    assert words and not any(word in warnings for word in words if word != "ann")


def test_O2_labels_of_a_group_go_with_whom_they_were_learned_from(open_memory: OpenMemory) -> None:
    """A speaker whose name cannot be one is told of on the page of the group."""
    memory = open_memory()
    group, store = Scope(group="g6"), memory._services.runtime.parts.store
    for user, category, tags in (("k6", "residence", ["成都"]), ("k7", "health", ["芒果"])):
        data = {"category": category, "tags": [*tags, "川菜"]}
        fact = Record(f"fact-{user}", group.home, "fact", f"用户{user}的事", user=user, data=data)
        store.apply([Edit("put", fact)])
    labels = ["residence", "成都", "川菜", "health", "芒果", "周末"]
    memory.profiles.set(group, "- 每周六聚餐", name="摸鱼群", tags=labels)
    memory.forget(Scope(user="k6"))
    after = memory.get_profile(group, "group", "g6")
    assert after is not None and (after.name, after.body.strip()) == ("摸鱼群", "- 每周六聚餐")
    assert after.tags == ("川菜", "health", "芒果", "周末"), "those of k7 and of a person stay"
    assert "成都" not in "".join(memory.transfer.export())


def test_O2_the_proof_is_in_the_language_of_the_output(
    open_memory: OpenMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    said = [f"我们每个星期{day}下班以后都去打羽毛球" for day in "一二三四五"]
    for number, text in enumerate(said):
        memory.remember(Scope(group="g", user="bob"), text, id=f"b{number}")
        memory.remember(Scope(group="g", user="ann"), text, id=f"a{number}")
    memory.remember(Scope(group="w", user="bob", workspace="red"), said[0])
    memory.close()
    monkeypatch.chdir(tmp_path)
    arguments = ["forget", "--user", "ann", "--yes", "--prove", "--data", "data", "--lang", "zh"]
    shown = CliRunner().invoke(taishi, arguments)
    assert shown.exit_code == 0, shown.output
    lines = [line for line in shown.output.splitlines() if "保留" in line]
    assert len(lines) == 2 and " of " not in shown.output
    assert lines[0].startswith(f"别人也说过（保留）：群 g 的记录：{said[0]}；")
    assert lines[0].endswith("；另有 2 处")
    assert lines[1].endswith(f"工作区 red 中群 w 的记录：{said[0]}")


# -- when and where ------------------------------------------------------------------------------


def test_H4_yesterday_is_that_of_the_zone_that_was_given(open_memory: OpenMemory) -> None:
    memory = open_memory({"memory.timezone": "Etc/UTC", "working.learn_every_rounds": 1})
    imported(memory, user_prefix="QQClient:", learn=True)
    memory.drain()
    events = {
        str(one.speaker): one for one in memory.records.list(GROUP, ["event"], limit=100).records
    }
    racket = events["小鹿"]
    assert "2025年6月1日买了新球拍" in racket.text
    assert racket.text.startswith("2025年6月2日07:05（Asia/Shanghai），群「羽毛球摸鱼群」")
    assert racket.data["timezone"] == "Asia/Shanghai"
    assert racket.data["timestamp_local"] == "2025-06-02T07:05:00+08:00"
    assert all("880011" not in one.text for one in events.values())


def test_a_chat_whose_title_becomes_its_id_is_marked(
    tmp_path: Path, open_memory: OpenMemory
) -> None:
    memory = open_memory()
    (one,) = imported(memory, chats={}, dry_run=True).chats
    assert (one.target, one.by_title) == ("default/group:羽毛球摸鱼群", True)
    (one,) = imported(memory, dry_run=True).chats
    assert not one.by_title
    path = chat_exports.write("telegram", tmp_path, 20)
    report = memory.transfer.import_chats(path, "telegram", Scope(user="ann"), dry_run=True)
    assert not any(chat.by_title for chat in report.chats)


# -- in the prompt block -------------------------------------------------------------------------


def test_I1_imported_messages_are_not_called_known_facts(open_memory: OpenMemory) -> None:
    memory = open_memory()
    imported(memory)
    memory.remember(GROUP, "老周是日本队的教练")
    memory.drain()
    block = memory.context(GROUP, "老周 日本 苏州", deadline=5.0)
    facts, chats = block.index("已知事实："), block.index("聊天原文：")
    assert facts < block.index("教练") and chats < block.index("老周：下下周我要去日本出差")
    assert facts < block.index("教练") < chats or chats < facts < block.index("教练")
    assert "下下周我要去日本出差（部分措辞以当时为准）" in block
    assert "苏州工业园区的湖边小区（部分措辞以当时为准）" not in block, "that counts from no moment"
    english = memory.context(GROUP, "老周 日本", language="en", deadline=5.0)
    assert "From earlier chats:" in english and "(some words as said then)" in english
    assert "<earlier_chats>" in memory.context(GROUP, "老周 日本", form="xml", deadline=5.0)


def test_I2_a_message_and_its_event_are_said_once(open_memory: OpenMemory) -> None:
    memory = open_memory()
    imported(memory, learn=True)
    memory.drain()
    found = memory.recall(GROUP, "小鹿 新球拍", deadline=5.0).hits
    assert {"note", "event"} <= {hit.kind for hit in found if "球拍" in hit.text}
    block = memory.context(GROUP, "小鹿 新球拍", deadline=5.0)
    assert block.count("新球拍") == 1 and "2025年6月1日买了新球拍" in block


def test_I2_a_message_that_says_more_than_its_event_is_shown(open_memory: OpenMemory) -> None:
    memory = open_memory()
    said = "我在湖边买了新球拍。你们周末有空一起打吗？"
    text = f"2024-05-01 20:11:00 小鹿(10001)\n{said}\n"
    memory.transfer.import_chats(io.BytesIO(text.encode()), "qq", Scope(group="g"), learn=True)
    memory.drain()
    block = memory.context(Scope(group="g"), "小鹿 新球拍 周末 有空", deadline=5.0)
    assert "一起打吗" in block


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    (tmp_path / "messages.txt").write_text(CHAT, "utf-8")
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, language: str = "en", **options: Any) -> Result:
        given = ["--data", str(tmp_path / "d"), "--lang", language, *arguments]
        return CliRunner().invoke(taishi, given, **options)

    return invoke


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_warns_of_ids_that_no_bot_uses(
    run: Callable[..., Result], language: str
) -> None:
    by_title = run("import", "--from", "qq", "messages.txt", "--dry-run", language=language)
    assert by_title.exit_code == 0
    assert "--chat '羽毛球摸鱼群=group:" in by_title.stderr
    where = ("--chat", "*=group:QQClient:880011")
    plain = run("import", "--from", "qq", "messages.txt", *where, language=language)
    assert "--user-prefix QQClient:" in plain.stderr and "--chat '" not in plain.stderr
    prefixed = ("--user-prefix", "QQClient:", "--replace")
    again = run("import", "--from", "qq", "messages.txt", *where, *prefixed, language=language)
    assert again.exit_code == 0 and "QQClient" not in again.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_O2_the_command_forget_names_users_of_the_same_id(
    run: Callable[..., Result], language: str
) -> None:
    run("import", "--from", "qq", "messages.txt", "--chat", "*=group:QQClient:880011")
    forgot = run("forget", "--user", "QQClient:10003", "--yes", "--prove", language=language)
    assert forgot.exit_code == 2, "nothing is known of them, so nothing is proven"
    assert "taishi forget --user 10003" in forgot.stderr
    told = run("forget", "--user", "QQClient:10003", "--yes", "--json", language=language)
    assert json.loads(told.stdout)["similar_users"] == {"10003": 2}
    gone = run("forget", "--user", "10003", "--yes", language=language)
    assert "2" in gone.stdout and "QQClient" not in gone.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_O2_a_name_that_is_given_as_an_id_is_answered_with_the_ids(
    run: Callable[..., Result], language: str
) -> None:
    run("import", "--from", "qq", "messages.txt", "--chat", "*=group:QQClient:880011")
    told = run("forget", "--user", "老周", "--yes", "--prove", language=language)
    assert told.exit_code == 2 and "forget --user 10003" in told.stderr
    assert "10001" not in told.stderr
    told = run("forget", "--user", "nobody", "--yes", language=language)
    assert "forget --user" not in told.stderr
    told = run("forget", "--user", "老周", "--yes", "--workspace", "other", language=language)
    assert "10003" not in told.stderr, "of another workspace"
    told = run("forget", "--user", "老周", "--yes", "--json", language=language)
    assert json.loads(told.stdout)["called_so"] == ["10003"]
    gone = run("forget", "--user", "10003", "--yes", language=language)
    assert "forget --user" not in gone.stderr
    again = run("forget", "--user", "老周", "--yes", language=language)
    assert "10003" not in again.stderr, "forgotten people are named no more"


def test_O2_the_name_on_a_page_leads_to_its_id(run: Callable[..., Result]) -> None:
    for id, name in (("102", "Ben Murphy"), ("103", "Ben"), ("u 4", "Ben Murphy")):
        run("end-turn", "--user", id, "--sender-name", name, "--new-info", "I live in Cork.")
    run("remember", "The stove is lit", "--group", "g", "--user", "103")
    run("work", "--once")
    told = run("forget", "--user", "ben murphy", "--yes")
    assert told.exit_code == 0 and "forget --user 102" in told.stderr
    assert "forget --user 'u 4'" in told.stderr and "103" not in told.stderr
    known = run("forget", "--user", "103", "--yes")
    assert "is the name of" not in known.stderr, "an id that is known is an id"
    group = run("forget", "--group", "Ben Murphy", "--yes")
    assert "is the name of" not in group.stderr, "a person is no group"


def test_the_span_is_told_in_the_zone_that_was_given(run: Callable[..., Result]) -> None:
    options = ("--dry-run", "--timezone", "Asia/Shanghai")
    shown = run("import", "--from", "qq", "messages.txt", *options)
    assert "from 2025-06-02 to 2025-06-03" in shown.stdout


@pytest.mark.parametrize(
    ("language", "hint"), [("en", "try --from qq"), ("zh", "请试试 --from qq")]
)
def test_a_forgotten_format_is_suggested(
    run: Callable[..., Result], language: str, hint: str
) -> None:
    plain = run("import", "messages.txt", language=language)
    assert plain.exit_code == 2 and hint in plain.stderr
    options = ("--chat", "*=group:g")
    assert hint in run("import", "messages.txt", *options, language=language).stderr
    Path("own.jsonl").write_text('{"type": "header", "format": "taishi-export"}\n')
    assert "--from" not in run("import", "own.jsonl", language=language).stderr


@pytest.mark.parametrize("format", chat_exports.ALL)
def test_the_format_of_every_export_is_guessed(format: str, tmp_path: Path) -> None:
    head = chat_exports.write(format, tmp_path, 700).read_bytes()[:HEAD_BYTES]
    assert format in guessed_formats(head)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_the_encoding_of_a_text_is_guessed_as_well(encoding: str) -> None:
    assert guessed_formats(CHAT.encode(encoding)) == ("qq",)


@pytest.mark.parametrize(
    "head", [b"", b"{", b"[1, 2]", b"hello\nworld", b'{"type": "header"}', b"\xff\xfe\x00", b"PK"]
)
def test_what_is_not_known_is_not_guessed(head: bytes) -> None:
    assert guessed_formats(head) == ()
