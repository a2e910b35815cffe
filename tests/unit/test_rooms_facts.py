"""Facts: what each decision does, and what a person's word does (F1, P5), on the real store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from taishi.backends.sqlite import SqliteStore
from taishi.domain import fact_decisions, facts
from taishi.domain.drafts import FactDraft
from taishi.domain.fact_lifecycle import moment
from taishi.errors import InputError
from taishi.types import Edit, Job, Partition, Record

HOME = Partition("default", "private", "ann")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0
BERLIN = FactDraft("Ann lives in Berlin", "residence", "Ann", "I live in Berlin", 0.7)
OSLO = FactDraft("Ann lives in Oslo", "residence", "Ann", "I moved to Oslo", 0.8)


@dataclass(frozen=True)
class Choice:
    action: str
    known_id: str | None = None
    reason: str = ""
    ends: tuple[str, ...] = ()


class Desk:
    """A store, and facts learned into it one event after another."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store

    def known(self) -> dict[str, Record]:
        return {one.id: one for one in self.store.find(HOME, ("fact",))}

    def learn(
        self,
        draft: FactDraft,
        action: str = "add",
        known_id: str | None = None,
        event: str = "r:1",
        now: float = NOW,
        by_model: bool = False,
    ) -> list[Record]:
        """What the event changed, after it was stored and read back."""
        edits = facts.to_edits([draft], [Choice(action, known_id)], self.known(), event, HOME,
                               now, "ann", by_model=lambda _: by_model)  # fmt: skip
        return self.keep(edits)

    def keep(self, edits: list[Edit]) -> list[Record]:
        self.store.apply(edits)
        made = [edit.record for edit in edits if edit.record]
        found = [self.store.get(HOME, one.id) for one in made]
        return [one for one in found if one]

    def states(self) -> dict[str, str]:
        return {one.text: one.state for one in self.known().values()}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = SqliteStore(tmp_path / "taishi.db")
    yield Desk(store)
    store.close()


# -- learning


def test_F1_add_keeps_all_that_the_shape_asks_for(desk: Desk) -> None:
    draft = replace(OSLO, valid_from="2026-02", tags=("home",))
    (fact,) = desk.learn(draft)
    assert fact.id.startswith("fact-")
    assert (fact.kind, fact.state, fact.confidence, fact.user) == ("fact", "approved", 0.8, "ann")
    assert fact.time == datetime(2026, 2, 1, tzinfo=UTC).timestamp()
    assert fact.data == {
        "type": "semantic", "category": "residence", "subject": "Ann", "evidence_count": 1,
        "first_observed": "2026-03-01T12:00:00+00:00",
        "last_confirmed": "2026-03-01T12:00:00+00:00",
        "valid_from": "2026-02-01T00:00:00+00:00", "valid_to": None, "related": [],
        "tags": ["home"], "sources": ["r:1"], "quotes": ["I moved to Oslo"],
        "superseded_by": None, "supersedes": [], "conflict_with": [], "rejected_at": None,
    }  # fmt: skip


def test_F1_confirmation_raises_confidence_and_counts_an_event_once(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN)
    (again,) = desk.learn(BERLIN, "confirm", fact.id, "r:2", NOW + DAY)
    assert again.confidence == pytest.approx(0.7 + 0.3 * 0.3)
    assert again.data["evidence_count"] == 2
    assert again.data["sources"] == ["r:1", "r:2"]
    assert again.data["first_observed"] < again.data["last_confirmed"]
    assert desk.learn(BERLIN, "confirm", fact.id, "r:2", NOW + DAY) == []
    for n in range(3, 40):
        (again,) = desk.learn(BERLIN, "confirm", fact.id, f"r:{n}")
    assert 0.99 < again.confidence <= 1
    assert len(desk.known()) == 1


def test_F1_a_job_worked_twice_adds_nothing(desk: Desk) -> None:
    (old,) = desk.learn(BERLIN, event="r:1")
    assert desk.learn(BERLIN, event="r:1") == []
    desk.learn(OSLO, "supersede", old.id, "r:2", NOW + DAY)
    before = desk.known()
    new = next(one for one in before.values() if one.state == "approved")
    # the second time, Oslo is known: in the same words, or judged against itself in others
    assert desk.learn(OSLO, "supersede", new.id, "r:2", NOW + DAY) == []
    other = replace(OSLO, content="Ann has her home in Oslo")
    assert desk.learn(other, "supersede", new.id, "r:2", NOW + DAY) == []
    assert desk.known() == before


