"""Bad input has a clear outcome: it is refused in words, or kept, and then it can be found."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from taishi import (
    InputError,
    Memory,
    Message,
    Scope,
    ScopeError,
    SettingsError,
    TaishiError,
    TimeError,
    load,
)
from taishi.language.error_texts import in_chinese
from taishi.types import MAX_ID_CHARS

ANN = Scope(user="ann")
MEGABYTE = 1_000_000


def kept(memory: Memory, scope: Scope, id: str | None) -> str:
    """The text of what was accepted under this id; the test fails if it was lost."""
    assert id is not None
    hit = memory.get(scope, id)
    assert hit is not None
    return hit.text


# -- texts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\t ", None])
def test_W1_an_empty_turn_is_nothing_and_an_empty_memory_is_refused(
    memory: Memory, text: Any
) -> None:
    assert memory.end_turn(ANN, text, text) is None
    assert memory.status()["queue"]["pending"] == 0
    with pytest.raises(InputError, match="empty"):
        memory.remember(ANN, text)


@pytest.mark.parametrize(
    "text", ["x" * MEGABYTE, "word " * (MEGABYTE // 5), "火锅" * (MEGABYTE // 2)],
    ids=["one word", "words", "Chinese"],
)  # fmt: skip
def test_a_megabyte_is_kept_whole(memory: Memory, text: str) -> None:
    marked = f"oslo-mark {text}"
    assert kept(memory, ANN, memory.remember(ANN, marked)) == marked
    assert memory.recall(ANN, "oslo-mark", floor=0.0, deadline=20.0).hits[0].text == marked


def test_W5_a_turn_of_a_megabyte_becomes_an_event(memory: Memory) -> None:
    id = memory.end_turn(ANN, "Ann counted: " + "word " * (MEGABYTE // 5), "end-mark")
    memory.drain(60)
    assert kept(memory, ANN, id).endswith("end-mark")
    assert memory.status()["queue"]["failed"] == 0


def test_more_than_is_taken_is_refused_in_words(memory: Memory) -> None:
    with pytest.raises(InputError, match="Split it"):
        memory.end_turn(ANN, "x" * 4_000_001)
    with pytest.raises(InputError, match="Split it"):
        memory.remember(ANN, "x" * 4_000_001)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\x00b oslo", "a\ufffdb oslo"),
        ("a\ud800b oslo", "a\ufffdb oslo"),
        ("\udfff oslo", "\ufffd oslo"),
        ("\ud83d\ude00 oslo", "\U0001f600 oslo"),  # halves that belong together are joined
        ("\u202eoslo\u202c right to left", "\u202eoslo\u202c right to left"),
        ("e\u0301 oslo \ufeff\u200b", "e\u0301 oslo \ufeff\u200b"),
        ('oslo" AND * OR (', 'oslo" AND * OR ('),
    ],
    ids=ascii,
)
def test_broken_characters_are_mended_and_the_rest_is_kept(
    memory: Memory, text: str, stored: str
) -> None:
    assert kept(memory, ANN, memory.remember(ANN, text)) == stored
    turn = memory.end_turn(ANN, new_info=text)
    memory.drain(20)
    assert "oslo" in kept(memory, ANN, turn)
    assert len(memory.recall(ANN, "oslo", floor=0.0).hits) == 2
    assert memory.status()["queue"] == {
        "pending": 0, "processing": 0, "failed": 0, "oldest_seconds": 0.0,
    }  # fmt: skip


# -- ids ---------------------------------------------------------------------------------------

ODD_IDS = ["../x", "..", ".", "/etc/passwd", "a/../../b", "a:b", "C:\\x", "a\\b", "\u202eabc",
           "con", "\u200f1", "猫", "a%2e", "'; DROP TABLE records;--",
           "x" * MAX_ID_CHARS]  # fmt: skip


@pytest.mark.parametrize("id", ODD_IDS, ids=ascii)
@pytest.mark.parametrize("where", ["user", "group", "agent", "workspace", "session"])
def test_S1_an_odd_id_keeps_and_finds_its_memories(
    memory: Memory, tmp_path: Path, where: str, id: str
) -> None:
    scope = Scope(**{"user": "ann", where: id})
    stored = memory.remember(scope, "Ann moved to Oslo")
    turn = memory.end_turn(scope, "Ann baked bread", request_id="r1")
    memory.drain(20)
    assert kept(memory, scope, stored) == "Ann moved to Oslo"
    assert "bread" in kept(memory, scope, turn)
    found = memory.recall(scope, "Ann Oslo", floor=0.0)
    assert found.level == "hybrid"
    assert "Ann moved to Oslo" in {hit.text for hit in found.hits}
    assert "Oslo" in memory.context(scope, "Ann Oslo")
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside == {"data"}, "nothing was written beside the data folder"
    assert memory.forget(scope) >= 2
    assert memory.get(scope, stored) is None


@pytest.mark.parametrize("id", ["a\nb", "a\rb", "a\tb", "a\x00b", "a\x7f", "a\ud800", "x" * 300],
                         ids=ascii)  # fmt: skip
@pytest.mark.parametrize("where", ["user", "group", "agent", "workspace", "session"])
def test_S1_an_id_that_cannot_be_one_is_refused_in_words(where: str, id: str) -> None:
    with pytest.raises(InputError, match=where):
        Scope(**{"user": "ann", where: id})


@pytest.mark.parametrize("id", ["a\nb", "a\ud800", "x" * 300], ids=ascii)
def test_a_request_with_an_impossible_id_is_refused_and_nothing_is_queued(
    memory: Memory, id: str
) -> None:
    for given in (
        {"request_id": id},
        {"sender_id": id},
        {"messages": [{"text": "hello", "id": id}]},
        {"messages": [{"text": "hello", "speaker_id": id}]},
    ):
        with pytest.raises(InputError, match="id"):
            memory.end_turn(ANN, "did something", **given)
    assert memory.status()["queue"]["pending"] == 0


@pytest.mark.parametrize("id", ["../r", "r:1", "r:1:2", "a/b", "\u202er", "猫", "r'"], ids=ascii)
def test_a_request_with_an_odd_id_keeps_its_turns_apart(memory: Memory, id: str) -> None:
    ids = [memory.end_turn(ANN, f"step {n}", request_id=id) for n in (1, 2, 3)]
    assert ids == [f"{id}:1", f"{id}:2", f"{id}:3"]
    memory.drain(20)
    assert [kept(memory, ANN, one)[-6:] for one in ids] == ["step 1", "step 2", "step 3"]


@pytest.mark.parametrize("id", ["\ud800", "\x00", "", "x" * 10_000, "a\nb", "' OR 1=1"], ids=ascii)
def test_any_string_is_a_safe_id_to_get(memory: Memory, id: str) -> None:
    """There is no such record: None, or a refusal that says why."""
    memory.remember(ANN, "Ann moved to Oslo")
    for verb in (memory.get, memory.forget):
        try:
            assert not verb(ANN, id)
        except InputError as error:
            assert "id" in str(error)
    assert memory.recall(ANN, "Oslo").hits, "nothing was forgotten"


# -- times -------------------------------------------------------------------------------------


def test_E2_a_time_without_a_zone_is_in_the_settings_zone(memory: Memory) -> None:
    for given in ("2026-02-20T14:30:00", datetime(2026, 2, 20, 14, 30)):
        hit = memory.get(ANN, memory.remember(ANN, "noon tea", time=given))
        assert hit is not None
        assert hit.time == datetime(2026, 2, 20, 6, 30, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Shanghai", "UTC"])
@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00", "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59", "9999-12-31T23:59:59+00:00", "9999-12-31T23:59:59-12:00",
        datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999),
    ],
    ids=str,
)  # fmt: skip
def test_E2_the_first_and_the_last_year_become_events(
    open_memory: Callable[..., Memory], zone: str, moment: Any
) -> None:
    memory = open_memory({"memory.timezone": zone, "query.recall_timeout": 5.0})
    id = memory.end_turn(ANN, "Ann moved to Oslo", time=moment)
    memory.drain(3)
    assert id is not None
    hit = memory.get(ANN, id)
    assert hit is not None
    assert (hit.kind, hit.time is not None and hit.time.year in (1, 2, 9998, 9999)) == (
        "event", True,
    )  # fmt: skip
    noted = memory.remember(ANN, "Ann bakes bread", time=moment)
    found = memory.recall(ANN, "Ann bread Oslo", floor=0.0, now=moment).hits
    assert {hit.id for hit in found} == {id, noted}
    assert "Oslo" in memory.context(ANN, "Ann Oslo")


@pytest.mark.parametrize(
    "moment",
    ["yesterday", "", "2026-02-30", "2026-13-01", "24:00", "10000-01-01", "\x00", 1e18,
     float("nan"), float("inf"), True, b"2026", ["2026"], {}],
    ids=repr,
)  # fmt: skip
def test_E2_what_is_no_time_is_refused_in_words(memory: Memory, moment: Any) -> None:
    verbs: list[Callable[[], object]] = [
        lambda: memory.remember(ANN, "x", time=moment),
        lambda: memory.end_turn(ANN, "x", time=moment),
        lambda: memory.recall(ANN, "x", time_from=moment),
        lambda: memory.recall(ANN, "x", now=moment),
        lambda: memory.search_events(ANN, "x", time_to=moment),
    ]
    for verb in verbs:
        with pytest.raises(TimeError):
            verb()
    assert memory.status()["queue"]["pending"] == 0


# -- scopes, arguments, settings ---------------------------------------------------------------


def test_a_scope_with_nothing_in_it_is_answered_with_nothing(memory: Memory) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    for scope in (Scope(user="nobody"), Scope(group="none"), Scope(agent="a"), Scope(shared=True)):
        assert memory.recall(scope, "Oslo").hits == ()
        assert memory.recall(scope, "Oslo").level == "hybrid"
        assert memory.context(scope, "Oslo") == ""
        assert memory.search_events(scope, "Oslo").hits == ()
        assert memory.search_profiles(scope, "Oslo").hits == ()
        assert memory.get(scope, "x") is None
        assert memory.forget(scope) == 0


def test_metadata_of_any_kind_is_kept_or_refused_clearly(memory: Memory) -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no words for it")

    recursive: dict[str, Any] = {}
    recursive["self"] = recursive
    for number, metadata in enumerate(
        [
            {"a": object(), "b": {1, 2}, 3: 4, "n": float("nan"), "x": b"\xff", "t": (1, 2)},
            {"a": "\ud800 oslo", "\ud800": "\x00"},
            {"odd": Odd()},
            recursive,
            {"deep": eval("[" * 60 + "]" * 60)},
        ]
    ):
        try:
            id = memory.remember(ANN, f"memory number {number}", metadata=metadata)
        except InputError:
            continue
        assert kept(memory, ANN, id) == f"memory number {number}"
    with pytest.raises(InputError, match="metadata"):
        memory.remember(ANN, "x", metadata=["a"])
    assert memory.recall(ANN, "memory number", floor=0.0).level == "hybrid"


def test_wrong_arguments_say_what_to_pass(memory: Memory) -> None:
    wrong: list[Callable[[], object]] = [
        lambda: memory.end_turn(ANN, 5),  # type: ignore[arg-type]
        lambda: memory.end_turn(ANN, "x", new_info=[1]),  # type: ignore[list-item]
        lambda: memory.end_turn(ANN, "x", messages=[{"colour": "red"}]),
        lambda: memory.end_turn(ANN, "x", messages=["hello"]),  # type: ignore[list-item]
        lambda: memory.remember(ANN, "x", kind="colour"),
        lambda: memory.remember_many(ANN, [{"text": "x", "colour": "red"}]),
        lambda: memory.remember(ANN, "x", confidence=2),
        lambda: memory.remember(ANN, "x", source=1.5),  # type: ignore[arg-type]
        lambda: memory.remember_many(ANN, [{"text": "good"}, {"text": ""}]),
        lambda: memory.recall(ANN, "x", top_k=-1),
        lambda: memory.recall(ANN, "x", top_k=10_000),
        lambda: memory.recall(ANN, "x", kinds=["colour"]),
        lambda: memory.recall(ANN, "x", deadline="soon"),  # type: ignore[arg-type]
        lambda: memory.context(ANN, "x", form="html"),  # type: ignore[arg-type]
        lambda: memory.get_profile(ANN, "colour", "ann"),
        lambda: memory.search_events(ANN, "x", target_user_id=1.5),  # type: ignore[arg-type]
    ]
    for number, verb in enumerate(wrong):
        try:
            verb()
        except InputError as error:
            assert len(str(error)) > 10
        except Exception as error:
            raise AssertionError(f"number {number} raises {error!r}, no InputError") from error
        else:
            raise AssertionError(f"number {number} was accepted")


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda m: m.end_turn(ANN, new_info={"text": "Ann moved"}), "list of texts, not dict"),
        (lambda m: m.end_turn(ANN, new_info=5), "list of texts, not int"),
        (lambda m: m.end_turn(ANN, new_info=b"Ann moved"), "list of texts, not bytes"),
        (lambda m: m.recall(ANN, "tea", top_k=0), "top_k"),
        (lambda m: m.search_events(ANN, "tea", top_k=0), "top_k"),
        (lambda m: m.search_profiles(ANN, "tea", top_k=0), "top_k"),
        (lambda m: m.recall(ANN, "tea", kinds="fakt"), r"unknown kinds \['fakt'\]"),
        (lambda m: m.recall(ANN, "tea", kinds=5), "kinds must be a list"),
        (lambda m: m.remember(ANN, ""), "^text is empty"),
        (lambda m: m.notes.write(ANN, "../x", "y"), "is not a valid path"),
    ],
)
def test_wrong_arguments_of_verbs_say_what_to_pass(
    memory: Memory, call: Callable[[Any], Any], what: str
) -> None:
    with pytest.raises(InputError, match=what):
        call(memory)
    assert memory.status()["queue"]["pending"] == 0


def test_one_kind_or_state_may_be_a_text(memory: Memory) -> None:
    memory.remember(ANN, "Ann drinks tea")
    memory.remember(ANN, "tea is in the cupboard", kind="note")
    kinds: Any = "note"
    assert {hit.kind for hit in memory.recall(ANN, "tea", kinds=kinds, floor=0.0).hits} == {"note"}
    assert [one.kind for one in memory.records.list(ANN, kinds).records] == ["note"]
    assert [one.kind for one in memory.records.newest(ANN, kinds).records] == ["note"]
    state: Any = "approved"
    assert len(memory.facts.list(ANN, state)) == 1
    assert memory.recall(ANN, "").level  # an empty question is no mistake
    assert memory.end_turn(ANN, new_info=("Ann moved to Cork",))


def test_remember_many_with_one_bad_item_says_which(memory: Memory) -> None:
    with pytest.raises(InputError, match="item 1"):
        memory.remember_many(ANN, [{"text": "good"}, {"text": ""}])


@pytest.mark.parametrize("address", ["", " ", "a\x00b", "mysql://host/db", "redis://x"])
def test_an_address_that_is_no_folder_is_refused_in_words(
    make_settings: Callable[..., Any], address: str
) -> None:
    with pytest.raises(InputError, match="folder"):
        Memory.open(address, make_settings())


def test_C1_a_typo_in_the_settings_file_names_the_nearest_key(tmp_path: Path) -> None:
    file = tmp_path / "taishi.toml"
    file.write_text("[query]\nrecall_topk = 7\n")
    with pytest.raises(SettingsError, match=r"recall_topk.*query\.recall_top_k"):
        Memory.open(tmp_path / "data")
    assert not (tmp_path / "data").exists(), "nothing was opened with settings nobody asked for"
    file.write_text("[query]\nrecall_top_k = 7\n")
    assert load(environ={}).query.recall_top_k == 7


def test_every_refusal_is_of_one_family_and_a_closed_memory_says_so(memory: Memory) -> None:
    memory.close()
    memory.close()
    for verb in (
        lambda: memory.recall(ANN, "x"),
        lambda: memory.end_turn(ANN, "x"),
        lambda: memory.remember(ANN, "x"),
        lambda: memory.drain(),
        lambda: memory.status(),
        lambda: memory.start_worker(),
    ):
        started = time.monotonic()
        with pytest.raises(TaishiError, match="closed"):
            verb()
        assert time.monotonic() - started < 1


# -- messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [["hello"], "hello", [None], {"text": "hello"}, Message("hello")])
def test_W9_messages_that_are_none_are_refused_with_an_example(memory: Memory, given: Any) -> None:
    for tell in (memory.consider, memory.end_turn):
        with pytest.raises(
            InputError, match=r"such as \{\"speaker\": \"Ann\"|put the one into \[ \]"
        ) as told:
            tell(ANN, messages=given)
        shown = in_chinese(str(told.value))
        assert "你好" in shown or "列表" in shown
    assert memory.status()["queue"]["pending"] == 0


@pytest.mark.parametrize(
    "message", [{"role": "user", "content": "hi"}, {"role": "user", "text": "hi"}]
)
def test_U1_a_message_of_the_chat_format_is_refused_with_the_keys_of_a_turn(
    open_memory: Callable[..., Memory], message: dict[str, str]
) -> None:
    memory, scope = open_memory(), Scope(user="ann")
    with pytest.raises(InputError, match="has speaker and text instead of role and content"):
        memory.end_turn(scope, new_info="hello", messages=[message])
    with pytest.raises(InputError, match="has speaker and text instead of role and content"):
        memory.consider(scope, [message])


@pytest.mark.parametrize("scope", ["ann", None, {"user": "ann"}])
def test_U1_what_is_no_scope_is_refused_with_an_example(
    open_memory: Callable[..., Memory], scope: Any
) -> None:
    memory = open_memory()
    with pytest.raises(ScopeError, match=r"such as Scope\(user='ann'\)"):
        memory.end_turn(scope, new_info="hello")
    with pytest.raises(ScopeError, match=r"such as Scope\(user='ann'\)"):
        memory.recall(scope, "hello")
