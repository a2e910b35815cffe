"""What the readers make of each format: small files with everything that occurs in real ones."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from support import chat_exports
from taishi.errors import InputError
from taishi.importers.formats import FORMATS
from taishi.importers.message_times import moment
from taishi.importers.sillytavern import sent
from taishi.importers.source import opened
from taishi.importers.values import BadEntry, ImportedMessage, Item, LeftOut, ReadOptions
from taishi.times import to_datetime

SHANGHAI = ZoneInfo("Asia/Shanghai")
OPTIONS = ReadOptions(SHANGHAI, "")
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC).timestamp()


def read(format: str, data: object, name: str = "", options: ReadOptions = OPTIONS) -> list[Item]:
    """Of a file with this content: bytes, text, or anything else as JSON."""
    if not isinstance(data, (bytes, str)):
        data = json.dumps(data, ensure_ascii=False)
    content = data.encode() if isinstance(data, str) else data
    chosen = FORMATS[format]
    with opened(io.BytesIO(content), chosen.members, None) as files:
        for file in files:
            file.name = name or file.name
        return [item for file in files for item in chosen.read(file, options)]


def brief(items: list[Item]) -> list[Any]:
    """Messages as (speaker, text), others by their reason."""
    return [
        (item.speaker, item.text) if isinstance(item, ImportedMessage) else item.reason
        for item in items
    ]


def messages(items: list[Item]) -> list[ImportedMessage]:
    return [item for item in items if isinstance(item, ImportedMessage)]


# -- ChatGPT


def gpt(id: str, parent: str | None, role: str, parts: list[Any], **more: Any) -> dict[str, Any]:
    content = {"content_type": more.pop("content_type", "text"), "parts": parts}
    message = {"id": id, "author": {"role": role}, "create_time": NOON, "content": content, **more}
    return {"id": id, "parent": parent, "children": [], "message": message}


def gpt_chat(*nodes: dict[str, Any], current: str | None = None) -> dict[str, Any]:
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    mapping |= {node["id"]: node for node in nodes}
    for node in nodes:
        if node["parent"] in mapping:
            mapping[node["parent"]]["children"].append(node["id"])
    last = nodes[-1]["id"] if current is None else current
    return {"conversation_id": "c1", "title": "Trip", "current_node": last, "mapping": mapping}


GPT_CASES: dict[str, tuple[list[dict[str, Any]], list[Any]]] = {
    "question and answer": (
        [gpt("a", "root", "user", ["Where? 🏕️\n第二行"]), gpt("b", "a", "assistant", ["Kyoto"])],
        [(None, "Where? 🏕️\n第二行"), ("ChatGPT", "Kyoto")],
    ),
    "system, tool and hidden": (
        [
            gpt("s", "root", "system", [""]),
            gpt("u", "s", "user", ["About me"], content_type="user_editable_context"),
            gpt("h", "u", "user", ["x"], metadata={"is_visually_hidden_from_conversation": True}),
            gpt("a", "h", "assistant", ["search(1)"], recipient="browser"),
            gpt("t", "a", "tool", ["result"]),
            gpt("r", "t", "assistant", ["hm"], content_type="thoughts"),
            gpt("b", "r", "assistant", ["Found it"]),
        ],
        ["system", "hidden", "hidden", "tool", "tool", "hidden", ("ChatGPT", "Found it")],
    ),
    "pictures, voice, attachments": (
        [
            gpt(
                "a",
                "root",
                "user",
                [{"content_type": "image_asset_pointer"}, "What is it?", {"text": "spoken"}],
                content_type="multimodal_text",
                metadata={"attachments": [{"name": "plan.pdf"}]},
            ),
            gpt("b", "a", "user", [{"content_type": "image_asset_pointer"}]),
        ],
        [(None, "What is it?\nspoken\n[plan.pdf]"), "empty"],
    ),
    "an unknown role": (
        [gpt("a", "root", "critic", ["x"])],
        ["unknown role 'critic'"],
    ),
}


@pytest.mark.parametrize("case", GPT_CASES)
def test_chatgpt(case: str) -> None:
    nodes, expected = GPT_CASES[case]
    assert brief(read("chatgpt", [gpt_chat(*nodes)])) == expected


def test_chatgpt_only_the_branch_that_was_seen_last() -> None:
    nodes = (
        gpt("a", "root", "user", ["first try"]),
        gpt("a2", "root", "user", ["edited"]),
        gpt("b", "a2", "assistant", ["one"]),
        gpt("b2", "a2", "assistant", ["regenerated"]),
    )
    expected = [(None, "edited"), ("ChatGPT", "regenerated")]
    assert brief(read("chatgpt", [gpt_chat(*nodes)])) == expected
    first = [(None, "first try")]
    assert brief(read("chatgpt", [gpt_chat(*nodes, current="a")])) == first
    nodes[0]["message"]["create_time"] = NOON + 9
    assert brief(read("chatgpt", [gpt_chat(*nodes, current="gone")])) == first, "the newest leaf"


def test_chatgpt_a_loop_ends() -> None:
    a, b = gpt("a", "b", "user", ["x"]), gpt("b", "a", "assistant", ["y"])
    assert brief(read("chatgpt", [gpt_chat(a, b)])) == [(None, "x"), ("ChatGPT", "y")]


def test_chatgpt_conversations_that_are_none_are_named() -> None:
    found = read("chatgpt", [{"title": "x"}, 5, gpt_chat(gpt("a", "root", "user", ["hi"]))])
    assert [one.place for one in found if isinstance(one, BadEntry)] == [
        "conversation 1",
        "conversation 2",
    ]
    [message] = messages(found)
    assert (message.conversation.title, message.time, message.id) == ("Trip", NOON, "a")


@pytest.mark.parametrize("format", ["chatgpt", "claude"])
def test_the_zip_of_an_export(format: str, tmp_path: Path) -> None:
    path = chat_exports.write(format, tmp_path, 60)
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("user.json", "{}")
        archive.write(path, "data/conversations.json")
    chosen = FORMATS[format]
    with opened(packed, chosen.members, None) as files:
        found = [item for file in files for item in chosen.read(file, OPTIONS)]
    assert len(messages(found)) == 60


# -- Claude


def claude_chat(*said: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"uuid": "c1", "name": "Trip", "chat_messages": list(said)}]


CLAUDE_CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "blocks": (
        {
            "sender": "assistant",
            "text": "all of it",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "One."},
                {"type": "tool_use", "name": "search"},
                {"type": "text", "text": "Two. 好"},
            ],
        },
        ("Claude", "One.\nTwo. 好"),
    ),
    "text alone, as it was": ({"sender": "human", "text": "Hello\nthere"}, (None, "Hello\nthere")),
    "attachments": (
        {
            "sender": "human",
            "text": "Read this",
            "attachments": [{"file_name": "a.txt", "extracted_content": "inside"}],
            "files": [{"file_name": "photo.jpg"}],
        },
        (None, "Read this\n[a.txt]\n[photo.jpg]\ninside"),
    ),
    "nothing said": ({"sender": "human", "text": "", "content": []}, "empty"),
    "somebody else": ({"sender": "system", "text": "x"}, "unknown sender 'system'"),
}


@pytest.mark.parametrize("case", CLAUDE_CASES)
def test_claude(case: str) -> None:
    message, expected = CLAUDE_CASES[case]
    message = {"uuid": "m1", "created_at": "2024-05-01T12:00:00.000000Z", **message}
    found = read("claude", claude_chat(message))
    assert brief(found) == [expected]
    assert all(one.time == NOON for one in messages(found))


# -- mem0


def test_mem0() -> None:
    memories = [
        {
            "id": "1",
            "memory": "Likes tea",
            "user_id": "ann",
            "metadata": {"topic": "drinks"},
            "categories": ["food"],
            "created_at": "2024-05-01T05:00:00-07:00",
        },
        {"id": "2", "memory": "Answers briefly", "agent_id": "helper"},
        {"id": "3", "memory": " "},
        "nonsense",
    ]
    for shape in ({"count": 4, "results": memories}, memories, {"memories": memories}):
        found = read("mem0", shape)
        assert brief(found) == [
            (None, "Likes tea"),
            (None, "Answers briefly"),
            "empty",
            "it is no object with a memory",
        ]
    first, second = messages(found)
    assert (first.conversation.owner, first.kind, first.time) == ("ann", "fact", NOON)
    assert first.metadata == {"topic": "drinks", "categories": ["food"]}
    assert (second.conversation.owner, second.conversation.kind) == ("helper", "agent")


# -- SillyTavern

TAVERN = {"user_name": "Ann", "character_name": "Aria", "create_date": "2024-5-1@20h00m00s"}


def lines(*entries: object) -> str:
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in entries)


def test_sillytavern() -> None:
    found = read(
        "sillytavern",
        lines(
            TAVERN,
            {"name": "Ann", "is_user": True, "send_date": "May 1, 2024 8:00pm", "mes": "Hi 🌊\n好"},
            {"name": "Aria", "is_user": False, "send_date": 1714564800000, "mes": "*waves*"},
            {"name": "System", "is_system": True, "mes": "hidden"},
            {"name": "Note", "extra": {"type": "narrator"}, "mes": "Night fell."},
            {"name": "Aria", "is_user": False, "mes": "", "swipes": ["a", "b"]},
            {"name": "Aria"},
        )
        + "\n{broken\n\n",
    )
    assert brief(found) == [
        ("Ann", "Hi 🌊\n好"),
        ("Aria", "*waves*"),
        "system",
        "system",
        "empty",
        "it has no mes",
        "it is no JSON",
    ]
    assert found[-1].place == "line 8"
    hi, waves = messages(found)
    assert (hi.is_self, hi.is_bot, waves.is_self, waves.is_bot) == (True, False, False, True)
    assert hi.time == waves.time == NOON


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024-05-01T12:00:00.000Z", NOON),
        (1714564800000, NOON),
        ("1714564800000", NOON),
        ("May 1, 2024 8:00pm", NOON),
        ("May 1, 2024 12:00am", NOON - 20 * 3600),
        ("2024-5-1 @12h 0m 0s 250ms", NOON + 0.25),
        ("2024-05-01@12h00m00s", NOON),
        ("2024-05-01@12h00m00s250ms", NOON + 0.25),
        ("Smarch 1, 2024 8:00pm", None),
        ("2024-13-41@12h00m00s", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_sillytavern_dates_of_all_versions(written: object, expected: float | None) -> None:
    assert sent(written, SHANGHAI) == expected


def test_sillytavern_without_a_header() -> None:
    assert brief(read("sillytavern", lines({"name": "Ann", "is_user": True, "mes": "Hi"}))) == [
        ("Ann", "Hi")
    ]
    with pytest.raises(InputError, match="no header of a SillyTavern chat"):
        read("sillytavern", lines({"role": "user", "content": "x"}))


# -- character cards


def test_character_card() -> None:
    card = chat_exports.card(2)
    book = card["data"]["character_book"]["entries"]
    book += [{"keys": ["x"], "content": "off", "enabled": False}, {"keys": []}]
    found = read("character-card", card, options=ReadOptions(SHANGHAI, "Ann"))
    assert brief(found)[:3] == [
        ("Aria", "Aria is a lighthouse keeper who likes Ann."),
        ("Aria", "calm, curious"),
        ("Aria", "The lamp is lit, Ann."),
    ]
    assert brief(found)[3][1].startswith("key0, Ann: ")
    assert brief(found)[5:] == ["hidden", "it has no content"]
    parts = [one.metadata["part"] for one in messages(found)]
    assert parts == ["description", "personality", "first_mes", "book:1", "book:2"]
    assert {(one.conversation.kind, one.conversation.owner) for one in messages(found)} == {
        ("agent", "Aria")
    }


@pytest.mark.parametrize("kind", [b"tEXt", b"iTXt", b"zTXt"])
def test_character_card_in_a_picture(kind: bytes) -> None:
    old, new = chat_exports.card(0), chat_exports.card(0, spec="chara_card_v3")
    new["data"]["nickname"] = "Ari"
    only = brief(read("character-card", chat_exports.png({"chara": old}, kind)))
    assert only[0] == ("Aria", "Aria is a lighthouse keeper who likes the user.")
    both = brief(read("character-card", chat_exports.png({"chara": old, "ccv3": new}, kind)))
    assert both[0] == ("Aria", "Ari is a lighthouse keeper who likes the user."), "V3 wins"


def test_character_card_of_version_1_and_none() -> None:
    old = {"name": "Aria", "description": "A keeper.", "personality": "", "first_mes": "Hm."}
    assert brief(read("character-card", old)) == [("Aria", "A keeper."), ("Aria", "Hm.")]
    for wrong in ({"name": "x"}, {"spec": "chara_card_v2"}, []):
        with pytest.raises(InputError, match="no character card"):
            read("character-card", wrong)
    with pytest.raises(InputError, match="holds no character card"):
        read("character-card", chat_exports.png({"Comment": "x"}))


# -- Telegram


def tg(id: int, text: object, **more: Any) -> dict[str, Any]:
    sender = {"from": "Ben", "from_id": "user2"}
    base = {"id": id, "type": "message", "date": "2024-05-01T20:00:00", **sender, "text": text}
    return {**base, **more}


TELEGRAM = {
    "name": "Camping",
    "type": "private_supergroup",
    "id": 77,
    "messages": [
        {"id": 1, "type": "service", "action": "create_group", "actor": "Ben", "text": ""},
        tg(2, "plain\nsecond line 🏕️"),
        tg(
            3,
            ["see ", {"type": "link", "text": "https://x.org"}, " 好"],
            date_unixtime="1714564800",
        ),
        tg(4, "edited text", edited="2024-05-01T21:00:00"),
        tg(5, "yes", reply_to_message_id=2),
        tg(6, "their words", forwarded_from="Carl"),
        tg(7, "", photo="(File not included)"),
        tg(8, "the list", file="files/list.pdf", file_name="list.pdf"),
        tg(9, "", media_type="sticker", sticker_emoji="🎉"),
        tg(10, "", poll={"question": "When?", "answers": [{"text": "Fri"}, {"text": "Sat"}]}),
        {"id": 11, "text": "no type"},
        tg(12, "deleted account", **{"from": None}),
    ],
}


def test_telegram() -> None:
    found = read("telegram", TELEGRAM)
    assert brief(found) == [
        "system",
        ("Ben", "plain\nsecond line 🏕️"),
        ("Ben", "see https://x.org 好"),
        ("Ben", "edited text"),
        ("Ben", "yes"),
        ("Ben", "their words"),
        "empty",
        ("Ben", "the list\n[list.pdf]"),
        ("Ben", "[🎉]"),
        ("Ben", "[When? Fri / Sat]"),
        "it has no type message or service",
        (None, "deleted account"),
    ]
    said = messages(found)
    assert {one.time for one in said} == {NOON}, "with a zone of its own, and in the memory's"
    assert {(one.conversation.kind, one.conversation.id) for one in said} == {("group", "77")}
    assert [one.reply_to for one in said if one.reply_to] == ["2"]
    assert [one.forwarded_from for one in said if one.forwarded_from] == ["Carl"]
    assert said[0].speaker_id == "2"


def test_telegram_the_whole_account() -> None:
    private = {"name": "Ben", "type": "personal_chat", "id": 2, "messages": [tg(1, "hi")]}
    saved = {"type": "saved_messages", "id": 1, "messages": [tg(9, "a note", from_id="user1")]}
    account = {
        "about": "x",
        "personal_information": {"user_id": 1, "first_name": "Ann"},
        "contacts": {"list": [{"first_name": '[{"}'}]},
        "chats": {"about": "x", "list": [private, TELEGRAM, saved]},
        "left_chats": {"list": [{**TELEGRAM, "id": 78, "name": "Old"}]},
    }
    found = messages(read("telegram", account))
    kinds = {one.conversation.id: one.conversation.kind for one in found}
    assert kinds == {"2": "private", "77": "group", "1": "private", "78": "group"}
    assert [one.text for one in found if one.is_self] == ["a note"]
    assert found[0].conversation.peer == "2"


# -- Discord


def dc(id: str, content: str, **more: Any) -> dict[str, Any]:
    author = {"id": "9", "name": "ben", "nickname": "Ben", "isBot": False}
    when = "2024-05-01T20:00:00+08:00"
    return {
        "id": id,
        "type": "Default",
        "timestamp": when,
        "content": content,
        "author": author,
    } | more


def test_discord() -> None:
    bot = {"id": "8", "name": "helper", "nickname": None, "isBot": True}
    said = [
        dc("1", "hello\nthere 👋"),
        dc("2", "edited", timestampEdited="2024-05-01T20:05:00+08:00"),
        dc("3", "yes", type="Reply", reference={"messageId": "1"}),
        dc("4", "Ben joined the server.", type="GuildMemberJoin"),
        dc("5", "", attachments=[{"fileName": "map.png"}], stickers=[{"name": "wave"}]),
        dc("6", "", author=bot, embeds=[{"title": "Weather", "description": "Rain"}]),
        dc("7", "", forwardedMessage={"content": "their words"}, reference={"type": "Forward"}),
        dc("8", ""),
        {"id": "9"},
    ]
    channel = {"id": "42", "type": "GuildTextChat", "name": "general"}
    found = read("discord", {"guild": {"name": "Club"}, "channel": channel, "messages": said})
    assert brief(found) == [
        ("Ben", "hello\nthere 👋"),
        ("Ben", "edited"),
        ("Ben", "yes"),
        "system",
        ("Ben", "[map.png]\n[wave]"),
        ("helper", "Weather\nRain"),
        ("Ben", "their words"),
        "empty",
        "it has no author and content",
    ]
    kept = messages(found)
    assert {one.time for one in kept} == {NOON}
    assert (kept[0].conversation.title, kept[0].conversation.kind) == ("Club / general", "group")
    assert [one.reply_to for one in kept if one.reply_to] == ["1"]
    assert [one.text for one in kept if one.forwarded_from] == ["their words"]
    assert [one.text for one in kept if one.is_bot] == ["Weather\nRain"]
    direct = {"channel": {"id": "7", "type": "DirectTextChat", "name": "Ben"}, "messages": said[:1]}
    assert messages(read("discord", direct))[0].conversation.kind == "private"


# -- QQ


def qq(id: str, text: str, **more: Any) -> dict[str, Any]:
    sender = {"uid": "u_ben", "uin": "10002", "name": "小鹿"}
    content = {"text": text, "elements": [], "resources": []} | more.pop("content", {})
    message = {"id": id, "timestamp": NOON * 1000, "sender": sender, "type": "type_1"}
    return {**message, "content": content, "recalled": False, "system": False, **more}


QQ_MESSAGES = [
    qq("1", "周末爬山？\n带帐篷 🏕️"),
    qq("2", "撤回了", recalled=True),
    qq("3", "Ben 加入了群聊", system=True),
    qq("4", "[图片]", content={"resources": [{"type": "image", "filename": "a.jpg"}]}),
    qq("5", "[图片]"),
    qq("6", "好", content={"elements": [{"type": "reply", "data": {"messageId": "1"}}]}),
    qq("7", "[聊天记录]", type="type_11"),
    qq("8", "我的", sender={"uid": "u_me", "uin": "10001", "name": "me", "groupCard": "安"}),
    qq("9", "旧版", timestamp=None, time="2024-05-01 20:00:00"),
    {"id": "10"},
]


def test_qq_json() -> None:
    info = {"name": "登山群", "type": "group", "selfUid": "u_me", "selfUin": "10001"}
    export = {"metadata": {}, "chatInfo": info, "messages": QQ_MESSAGES, "avatars": {"1": "x"}}
    found = read("qq", export, "group_7654321_20240501_120000.json")
    assert brief(found) == [
        ("小鹿", "周末爬山？\n带帐篷 🏕️"),
        "deleted",
        "system",
        ("小鹿", "[图片]\n[a.jpg]"),
        "empty",
        ("小鹿", "好"),
        ("小鹿", "[聊天记录]"),
        ("安", "我的"),
        ("小鹿", "旧版"),
        "it has no sender and content",
    ]
    kept = messages(found)
    assert {one.time for one in kept} == {NOON}
    assert {(one.conversation.kind, one.conversation.id) for one in kept} == {("group", "7654321")}
    assert [one.speaker_id for one in kept if one.is_self] == ["10001"]
    assert [one.reply_to for one in kept if one.reply_to] == ["1"]
    assert [one.text for one in kept if one.forwarded_from] == ["[聊天记录]"]


@pytest.mark.parametrize(
    ("file", "id"),
    [
        ("group_7654321_20240501_120000.json", "7654321"),
        ("friend_u_Ab-c1_20240501_120000.json", "u_Ab-c1"),
        ("group_登山_7654321_20240501_120000.json", "7654321"),
        ("我的聊天.json", "小鹿"),
    ],
)
def test_qq_the_file_says_which_chat(file: str, id: str) -> None:
    export = {"chatInfo": {"name": "小鹿", "type": "private"}, "messages": QQ_MESSAGES[:1]}
    [message] = messages(read("qq", export, file))
    assert (message.conversation.id, message.conversation.kind) == (id, "private")


def test_qq_chunks() -> None:
    assert brief(read("qq", lines(*QQ_MESSAGES[:2]) + "\n{", "c000001.jsonl")) == [
        ("小鹿", "周末爬山？\n带帐篷 🏕️"),
        "deleted",
        "it has no sender and content",
    ]
    with pytest.raises(InputError, match="chunks"):
        read("qq", {"chatInfo": {}, "chunked": {"chunks": []}})


QQ_TXT = """消息记录（此消息记录为文本格式，不支持重新导入）