def test_F1_the_same_words_are_a_confirmation_whatever_was_decided(desk: Desk) -> None:
    desk.learn(BERLIN)
    (fact,) = desk.learn(replace(BERLIN, content="ann lives in BERLIN."), "add", None, "r:2")
    assert fact.data["evidence_count"] == 2
    negated = replace(BERLIN, content="Ann does not live in Berlin")
    assert desk.learn(negated, "add", None, "r:3")[0].data["evidence_count"] == 1


def test_F1_contradiction_supersedes_with_history_kept(desk: Desk) -> None:
    (old,) = desk.learn(replace(BERLIN, valid_from="2024-05-01"))
    moved = replace(OSLO, valid_from="2026-04-10")
    desk.learn(moved, "supersede", old.id, "r:2", NOW + 60 * DAY)
    assert desk.states() == {"Ann lives in Berlin": "superseded", "Ann lives in Oslo": "approved"}
    new = next(one for one in desk.known().values() if one.state == "approved")
    was = desk.known()[old.id]
    assert was.data["valid_from"] == "2024-05-01T00:00:00+00:00"
    assert was.data["valid_to"] == new.data["valid_from"] == "2026-04-10T00:00:00+00:00"
    assert (was.data["superseded_by"], new.data["supersedes"]) == (new.id, [old.id])
    # and as instants, which is what a question about the past is answered by
    assert was.until == new.since == datetime(2026, 4, 10, tzinfo=UTC).timestamp()
    assert new.until is None
    assert was.since == datetime(2024, 5, 1, tzinfo=UTC).timestamp()


def test_F1_without_a_date_it_changed_when_it_was_said(desk: Desk) -> None:
    (old,) = desk.learn(BERLIN)
    desk.learn(OSLO, "supersede", old.id, "r:2", NOW + DAY)
    assert desk.known()[old.id].data["valid_to"] == "2026-03-02T12:00:00+00:00"


@pytest.mark.parametrize(
    ("draft", "now"),
    [(BERLIN, NOW - DAY), (replace(BERLIN, valid_from="2020"), NOW + DAY)],
    ids=["a job that came late", "a date before"],
)
def test_F1_what_was_so_before_does_not_supersede_what_is_so_now(
    desk: Desk, draft: FactDraft, now: float
) -> None:
    (oslo,) = desk.learn(replace(OSLO, valid_from="2026-02-01"))
    desk.learn(draft, "supersede", oslo.id, "r:2", now)
    assert desk.states() == {"Ann lives in Oslo": "approved", "Ann lives in Berlin": "superseded"}
    was = next(one for one in desk.known().values() if one.state == "superseded")
    assert was.data["valid_to"] == "2026-02-01T00:00:00+00:00"
    assert was.data["superseded_by"] == oslo.id


def test_F1_moving_back_makes_a_new_fact(desk: Desk) -> None:
    (first,) = desk.learn(BERLIN)
    desk.learn(OSLO, "supersede", first.id, "r:2", NOW + DAY)
    oslo = next(one for one in desk.known().values() if one.state == "approved")
    desk.learn(BERLIN, "supersede", oslo.id, "r:3", NOW + 2 * DAY)
    states = [(one.text, one.state) for one in desk.known().values()]
    assert sorted(states) == [("Ann lives in Berlin", "approved"),
                              ("Ann lives in Berlin", "superseded"),
                              ("Ann lives in Oslo", "superseded")]  # fmt: skip


def test_F1_a_decision_about_history_is_about_what_took_its_place(desk: Desk) -> None:
    (first,) = desk.learn(BERLIN)
    desk.learn(OSLO, "supersede", first.id, "r:2", NOW + DAY)
    bergen = replace(OSLO, content="Ann lives in Bergen")
    desk.learn(bergen, "supersede", first.id, "r:3", NOW + 2 * DAY)
    assert [t for t, state in desk.states().items() if state == "approved"] == [bergen.content]


def test_F1_equal_strength_becomes_a_conflict_for_a_person(desk: Desk) -> None:
    (old,) = desk.learn(BERLIN)
    desk.learn(OSLO, "conflict", old.id, "r:2")
    assert desk.states() == {"Ann lives in Berlin": "approved", "Ann lives in Oslo": "conflict"}
    ((held, said),) = fact_decisions.conflicts(list(desk.known().values()))
    assert (held.id, said.text) == (old.id, "Ann lives in Oslo")
    assert held.data["conflict_with"] == [said.id]
    assert said.data["conflict_with"] == [held.id]


def test_F1_ignore_and_empty_change_nothing(desk: Desk) -> None:
    assert desk.learn(BERLIN, "ignore") == []
    assert desk.learn(replace(BERLIN, content=" … \u200b"), "add") == []
    with pytest.raises(InputError, match="supersede"):
        desk.learn(BERLIN, "replace")


