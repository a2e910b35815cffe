"""What the next message makes of the one before it, where both are read at once: a value that was
put right, or a joke that was taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .fact_patterns.bare_values import meant_value
from .fact_patterns.withdrawn_jokes import withdraws_a_joke

Said = tuple[str, str, tuple[str, ...]]  # as transcript.own_and_quoted tells it


def as_meant(said: Iterable[Said]) -> Iterator[Said]:
    """What was said, each sentence as its speaker meant it in the end."""
    after: tuple[str, str] | None = None
    kept: list[Said] = []
    for speaker, sentence, parts in reversed(list(said)):
        if parts != (sentence,):  # others are quoted
            kept.append((speaker, sentence, parts))
            after = None
            continue
        is_same = after is not None and after[0] == speaker
        if is_same and after is not None and withdraws_a_joke(after[1]):
            after = (speaker, sentence)
            continue
        value = meant_value(after[1]) if is_same and after is not None else None
        put_right = value.put_into(sentence) if value is not None else ""
        if put_right and kept:
            kept.pop()
        meant = put_right or sentence
        kept.append((speaker, meant, (meant,)))
        after = (speaker, sentence)
    yield from reversed(kept)