================================================================
消息分组:我的QQ群
================================================================
消息对象:登山群
================================================================

2024-05-01 20:00:00 【管理员】小鹿(10002)
周末爬山？
带帐篷 🏕️

2024-05-01 8:00:00 PM Ann<ann@example.com>
好

2024-05-01 20:00:00 系统消息(10000)
Ben加入本群。

2024-05-01 20:00:00 小鹿(10002)
[图片]

================================================================
消息分组:我的好友
================================================================
消息对象:老王
================================================================

2024-05-01 20:00:00 老王
私聊
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_qq_text_of_the_message_manager(encoding: str) -> None:
    found = read("qq", QQ_TXT.replace("\n", "\r\n").encode(encoding), "all.txt")
    assert brief(found) == [
        ("小鹿", "周末爬山？\n带帐篷 🏕️"),
        ("Ann", "好"),
        "system",
        "empty",
        ("老王", "私聊"),
    ]
    group, mail, private = messages(found)
    assert (group.conversation.kind, group.conversation.id) == ("group", "登山群")
    assert (group.speaker_id, mail.speaker_id) == ("10002", "ann@example.com")
    assert (private.conversation.kind, private.conversation.id) == ("private", "老王")
    assert {one.time for one in (group, mail, private)} == {NOON}


QQ_HALF_DAYS = """消息对象:登山
2024-05-02 上午 9:05:11 李四(10002)
早
2024-05-02 下午12:30:00 Cy<cy@mail.example>
吃饭
2024/5/2 14:00:00 王五(10003)
这一条的时间读不出来
还有一行
2024-05-02 傍晚 6:00:00 李四(10002)
也读不出来
2024-05-02 20:00:00 李四(10002)
2024-05-02 我们出发(周四)
2024年5月2日要带 2000 元(1)
2024-05-02 找老王(10003)
"""


