"""Formats counts in sentences: one record, two records."""

from __future__ import annotations


class CountedNoun(int):
    """A number that brings its noun along: `"{n:record|records}".format(n=Count(1))` is
    "1 record"."""

    def __format__(self, spec: str) -> str:
        one, bar, many = spec.partition("|")
        if not bar:
            return int.__format__(self, spec)
        return f"{int(self)} {one if self == 1 else many}"


def counted(values: dict[str, object]) -> dict[str, object]:
    """The values of a sentence, its whole numbers as counts."""
    return {name: CountedNoun(one) if type(one) is int else one for name, one in values.items()}
