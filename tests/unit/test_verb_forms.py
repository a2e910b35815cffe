"""English verbs in the third person, by rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from taishi.language.verb_forms import expand, is_participle, third_person

VERBS = (Path(__file__).parent / "tables" / "verbs-en.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("fly", "flies"), ("play", "plays"), ("try", "tries"), ("buy", "buys"), ("go", "goes"),
        ("do", "does"), ("have", "has"), ("am", "is"), ("don't", "doesn't"), ("miss", "misses"),
        ("focus", "focuses"), ("teach", "teaches"), ("push", "pushes"), ("fix", "fixes"),
        ("buzz", "buzzes"), ("quiz", "quizzes"), ("veto", "vetoes"), ("video", "videos"),
        ("ski", "skis"), ("tie", "ties"), ("see", "sees"), ("need", "needs"), ("feed", "feeds"),
        ("bring", "brings"), ("apply", "applies"), ("fall", "falls"), ("lie", "lies"),
        ("brew", "brews"), ("zoom", "zooms"), ("haven’t", "hasn't"), ("ain't", "isn't"),
    ],
)  # fmt: skip
def test_H4_present_forms(verb: str, form: str) -> None:
    assert third_person(verb) == form


@pytest.mark.parametrize(
    "word",
    "went was had did could would can't didn't used slept found put cut quit hit agreed needed "
    "going likes been known and who the in myself yesterday".split(),
)
def test_H4_what_is_no_present_form_stays(word: str) -> None:
    assert third_person(word) is None


def test_H4_a_form_that_is_past_as_well_changes_in_a_habit_only() -> None:
    assert third_person("put", "I always put salt in") == "puts"
    assert third_person("put", "I put the keys in the drawer") is None
    assert third_person("read", "Please keep it short, I read on my watch") == "reads"
    assert third_person("read", "I read it when I was ill") is None


@pytest.mark.parametrize(
    ("tail", "after", "written"),
    [
        ("d", " been there", "had"), ("d", " known Tom", "had"), ("d", " better go", "had"),
        ("d", " like tea", "would"), ("d", " never seen snow", "had"), ("d", " go", "would"),
        ("d", " never sell it", "would"), ("d", " put it there", "would"), ("d", "", "would"),
        ("ve", " known", "has"), ("m", " late", "is"), ("ll", " go", "will"),
        ("s", " been ill", "has"), ("s", " tired", "is"), ("s", " finished the book", "has"),
        ("s", " married", "is"),
    ],
)  # fmt: skip
def test_H4_contractions(tail: str, after: str, written: str) -> None:
    assert expand(tail, after) == written


def test_H4_everyday_verbs_agree_with_a_dictionary() -> None:
    """Checked where the dictionary is installed; it is no dependency."""
    dictionary = pytest.importorskip("lemminflect", reason="lemminflect is not installed")
    assert len(set(VERBS)) >= 500
    wrong = [
        verb
        for verb in VERBS
        if third_person(verb, "always") not in dictionary.getInflection(verb, "VBZ")
    ]
    past = [
        form
        for verb in VERBS
        for form in dictionary.getInflection(verb, "VBD")
        if form not in VERBS and third_person(form) not in (None, "blests", "lays", "staids")
    ]
    participles = [
        form
        for verb in VERBS
        for form in dictionary.getInflection(verb, "VBN")
        if form not in VERBS and form not in ("ski'd", "mowed") and not is_participle(form)
    ]
    assert (wrong, past, participles) == ([], [], [])
