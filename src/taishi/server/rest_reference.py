"""docs/reference/rest.md, written from the description that the server itself gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..language.text import one_line
from .openapi import FAILURES, MISSING

INTRO = """# REST

This page is written by `python -m taishi.server`; a running server shows it at `/docs`, and gives
the same, with the shapes in full, as `/openapi.json`. How to start one, and who may do what:
[Serve it](../how-to/serve.md).

- **Scope.** A body says whom it is about with `scope`, an address with the same names as
  parameters: `user`, `group`, `agent`, `session`, `workspace`, `shared`. A key that is bound to
  some of them fills them in and refuses others.
- **Ids** are text or whole numbers, up to 256 characters. In an address they are percent-encoded.
- **Times** are ISO 8601 or epoch seconds; a time without a zone is in the server's timezone.
  Answers are in UTC.
- **Names** that are not known are refused, and the nearest one is named. Bodies are
  `application/json`.
- **Pages**: pass `next` of a page as `after` to get the following one; null means that there is
  none.
- **`Idempotency-Key`** on a POST that writes: sent again with the same body within a day, it is
  answered alike and done once (`Idempotency-Replayed: true`); with another body it is refused
  (422). For turns and memories it is done once also across a crash of the server.
- **`X-Request-ID`** is taken over if it is sane, made if not, and comes back with every answer.
- **Rights**: `read`, `write` and `admin`, each with the ones before. "admin of the workspace" is a
  key that is bound to no user, group or agent; "admin of the server" one for every workspace.
- **Errors** are `application/problem+json`: a `type` that never changes, `title`, `status`, a
  `detail` that says what to do, `request_id`, and `errors` with each field that does not fit, named
  as it was sent. With `Accept-Language: zh` title and detail are in Chinese.

```json
{"type": "urn:taishi:problem:scope", "title": "No scope, or one that contradicts itself",
 "status": 400, "detail": "no scope: send scope {\"user\": …} for a private chat, …",
 "request_id": "…"}
```

| status | meaning |
|---|---|
"""
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true/false",
    "null": "null",
    "object": "object",
    "array": "list",
}
SCOPE = ("user", "group", "agent", "session", "workspace", "shared")


def rest_markdown(described: Mapping[str, Any]) -> str:
    """The page, from an OpenAPI description."""
    failures = sorted({**FAILURES, 404: MISSING}.items())
    parts = [INTRO + "".join(f"| {status} | {words} |\n" for status, words in failures)]
    for tag in described["tags"]:
        parts.append(f"\n## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        for path, methods in described["paths"].items():
            for method, told in methods.items():
                if told["tags"] == [tag["name"]]:
                    parts.append(_route(method.upper(), path, told, described))
    return "".join(parts)


def _route(method: str, path: str, told: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    words = one_line(told.get("description", ""))
    line = told["summary"].rstrip("?.") + ("?" if told["summary"].endswith("?") else ".")
    text = f"\n### `{method} {path}`\n\n**{line}** {words} Needs {told['x-needs']}.\n"
    rows = list(_parameters(told)) + list(_body(told, described))
    if rows:
        text += "\n| name | is | meaning |\n|---|---|---|\n" + "".join(rows)
    good = next(status for status in told["responses"] if status < "300")
    return text + f"\nAnswers {good}{_answer(told['responses'][good], described)}.\n"


def _parameters(told: Mapping[str, Any]) -> Iterator[str]:
    every = [one for one in told.get("parameters", []) if one["in"] != "header"]
    names = [one["name"] for one in every if one["in"] == "query"]
    scoped = all(name in names for name in SCOPE)
    if scoped:
        yield "| `user`, `group`, `agent`, `session`, `workspace`, `shared` | | the scope |\n"
    for one in every:
        if not (scoped and one["name"] in SCOPE):
            schema = one["schema"]
            words = one.get("description") or schema.get("description", "")
            yield f"| `{one['name']}` | {_kind(schema)} | {_cell(words)} |\n"


def _body(told: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[str]:
    content = told.get("requestBody", {}).get("content", {})
    for media_type, one in content.items():
        if media_type != "application/json":
            yield f"| body | `{media_type}` | |\n"
            continue
        schema = _resolved(one["schema"], described)
        for name, field in schema.get("properties", {}).items():
            needed = " (needed)" if name in schema.get("required", ()) else ""
            words = "the scope" if name == "scope" else field.get("description", "")
            yield f"| `{name}`{needed} | {_kind(field)} | {_cell(words)} |\n"


def _answer(response: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    for media_type, one in response.get("content", {}).items():
        if media_type != "application/json":
            return f" with `{media_type}`"
        fields = _resolved(one["schema"], described).get("properties", {})
        return " with " + ", ".join(f"`{name}`" for name in fields)
    return ""


def _resolved(schema: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
    options = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    name = options[0].get("$ref", "").rpartition("/")[2]
    found: Mapping[str, Any] = described["components"]["schemas"].get(name, options[0])
    return found


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = (_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return " ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return "object"
    kind = TYPES.get(schema.get("type", ""), "anything")
    return f"list of {_kind(schema['items'])}" if kind == "list" and schema.get("items") else kind


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
