"""Pages on disk stay bounded, and nothing is lost by it (P2)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from taishi.backends.profile_files.files import ProfileFiles
from taishi.backends.sqlite import SqliteStore
from taishi.domain.fact_lifecycle import new_fact
from taishi.domain.profiles import ProfileOwner, Profiles
from taishi.types import Edit, Scope

MOST = 20
ANN = ProfileOwner("default", "user", "ann")
HOME = Scope(user="ann")
GROUP = Scope(group="g1", user="ann")


@dataclass
class House:
    store: SqliteStore
    profiles: Profiles

    def learn(self, texts: list[str], scope: Scope = HOME, evidence: int = 1) -> None:
        """In three turns, as facts and on the page."""
        for turn in range(3):
            said = texts[turn * len(texts) // 3 : (turn + 1) * len(texts) // 3]
            facts = [new_fact(text, scope.home, f"e{n}", time.time(), "ann", subject="Ann")
                     for n, text in enumerate(said)]  # fmt: skip
            told = [replace(one, data={**one.data, "evidence_count": evidence}) for one in facts]
            self.store.apply([Edit("put", one) for one in told])
            self.profiles.add(ANN, said, scope)

    def lines(self) -> list[str]:
        page = self.profiles.source(ANN)
        return page.body.splitlines() if page else []


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    store = SqliteStore(tmp_path / "taishi.db")
    files = ProfileFiles(tmp_path / "profiles")
    yield House(store, Profiles(files, store, time.time, most_lines=MOST))
    store.close()


def owns(first: int, last: int) -> list[str]:
    return [f"Ann owns thing {n}" for n in range(first, last)]


def test_P2_a_page_stays_bounded_and_the_facts_stay(house: House) -> None:
    house.learn(owns(0, 70))
    assert len(house.lines()) <= MOST + MOST // 4
    assert "- Ann owns thing 69" in house.lines()
    assert "- Ann owns thing 0" not in house.lines()
    approved = house.store.find(HOME.home, ("fact",), ("approved",), 100)
    assert {one.text for one in approved} == set(owns(0, 70)), "nothing is lost, nothing rejected"


def test_P2_what_was_confirmed_often_stays(house: House) -> None:
    house.learn(["Ann is allergic to walnuts"], evidence=5)
    house.learn(owns(0, 70))
    assert "- Ann is allergic to walnuts" in house.lines()


def test_P5_what_a_person_wrote_or_no_fact_says_stays(house: House) -> None:
    house.profiles.write(HOME, "Ann", (), "- Ann prefers to be called Annie")
    house.profiles.add(ANN, ["Ann met no fact"], HOME)
    house.learn(owns(0, 70))
    assert house.lines()[0] == "- Ann prefers to be called Annie"
    assert "- Ann met no fact" in house.lines()


def test_S4_a_line_of_two_places_leaves_only_if_both_know_it(house: House) -> None:
    house.learn(["Ann sails"])
    house.profiles.add(ANN, ["Ann sails"], GROUP)  # shown there, too, but no fact of the group
    house.learn(["Ann dives"], GROUP)
    house.learn(owns(0, 70))
    assert any(line.startswith("- Ann sails") for line in house.lines())
    assert not any(line.startswith("- Ann dives") for line in house.lines())


def test_P5_a_line_that_left_is_not_taken_for_one_that_a_person_took_out(house: House) -> None:
    house.learn(owns(0, 70))
    house.profiles.follow_edits(HOME, 5.0)
    page = house.profiles.source(ANN)
    assert page is not None
    gone = house.lines()[0]
    house.profiles.edit(ANN, page.body.replace(f"{gone}\n", "", 1), page)
    rejected = house.store.find(HOME.home, ("fact",), ("rejected",), 100)
    assert [f"- {one.text}" for one in rejected] == [gone], "only what the person took out"
