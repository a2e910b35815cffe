"""Generates docs/reference/rest.md and rest.zh-CN.md from the server's OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..language.text import one_line
from .openapi_chinese import in_chinese
from .rest_reference_words import CHINESE, ENGLISH, PageWords

SCOPE = ("user", "group", "agent", "session", "workspace", "shared")


def rest_markdown(openapi: Mapping[str, Any]) -> str:
    """The page, from an OpenAPI description."""
    return _Page(openapi, ENGLISH).markdown()


def rest_markdown_zh(openapi: Mapping[str, Any]) -> str:
    """The same page in Chinese."""
    return _Page(in_chinese(openapi), CHINESE).markdown()


@dataclass(frozen=True)
class _Page:
    openapi: Mapping[str, Any]
    words: PageWords

    def markdown(self) -> str:
        failures = sorted(self.words.failures.items())
        rows = "".join(f"| {status} | {meaning} |\n" for status, meaning in failures)
        parts = [f"{self.words.intro}\n{self.words.status_head}\n|---|---|\n{rows}"]
        for tag in self.openapi["tags"]:
            title = tag.get("x-title") or tag["name"].capitalize()
            parts.append(f"\n## {title}\n\n{tag['description']}\n")
            for path, methods in self.openapi["paths"].items():
                for method, operation in methods.items():
                    if operation["tags"] == [tag["name"]]:
                        parts.append(self._route(method.upper(), path, operation))
        return "".join(parts)

    def _route(self, method: str, path: str, operation: Mapping[str, Any]) -> str:
        summary = operation["summary"]
        is_question = summary.endswith(("?", "？"))
        line = (self.words.question if is_question else self.words.operation).format(
            summary=summary.rstrip("."),
            description=one_line(operation.get("description", "")),
            needs=operation["x-needs"],
        )
        text = f"\n### `{method} {path}`\n\n{line}\n"
        rows = list(self._parameters(operation)) + list(self._body(operation))
        if rows:
            text += f"\n{self.words.field_head}\n|---|---|---|\n" + "".join(rows)
        success = next(status for status in operation["responses"] if status < "300")
        content = self._content(operation["responses"][success])
        return f"{text}\n{self.words.answer.format(status=success, content=content)}\n"

    def _parameters(self, operation: Mapping[str, Any]) -> Iterator[str]:
        parameters = [
            parameter
            for parameter in operation.get("parameters", [])
            if parameter["in"] != "header"
        ]
        names = [parameter["name"] for parameter in parameters if parameter["in"] == "query"]
        scoped = all(name in names for name in SCOPE)
        if scoped:
            yield f"| {self._names(SCOPE)} | | {self.words.scope} |\n"
        for parameter in parameters:
            if not (scoped and parameter["name"] in SCOPE):
                schema = parameter["schema"]
                words = parameter.get("description") or schema.get("description", "")
                yield f"| `{parameter['name']}` | {self._kind(schema)} | {_cell(words)} |\n"

    def _body(self, operation: Mapping[str, Any]) -> Iterator[str]:
        content = operation.get("requestBody", {}).get("content", {})
        for media_type, media in content.items():
            if media_type != "application/json":
                yield f"| {self.words.body} | `{media_type}` | |\n"
                continue
            schema = self._resolved(media["schema"])
            for name, field in schema.get("properties", {}).items():
                needed = self.words.needed if name in schema.get("required", ()) else ""
                words = self.words.scope if name == "scope" else field.get("description", "")
                yield f"| `{name}`{needed} | {self._kind(field)} | {_cell(words)} |\n"

    def _content(self, response: Mapping[str, Any]) -> str:
        for media_type, media in response.get("content", {}).items():
            names = [media_type]
            if media_type == "application/json":
                names = list(self._resolved(media["schema"]).get("properties", {}))
            return self.words.content.format(fields=self._names(names))
        return ""

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        options = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
        name = options[0].get("$ref", "").rpartition("/")[2]
        resolved: Mapping[str, Any] = self.openapi["components"]["schemas"].get(name, options[0])
        return resolved

    def _kind(self, schema: Mapping[str, Any]) -> str:
        if "anyOf" in schema:
            options = [option for option in schema["anyOf"] if option.get("type") != "null"]
            return self.words.or_.join(dict.fromkeys(map(self._kind, options)))
        if "enum" in schema:
            return " ".join(f"`{value}`" for value in schema["enum"])
        if "$ref" in schema:
            return self.words.types["object"]
        if schema.get("type") == "array" and schema.get("items"):
            return self.words.list_of.format(kind=self._kind(schema["items"]))
        return self.words.types[schema.get("type", "")]

    def _names(self, names: Iterable[str]) -> str:
        return self.words.comma.join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
