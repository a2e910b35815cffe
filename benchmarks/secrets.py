"""How many secrets in a table of sentences the redaction finds, and what it takes by mistake.

`python -m benchmarks secrets` prints the shares. The sentences are in `tests/tables/secrets`: those
of `before.jsonl` were written before the rules, those of `after.jsonl` when the rules were done,
those of `classes.jsonl` for the classes that a stranger's sentences had shown to be missed.
Values are invented. A broken bar inside a value keeps scanners of hosts from taking it for a real
key; it is taken out when read. `python -m benchmarks.secrets --wrong` lists every miss.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Results, Row, show, table_of
from benchmarks.sentences import tables as sentence_tables
from taishi.language.redaction.redactor import Redactor

TABLES = Path(__file__).parent.parent / "tests" / "tables" / "secrets"
BREAK = "¦"
FOUND_PERCENT = 97.0
FALSE_PERCENT = 0.5


@dataclass(frozen=True, slots=True)
class Sentence:
    """One line of a table; `spans` are the secrets in it."""

    id: str
    language: str
    kind: str
    text: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a sentence. `wider`: more than the secret went."""

    sentence: Sentence
    redacted: str
    missed: int
    wider: bool

    @property
    def wrong(self) -> bool:
        return self.missed > 0 or self.wider


def read(path: Path) -> Iterator[Sentence]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            text = row["text"].replace(BREAK, "")
            secrets = (secret.replace(BREAK, "") for secret in row["secrets"])
            spans = tuple(_spans(text, secrets))
            yield Sentence(row["id"], row["language"], row["kind"], text, spans)


def _spans(text: str, secrets: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where the secrets stand, one after the other; a short one may also be part of a word."""
    position = 0
    for secret in secrets:
        start = text.index(secret, position)
        if len(secret) < 3:
            start = text.rindex(secret)
        position = start + len(secret)
        yield start, position


def tables() -> dict[str, list[Sentence]]:
    return {path.stem: list(read(path)) for path in sorted(TABLES.glob("*.jsonl"))}


def judge(sentence: Sentence, redactor: Redactor) -> Judged:
    """A secret is found when all of it goes; what goes besides makes it wider."""
    taken = [(one.start, one.end) for one in redactor.found(sentence.text)]
    missed = sum(
        not any(start <= first and last <= end for start, end in taken)
        for first, last in sentence.spans
    )
    inside = {at for start, end in sentence.spans for at in range(start, end)}
    wider = any(
        at not in inside and sentence.text[at].isalnum()
        for start, end in taken
        for at in range(start, end)
    )
    return Judged(sentence, redactor.text(sentence.text), missed, wider)


def ordinary() -> list[str]:
    """The chat sentences of the historian's tables: they hold no secret."""
    return [row["text"] for rows in sentence_tables().values() for row in rows]


def run(quick: bool = False) -> Results:
    redactor = Redactor()
    results: Results = {}
    for name, sentences in tables().items():
        judged = [judge(one, redactor) for one in sentences]
        rows = [*_by_kind(judged)]
        show(f"secrets {name}: {len(sentences)} sentences", rows)
        results[name] = {"sentences": len(sentences), "rows": table_of(rows)}
    chat = ordinary()
    taken = sum(redactor.text(text) != text for text in chat)
    share = 100 * taken / max(1, len(chat))
    row = Row("something taken", f"{share:.2f} %", "<= 0.5 %", share <= FALSE_PERCENT)
    show(f"secrets, ordinary chat: {len(chat)} sentences", [row])
    results["chat"] = {"sentences": len(chat), "taken": taken, "rows": table_of([row])}
    return results


def _by_kind(judged: list[Judged]) -> Iterator[Row]:
    for language in ("en", "zh"):
        mine = [one for one in judged if one.sentence.language == language]
        for kind in dict.fromkeys(one.sentence.kind for one in mine):
            some = [one for one in mine if one.sentence.kind == kind]
            found, secrets = found_of(some)
            if secrets:
                yield Row(f"{language} {kind}: found", f"{found} of {secrets}")
            else:
                false = sum(one.wider for one in some)
                yield Row(f"{language} {kind}: taken by mistake", f"{false} of {len(some)}")
        found, secrets = found_of(mine)
        share = 100 * found / max(1, secrets)
        yield Row(f"{language} found", f"{share:.1f} %", ">= 97 %", share >= FOUND_PERCENT)
        harmless = [one for one in mine if not one.sentence.spans]
        false_share = 100 * sum(one.wider for one in harmless) / max(1, len(harmless))
        yield Row(f"{language} taken by mistake, of {len(harmless)}", f"{false_share:.1f} %")


def found_of(judged: Iterable[Judged]) -> tuple[int, int]:
    """How many secrets were found, and how many there are."""
    listed = list(judged)
    secrets = sum(len(one.sentence.spans) for one in listed)
    return secrets - sum(one.missed for one in listed), secrets


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets", description=__doc__)
    parser.add_argument("--wrong", action="store_true", required=True)
    parser.add_argument("--table", default="")
    options = parser.parse_args()
    redactor = Redactor()
    for name, sentences in tables().items():
        for one in (judge(sentence, redactor) for sentence in sentences):
            if one.wrong and options.table in name:
                what = "missed" if one.missed else "wider" if one.sentence.spans else "false"
                print(f"{one.sentence.id}\t{what}\t{one.sentence.text!r}\t{one.redacted!r}")


if __name__ == "__main__":
    main()