def test_qq_a_time_that_cannot_be_read_is_no_part_of_the_message_before() -> None:
    found = read("qq", QQ_HALF_DAYS.encode(), "all.txt")
    said = [
        (m.text, m.speaker_id, to_datetime(m.time or 0, SHANGHAI).strftime("%H:%M"))
        for m in messages(found)
    ]
    assert said == [
        ("早", "10002", "09:05"),
        ("吃饭", "cy@mail.example", "12:30"),
        (
            "2024-05-02 我们出发(周四)\n2024年5月2日要带 2000 元(1)\n2024-05-02 找老王(10003)",
            "10002",
            "20:00",
        ),
    ]
    assert [one for one in found if isinstance(one, BadEntry)] == [
        BadEntry("line 6", "the time of the message cannot be read"),
        BadEntry("line 9", "the time of the message cannot be read"),
    ]


QQ_EXPORTER_TXT = """[QQChatExporter V4 / https://github.com/shuakami/qq-chat-exporter]
[…]

===============================================
           QQ聊天记录导出文件
===============================================

聊天名称: 登山群
聊天类型: 群聊
导出时间: 2024-05-02 08:00:00

小鹿:
时间: 2024-05-01 20:00:00
内容: 周末爬山？
时间: 不是时间
记得:
带帐篷
资源: 1 个文件
  - image: a.jpg


安:
时间: 2024-05-01 20:00:00
内容: 好
回复: 小鹿 - 周末爬山？


老王:
时间: 2024-05-01 20:00:00
资源: 1 个文件

===============================================
              导出完成
===============================================
总计导出 3 条消息
"""


