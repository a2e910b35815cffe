"""The portable acceptance tests of the ids `evidence.*`: every claim rests on a source that is
there, falls with it, and can be made again from it.

Tokens are of a kind that nobody could guess; what is asserted is what goes into a prompt.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import Result
from fastapi.testclient import TestClient

from support.scripted_model import ScriptedModel, WiseScript
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.curate.evidence import Evidence
from taishi.server.app import create_app
from taishi.types import Record

ANN = Scope(user="ann", session="s1")
CLUB = Scope(group="club", user="ann")
QUESTION = "where does Ann live, what is the dog called, how is tea brewed, what was decided?"
TOKENS = {
    "residence": "Quorvexhaven",
    "pet": "Vantablik3302",
    "instruction": "Plimborese",
    "mood": "Zirkonaut4817",
    "procedure": "Brumbleleaf61",
    "group": "Trossenwick88",
}
Open = Callable[..., Memory]


class Teaching(WiseScript):
    """A model that finds a way of working, a mood, and how Ann herself would tell it."""

    def record_turn(self, data: dict[str, Any]) -> dict[str, Any]:
        told = super().record_turn(data)
        said = " ".join((data.get("job") or {}).get("new_info") or ())
        if "brew" in said:
            told["facts"] = []
            told["procedures"] = [{"name": "brew tea", "trigger": "tea is wanted",
                                   "steps": ["boil water", f"add {TOKENS['procedure']}"],
                                   "quote": said}]  # fmt: skip
        if "sad" in said:
            told["facts"] = [{**fact, "life": "mood"} for fact in told["facts"]]
        if "dog" in said:
            own = f"Ann told that her dog is {TOKENS['pet']}."
            told["perspectives"] = [{"whose": "Ann", "text": own}]
        return told


def pointed_at(server: ScriptedModel) -> dict[str, Any]:
    return {"models.chat.api_url": server.url, "models.chat.api_key": "k",
            "models.chat.model_name": "scripted", "query.recall_timeout": 5.0}  # fmt: skip


@contextmanager
def taught(open_memory: Open) -> Iterator[Memory]:
    """All kinds of memory, by the path the product has: extraction from turns."""
    with ScriptedModel(Teaching()) as server:
        memory = open_memory(pointed_at(server))
        for number, (scope, text) in enumerate(SAID):
            message = {"text": text, "speaker": "Ann", "id": f"m{number}"}
            memory.end_turn(scope, "", text, [message], sender_name="Ann", group_name="Club",
                            request_id=f"r{number}")  # fmt: skip
            memory.drain(30)
        memory.sessions.end(ANN)
        yield memory


SAID = (
    (ANN, f"I live in {TOKENS['residence']}."),
    (ANN, f"My dog is called {TOKENS['pet']}."),
    (ANN, f"From now on always answer in {TOKENS['instruction']}."),
    (ANN, f"I am sad about {TOKENS['mood']} today."),
    (ANN, f"To brew tea: boil water, then add {TOKENS['procedure']}."),
    (CLUB, f"I work at {TOKENS['group']} Limited."),
)


def claims_of(memory: Memory, scope: Scope) -> Iterator[Evidence]:
    """Everything that can reach a prompt of this scope."""
    for one in memory.records.list(scope, limit=1000).records:
        found = memory.records.evidence(scope, one.id)
        yield from found.claims or (found,)


def test_atlas_evidence_claim_resolves_to_source(
    open_memory: Open, run: Callable[..., Result], tmp_path: Path
) -> None:
    with taught(open_memory) as memory:
        memory.profiles.set(Scope(user="bob"), "- Bob collects stamps")
        memory.remember(ANN, "the spare key is under the mat", id="key")
        memory.observe(ANN, "weather", {"town": "Cork"}, "rain")
        memory.drain()
        kinds = set()
        for scope in (ANN, CLUB, Scope(user="bob")):
            for claim in claims_of(memory, scope):
                kinds.add(claim.kind)
                assert claim.sources and not claim.is_orphan, claim
                for source in claim.sources:
                    if source.kind in ("event", "turn"):
                        assert memory.records.get(scope, source.id), "a source record that is there"
        assert kinds >= {"fact", "event", "short_term", "procedure", "summary", "line",
                         "observation"}, kinds  # fmt: skip
        _every_line_of_the_block_is_a_claim(memory)
        (line,) = memory.records.evidence(Scope(user="bob"), "user:bob").claims
        assert [(one.kind, one.who) for one in line.sources] == [("person", "person")]
        assert line.sources[0].time is not None
        _the_doors_say_the_same(memory, run, tmp_path)
        # The control: what has lost its source is told from what has not.
        fact = next(one for one in memory.facts.list(ANN) if TOKENS["pet"] in one.text)
        with memory._services.runtime.parts.store._db.writing() as connection:
            connection.execute("DELETE FROM records WHERE id = ?", (fact.data["sources"][0],))
        assert memory.records.evidence(ANN, fact.id).is_orphan
        assert memory.records.evidence(ANN, "user:ann").is_orphan


def _every_line_of_the_block_is_a_claim(memory: Memory) -> None:
    known = [claim.text for claim in claims_of(memory, ANN)]
    lines = [line for line in memory.context(ANN, QUESTION, 4000).splitlines() if line[:2] == "- "]
    assert len(lines) >= 5
    for line in lines:
        said = line[2:].partition("] ")[2] or line[2:].partition(" (")[0]
        words = said.rstrip(".").split(" (")[0].removeprefix("Ann: ")
        assert any(words in text for text in known), line


def _the_doors_say_the_same(memory: Memory, run: Callable[..., Result], folder: Path) -> None:
    fact = next(one for one in memory.facts.list(ANN) if TOKENS["pet"] in one.text)
    found = memory.records.evidence(ANN, fact.id)
    with TestClient(create_app(memory, keys=Keys(folder))) as client:
        answer = client.get(f"/v1/memories/{fact.id}/evidence", params={"user": "ann"}).json()
        assert [one["id"] for one in answer["sources"]] == [one.id for one in found.sources]
        page = client.get("/v1/memories/user:ann/evidence", params={"user": "ann"}).json()
        assert page["claims"] and not page["is_orphan"]
        gone = client.get("/v1/memories/nothing/evidence", params={"user": "ann"})
        assert gone.status_code == 404
    told = run("--data", folder / "data", "evidence", fact.id, "--user", "ann", "--json")
    assert json.loads(told.stdout)["sources"][0]["id"] == found.sources[0].id
    for language in ("en", "zh"):
        shown = run("--data", folder / "data", "--lang", language, "evidence", "user:ann",
                    "--user", "ann")  # fmt: skip
        assert shown.exit_code == 0 and "r1:1" in shown.stdout


def derived(memory: Memory) -> dict[str, Callable[[], str]]:
    """For each kind of what is derived, all of it as text."""
    store, folder = memory._services.runtime.parts.store, memory._services.runtime.parts.folder

    def of(kind: str) -> Callable[[], str]:
        return lambda: str(list(memory.records.list(ANN, [kind], limit=1000).records))

    def sql(query: str) -> Callable[[], str]:
        def run() -> str:
            with store._db.reading() as connection:
                return str(connection.execute(query).fetchall())

        return run

    def files(pattern: str) -> Callable[[], str]:
        return lambda: "".join(one.read_text() for one in folder.rglob(pattern) if one.is_file())

    return {
        "events": of("event"), "facts": of("fact"), "passing": of("short_term"),
        "ways of working": of("procedure"), "summaries": of("summary"),
        "page records": of("profile"), "page files": files("*.md"),
        "sessions": sql("SELECT summary FROM sessions"),
        "messages": sql("SELECT text FROM messages"),
        "retained turns": sql("SELECT data FROM records"),
        "instructions": lambda: str(memory.context(ANN, "hello")),
        "block": lambda: memory.context(ANN, QUESTION, 4000),
        "recall": lambda: str(memory.recall(ANN, QUESTION, top_k=100, floor=0.0)),
        "export": lambda: "".join(memory.transfer.export()),
    }  # fmt: skip


def rows(memory: Memory, table: str) -> int:
    return int(
        memory._services.runtime.parts.store._db.scalar(f"SELECT count(*) FROM {table}") or 0
    )


def test_atlas_evidence_source_delete_reaches_derived(open_memory: Open) -> None:
    """Each kind by itself: it is there before, and gone after."""
    holds = {
        "residence": ("events", "facts", "page records", "page files", "summaries", "sessions"),
        "pet": ("events", "facts", "page files", "retained turns", "block", "recall"),
        "instruction": ("events", "facts", "instructions", "block"),
        "mood": ("events", "passing", "recall"),
        "procedure": ("events", "ways of working", "block", "recall"),
    }
    with taught(open_memory) as memory:
        for number, (name, kinds) in enumerate(holds.items()):
            token, before = TOKENS[name], derived(memory)
            for kind in kinds:
                assert token in before[kind](), f"the control: {name} is in {kind}"
            indexed, embedded = rows(memory, "shelf"), rows(memory, "shelf WHERE model != 0")
            memory.recall(ANN, token)
            memory.drain()
            assert rows(memory, "handed_out") > 0
            assert memory.forget(ANN, f"r{number}:1") >= 2
            assert rows(memory, "handed_out") == 0, "hashes of it are gone, too"
            left = {kind: token in said() for kind, said in derived(memory).items()}
            assert not any(left.values()), {kind for kind, there in left.items() if there}
            memory.drain()
            assert rows(memory, "shelf") < indexed
            assert rows(memory, "shelf WHERE model != 0") < embedded
            assert rows(memory, "shelf") == rows(memory, "records")
        others = derived(memory)["export"]()
        assert TOKENS["group"] in others, "what was said elsewhere is not touched"
        told = memory.deletions.list()
        assert [one.what for one in told] == ["derived", "record"] * len(holds)
        assert not any(token in str(told) for token in TOKENS.values())


def test_atlas_evidence_rebuild_from_retained(open_memory: Open, tmp_path: Path) -> None:
    """Every derived table, page and index is dropped; a new process makes them again."""
    folder = tmp_path / "data"
    with taught(open_memory) as memory:
        kept = _projected(memory)
        memory.drain()
        with memory._services.runtime.parts.store._db.writing() as connection:
            connection.execute("DELETE FROM records WHERE kind NOT IN ('event', 'summary')")
            for table in ("shelf", "packs", "changes", "handed_out"):
                connection.execute(f"DELETE FROM {table}")
        memory.close()
        shutil.rmtree(folder / "profiles")
        # A new process that has no model: what the model wrote is read by rule.
        by_rule = open_memory({"query.recall_timeout": 5.0}, folder=_copy(folder, tmp_path / "b"))
        assert not any(token in by_rule.context(ANN, QUESTION, 4000) for token in TOKENS.values())
        by_rule.rebuild()
        by_rule.drain()
        block = by_rule.context(ANN, QUESTION, 4000)
        for name in ("residence", "pet", "instruction"):
            assert TOKENS[name] in block, name
    with ScriptedModel(Teaching()) as server:
        again = open_memory(pointed_at(server))
        assert not any(token in again.context(ANN, QUESTION, 4000) for token in TOKENS.values())
        done = again.rebuild()
        again.drain()
        assert server.counts["good"] > 0, "the model was asked again"
        assert done.added["procedure"] == 1 and done.added["fact"] >= 4
        assert _projected(again) == kept
        block = again.context(ANN, QUESTION, 4000)
        for name in ("residence", "pet", "instruction", "procedure"):
            assert TOKENS[name] in block, name
        found = again.recall(ANN, f"{TOKENS['pet']}", explain=True)
        paths = {path for one in found.explain if TOKENS["pet"] in one.text for path in one.paths}
        assert {"keyword", "vector"} <= paths, "both indexes were made again"
        assert TOKENS["group"] in again.context(CLUB, "where does Ann work?")
        assert not any(claim.is_orphan for claim in claims_of(again, ANN))


def _copy(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target))


def _projected(memory: Memory) -> dict[str, Any]:
    def plain(one: Record) -> tuple[Any, ...]:
        used = ("visited_sessions", "expires", "renewals")
        data = {key: value for key, value in one.data.items() if key not in used}
        return one.kind, one.text, one.state, one.confidence, one.source, data

    kinds = ("fact", "procedure", "short_term")
    return {
        one.id: plain(one)
        for scope in (ANN, CLUB)
        for one in memory.records.list(scope, kinds, limit=1000).records
    }
