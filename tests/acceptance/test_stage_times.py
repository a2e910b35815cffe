"""Asked to explain itself, recall says what took how long, and the block what it costs (Q1, I1)."""

from __future__ import annotations

import pytest

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load
from taishi.observe.stage_times import StageTimes

ANN = Scope(user="ann")


@pytest.fixture
def memory(tmp_path):
    settings = load(environ={}, overrides={"memory.timezone": "UTC"})
    with Memory.open(tmp_path, settings, embedder=HashEmbedder()) as opened:
        for number in range(8):
            opened.remember(ANN, f"green tea leaves cup number {number}", kind="fact")
        opened.remember(ANN, "Booked a table for the tea evening", kind="event")
        opened.profiles.set(ANN, "- likes green tea", name="Ann")
        opened.drain()
        yield opened


def test_Q1_an_explained_recall_says_how_long_each_stage_took(memory):
    found = memory.recall(ANN, "green tea", deadline=5, explain=True)
    stages = {stage.name: stage for stage in found.stages}
    wanted = {
        "embed",
        "keyword",
        "recency",
        "vector",
        "fuse",
        "score",
        "diversify",
        "fetch",
        "show",
    }
    assert wanted <= set(stages)
    starts = [stage.start_ms for stage in found.stages]
    assert starts == sorted(starts)
    assert all(stage.start_ms >= 0 and stage.took_ms >= 0 for stage in found.stages)
    ends = [stage.start_ms + stage.took_ms for stage in found.stages]
    assert max(ends) >= found.took_ms * 0.5, "most of the time is accounted for"
    embed, vector = stages["embed"], stages["vector"]
    assert embed.start_ms + embed.took_ms <= vector.start_ms, "a vector is needed to search by it"


def test_Q1_nobody_else_pays_for_the_clock(memory, monkeypatch):
    def refuse(*_):
        raise AssertionError("made although nobody asked")

    monkeypatch.setattr(StageTimes, "__init__", refuse)
    assert memory.recall(ANN, "green tea", deadline=5).stages == ()
    assert memory.brief(ANN, "green tea", deadline=5).tokens is None


def test_Q1_without_an_embedder_nothing_is_embedded(tmp_path):
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path, settings) as opened:
        opened.remember(ANN, "green tea", kind="fact")
        opened.drain()
        names = {
            one.name for one in opened.recall(ANN, "green tea", deadline=5, explain=True).stages
        }
    assert "keyword" in names
    assert not {"embed", "vector"} & names


@pytest.mark.parametrize("form", ["text", "markdown", "xml"])
def test_I1_a_block_says_what_each_section_costs(memory, form):
    def words(text: str) -> int:
        return len(text.split())

    options = {"form": form, "deadline": 5, "count_tokens": words}
    plain = memory.brief(ANN, "green tea", 120, **options)
    brief = memory.brief(ANN, "green tea", 120, **options, explain=True)
    assert brief.text == plain.text
    assert brief.tokens is not None
    assert brief.tokens.total == words(brief.text) <= brief.tokens.limit == 120
    assert sum(brief.tokens.sections.values()) + brief.tokens.frame == brief.tokens.total
    assert {"user", "facts"} <= set(brief.tokens.sections)
    assert {"pages", "block"} <= {stage.name for stage in brief.recall.stages}


def test_I1_a_block_without_room_costs_nothing(memory):
    brief = memory.brief(ANN, "green tea", 5, deadline=5, explain=True)
    assert (brief.text, brief.reason) == ("", "budget")
    assert brief.tokens is not None
    assert (brief.tokens.total, dict(brief.tokens.sections)) == (0, {})
