"""Generates docs/reference/rest.md from the server's OpenAPI description."""

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
- **`X-Taishi-Actor: model`** says that a model decided this: it is trusted less, whatever the key
  may do. No other value is taken.
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


def rest_markdown(openapi: Mapping[str, Any]) -> str:
    """The page, from an OpenAPI description."""
    failures = sorted({**FAILURES, 404: MISSING}.items())
    parts = [INTRO + "".join(f"| {status} | {words} |\n" for status, words in failures)]
    for tag in openapi["tags"]:
        parts.append(f"\n## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        for path, methods in openapi["paths"].items():
            for method, operation in methods.items():
                if operation["tags"] == [tag["name"]]:
                    parts.append(_route(method.upper(), path, operation, openapi))
    return "".join(parts)


def _route(method: str, path: str, operation: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    description = one_line(operation.get("description", ""))
    line = operation["summary"].rstrip("?.") + ("?" if operation["summary"].endswith("?") else ".")
    text = f"\n### `{method} {path}`\n\n**{line}** {description} Needs {operation['x-needs']}.\n"
    rows = list(_parameters(operation)) + list(_body(operation, openapi))
    if rows:
        text += "\n| name | is | meaning |\n|---|---|---|\n" + "".join(rows)
    success = next(status for status in operation["responses"] if status < "300")
    return text + f"\nAnswers {success}{_answer(operation['responses'][success], openapi)}.\n"


def _parameters(operation: Mapping[str, Any]) -> Iterator[str]:
    parameters = [
        parameter for parameter in operation.get("parameters", []) if parameter["in"] != "header"
    ]
    names = [parameter["name"] for parameter in parameters if parameter["in"] == "query"]
    scoped = all(name in names for name in SCOPE)
    if scoped:
        yield "| `user`, `group`, `agent`, `session`, `workspace`, `shared` | | the scope |\n"
    for parameter in parameters:
        if not (scoped and parameter["name"] in SCOPE):
            schema = parameter["schema"]
            words = parameter.get("description") or schema.get("description", "")
            yield f"| `{parameter['name']}` | {_kind(schema)} | {_cell(words)} |\n"


def _body(operation: Mapping[str, Any], openapi: Mapping[str, Any]) -> Iterator[str]:
    content = operation.get("requestBody", {}).get("content", {})
    for media_type, media in content.items():
        if media_type != "application/json":
            yield f"| body | `{media_type}` | |\n"
            continue
        schema = _resolved(media["schema"], openapi)
        for name, field in schema.get("properties", {}).items():
            needed = " (needed)" if name in schema.get("required", ()) else ""
            words = "the scope" if name == "scope" else field.get("description", "")
            yield f"| `{name}`{needed} | {_kind(field)} | {_cell(words)} |\n"


def _answer(response: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    for media_type, media in response.get("content", {}).items():
        if media_type != "application/json":
            return f" with `{media_type}`"
        fields = _resolved(media["schema"], openapi).get("properties", {})
        return " with " + ", ".join(f"`{name}`" for name in fields)
    return ""


def _resolved(schema: Mapping[str, Any], openapi: Mapping[str, Any]) -> Mapping[str, Any]:
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
    name = options[0].get("$ref", "").rpartition("/")[2]
    resolved: Mapping[str, Any] = openapi["components"]["schemas"].get(name, options[0])
    return resolved


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = (_kind(option) for option in schema["anyOf"] if option.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return " ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return "object"
    kind = TYPES.get(schema.get("type", ""), "anything")
    return f"list of {_kind(schema['items'])}" if kind == "list" and schema.get("items") else kind


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
