"""`taishi evidence`: every claim is shown, also one that rests on nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from taishi import Memory, Scope
from taishi.curate.records import RecordService
from taishi.exported import Evidence, Source

ANN = ("--user", "ann")
HELD = Evidence("f1", "line", "Ann likes tea", (Source("event", "e1", "I like tea", 0.0, "Ann"),))
BARE = Evidence("f2", "line", "Ann owns a boat", ())


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("COLUMNS", "160")


@pytest.mark.parametrize(("language", "nothing"), [("en", "nothing"), ("zh", "无")])
def test_a_claim_without_sources_has_its_row(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, language: str, nothing: str
) -> None:
    page = Evidence("user:ann", "profile", "- …", (), (HELD, BARE))

    def row_of(text: str) -> str:
        rows = run("--lang", language, "evidence", "user:ann", *ANN).stdout.splitlines()
        return next((row for row in rows if text in row), "")

    Memory.open().close()
    monkeypatch.setattr(RecordService, "evidence", lambda *_: page)
    assert "e1" in row_of("Ann likes tea") and nothing not in row_of("Ann likes tea")
    assert nothing in row_of("Ann owns a boat")
    monkeypatch.setattr(RecordService, "evidence", lambda *_: BARE)
    assert row_of(nothing), "of a single record, too"


def test_a_page_without_lines_claims_nothing(run: Callable[..., Result]) -> None:
    with Memory.open() as memory:
        memory.profiles.set(Scope(user="ann"), "# Ann", name="Ann")
    shown = run("evidence", "user:ann", *ANN)
    assert shown.exit_code == 0 and "nothing" not in shown.output
