"""Notes on an event stand behind the statements that they are about."""

from __future__ import annotations

from typing import Any

from taishi.context_block.correction_notes import notes_of
from taishi.context_block.lines import statement
from taishi.types import Hit

BOOKS = {"said": "Ann works at Harlow", "now": "Ann keeps the books at Harlow & Pike", "why": ""}


def hit(told: list[str], *notes: dict[str, str], did: str = "The assistant greeted Ann") -> Hit:
    data: dict[str, Any] = {"did_what": did, "new_info": told, "corrections": list(notes)}
    text = "2026-11-19 10:00 (UTC): " + "; ".join([did, *told])
    return Hit("e", text, 1.0, "event", None, "Ann", None, data)


def shown(told: list[str], *notes: dict[str, str], **more: str) -> str:
    return statement(hit(told, *notes, **more))


def test_P5_a_note_stands_behind_its_statement() -> None:
    assert shown(["Ann works at Harlow", "Ann is allergic to walnuts"], BOOKS) == (
        "The assistant greeted Ann; Ann works at Harlow (since corrected: Ann keeps the books at "
        "Harlow & Pike); Ann is allergic to walnuts"
    )
    gone = {"said": "Ann住在成都", "now": "", "why": ""}
    assert shown(["Ann住在成都", "Ann对核桃过敏"], gone, did="助手问候了Ann") == (
        "助手问候了Ann；Ann住在成都（后撤回）；Ann对核桃过敏"
    )


def test_P5_of_a_part_only_its_own_notes_are_shown() -> None:
    greeted, works, allergic = "The assistant greeted Ann", "Ann works at Harlow", "Ann is tall"
    found = hit([works, allergic], BOOKS)
    assert notes_of(found, [greeted, allergic], f"{greeted}; {allergic}") == ["", ""]
    moved = {"said": "Ann lives in Galway", "now": "", "why": ""}
    found = hit(["Ann moved to Galway", allergic], moved)
    assert notes_of(found, [allergic], allergic) == [""]
    unlike = {"said": "Ann owns a yacht", "now": "", "why": ""}
    assert notes_of(hit([allergic], unlike), [allergic], allergic) == [
        " (since withdrawn: Ann owns a yacht)"
    ]


def test_P5_a_note_in_other_words_stands_behind_what_is_most_like_it() -> None:
    told = ["Ann moved to Galway", "Ann is allergic to walnuts"]
    moved = {"said": "Ann lives in Galway", "now": "Ann lives in Cork", "why": ""}
    assert "Galway (since corrected: Ann lives in Cork); Ann is" in shown(told, moved)


def test_P5_what_the_event_says_already_is_no_note() -> None:
    note = {**BOOKS, "now": "Ann works at Harlow & Pike"}
    assert "since" not in shown(["Ann works at Harlow & Pike"], note)