def test_qq_text_of_the_exporter() -> None:
    found = read("qq", QQ_EXPORTER_TXT, "x.txt")
    assert brief(found) == [
        ("小鹿", "周末爬山？\n时间: 不是时间\n记得:\n带帐篷"),
        ("安", "好"),
        "empty",
    ]
    first = messages(found)[0]
    assert (first.conversation.id, first.conversation.kind, first.time) == ("登山群", "group", NOON)


# -- WeChat


def wx(content: object, **more: Any) -> dict[str, Any]:
    sender = {"isSend": 0, "senderUsername": "wxid_2", "senderDisplayName": "小鹿"}
    return {"createTime": int(NOON), "localType": 1, "content": content, **sender, **more}


XML = "<?xml version='1.0'?><msg><appmsg><title>路线 &amp; 装备</title></appmsg></msg>"


def test_wechat_of_weflow() -> None:
    said = [
        wx("周末爬山？\n🏕️", platformMessageId="11"),
        wx("你撤回了一条消息", localType=10000),
        wx("[图片]", localType=3),
        wx("[动画表情]"),
        wx("好", replyToMessageId="11"),
        wx(XML, localType=49),
        wx(None),
        wx("我的", isSend=1, senderUsername="wxid_1", senderDisplayName="安"),
        {"content": "x"},
    ]
    session = {"accountId": "55@chatroom", "displayName": "登山", "type": "群聊"}
    found = read("wechat", {"weflow": {}, "session": session, "messages": said})
    assert brief(found) == [
        ("小鹿", "周末爬山？\n🏕️"),
        "system",
        "empty",
        "empty",
        ("小鹿", "好"),
        ("小鹿", "路线 & 装备"),
        "empty",
        ("安", "我的"),
        "it has no content and createTime",
    ]
    kept = messages(found)
    assert {(one.conversation.kind, one.conversation.id) for one in kept} == {
        ("group", "55@chatroom")
    }
    assert [one.speaker_id for one in kept if one.is_self] == ["wxid_1"]
    assert {one.time for one in kept} == {NOON}


