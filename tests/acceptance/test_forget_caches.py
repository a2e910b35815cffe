"""Whatever caches text is cleared by `forget`, and searched by the proof (O2)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import taishi
from taishi import Memory, Scope, load
from taishi.api_keys import Keys
from taishi.server.app import create_app

ANN = Scope(user="ann-cache")
WORDS = "Ann keeps brass sextants from old ships"
PACKAGE = Path(taishi.__file__).parent
# Every class that caches text, by the name under which it (or its owner) is registered.
REGISTERED = {
    "BlockTexts": "pages and lines of prompt blocks",
    "CachedEmbedder": "embedded texts",
    "HitBuilder": "redacted pages",
    "IdempotencyStore": "answers to idempotency keys",
    "Profiles": "pages by scope",
    "RecallEchoes": "texts handed out",
    "RedisSharedState": "shared answers",
    "Retriever": "index and recent recalls",
    "SqliteBrowse": "texts that listings are searched in",
    "VisibleProfiles": "pages by scope",
}


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory.open(tmp_path / "data", load(overrides={"models.embedding.kind": "none"}))


def cached(memory: Memory) -> list[str]:
    return [
        text for text in memory._services.runtime.text_caches.texts() if "brass sextants" in text
    ]


def test_O2_every_class_that_caches_text_is_registered(memory: Memory) -> None:
    found = {
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and "Protocol" not in map(ast.unparse, node.bases)
        if {"cached_texts", "clear_text"}
        & {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    }
    assert found == set(REGISTERED)
    with memory:
        # No model, no server, no shared cache.
        not_here = {"embedded texts", "answers to idempotency keys", "shared answers"}
        names = set(memory._services.runtime.text_caches.names)
        assert names == set(REGISTERED.values()) - not_here


def test_O2_forget_clears_every_cache_of_text(memory: Memory) -> None:
    with memory:
        memory.remember(ANN, WORDS)
        memory.profiles.set(ANN, f"- {WORDS}", name="Ann")
        memory.drain()
        assert "brass" in memory.context(ANN, "what does Ann keep?")
        memory.recall(ANN, "brass sextants")
        assert memory.records.newest(ANN, text="BRASS").records
        assert any("ann keeps brass" in one for one in cached(memory)), "searched in lower case"
        assert cached(memory), "the control: something is cached"
        memory.forget(ANN)
        assert cached(memory) == []


def test_O2_forget_clears_the_answers_that_a_server_keeps(memory: Memory, tmp_path: Path) -> None:
    with memory:
        memory.profiles.set(ANN, f"- {WORDS}", name="Ann")
        memory.profiles.set(ANN, "- likes tea", name="Ann")
        revision = memory.profiles.revisions(ANN)[-1]
        app = create_app(memory, keys=Keys(tmp_path / "data"))
        with TestClient(app, base_url="http://127.0.0.1") as client:
            path = f"/v1/profiles/user/ann-cache/revisions/{revision}/rollback"
            back = client.post(path, headers={"Idempotency-Key": "k1"})
            assert "brass sextants" in back.json()["body"]
            assert any("brass sextants" in one for one in app.state.idempotency.cached_texts())
            memory.forget(ANN)
            assert cached(memory) == []
            again = client.post(path, headers={"Idempotency-Key": "k1"})
            assert again.status_code == 409
            assert again.json()["type"] == "urn:taishi:problem:idempotency-cleared"
            assert memory.get_profile(ANN, "user", "ann-cache") is None, "it was not done again"
