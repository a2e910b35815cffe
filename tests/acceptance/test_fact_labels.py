"""What callers keep beside a fact stays when its words are put right, and can be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.running_app import RunningApp
from taishi import InputError, Memory, Scope
from taishi.api_keys import Keys
from taishi.domain.fact_labels import OF_FACTS
from taishi.domain.fact_lifecycle import new_fact
from taishi.domain.metadata_checks import CLAIMS, OF_STATEMENTS
from taishi.errors import AuthorityError, RefusedError
from taishi.server.app import create_app

ANN = Scope(user="ann", session="s7")
LABELS = {"project": "apollo", "step": {"n": 3}}
APOLLO = {"metadata.project": "apollo"}


@pytest.fixture(params=["folder", "server"])
def memory(
    request: pytest.FixtureRequest, open_memory: Callable[..., Memory], tmp_path: Path
) -> Iterator[Memory]:
    engine = open_memory({"query.recall_timeout": 5.0})
    if request.param == "folder":
        yield engine
        return
    app = create_app(engine, keys=Keys(tmp_path / "keys"))
    with RunningApp(app, engine.settings.server) as server, Memory.open(server.url) as remote:
        yield remote


def labels(memory: Memory, id: str) -> dict[str, Any]:
    record = memory.records.get(ANN, id)
    assert record is not None
    return {name: one for name, one in record.data.items() if name not in OF_FACTS}


@pytest.mark.parametrize("words", [("Ann's bike is red", "Ann's bike is blue"),
                                   ("安的自行车是红色的", "安的自行车是蓝色的")])  # fmt: skip
@pytest.mark.parametrize("actor", ["person", "model"])
def test_P5_a_correction_keeps_metadata_source_and_session(
    memory: Memory, words: tuple[str, str], actor: str
) -> None:
    said = {"metadata": {**LABELS, "tags": ["things"]}, "source": "app-1", "actor": actor}
    old = memory.remember(ANN, words[0], kind="fact", **said)
    new = memory.facts.correct(ANN, old, words[1], actor=actor)
    assert labels(memory, new) == {**LABELS, "tags": ["things"]}
    record = memory.records.get(ANN, new)
    assert record is not None and (record.source, record.session) == ("app-1", "s7")
    assert record.data["sources"] == [actor]
    found = memory.recall(ANN, words[1], filters=APOLLO, deadline=5).hits
    assert [hit.text for hit in found] == [words[1]]
    again = memory.facts.correct(ANN, new, f"{words[1]}!?x", actor=actor)
    record = memory.records.get(ANN, again)
    assert record is not None and record.source == "app-1", "also the second time"


def test_what_was_learned_has_no_source_of_a_callers(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.end_turn(ANN, new_info="I live in Galway", sender_name="Ann")
    memory.drain()
    (fact,) = memory.facts.list(ANN)
    memory.records.update(ANN, fact.id, metadata=LABELS)
    new = memory.records.get(ANN, memory.facts.correct(ANN, fact.id, "Ann lives in Cork"))
    assert new is not None and new.source == "person"
    assert new.data["category"] == "residence" and new.data["project"] == "apollo"


def test_the_metadata_of_a_fact_is_changed_and_its_words_are_not(memory: Memory) -> None:
    told = {**LABELS, "tags": ["things"]}
    id = memory.remember(ANN, "Ann's bike is red", metadata=told)
    id = memory.facts.correct(ANN, id, "Ann's bike is blue")
    before = memory.records.get(ANN, id)
    assert before is not None
    after = memory.records.update(ANN, id, metadata={"status": "sold"})
    assert labels(memory, id) == {"status": "sold", "tags": ["things"]}
    kept = {name: one for name, one in before.data.items() if name in OF_FACTS}
    assert {name: one for name, one in after.data.items() if name in OF_FACTS} == kept
    assert (after.text, after.confidence, after.state) == (before.text, 1.0, "approved")
    memory.records.update(ANN, id, metadata={**after.data, "status": "kept", "tags": []})
    assert labels(memory, id) == {"status": "kept", "tags": []}
    assert memory.records.update(ANN, id, expires="2099-01-01").expires is not None
    for wrong in ({"category": "work"}, {"sources": ["x"]}, {"recorded_by": "model"}):
        with pytest.raises(InputError, match="may not be named"):
            memory.records.update(ANN, id, metadata=wrong)
    for words in ({"text": "x"}, {"confidence": 0.1}, {"speaker": "Bo"}, {"time": "2020-01-01"}):
        with pytest.raises(InputError, match=r"correct.*only metadata and expires"):
            memory.records.update(ANN, id, metadata={"a": 1}, **words)
    with pytest.raises(AuthorityError, match="a model may not change"):
        memory.records.update(ANN, id, metadata={"a": 1}, actor="model")
    assert labels(memory, id) == {"status": "kept", "tags": []}


def test_what_is_decided_elsewhere_stays_there(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    id = memory.remember(ANN, "Ann's bike is red", metadata=LABELS)
    memory.facts.reject(ANN, id)
    with pytest.raises(RefusedError, match="a person rejected"):
        memory.records.update(ANN, id, metadata={"a": 1})
    shared = Scope(shared=True)
    entry = memory.shared.propose(ANN, "we deploy on Fridays")
    with pytest.raises(InputError, match="shared"):
        memory.records.update(shared, entry, metadata={"a": 1})


def test_every_name_of_the_engines_is_known() -> None:
    fact = new_fact("x", ANN.home, "e", 0.0, "ann")
    assert CLAIMS | OF_STATEMENTS | (fact.data.keys() - {"tags"}) <= OF_FACTS
