"""What is asked of the old folder, and how: by public verbs alone.

`python tests/golden/old_folder_answers.py` writes `old_folder/answers.json` anew. Only on a tree
that is known to be right, for a change of the answers that is meant; never to make a test pass.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

TESTS = Path(__file__).parent.parent
sys.path.insert(0, str(TESTS))

from golden.old_folder import STORED, build  # noqa: E402
from taishi import Memory, Scope, load  # noqa: E402

ANSWERS = STORED / "answers.json"
NOW = 1_790_600_000.0  # a day after the last turn of the story
STATES = ("approved", "candidate", "conflict", "rejected", "superseded")
SETTINGS = {
    "models.embedding.kind": "none",
    "memory.timezone": "Asia/Shanghai",
    "query.recall_timeout": 30.0,
    "queue.failed_max_age_days": 0,  # the failed job is older by the clock of this machine
}

MIA = Scope(user="mia")
MIA_IN_CREW = Scope(group="crew", user="mia")
TOM_IN_CREW = Scope(group="crew", user="tom")
ARCHIVE = Scope(group="archive", user="mia")
QUILL = Scope(agent="quill")
LIN = Scope(user="lin", workspace="书社")
CLUB = Scope(group="读书会", user="wu", workspace="书社")
COMMONS = Scope(shared=True, workspace="书社")
SCOPES = {
    "Mia in private": MIA,
    "the crew": TOM_IN_CREW,
    "the archive": ARCHIVE,
    "the agent Quill": QUILL,
    "林然，私聊": LIN,
    "读书会": CLUB,
    "书社，公共": COMMONS,
}
QUESTIONS = (
    (MIA, "Where does Mia live?"),
    (MIA, "Where is the spare key?"),
    (MIA, "How do I oil the fiddle pegs?"),
    (MIA, "What does Mia want to sell?"),
    (MIA_IN_CREW, "What is Mia allergic to?"),
    (TOM_IN_CREW, "Who has a dog?"),
    (TOM_IN_CREW, "On which days is diesel sold?"),
    (TOM_IN_CREW, "What does the boat Kittiwake need?"),
    (ARCHIVE, "Which crate holds the brass compass?"),
    (ARCHIVE, "旧海图放在几号箱？"),
    (QUILL, "How does Quill answer?"),
    (LIN, "林然对什么过敏？"),
    (LIN, "林然现在住在哪里？"),
    (LIN, "龙井怎么泡？"),
    (LIN, "书社的钥匙放在哪里？"),
    (CLUB, "下周三读哪本书？"),
    (CLUB, "谁养了猫？"),
)
BLOCKS = ((MIA, "Where is the spare key?"), (LIN, "林然对什么过敏？"), (CLUB, "几点见面？"))


class LetterEmbedder:
    """Texts with the same words or characters are near one another. The vectors of the old folder
    are its own; `documents` are the texts it was asked to embed since."""

    name = "letters-1"
    dimensions = 24

    def __init__(self) -> None:
        self.documents: list[str] = []

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        if kind == "document":
            self.documents += texts
        return np.array([self._row(text) for text in texts], np.float32).reshape(len(texts), 24)

    def close(self) -> None:
        pass

    def _row(self, text: str) -> Any:
        row = np.zeros(24, np.float32)
        row[0] = 0.1
        for word in re.findall(r"[a-z]+|\d+", text.lower()):
            row[zlib.crc32(word.encode()) % 12] += 1
        for character in re.findall(r"[\u4e00-\u9fff]", text):
            row[12 + zlib.crc32(character.encode()) % 12] += 1
        return row / np.linalg.norm(row)


def opened(folder: Path, embedder: Any = None, **changes: Any) -> Memory:
    """`changes` are settings, with `__` for the dot."""
    settings = SETTINGS | {name.replace("__", "."): value for name, value in changes.items()}
    return Memory.open(
        folder,
        load(environ={}, overrides=settings),
        embedder=embedder or LetterEmbedder(),
        clock=lambda: NOW,
    )


class Verbs:
    """Every verb besides the bot's own (end_turn, observe, remember, recall, context, forget) by
    which the old folder is looked at. If one gets another name, it is changed here."""

    def __init__(self, memory: Memory) -> None:
        self.facts = memory.facts.list
        self.conflicts = memory.facts.conflicts
        self.approve = memory.facts.approve
        self.records = memory.records.list
        self.versions = memory.records.versions
        self.evidence = memory.records.evidence
        self.page = memory.profiles.source
        self.page_revisions = memory.profiles.revisions
        self.page_diff = memory.profiles.diff
        self.page_rollback = memory.profiles.rollback
        self.jobs = memory.jobs.list
        self.retry_job = memory.jobs.retry
        self.ledger = memory.jobs.ledger
        self.deletions = memory.deletions.list
        self.refusals = memory.deletions.refusals
        self.known_turn = memory.jobs.known_turn
        self.set_link = memory.set_link
        self.traces = memory.deletions.traces
        self.prove_forgotten = memory.deletions.prove
        self.add_messages = memory.sessions.add_messages
        self.end_session = memory.sessions.end
        self.export = memory.transfer.export
        self.import_lines = memory.transfer.import_records
        self.status = memory.status
        self.check = memory.maintenance.check


def before_work(memory: Memory) -> dict[str, Any]:
    """What does not wait for the jobs that were left over."""
    verbs = Verbs(memory)
    return {
        "jobs": [
            [job["state"], job["event_id"], job["attempts"], job["reason"], job["job"]["new_info"]]
            for job in verbs.jobs()
        ],
        "pages": _pages(verbs),
        "facts": _facts(verbs),
        "conflicts": [[a.text, b.text] for a, b in verbs.conflicts(TOM_IN_CREW)],
        "ledger": verbs.ledger(),
        "deletions": [_fields(one) for one in verbs.deletions()],
        "refusals": [_fields(one) for one in verbs.refusals()],
        "known turns": [verbs.known_turn(MIA, f"old-{n}") for n in (3, 19, 99)],
    }


def after_work(memory: Memory) -> dict[str, Any]:
    """Everything else, once the jobs that were left over are done."""
    verbs = Verbs(memory)
    lines = [json.loads(line) for line in verbs.export()]
    galway = next(one.id for one in verbs.facts(MIA) if "Galway" in one.text)
    return {
        "jobs": [[job["state"], job["event_id"]] for job in verbs.jobs()],
        "recall": [_recalled(memory, scope, ask) for scope, ask in QUESTIONS],
        "context": [_block(memory, scope, ask) for scope, ask in BLOCKS],
        "facts": _facts(verbs),
        "pages": _pages(verbs),
        "records": {name: _records(verbs, scope) for name, scope in SCOPES.items()},
        "versions": {
            id: [[one.text, one.state] for one in verbs.versions(MIA, id)]
            for id in ("note-key", galway)
        },
        "data": {
            one.id: dict(one.data)
            for one in verbs.records(MIA).records
            if one.id in ("old-1:1", galway, "proc-pegs", "short-lathe")
        },
        "evidence": [
            [one.kind, one.id, one.text, one.who] for one in verbs.evidence(MIA, galway).sources
        ],
        "status": {name: verbs.status()[name] for name in ("records", "models")},
        "export": dict(sorted(Counter(line["type"] for line in lines).items())),
        "exported": sorted(_exported(lines)),
        "check": verbs.check(),
    }


def asked(folder: Path) -> dict[str, Any]:
    with opened(folder) as memory:
        found = {"before work": before_work(memory)}
        assert memory.drain(60)
        found["after work"] = after_work(memory)
    return found


def _recalled(memory: Memory, scope: Scope, ask: str) -> dict[str, Any]:
    found = memory.recall(scope, ask, now=NOW, deadline=30.0, top_k=4)
    return {
        "ask": ask,
        "level": found.level,
        "hits": [[hit.kind, hit.id, round(hit.score, 3), hit.excerpt] for hit in found.hits],
    }


def _block(memory: Memory, scope: Scope, ask: str) -> list[str]:
    return memory.context(scope, ask, now=NOW, deadline=30.0).splitlines()


def _facts(verbs: Verbs) -> dict[str, dict[str, list[str]]]:
    found = {}
    for name, scope in SCOPES.items():
        by_state = {state: sorted(f.text for f in verbs.facts(scope, [state])) for state in STATES}
        found[name] = {state: texts for state, texts in by_state.items() if texts}
    return found


def _pages(verbs: Verbs) -> dict[str, Any]:
    found = {}
    for name, scope in SCOPES.items():
        page = verbs.page(scope) if scope.user or scope.group else None
        if page is not None:
            kept = verbs.page_revisions(scope)
            diff = verbs.page_diff(scope, kept[-1]).splitlines() if kept else []
            found[name] = {
                "name": page.name,
                "tags": list(page.tags),
                "body": page.body.splitlines(),
                "snapshots": len(kept),
                "since the first": [line for line in diff if re.match(r"[+-]- ", line)],
            }
    return found


def _records(verbs: Verbs, scope: Scope) -> list[list[Any]]:
    """Column by column; a page has the time of its last change, which is now for some."""
    return [
        [one.kind, one.id, one.state, one.time if one.kind != "profile" else None, one.since,
         one.until, one.user, one.speaker, one.session, one.source, one.confidence, one.text]
        for one in verbs.records(scope).records
    ]  # fmt: skip


def _exported(lines: list[dict[str, Any]]) -> Iterator[str]:
    """What the lines say, by type."""
    for line in lines:
        if text := line.get("text") or line.get("summary"):
            yield f"{line['type']}: {text}"
        elif line["type"] == "link":
            yield f"link: {line['workspace']} {line['user']}"


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def written(found: dict[str, Any]) -> str:
    """A line for each answer, so that a change of one is a change of one line."""
    return _lines(found, 0) + "\n"


def _lines(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(plain) + depth <= 100:
        return plain
    inner, outer = " " * (depth + 1), " " * depth
    nested = any(isinstance(one, dict | list) for one in _values(value))
    if isinstance(value, list) and not nested and not all(isinstance(v, str) for v in value):
        return plain
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {_lines(one, depth + 1)}"
                 for key, one in value.items()]  # fmt: skip
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{outer}}}"
    return "[\n" + ",\n".join(inner + _lines(one, depth + 1) for one in value) + f"\n{outer}]"


def _values(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def main(write: Callable[[str], object]) -> None:
    with TemporaryDirectory() as place:
        write(written(asked(build(Path(place) / "memory"))))


if __name__ == "__main__":
    main(lambda text: ANSWERS.write_text(text, encoding="utf-8"))
