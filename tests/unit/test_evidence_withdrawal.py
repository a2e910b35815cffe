"""What the deletion of a source does to what was derived from it, as pure records."""

from __future__ import annotations

from typing import Any

import pytest

from taishi.domain.event_evidence import RETAINED
from taishi.domain.evidence_withdrawal import FORGOTTEN, reweighed, withdraw
from taishi.domain.fact_lifecycle import confirmed, new_fact, superseded
from taishi.types import Edit, Partition, Record

HOME = Partition("default", "private", "ann")


def event(id: str, *news: str, **data: Any) -> Record:
    turn = {"new_info": list(news)}
    return Record(
        id, HOME, "event", "; ".join(news), time=float(len(id)), data={RETAINED: turn, **data}
    )


def fact(text: str, *sources: str, **more: Any) -> Record:
    made = new_fact(text, HOME, sources[0], 1.0, "ann", **more)
    for one in sources[1:]:
        made = confirmed(made, one, 2.0)
    return made


def left(edits: tuple[Edit, ...], id: str) -> Record | None:
    return next((one.record for one in edits if one.record and one.record.id == id), None)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_confidence_goes_back_the_way_it_came(count: int) -> None:
    first = fact("Ann likes tea", "r1:1")
    grown = fact("Ann likes tea", *(f"r{n}:1" for n in range(1, count + 2)))
    assert reweighed(grown.confidence, count) == pytest.approx(first.confidence)


def test_words_of_the_deleted_source_alone_do_not_stand_on_another() -> None:
    one, two = event("r1:1", "Ann's dog Plumbus is three"), event("r2:1", "Ann has a dog")
    shared = fact("Ann's dog is called Plumbus", "r1:1", "r2:1")
    done = withdraw([one], [two, shared])
    assert [gone.id for gone in done.gone] == [shared.id]
    kept = withdraw([two], [one, shared])
    assert not kept.gone and left(kept.edits, shared.id).data["sources"] == ["r1:1"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("安住在卑尔根", "安住在卑尔根", "安现在住在卑尔根"),
        ("Ann works at Bord Gais", "an electrician at Bord Gais", "electrician at Bord Gais still"),
    ],
)
def test_other_words_around_it_do_not_withdraw_a_fact(text: str, first: str, second: str) -> None:
    shared = fact(text, "r1:1", "r2:1")
    assert not withdraw([event("r1:1", first)], [event("r2:1", second), shared]).gone


def test_a_quote_of_the_deleted_source_goes_and_the_others_stay() -> None:
    quoted = fact(
        "Ann likes tea", "r1:1", "r2:1", quotes=["I like tea a lot", "I like tea, always"]
    )
    done = withdraw(
        [event("r1:1", "I like tea a lot")], [event("r2:1", "I like tea, always"), quoted]
    )
    assert left(done.edits, quoted.id).data["quotes"] == ["I like tea, always"]  # type: ignore[union-attr]


def test_what_a_retraction_ended_stays_ended() -> None:
    old = superseded(fact("Ann likes tea", "r1:1"), "r2:1", 5.0)
    done = withdraw(
        [event("r2:1", "I do not like tea any more")], [event("r1:1", "I like tea"), old]
    )
    assert not done.back
    ended = left(done.edits, old.id)
    assert ended is not None
    assert (ended.state, ended.until, ended.data["superseded_by"]) == ("superseded", 5.0, FORGOTTEN)


def test_a_conflict_with_what_is_gone_is_none() -> None:
    old = fact("Ann is 30", "r1:1")
    new = fact("Ann is 31", "r2:1", state="conflict", conflict_with=[old.id])
    done = withdraw([event("r1:1", "Ann is 30")], [event("r2:1", "Ann is 31"), old, new])
    assert left(done.edits, new.id).state == "approved"  # type: ignore[union-attr]


def test_a_tombstone_of_the_deleted_words_goes_with_them() -> None:
    tomb = fact("Ann likes tea", "r1:1", state="rejected")
    assert withdraw([event("r1:1", "I like tea")], [tomb]).gone == (tomb,)


def test_a_perspective_and_notes_on_other_events_go() -> None:
    seen = Record("r1:1:2", HOME, "event", "Bob saw it", data={"perspective_of": "r1:1"})
    gone = fact("Ann likes tea", "r1:1")
    noted = event("r2:1", "tea again", corrections=[{"said": "Ann likes tea", "now": ""}])
    done = withdraw([event("r1:1", "I like tea")], [seen, gone, noted])
    assert {one.id for one in done.gone} == {seen.id, gone.id}
    assert left(done.edits, "r2:1").data["corrections"] == []  # type: ignore[union-attr]
