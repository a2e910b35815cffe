"""What reaches the prompt however much is known: no part of the block starves another (I2, Q1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.learned_story import ANN, ENGLISH, NOW, STORIES, tell
from taishi import Memory, load
from taishi.language.token_bound import token_bound

COUNTS = (10, 125, 500, 2000)
BUDGETS = (300, 800, 2000)
QUESTIONS = tuple(ENGLISH.questions)


@pytest.fixture(scope="module", params=[(c, lang) for c in COUNTS for lang in STORIES], ids=str)
def told(request: Any, tmp_path_factory: Any) -> Iterator[tuple[Memory, str]]:
    count, language = request.param
    settings = load(
        environ={},
        overrides={
            "models.embedding.kind": "none",
            "memory.timezone": "UTC",
            "query.recall_timeout": 5.0,
        },
    )
    with Memory.open(tmp_path_factory.mktemp("told"), settings, clock=lambda: NOW) as memory:
        tell(memory, STORIES[language], count)
        yield memory, language


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("kind", QUESTIONS)
def test_I2_what_the_question_needs_is_in_the_block(
    told: tuple[Memory, str], kind: str, budget: int
) -> None:
    memory, language = told
    question, answer = STORIES[language].questions[kind]
    block = memory.context(ANN, question, max_tokens=budget)
    assert answer in block
    assert token_bound(block) <= budget
