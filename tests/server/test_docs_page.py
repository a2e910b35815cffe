"""`/docs` is a page of our own: every route is on it, and nothing is fetched from elsewhere."""

from __future__ import annotations

import re
from html import unescape

import pytest

from server.conftest import Served, route_names


@pytest.mark.parametrize(("language", "words"), [("en", "End a turn."), ("zh", "结束一轮。")])
def test_T2_docs_shows_every_route_without_foreign_scripts(
    served: Served, language: str, words: str
) -> None:
    served.key()  # the page about the API is open, as the description itself is
    answer = served.client.get("/docs", headers={"Accept-Language": language})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    page = answer.text
    assert "<script" not in page
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["'](?!/|#)""", page) == []
    shown = set(re.findall(r"<h3><code>([^<]+)</code></h3>", page))
    assert {unescape(one) for one in shown} == route_names(served.app)
    assert "<table>" in page
    assert f'<html lang="{language}">' in page and words in page
