"""Any conversation, any budget: never over it, no tool pair split (M1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from support.long_conversation import whole_pairs
from taishi.domain.message_shortening import MessageCost
from taishi.domain.message_units import next_segment, units_of
from taishi.domain.message_window import Conversation, choose
from taishi.language.token_bound import token_bound
from taishi.ports import Compression, Overview, StoredMessage
from taishi.ports.chat_message import ChatMessage
from taishi.settings import WorkingSettings

TEXTS = st.one_of(
    st.text(max_size=40),
    st.builds(lambda word, times: word * times, st.sampled_from(["a ", "词", "x", "🙂", "\n"]),
              st.integers(0, 900)),
)  # fmt: skip
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


@st.composite
def conversations(draw: st.DrawFn) -> list[StoredMessage]:
    """Messages in any order: calls whose results are late, missing, doubled or come first."""
    messages: list[ChatMessage] = []
    if draw(st.booleans()):
        messages.append(ChatMessage("system", draw(TEXTS)))
    waiting: list[str] = []
    for number in range(draw(st.integers(0, 60))):
        kind = draw(st.sampled_from(["user", "assistant", "call", "result", "picture", "system"]))
        text = draw(TEXTS)
        if kind == "call":
            ids = [f"c{number}-{n}" for n in range(draw(st.integers(1, 3)))]
            calls = tuple(
                {"id": id, "type": "function", "function": {"name": "f", "arguments": text}}
                for id in ids
            )
            messages.append(
                ChatMessage("assistant", draw(st.sampled_from(["", "so"])), None, calls)
            )
            waiting += ids
        elif kind == "result":
            id = draw(st.sampled_from([*waiting, "nobody's"]))
            messages.append(ChatMessage("tool", text, None, (), id))
        elif kind == "picture":
            messages.append(ChatMessage("user", "", (PICTURE,)))
        else:
            messages.append(ChatMessage(kind, text))
    return [StoredMessage(3 * n + 1, replace(one, id=f"m{n}")) for n, one in enumerate(messages)]


def talk_of(stored: list[StoredMessage], every: int) -> Conversation:
    system = []
    for one in stored:
        if one.message.role != "system":
            break
        system.append(one)
    segments: list[Compression] = []
    rest = stored
    while segment := next_segment(rest, every, 5):
        overview = Overview("It was about mirrors. " * 20, ("use the large one",))
        before = segments[-1].count if segments else 0
        count = before + len(segment)
        made = Compression(
            segment[0].number, segment[-1].number, count, "They talked.", overview, "rules", 0.0
        )
        segments.append(made)
        rest = rest[len(segment) :]
    return Conversation(system, stored, len(stored), segments)


def characters(text: str) -> int:
    return len(text)


@settings(max_examples=300, deadline=None)
@given(
    conversations(),
    st.one_of(st.none(), st.integers(1, 6000)),
    st.integers(2, 12),
    st.sampled_from([token_bound, characters]),
)
def test_M1_never_over_the_budget_and_every_pair_whole(
    stored: list[StoredMessage], max_tokens: int | None, every: int, count: Any
) -> None:
    config = WorkingSettings()
    budget = None if max_tokens is None else int(max_tokens * config.budget_ratio)
    talk = talk_of(stored, every)
    window = choose(talk, config, max_tokens, MessageCost(count, budget))
    assert whole_pairs(window.messages)
    assert 0 <= window.left_out <= len(stored) and 0 <= window.summarised <= len(stored)
    if budget is None:
        assert window.level == "none" and window.shortened == ()
        return
    assert window.tokens <= budget or not window.messages
    users = [one.message for one in stored if one.message.role == "user"]
    if budget > 200 and users and window.messages:
        latest = next(one for one in reversed(window.messages) if one["role"] == "user")
        cut = users[-1].id in window.shortened
        assert cut or latest == users[-1].wire(), "the latest user message"
    if budget > 200 and talk.system:
        assert window.messages[0]["role"] == "system", "the system prompt"


@settings(max_examples=150, deadline=None)
@given(conversations(), st.integers(2, 12), st.integers(1, 6))
def test_M2_segments_cut_no_pair_and_leave_the_last_ones(
    stored: list[StoredMessage], size: int, keep: int
) -> None:
    whole, rest = [], list(stored)
    while segment := next_segment(rest, size, keep):
        assert len(segment) >= size and len(rest) - len(segment) >= keep
        rest = rest[len(segment) :]
        whole.append({one.number for one in segment})
    assert sum(map(len, whole)) + len(rest) == len(stored), "none lost, none doubled"
    for unit in units_of(stored)[0]:
        numbers = {one.number for one in unit.messages}
        assert all(numbers <= part or not numbers & part for part in whole)
