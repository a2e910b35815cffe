"""What a forgotten group takes along from the pages of its people (O2, S4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from taishi import Memory, Scope, tools
from taishi.erase.group_lines import GroupLines

GROUP, NEAR = Scope(group="oar-club-7"), Scope(group="oar-club-77")
ANN, BEN = Scope(user="ann-4711"), Scope(user="ben-0815")


def _in(group: Scope, user: Scope) -> Scope:
    return replace(group, user=user.user)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Ann is known elsewhere, too; of Ben only the group knows something."""
    memory.end_turn(ANN, new_info="I live in Bergen.", sender_id=ANN.user, sender_name="Ann")
    memory.drain()
    for scope, said, name in (
        (_in(GROUP, ANN), "I am allergic to walnuts.", "Captain Ann"),
        (_in(GROUP, ANN), "I live in Bergen.", "Ann"),
        (_in(NEAR, ANN), "I work as a glazier.", "Ann"),
        (_in(GROUP, BEN), "I work as a cooper.", "Ben"),
    ):
        memory.end_turn(scope, new_info=said, sender_name=name, group_name="Oar Club")
        memory.drain()
    return memory


def _pages(memory: Memory, user: Scope) -> str:
    """The page and its snapshots, as an export has them."""
    return "".join(
        line for line in memory.transfer.export() if f'"{user.user}"' in line and '"page"' in line
    )


def test_O2_lines_learned_in_a_forgotten_group_go_with_it(filled: Memory) -> None:
    assert "walnuts" in _pages(filled, ANN) and "cooper" in _pages(filled, BEN)
    words = filled.deletions.traces(GROUP)
    filled.forget(GROUP)
    page = _pages(filled, ANN)
    assert "walnuts" not in page and "Captain" not in page
    everything = "".join(filled.transfer.export())
    assert "walnuts" not in everything and "cooper" not in everything
    assert "oar-club-7 " not in everything and '"oar-club-7"' not in everything
    proof = filled.deletions.prove(GROUP, words)
    assert not proof.found and not any("walnut" in one.what for one in proof.elsewhere)


def test_O2_what_was_learned_elsewhere_stays(filled: Memory) -> None:
    filled.forget(GROUP)
    page = filled.get_profile(ANN, "user", "ann-4711")
    assert page is not None and "Bergen" in page.body and page.name == "Ann"
    assert "glazier" in _pages(filled, ANN)
    assert filled.recall(_in(NEAR, ANN), "glazier").hits
    assert filled.recall(ANN, "Bergen").hits


def test_O2_a_page_goes_whole_if_only_the_group_knew_the_person(filled: Memory) -> None:
    filled.forget(GROUP)
    assert filled.get_profile(BEN, "user", "ben-0815") is None and not _pages(filled, BEN)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("- Ann keeps bees <!-- group:oar%2Dclub%2D7 -->", None),
        ("- Ann keeps bees <!-- group:oar-club-7 -->", None),
        ("- 安养蜂 <!-- group:oar%2Dclub%2D7 -->", None),
        ("- Ann keeps bees <!-- group:oar%2Dclub%2D7 private -->", "- Ann keeps bees"),
        (
            "- Ann keeps bees <!-- group:oar%2Dclub%2D7 group:dock -->",
            "- Ann keeps bees <!-- group:dock -->",
        ),
        (
            "- Ann keeps bees <!-- everywhere group:oar%2Dclub%2D7 -->",
            "- Ann keeps bees <!-- everywhere -->",
        ),
        *(
            (line, line)
            for line in (
                "- Ann keeps bees",
                "- Ann keeps bees <!-- everywhere -->",
                "- Ann keeps bees <!-- group:dock -->",
                "- Ann keeps bees <!-- group:oar%2Dclub%2D77 -->",
                "- Ann wrote of group:oar-club-7 in a letter",
                "## group:oar-club-7",
                "- 安写过 group:oar-club-7",
            )
        ),
    ],
)
def test_O2_only_what_bears_the_mark_of_the_group_alone_goes(
    memory: Memory, line: str, left: str | None
) -> None:
    memory.remember(_in(GROUP, ANN), "The oars are in the shed.")
    memory.remember(ANN, "Ann has a canoe.")
    body = f"- Ann has a canoe\n{line}"
    memory.profiles.edit(ANN, body, memory.profiles.source(ANN))
    memory.forget(GROUP)
    page = _pages(memory, ANN)
    assert "canoe" in page
    assert (left or "canoe") in page
    assert left == line or line not in page
    if left is None:
        assert "bees" not in page and "养蜂" not in page


def test_O2_snapshots_do_not_keep_them(filled: Memory) -> None:
    filled.end_turn(ANN, new_info="I have two canoes.", sender_id=ANN.user, sender_name="Ann")
    filled.drain()
    assert filled.profiles.history(ANN)
    filled.forget(GROUP)
    kept = _pages(filled, ANN)
    assert '"snapshots":[{' in kept and "walnuts" not in kept and "oar%2Dclub%2D7 " not in kept


def test_O2_the_proof_finds_lines_that_were_left(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = filled.deletions.traces(GROUP)
    monkeypatch.setattr(GroupLines, "take_out", lambda *_: 0)
    filled.forget(GROUP)
    proof = filled.deletions.prove(GROUP, words)
    found = {one.what for one in proof.found}
    assert found >= {
        "lines of the group on the page of user:ann-4711",
        "lines of the group on the page of user:ben-0815",
    }
    assert "Ben works as a cooper" in found, "nobody else said it"


def test_O2_an_old_export_does_not_bring_them_back(filled: Memory) -> None:
    lines = list(filled.transfer.export())
    filled.forget(GROUP)
    filled.transfer.import_records(lines)
    everything = "".join(filled.transfer.export())
    assert "walnuts" not in everything and "cooper" not in everything
    assert "Bergen" in everything and "glazier" in everything


def test_O2_what_the_group_says_again_is_kept_by_a_later_export(
    open_memory: Callable[..., Memory],
) -> None:
    now = [1_790_000_000.0]
    memory = open_memory(clock=lambda: now[0])
    memory.forget(GROUP)
    now[0] += 60
    memory.end_turn(_in(GROUP, ANN), new_info="I live in Oslo.", sender_name="Ann")
    memory.drain()
    lines = list(memory.transfer.export())
    assert "Oslo" in _pages(memory, ANN)
    memory.transfer.import_records(lines)
    assert "Oslo" in _pages(memory, ANN)


def test_O2_through_the_tool_too(filled: Memory) -> None:
    given = {"everything": True, "confirm": "group oar-club-7"}
    tools.dispatch(filled, "forget", given, _in(GROUP, ANN), names=tools.ALL_TOOLS)
    assert "walnuts" not in _pages(filled, ANN) and not _pages(filled, BEN)


def test_O2_forgetting_a_person_leaves_the_lines_of_others(filled: Memory) -> None:
    filled.forget(BEN)
    assert "walnuts" in _pages(filled, ANN)


def test_O2_the_same_group_of_another_workspace_stays(filled: Memory) -> None:
    other = replace(_in(GROUP, ANN), workspace="harbour")
    filled.end_turn(other, new_info="I keep bees.", sender_name="Ann")
    filled.drain()
    filled.forget(GROUP)
    everything = "".join(filled.transfer.export())
    assert "bees" in everything and "walnuts" not in everything
    assert filled.recall(other, "bees").hits
