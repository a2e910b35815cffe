"""A page that is found or listed reads as it was written, without the words it is found by."""

from __future__ import annotations

from collections.abc import Callable

from support.running_app import RunningApp
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.server.app import create_app

ANN = Scope(user="ann")
PAGE = "- Ann lives in Cork\n- Ann is allergic to peanuts"


def told(memory: Memory) -> None:
    memory.end_turn(ANN, "", "I live in Cork. I am allergic to peanuts.", sender_name="Ann")
    memory.drain()


def check(memory: Memory) -> None:
    found = memory.search_profiles(ANN, "residence health", deadline=5)
    assert [hit.text for hit in found.hits] == [PAGE], "and still found by its tags"
    (listed,) = memory.records.newest(ANN, ("profile",)).records
    got = memory.get(ANN, "user:ann")
    assert got is not None and listed.text == got.text == PAGE
    hits = memory.recall(ANN, "where does Ann live?", deadline=5, kinds=["profile"]).hits
    assert [hit.text for hit in hits] == [PAGE]


def test_a_page_reads_as_it_was_written(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory)
    check(memory)
    app = create_app(memory, keys=Keys(memory.status()["folder"]))
    with RunningApp(app, memory.settings.server) as server, Memory.open(server.url) as remote:
        check(remote)


def test_a_long_page_shows_the_part_that_matched(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory)
    page = memory.get_profile(ANN, "user", "ann")
    lines = [f"- Ann keeps box {n} of stamps from the year {1900 + n}" for n in range(80)]
    lines.append("- Ann plays the theremin")
    memory.profiles.edit(ANN, "\n".join(lines), page)
    memory.drain()
    (hit,) = memory.recall(ANN, "theremin", deadline=5, kinds=["profile"]).hits
    assert hit.text.startswith("- Ann keeps box 0") and hit.passage is not None
    assert hit.passage.end <= len(hit.text)
    assert hit.excerpt.endswith("- Ann plays the theremin")


def test_a_page_with_nothing_but_a_name_is_found_by_it(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory)
    page = memory.get_profile(ANN, "user", "ann")
    memory.profiles.edit(ANN, "", page)
    assert all(one.text.strip() for one in memory.records.newest(ANN, ("profile",)).records)
