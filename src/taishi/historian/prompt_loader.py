"""Loads the prompts: Markdown files, built in or overridden by the user, checked at load time.

A prompt says what to do; its input goes in as `{data}`, one JSON object in a fence that nothing
inside it can close.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import SettingsError
from ..language.invisible_characters import UNSEEN
from ..language.lazy_regex import lazy_compile

LANGUAGES = ("en", "zh")
PLACEHOLDERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "rewrite": frozenset({"data", "now"}),
        "extract": frozenset({"data"}),
        "merge": frozenset({"data"}),
        "decide": frozenset({"data"}),
        "summarise": frozenset({"data"}),
        "query": frozenset({"data"}),
        "document": frozenset({"data"}),
        "compress": frozenset({"data"}),
    }
)
_MAX_BYTES = 64_000
_PLACEHOLDER = lazy_compile(r"(?<!\{)\{([A-Za-z_][A-Za-z_0-9]*)\}(?!\})")
_HEADING = lazy_compile(r"^# *(system|user) *$", re.IGNORECASE | re.MULTILINE)
# Escaped in the JSON: what could close the fence or mimic a chat template, and invisible
# characters.
_ESCAPED = lazy_compile(f"[`<>\x7f-\x9f\u2028\u2029{UNSEEN}\ud800-\udfff]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file: the system message (may be empty) and the user message."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Prompts:
    """Every prompt, by task and language."""

    by_name: Mapping[str, Prompt]

    @classmethod
    def load(cls, folder: Path | None = None) -> Prompts:
        """The built-in prompts, each replaced by the file of the same name in `folder`.

        Raises SettingsError, so that a bad file fails at startup and not in some later job.
        """
        names = {f"{task}.{language}.md": task for task in PLACEHOLDERS for language in LANGUAGES}
        builtin = files("taishi.historian") / "prompts"
        texts = {name: (name, (builtin / name).read_text(encoding="utf-8")) for name in names}
        if folder is not None and folder.is_dir():
            texts |= {path.name: (str(path), _read(path)) for path in _overrides(folder, names)}
        return cls({n: _parse(label, t, PLACEHOLDERS[names[n]]) for n, (label, t) in texts.items()})

    def messages(self, task: str, language: str, **values: object) -> list[dict[str, str]]:
        """The prompt of a task as chat messages; `data` is inserted as fenced JSON."""
        prompt = self.by_name[f"{task}.{language if language in LANGUAGES else 'en'}.md"]
        if values.keys() != PLACEHOLDERS[task]:
            raise ValueError(f"the prompt {task!r} takes {sorted(PLACEHOLDERS[task])}")
        substitutions = {key: fenced(v) if key == "data" else str(v) for key, v in values.items()}

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda match: substitutions[match[1]], text)

        chat = [{"role": "user", "content": fill(prompt.user)}]
        if prompt.system:
            chat.insert(0, {"role": "system", "content": fill(prompt.system)})
        return chat


def fenced(data: object) -> str:
    """Data as JSON in a code fence that the data cannot close."""
    text = json.dumps(data, ensure_ascii=False, indent=1, default=str)
    safe = _ESCAPED.sub(_escape, text)
    return f"```json\n{safe}\n```"


def _escape(match: re.Match[str]) -> str:
    """JSON escapes; characters beyond U+FFFF become a surrogate pair."""
    pair = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pair[start : start + 4]}" for start in range(0, len(pair), 4))


def _overrides(folder: Path, names: Mapping[str, Any]) -> list[Path]:
    paths = sorted(path for path in folder.iterdir() if re.search(r"\..+\.md$", path.name))
    for path in paths:
        if path.name not in names:
            closest = get_close_matches(path.name, names, 1, 0.0)[0]
            raise SettingsError(f"{path}: there is no such prompt; did you mean {closest}?")
    return paths


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise SettingsError(f"{path}: a prompt has at most {_MAX_BYTES:,} bytes; shorten it")
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error}); mend or remove it") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not UTF-8; save it as UTF-8") from error


def _parse(name: str, text: str, expected: frozenset[str]) -> Prompt:
    text = text.replace("\r\n", "\n")
    parts = _HEADING.split(text)
    if len(parts) == 1:
        parts = ["", "user", text]
    if parts[0].strip():
        raise SettingsError(f"{name}: move the text above the first heading below '# User'")
    sections: dict[str, str] = {}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        if heading.lower() in sections:
            raise SettingsError(f"{name}: '# {heading}' is there twice; keep one")
        sections[heading.lower()] = body.strip()
    prompt = Prompt(sections.get("system", ""), sections.get("user", ""))
    _check(name, prompt, expected)
    return prompt


def _check(name: str, prompt: Prompt, expected: frozenset[str]) -> None:
    in_user = _PLACEHOLDER.findall(prompt.user)
    used = {*in_user, *_PLACEHOLDER.findall(prompt.system)}
    if missing := sorted(expected - used):
        raise SettingsError(f"{name}: the placeholder {{{missing[0]}}} is missing; add it")
    if unknown := sorted(used - expected):
        allowed = ", ".join(f"{{{word}}}" for word in sorted(expected))
        raise SettingsError(
            f"{name}: {{{unknown[0]}}} is no placeholder here; use {allowed}, or double the braces"
        )
    if in_user.count("data") != 1 or "data" in _PLACEHOLDER.findall(prompt.system):
        raise SettingsError(f"{name}: put {{data}} once, under '# User'; it is no instruction")