def test_F1_an_id_that_is_not_known_is_not_followed(desk: Desk) -> None:
    for n, action in enumerate(("confirm", "supersede", "conflict")):
        draft = replace(BERLIN, content=f"Ann has {n} cats")
        assert desk.learn(draft, action, "fact-nowhere", f"r:{n}")[0].state == "approved"


def test_S1_facts_of_another_place_are_not_changed(desk: Desk) -> None:
    shared = Record("fact-s", Partition("default", "workspace"), "fact", BERLIN.content)
    edits = facts.to_edits([OSLO, BERLIN], [Choice("supersede", "fact-s"), Choice("add")],
                           {"fact-s": shared}, "r:1", HOME, NOW, "ann")  # fmt: skip
    assert [edit.record.place for edit in edits if edit.record] == [HOME, HOME]


def test_F1_drafts_of_one_event_see_each_other(desk: Desk) -> None:
    (old,) = desk.learn(BERLIN)
    choices = [Choice("confirm", old.id), Choice("supersede", old.id), Choice("add")]
    edits = facts.to_edits([BERLIN, OSLO, OSLO], choices, desk.known(), "r:2", HOME, NOW, "ann")
    ids = [edit.record.id for edit in edits if edit.record]
    assert len(ids) == len(set(ids)) == 2
    desk.keep(edits)
    assert desk.known()[old.id].state == "superseded"
    assert desk.known()[old.id].data["evidence_count"] == 2


@pytest.mark.parametrize("wild", ["\x00", "\ud800", "\u202e", "x" * 1_000_000, "🍞" * 9])
def test_F1_any_text_can_be_stored(desk: Desk, wild: str) -> None:
    draft = FactDraft(f"Ann {wild}", wild, wild, wild, float("nan"), wild, wild, "lasting", (wild,))
    (fact,) = desk.learn(draft, "add", wild)
    assert fact.text.startswith("Ann")
    assert len(fact.text) <= 4000
    assert 0 <= fact.confidence <= 1


def test_F1_data_of_a_caller_under_our_names_does_no_harm(desk: Desk) -> None:
    odd = Record("mine", HOME, "fact", "Ann has a cat", data={
        "sources": 5, "related": None, "evidence_count": "many", "quotes": {}, "valid_from": 3,
        "last_confirmed": "long ago", "conflict_with": "x"})  # fmt: skip
    desk.store.apply([Edit("put", odd)])
    desk.learn(replace(BERLIN, content="Ann has a cat"), "confirm", "mine")
    desk.learn(replace(BERLIN, content="Ann has a dog"), "conflict", "mine", "r:2")
    desk.learn(replace(BERLIN, content="Ann has a bird"), "supersede", "mine", "r:3")
    assert desk.known()["mine"].state == "superseded"


# -- rejected, and said anew (P5)


def test_P5_a_rejected_fact_stays_rejected_whatever_is_decided(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN)
    desk.keep(fact_decisions.reject(fact, NOW))
    other_words = replace(BERLIN, content="Berlin is where Ann has her home")
    for n in range(20):
        desk.learn(BERLIN, "add", None, f"r:{n + 2}")
        desk.learn(other_words, "confirm", fact.id, f"r:{n + 2}")
    assert desk.states() == {"Ann lives in Berlin": "rejected"}
    tomb = desk.known()[fact.id]
    assert tomb.data["rejected_at"] and tomb.data["evidence_count"] == 1
    assert tomb.data["restated"] == {"count": 20, "last": "r:21"}, "once an event"


def test_P5_said_anew_it_stays_rejected_until_a_person_takes_that_back(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN)
    desk.keep(fact_decisions.reject(fact, NOW))
    (again,) = desk.learn(BERLIN, "confirm", fact.id, "r:2")
    assert (again.id, again.state) == (fact.id, "rejected"), "no second record"
    desk.keep(fact_decisions.approve(again))
    assert desk.states() == {"Ann lives in Berlin": "approved"}
    (held,) = desk.learn(BERLIN, "confirm", fact.id, "r:3")
    assert held.data["evidence_count"] == 2, "and counts again from then on"


def test_F1_what_a_model_says_by_itself_ends_and_confirms_nothing_of_a_person(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN)
    assert desk.learn(BERLIN, "confirm", fact.id, "r:2", by_model=True) == []
    desk.learn(OSLO, "supersede", fact.id, "r:3", by_model=True)
    assert desk.states() == {"Ann lives in Berlin": "approved", "Ann lives in Oslo": "conflict"}
    claim = next(one for one in desk.known().values() if one.state == "conflict")
    assert claim.data["recorded_by"] == "model" and claim.confidence <= 0.6
    desk.learn(OSLO, "supersede", fact.id, "r:4")
    assert desk.known()[claim.id].data.get("recorded_by") is None, "a person said it since"


