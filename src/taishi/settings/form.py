"""The settings as a form: each field with its value in force, its limits and its meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .live import value_of
from .schema import HOT, Settings
from .spec import NO_LIMIT, Section, Spec, walk
from .writer import MASK

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


@dataclass(frozen=True)
class FormSection:
    """A table of the settings file. Fields are plain values, ready to be sent."""

    key: str
    en: str
    zh: str
    fields: list[dict[str, Any]] = field(default_factory=list)


def form_sections(settings: Settings) -> Iterator[FormSection]:
    sections: dict[str, FormSection] = {}
    for path, spec in walk(Settings):
        key = ".".join(path)
        if isinstance(spec, Section):
            sections[key] = FormSection(key, spec.en, spec.zh)
        else:
            sections[key.rpartition(".")[0]].fields.append(_field(settings, key, spec))
    return (section for section in sections.values() if section.fields)


def _field(settings: Settings, key: str, spec: Spec) -> dict[str, Any]:
    value = value_of(settings, key)
    is_number = type(spec.default) in (int, float)
    return {
        "key": key,
        "type": "choice" if spec.choices else _TYPES[type(spec.default)],
        "value": MASK if spec.secret and value else value,
        "default": "" if spec.secret else spec.default,
        "low": spec.low if is_number else None,
        "high": spec.high if is_number and spec.high < NO_LIMIT else None,
        "choices": list(spec.choices),
        "secret": spec.secret,
        "live": key.startswith(HOT),
        "set_by": settings.origin.given.get(key),
        "en": spec.en,
        "zh": spec.zh,
    }
