"""The Python on the pages about adapters runs and prints what they say, with a scripted model."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest

from support.scripted_upstream import ScriptedUpstream

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "adapters"
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
# These are pages of the frameworks in this environment; a page of another one is run by its tests.
NAMES = ("langchain", "langgraph", "llama-index", "openai-agents")
PAGES = sorted(page for name in NAMES for page in FOLDER.glob(f"{name}*.md"))


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of what a reader's process would end with
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_says_what_happens(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fences = [*FENCE.finditer(page.read_text("utf-8")), None]
    assert any(fence and fence[1] == "python" for fence in fences)
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI__QUERY__RECALL_TIMEOUT", "10")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    names = {"__name__": "__main__"}
    with ScriptedUpstream() as upstream:
        monkeypatch.setenv("OPENAI_BASE_URL", upstream.url)
        for fence, after in pairwise(fences):
            if fence is None or fence[1] != "python":
                continue
            printed = StringIO()
            with redirect_stdout(printed):
                exec(compile(fence[2], str(page), "exec"), names)
            if after is not None and after[1] == "output":
                assert printed.getvalue() == after[2]
    if upstream.requests:
        assert re.search("Cork|苏州", upstream.requests[-1].said), "it was recalled"
