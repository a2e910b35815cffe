"""A client's own prompts are told from what people say, by their shape."""

from __future__ import annotations

import time

import pytest

from support.housekeeping_prompts import HOUSEKEEPING, PEOPLE, Messages, user
from taishi.server.openai_proxy.chat import Chat


def found(messages: Messages) -> bool:
    return Chat({"messages": messages}, 0).is_housekeeping


@pytest.mark.parametrize("name", HOUSEKEEPING)
def test_T2_a_clients_own_prompt_is_known(name: str) -> None:
    assert found(HOUSEKEEPING[name])


@pytest.mark.parametrize("name", PEOPLE)
def test_T2_what_people_say_is_not_taken_for_it(name: str) -> None:
    assert not found(PEOPLE[name])


@pytest.mark.parametrize("piece", ["generate ", "user: \n", "### ", "总结", "a-", "summarize a "])
def test_N_a_hundred_kilobytes_are_read_in_time(piece: str) -> None:
    begun = time.perf_counter()
    found(user(piece * (100_000 // len(piece))))
    assert time.perf_counter() - begun < 0.3
