"""The recall-echo guard: what memory said itself is not learned again (H6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from taishi.domain.recall_echo import RecallEchoes, is_echo
from taishi.domain.text_terms import TextTerms
from taishi.errors import DiskError
from taishi.types import HandedOut, Job, Partition

ANN = Partition("default", "private", "ann")
RECALLED = ("Ann moved to Oslo in March 2026", "小明对花生过敏，不能吃坚果")


def job(*messages: tuple[str, str]) -> Job:
    told = tuple({"speaker": who, "speaker_id": None, "text": text} for who, text in messages)
    return Job("r", 1, "", ("x",), "", "", "UTC", 0.0, "default", "private", user_id="ann",
               bot_name="Historian", recent_messages=told)  # fmt: skip


BOT = job(("Ann", "hello"), ("Historian", "As I know, Ann moved to Oslo. 小明对花生过敏。"))


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Ann moved to Oslo", "Ann moved to Oslo"),
        ("In Oslo Ann moved", "As I know"),
        ("She has another home now", "Ann moved to Oslo"),
        ("小明对花生过敏", "小明对花生过敏"),
    ],
)
def test_H6_what_recall_handed_out_is_an_echo(text: str, quote: str) -> None:
    assert is_echo(text, quote, RECALLED, BOT)


@pytest.mark.parametrize(
    ("text", "quote"),
    [("Ann bought a red bicycle", "a red bicycle"), ("小明喜欢打篮球", "打篮球"), ("", "")],
)
def test_H6_what_is_new_is_not(text: str, quote: str) -> None:
    assert not is_echo(text, quote, RECALLED, BOT)


def test_H6_said_by_a_person_it_is_evidence() -> None:
    said = job(("Ann", "Yes, I moved to Oslo!"), ("Historian", "Ann moved to Oslo"))
    assert not is_echo("Ann moved to Oslo", "I moved to Oslo", RECALLED, said)
    assert is_echo("Ann moved to Oslo", "Ann moved to Oslo", RECALLED, said)
    assert not is_echo("Ann moved to Oslo", "x", (), said)


def told(*texts: str) -> tuple[TextTerms, ...]:
    return tuple(TextTerms.of(text) for text in texts)


def test_H6_places_are_apart_and_bounded() -> None:
    echoes = RecallEchoes(per_place=3, places=2)
    echoes.add(ANN, "abcd")
    assert echoes.told(ANN) == told("b", "c", "d")
    echoes.add(ANN, "b")
    assert echoes.told(ANN) == told("c", "d", "b")
    bob, eve = Partition("default", "private", "bob"), Partition("elsewhere", "private", "eve")
    echoes.add(bob, ["x" * 10**6])
    assert len(echoes.told(bob)) == 1
    echoes.add(ANN, "e")
    echoes.told(ANN)
    echoes.add(eve, "z")  # bob was used the longest ago
    assert echoes.told(eve) == told("z")
    assert echoes.told(bob) == ()
    echoes.forget("default")
    assert (echoes.told(ANN), echoes.told(eve)) == ((), told("z"))
    echoes.add(eve, "y")
    assert echoes.texts() == ["y"]
    echoes.forget("elsewhere")
    assert (echoes.told(eve), echoes.texts()) == ((), [])


class FullDisk:
    """A store that can be read, and written unless it is full."""

    is_full = False
    added = 0

    def add(self, place: Partition, rows: Sequence[tuple[str, str]], most: int) -> None:
        if self.is_full:
            raise DiskError("the disk is full")
        self.added += 1

    def since(self, place: Partition, number: int) -> list[HandedOut]:
        return []

    def forget(self, workspace: str) -> None: ...


def test_a_disk_that_is_full_but_can_be_read_is_not_well_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = FullDisk()
    echoes = RecallEchoes(store)

    def recalled(text: str) -> list[str]:
        caplog.clear()
        echoes.add(ANN, [text])
        echoes.told(ANN)
        echoes.flush()
        echoes.told(ANN)
        return [record.getMessage() for record in caplog.records]

    assert recalled("a") == []
    store.is_full = True
    (begun,) = recalled("b")
    assert "is not known to other processes" in begun and "the disk is full" in begun
    assert recalled("c") == [], "reading it went well all the time"
    store.is_full = False
    (over,) = recalled("d")
    assert "known to other processes again" in over and store.added == 2


def test_H6_of_a_busy_place_only_what_is_kept_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    of = TextTerms.of
    monkeypatch.setattr(TextTerms, "of", lambda text, *rest: hashed.append(text) or of(text, *rest))
    echoes = RecallEchoes(per_place=20)
    for n in range(10):
        echoes.add(ANN, [f"statement {n} {m}" for m in range(20)])
    echoes.flush()
    assert hashed == [f"statement 9 {m}" for m in range(20)]
    assert echoes.told(ANN) == tuple(map(of, hashed))
    assert echoes.texts() == []


def test_Q2_a_recall_does_not_wait_for_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    echoes, begun, go_on = RecallEchoes(), threading.Event(), threading.Event()
    hash_text = TextTerms.of

    def slow(*arguments: object) -> TextTerms:
        begun.set()
        assert go_on.wait(60)
        return hash_text(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TextTerms, "of", slow)
    echoes.add(ANN, ["Ann moved to Oslo"])
    hashing = threading.Thread(target=echoes.flush)
    hashing.start()
    try:
        assert begun.wait(60)
        recall = threading.Thread(target=echoes.add, args=(ANN, ["Ann likes tea"]), daemon=True)
        recall.start()
        recall.join(30)
        assert not recall.is_alive()
        assert echoes.texts() == ["Ann moved to Oslo", "Ann likes tea"], "one is hidden"
    finally:
        go_on.set()
        hashing.join(60)
    assert len(echoes.told(ANN)) == 2 and echoes.texts() == []


def test_H6_many_threads() -> None:
    echoes = RecallEchoes()

    def talk(name: str) -> None:
        for n in range(500):
            echoes.add(ANN, [f"{name} {n}"])
            echoes.told(ANN)

    threads = [threading.Thread(target=talk, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(echoes.told(ANN)) == 200


@pytest.mark.parametrize("text", [*RECALLED, "", "Ann didn't go. 她没有来；他来了", "\ud800 x y z"])
def test_H6_hashes_are_kept_and_read(text: str) -> None:
    kept = TextTerms.of(text).kept()
    assert TextTerms.read(kept) == TextTerms.of(text)
    assert not any(word in kept for word in ("Oslo", "小明", "didn"))


@pytest.mark.parametrize("broken", ["h1.", "h1.%", "h1.A", "h1.AAAA.B"])
def test_H6_what_cannot_be_read_was_handed_out_by_nobody(broken: str) -> None:
    assert not is_echo("Ann moved to Oslo", "", [broken], job(("Ann", "hello")))


@pytest.mark.parametrize("text", ["Ann did not move to Oslo", "小明对花生不过敏"])
def test_H6_a_denial_is_no_echo(text: str) -> None:
    assert not is_echo(text, text, RECALLED, job(("Ann", "hello")))


def test_H6_long_texts_are_quick() -> None:
    start = time.thread_time()
    assert not is_echo("好" * 10**6, "y" * 10**6, ["z \ud800" * 10**5] * 200, BOT)
    assert time.thread_time() - start < 3