def test_wechat_with_senders_apart() -> None:
    senders = [{"senderID": 1, "accountId": "wxid_2", "displayName": "小鹿"}]
    message = {"createTime": NOON, "content": "好", "isSend": 0, "senderID": 1}
    session = {"wxid": "wxid_2", "displayName": "小鹿", "type": "私聊"}
    export = {"session": session, "senders": senders, "messages": [message]}
    [found] = messages(read("wechat", export))
    assert (found.speaker, found.speaker_id) == ("小鹿", "wxid_2")
    assert (found.conversation.kind, found.conversation.peer) == ("private", "wxid_2")


MEMOTRACE = (
    "localId,TalkerId,Type,SubType,IsSender,CreateTime,Status,StrContent,StrTime,Remark,NickName,Sender\n"
    '1,5,1,0,0,1714564800,2,"周末,爬山？\n带""帐篷""",2024-05-01 20:00:00,小鹿,Lu,wxid_2\n'
    "2,5,1,0,1,1714564800,2,好,2024-05-01 20:00:00,,安,wxid_1\n"
    "3,5,10000,0,0,1714564800,2,进群,2024-05-01 20:00:00,,,\n"
    "4,5,3,0,0,1714564800,2,,2024-05-01 20:00:00,,,wxid_2\n"
    "5,5\n"
)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
def test_wechat_of_memotrace(encoding: str) -> None:
    found = read("wechat", MEMOTRACE.encode(encoding), "登山_utf8.csv")
    assert brief(found) == [
        ("小鹿", '周末,爬山？\n带"帐篷"'),
        ("安", "好"),
        "system",
        "empty",
        "cells are missing",
    ]
    assert found[-1].place == "line 7"
    first, mine = messages(found)
    assert (first.conversation.kind, first.conversation.id) == ("group", "登山")
    assert (first.time, mine.is_self, mine.speaker_id) == (NOON, True, "wxid_1")


