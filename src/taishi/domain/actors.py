"""Who writes: a person, the program that holds the memory (the host), or a model."""

from __future__ import annotations

from typing import Literal, get_args

from ..errors import InputError

Actor = Literal["person", "host", "model"]
ACTORS: tuple[Actor, ...] = get_args(Actor)


def checked(actor: str) -> Actor:
    for one in ACTORS:
        if actor == one:
            return one
    raise InputError(f"unknown actor {actor!r:.40}; use one of {', '.join(ACTORS)}")
