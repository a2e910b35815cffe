"""What the next message makes of the one before it, where both are read at once: a value that was
put right, or a joke that was taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .fact_patterns.bare_values import meant_value
from .fact_patterns.withdrawn_jokes import withdraws_a_joke


def as_meant(said: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The sentences with their speakers, each as its speaker meant it in the end."""
    sentences = list(said)
    after: tuple[str, str] | None = None
    kept: list[tuple[str, str]] = []
    for speaker, sentence in reversed(sentences):
        is_same = after is not None and after[0] == speaker
        if is_same and after is not None and withdraws_a_joke(after[1]):
            after = (speaker, sentence)
            continue
        value = meant_value(after[1]) if is_same and after is not None else None
        put_right = value.put_into(sentence) if value is not None else ""
        if put_right and kept:
            kept.pop()
        kept.append((speaker, put_right or sentence))
        after = (speaker, sentence)
    yield from reversed(kept)
