"""`/docs`: the REST reference rendered as one HTML page, without scripts or external resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from markdown_it import MarkdownIt
from starlette.datastructures import State
from starlette.responses import HTMLResponse

from .rest_reference import rest_markdown

# Relative links between documentation pages do not resolve on a running server.
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\(\.\.?/[^)]*\)")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_HEAD = """<!doctype html>
<html lang="en">
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
<p><a href="/openapi.json">/openapi.json</a> describes the same for programs.</p>
"""


def docs_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/docs")
    async def docs(request: Request) -> HTMLResponse:
        page = _page(request.app.state, request.app.openapi)
        return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})

    return router


def _page(state: State, describe: Callable[[], dict[str, Any]]) -> str:
    """Rendered once per app: the description does not change while it runs."""
    if not hasattr(state, "docs_page"):
        state.docs_page = docs_html(describe())
    page: str = state.docs_page
    return page


def docs_html(description: Mapping[str, Any]) -> str:
    """The reference page as HTML."""
    text = _RELATIVE_LINK.sub(r"\1", rest_markdown(description))
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return f"{_HEAD}{html}</body>\n</html>\n"
