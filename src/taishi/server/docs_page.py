"""`/docs`: the REST reference as one HTML page in the reader's language.

Without scripts or external resources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from markdown_it import MarkdownIt
from starlette.datastructures import State
from starlette.responses import HTMLResponse

from ..language.accept_language import language_of
from .rest_reference import rest_markdown, rest_markdown_zh

# Relative links between documentation pages do not resolve on a running server.
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\(\.\.?/[^)]*\)")
_OTHER_LANGUAGE = re.compile(r"^\[[^\]]+\]\(rest[^)]*\.md\)\n\n", re.MULTILINE)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_HEAD = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Taishi: REST</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; background: #f3f3f3; }
pre { padding: 0.8rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 0.8rem 0; }
th, td { border: 1px solid #ddd; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
h3 { margin-top: 2rem; border-top: 1px solid #ddd; padding-top: 1rem; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; }
  code, pre { background: #2a2a2a; }
  th, td, h3 { border-color: #444; }
  a { color: #8ab4f8; }
}
</style>
</head>
<body>
<p>{openapi}</p>
"""
_OPENAPI = {
    "en": '<a href="/openapi.json">/openapi.json</a> describes the same for programs.',
    "zh": '<a href="/openapi.json">/openapi.json</a> 以程序可读的形式给出同样的内容。',
}


def docs_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/docs")
    async def docs(request: Request) -> HTMLResponse:
        page = _page(request.app.state, request.app.openapi, language_of(request.headers))
        headers = {"Content-Security-Policy": _POLICY, "Vary": "Accept-Language"}
        return HTMLResponse(page, headers=headers)

    return router


def _page(state: State, describe: Callable[[], dict[str, Any]], language: str) -> str:
    """Rendered once per app and language: the description does not change while it runs."""
    name = f"docs_page_{language}"
    if not hasattr(state, name):
        setattr(state, name, docs_html(describe(), language))
    page: str = getattr(state, name)
    return page


def docs_html(description: Mapping[str, Any], language: str) -> str:
    """The reference page as HTML."""
    markdown = (rest_markdown_zh if language == "zh" else rest_markdown)(description)
    text = _RELATIVE_LINK.sub(r"\1", _OTHER_LANGUAGE.sub("", markdown))
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    head = _HEAD.replace("{lang}", language).replace("{openapi}", _OPENAPI[language])
    return f"{head}{html}</body>\n</html>\n"
