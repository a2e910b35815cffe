"""What a user sees stays as it was written down; see build.py."""

from __future__ import annotations

import difflib

import pytest

from golden.build import HERE, build


@pytest.fixture(scope="module")
def built() -> dict[str, str]:
    return build()


@pytest.mark.parametrize(
    "name", ["export.jsonl", "recall.json", "openapi.json", "help.txt", "help.zh.txt"]
)
def test_what_a_user_sees_is_as_written_down(built: dict[str, str], name: str) -> None:
    written = (HERE / name).read_text(encoding="utf-8")
    changes = difflib.unified_diff(written.splitlines(), built[name].splitlines(), lineterm="", n=0)
    shown = "\n".join(list(changes)[:20])
    assert not shown, f"`python tests/golden/build.py` writes {name} anew:\n{shown}"