def test_F1_a_model_may_update_what_only_a_model_said(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN, by_model=True)
    desk.learn(OSLO, "supersede", fact.id, "r:2", by_model=True)
    assert desk.states() == {"Ann lives in Berlin": "superseded", "Ann lives in Oslo": "approved"}


def test_P5_a_new_fact_does_not_wake_the_rejected_one_it_contradicts(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN)
    desk.keep(fact_decisions.reject(fact, NOW))
    desk.learn(OSLO, "supersede", fact.id, "r:2")
    assert desk.states() == {"Ann lives in Berlin": "rejected", "Ann lives in Oslo": "approved"}


def test_P5_a_correction_buries_the_wrong_words(desk: Desk) -> None:
    (fact,) = desk.learn(BERLIN)
    desk.keep(fact_decisions.correct(fact, "Ann lives in Bergen", NOW))
    new = next(one for one in desk.known().values() if one.state == "approved")
    assert (new.text, new.confidence, new.source) == ("Ann lives in Bergen", 1.0, "person")
    assert new.data["category"] == "residence"
    assert desk.known()[fact.id].data["superseded_by"] == new.id
    desk.learn(BERLIN, "add", None, "r:2")
    assert desk.states() == {"Ann lives in Berlin": "rejected", "Ann lives in Bergen": "approved"}
    for bad in (" ", "ann lives in berlin!"):
        with pytest.raises(InputError):
            fact_decisions.correct(fact, bad, NOW)


def test_F1_a_person_resolves_a_conflict(desk: Desk) -> None:
    (old,) = desk.learn(BERLIN)
    desk.learn(OSLO, "conflict", old.id, "r:2")
    ((held, said),) = fact_decisions.conflicts(list(desk.known().values()))
    desk.keep(fact_decisions.resolve(said, held, NOW))
    assert desk.states() == {"Ann lives in Berlin": "rejected", "Ann lives in Oslo": "approved"}
    assert fact_decisions.conflicts(list(desk.known().values())) == []
    with pytest.raises(InputError, match="two facts"):
        fact_decisions.resolve(said, said, NOW)


# -- who said it


def job(*messages: tuple[str | None, str], bot: str | None = "太史") -> Job:
    told = tuple({"speaker": who, "speaker_id": None, "text": text} for who, text in messages)
    return Job("r", 1, "", ("x",), "", "", "UTC", NOW, "default", "private", user_id="ann",
               bot_name=bot, recent_messages=told,
               source_message=messages[-1][1] if messages else "")  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([("Ann", "Well, I live in  BERLIN!")], True),
        ([("安", "我住在柏林"), ("太史", "I live in Berlin")], False),
        ([("Assistant", "I live in Berlin")], False),
        ([(None, "I live in Berlin")], False),
        ([("Ann", "I live")], False),
    ],
)
def test_P5_only_a_person_counts_as_having_said_it(
    messages: list[tuple[str | None, str]], expected: bool
) -> None:
    assert facts.said_by_person(BERLIN, job(*messages)) is expected


def test_P5_without_messages_the_source_message_counts() -> None:
    alone = replace(job(), source_message="I live in Berlin")
    assert facts.said_by_person(BERLIN, alone)
    assert not facts.said_by_person(replace(BERLIN, quote=" …"), alone)


def test_shortlist_query_is_bounded_and_names_the_subject() -> None:
    assert facts.shortlist_query(OSLO) == "Ann lives in Oslo"
    assert facts.shortlist_query(replace(OSLO, subject="安")) == "安 Ann lives in Oslo"
    assert len(facts.shortlist_query(replace(OSLO, content="x" * 10**6, subject="y" * 900))) <= 500


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
    ],
)
def test_drafted_times_have_a_beginning_and_an_end(text: str, begin: str, end: str) -> None:
    zone = ZoneInfo("Asia/Shanghai")
    for wanted, is_end in ((begin, False), (end, True)):
        found = moment(text, zone, is_end)
        assert found == datetime.fromisoformat(wanted).replace(tzinfo=zone).timestamp()
    assert moment("2026-02-01T10:00:00+01:00", zone, end=True) == moment(
        "2026-02-01T09:00:00+00:00", zone
    )


@pytest.mark.parametrize("text", ["", "soon", "2026-13", "99999", "-", "2026-02-30", "9999"])
def test_times_that_cannot_be_read_are_none(text: str) -> None:
    assert moment(text, UTC, end=True) is None
