"""Procedures: learned, learned better, marked by how they went (F3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from taishi.domain import procedures
from taishi.domain.drafts import ProcedureDraft
from taishi.types import Partition, Record

HOME = Partition("default", "group", "g1")
NOW = 1_772_366_400.0
DEPLOY = ProcedureDraft("Deploy the website", "release day", ("build", "test", "upload"))
BREW = ProcedureDraft("泡茶", "客人来", ("烧水", "放茶叶"))


def learn(draft: ProcedureDraft, known: list[Record], event: str, now: float = NOW) -> list[Record]:
    edits = procedures.to_edits([draft], known, event, HOME, now, "ann")
    return [edit.record for edit in edits if edit.record]


def only(records: list[Record]) -> Record:
    (record,) = records
    return record


def test_F3_a_procedure_has_the_shape_and_a_readable_text() -> None:
    made = only(learn(DEPLOY, [], "r:1"))
    assert made.text == "Deploy the website (when: release day): 1. build; 2. test; 3. upload"
    assert {k: made.data[k] for k in ("type", "name", "trigger", "steps", "success_rate",
                                      "usage_count", "last_updated")} == {
        "type": "procedural", "name": "Deploy the website", "trigger": "release day",
        "steps": ["build", "test", "upload"], "success_rate": 1.0, "usage_count": 1,
        "last_updated": "2026-03-01T12:00:00+00:00"}  # fmt: skip
    assert (made.kind, made.state, made.place) == ("procedure", "approved", HOME)
    assert only(learn(BREW, [], "r:1")).text == "泡茶（客人来时）：1. 烧水；2. 放茶叶"
    assert procedures.statement("泡茶", "下雨时", ["烧水"]) == "泡茶（下雨时）：1. 烧水"
    assert procedures.statement("Pack", "", ["box"]) == "Pack: 1. box"


@pytest.mark.parametrize(
    "other",
    [
        replace(DEPLOY, name="DEPLOY the Website!", trigger="whenever", steps=("push",)),
        replace(DEPLOY, name="Deploying the website", trigger="on release day", steps=("push",)),
    ],
    ids=["the same name", "nearly the same words"],
)
def test_F3_a_known_procedure_is_brought_up_to_date(other: ProcedureDraft) -> None:
    old = only(learn(DEPLOY, [], "r:1"))
    new = only(learn(other, [old], "r:2", NOW + 60))
    assert new.id == old.id
    assert new.data["usage_count"] == 2
    assert new.data["steps"] == ["push"]
    assert "1. push" in new.text
    assert new.data["last_updated"] > old.data["last_updated"]
    assert learn(other, [new], "r:2", NOW + 60) == []  # the job is worked twice


def test_F3_other_procedures_stay_apart() -> None:
    old = only(learn(DEPLOY, [], "r:1"))
    assert only(learn(BREW, [old], "r:2")).id != old.id
    other = ProcedureDraft("Back up the website", "every night", ("dump",))
    assert only(learn(other, [old], "r:2")).id != old.id
    assert only(learn(DEPLOY, [replace(old, state="rejected")], "r:2")).id != old.id


def test_F3_older_steps_do_not_win() -> None:
    new = only(learn(DEPLOY, [], "r:2"))
    late = only(learn(replace(DEPLOY, steps=("ftp",)), [new], "r:1", NOW - 60))
    assert late.data["steps"] == ["build", "test", "upload"]
    assert late.data["usage_count"] == 2


def test_F3_feedback_is_a_running_mean() -> None:
    record = only(learn(DEPLOY, [], "r:1"))
    rates = []
    for worked in (True, False, True, True):
        record = procedures.feedback(record, worked)
        rates.append(record.data["success_rate"])
    assert rates == pytest.approx([1.0, 1 / 2, 2 / 3, 3 / 4])
    again = only(learn(DEPLOY, [record], "r:2"))
    assert again.data["success_rate"] == pytest.approx(3 / 4)


def test_F3_a_name_and_steps_are_needed() -> None:
    assert learn(replace(DEPLOY, name=" ?"), [], "r:1") == []
    assert learn(replace(DEPLOY, steps=(" ", "")), [], "r:1") == []
    wild = ProcedureDraft("x" * 10**6, "\ud800\x00", ("\udfff",) * 1000)
    made = only(learn(wild, [], "r:1"))
    assert len(made.data["steps"]) == 50
    made.text.encode()