def test_wechat_of_memotrace_in_private() -> None:
    head, row, *_ = MEMOTRACE.replace('"周末,爬山？\n带""帐篷"""', "嗨").splitlines()
    [message] = messages(
        read("wechat", f"{head}\n{row.removesuffix(',小鹿,Lu,wxid_2')}", "小鹿.csv")
    )
    assert (message.conversation.kind, message.speaker) == ("private", "小鹿")


def test_wechat_for_weclone() -> None:
    rows = (
        "id,MsgSvrID,type_name,is_sender,talker,msg,src,CreateTime\r\n"
        "1,77,文本,0,小鹿,周末爬山？,,2024-05-01T12:00:00.000Z\r\n"
        "2,78,系统通知,0,小鹿,拍了拍你,,2024-05-01T12:00:00.000Z\r\n"
        "3,79,图片,1,安,,a.jpg,2024-05-01T12:00:00.000Z\r\n"
    )
    found = read("wechat", rows, "小鹿.csv")
    assert brief(found) == [("小鹿", "周末爬山？"), "system", "empty"]
    assert (messages(found)[0].time, messages(found)[0].id) == (NOON, "77")


# -- the OpenAI format


def test_openai_jsonl() -> None:
    chat = {
        "id": "c1",
        "created_at": NOON,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "Hi\n🌊"}, {"type": "image_url"}],
            },
            {"role": "assistant", "content": None, "tool_calls": [{"id": "t"}]},
            {"role": "tool", "content": "42"},
            {"role": "assistant", "content": "Hello", "id": "m5"},
            {"role": "user", "content": ""},
            {"role": "judge", "content": "x"},
        ],
    }
    single = {"role": "user", "content": "alone", "time": "2024-05-01T20:00:00", "session": "s"}
    expected = [
        "system",
        (None, "Hi\n🌊"),
        "tool",
        "tool",
        ("assistant", "Hello"),
        "empty",
        "unknown role 'judge'",
        (None, "alone"),
        'it has neither "messages" nor "role" and "content"',
    ]
    found = read("openai-jsonl", lines(chat, single, {"prompt": "x"}))
    assert brief(found) == expected
    assert brief(read("openai-jsonl", [chat, single, {"prompt": "x"}])) == expected
    assert {one.time for one in messages(found)} == {NOON}
    assert found[1].place == "line 1, message 2"
    assert [one.conversation.id for one in messages(found)] == ["c1", "c1", "s"]


