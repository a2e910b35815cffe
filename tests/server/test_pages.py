"""What the pages tell people to send is taken: every `curl` of the docs is answered."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from server.conftest import Served

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ADDRESS = re.compile(r"(?:http://)?(?:localhost|127\.0\.0\.1):\d+(/\S*)")


def curls(text: str) -> list[list[str]]:
    found = []
    for block in FENCE.findall(text):
        for part in re.split(r"^(?=curl )", block, flags=re.MULTILINE):
            if part.startswith("curl "):
                found.append(shlex.split(part, comments=True))
    return found


PAGES = {
    page.relative_to(ROOT).as_posix(): commands
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if (commands := curls(page.read_text("utf-8")))
}


def test_some_pages_show_how_to_ask() -> None:
    assert len(PAGES) >= 2


@pytest.mark.parametrize("page", PAGES)
def test_every_curl_of_a_page_is_answered(page: str, served: Served) -> None:
    for command in PAGES[page]:
        method, path, body, headers = "GET", "", None, {}
        words = iter(command[1:])
        for word in words:
            if word in ("-H", "--header"):
                name, _, value = next(words).partition(":")
                headers[name] = value.strip()
            elif word in ("-d", "--data", "--data-binary"):
                method, body = "POST", next(words)
            elif word in ("-X", "--request"):
                method = next(words)
            elif match := ADDRESS.fullmatch(word):
                path = match[1]
        assert path, command
        answer = served.client.request(method, path, content=body, headers=headers)
        assert answer.status_code < 300, (command, answer.text)
