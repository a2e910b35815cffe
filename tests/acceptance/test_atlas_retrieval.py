"""retrieval.k_is_an_upper_bound of the public acceptance tests for agent memories: the prompt is
scored, not the retriever."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from taishi import Memory, Scope
from taishi.language.token_bound import token_bound

ANN = Scope(user="ann")
MARK = re.compile(r"berth-\d+")
# Each record is long and unlike the others but for what the question asks.
SAYS = {
    "en": "The harbour master wrote that {mark} in the harbour of Bergen is free for guests again.",
    "zh": "港务长写道，卑尔根港口的泊位 {mark} 又对客人开放了。",
}
GOES_ON = {
    "en": " The {0} {1} of the {2} was repaired by {3} people in the year {4}.",
    "zh": "{3}个人在{4}年修好了{0}的{2}上的{1}。",
}
PARTS = {
    "en": ("old new red blue wide long".split(), "mast rudder winch anchor ladder net".split(),
           "ferry trawler barge yacht tug cutter".split()),
    "zh": ("老旧 崭新 红色 蓝色 宽大 细长".split(), "桅杆 船舵 绞车 铁锚 梯子 渔网".split(),
           "渡轮 拖网船 驳船 游艇 拖船 快艇".split()),
}  # fmt: skip
QUESTIONS = {
    "en": "Which berth in the harbour of Bergen is free for guests?",
    "zh": "卑尔根港口哪个泊位对客人开放？",
}
LANGUAGES = ("en", "zh")
KINDS = ("event", "note", "fact", "procedure")


def record(language: str, number: int) -> str:
    rest = "".join(
        GOES_ON[language].format(
            *(words[(number * 7 + turn * 5 + shift) % 6]
              for shift, words in enumerate(PARTS[language])),
            3 + number * turn, 1500 + number * 11 + turn * 13,
        )
        for turn in range(12)
    )  # fmt: skip
    return SAYS[language].format(mark=f"berth-{number}") + rest


def filled(memory: Memory, language: str) -> Memory:
    items = [{"text": record(language, n), "kind": KINDS[n % 4]} for n in range(40)]
    memory.remember_many(ANN, items)
    memory.drain()
    return memory


@pytest.mark.parametrize("form", ["text", "markdown", "xml"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("k", "budget"), [(1, 200), (2, 400), (3, 800), (5, 800), (5, 4000)])
def test_atlas_retrieval_k_is_an_upper_bound(
    open_memory: Callable[..., Memory], language: str, k: int, budget: int, form: Any
) -> None:
    changes = {"query.recall_top_k": k, "query.auto_top_k": k, "query.recall_timeout": 5.0,
               "query.max_context_tokens": budget}  # fmt: skip
    memory = filled(open_memory(changes, embedder=None), language)
    question = QUESTIONS[language]
    assert len(memory.recall(ANN, question, top_k=40).hits) > 2 * k, "far more than k match"
    prompt = memory.context(ANN, question, form=form)
    records = set(MARK.findall(prompt))
    assert 1 <= len(records) <= k
    assert token_bound(prompt) <= budget
    lines = [line for line in prompt.splitlines() if line.startswith("- ")]
    assert len(lines) == len(records), "each record is one line, cut to the passage that matched"


def test_atlas_retrieval_k_holds_for_what_was_learned_too(
    open_memory: Callable[..., Memory],
) -> None:
    """Page lines and standing instructions are not found by the question and do not count; what
    was found beside them is at most k."""
    changes = {"query.recall_top_k": 2, "query.recall_timeout": 5.0}
    memory = filled(open_memory(changes, embedder=None), "en")
    memory.profiles.set(ANN, "- Ann has a boat\n- Ann likes Bergen", name="Ann")
    prompt = memory.context(ANN, QUESTIONS["en"])
    assert "Ann has a boat" in prompt
    assert 1 <= len(set(MARK.findall(prompt))) <= 2