def test_openai_jsonl_bad_lines_are_named() -> None:
    found = read("openai-jsonl", '{"role": "user", "content": "a"}\n{broken\n\n[]\n')
    assert [(one.place) for one in found if isinstance(one, BadEntry)] == ["line 2", "line 4"]


# -- all of them


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (NOON, NOON),
        (NOON * 1000, NOON),
        (int(NOON * 1e6), NOON),
        (str(int(NOON)), NOON),
        ("2024-05-01T12:00:00Z", NOON),
        ("2024-05-01 20:00", NOON),
        ("2024/5/1 20:00:00", NOON),
        ("2024年5月1日 8:00:00 下午", NOON),
        ("2024-02-31 20:00:00", None),
        (0, None),
        (float("nan"), None),
        (1e30, None),
        (True, None),
        ([], None),
        ("", None),
    ],
)
def test_times(written: object, expected: float | None) -> None:
    assert moment(written, SHANGHAI) == expected


@pytest.mark.parametrize("format", chat_exports.ALL)
def test_generated_files_say_what_they_should(format: str, tmp_path: Path) -> None:
    path = chat_exports.write(format, tmp_path, 120)
    with opened(path, FORMATS[format].members, None) as files:
        found = list(FORMATS[format].read(files[0], OPTIONS))
    assert not [one for one in found if isinstance(one, (BadEntry, LeftOut))]
    kept = messages(found)
    if format == "character-card":
        kept = [one for one in kept if str(one.id).startswith("book:")]
    assert [
        one.text.split(": ", 1)[-1] if format == "character-card" else one.text for one in kept
    ] == [chat_exports.said(number) for number in range(120)]
    if format != "character-card":
        assert [int(one.time or 0) for one in kept] == [chat_exports.at(n) for n in range(120)]


@pytest.mark.parametrize("writer", [chat_exports.qq_txt, chat_exports.wechat_csv])
def test_generated_text_files(writer: Callable[..., None]) -> None:
    out = io.StringIO()
    writer(out, 120, 7)
    format = "qq" if writer is chat_exports.qq_txt else "wechat"
    found = read(format, out.getvalue(), "登山.csv", ReadOptions(ZoneInfo("UTC")))
    texts = [one.text.replace("\r\n", "\n") for one in messages(found)]
    assert texts == [chat_exports.said(number) for number in range(120)]
    assert [int(one.time or 0) for one in messages(found)] == [
        chat_exports.at(n) for n in range(120)
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_of_another_program_is_refused_or_has_nothing(format: str) -> None:
    for data in ({"x": 1}, [{"x": 1}], "no chat at all\n" * 3):
        try:
            found = read(format, data, "file")
        except InputError as error:
            assert len(str(error)) > 20
        else:
            assert not messages(found)
            assert any(isinstance(one, BadEntry) for one in found)
