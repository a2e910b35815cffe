"""The result of a health check, in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..errors import TaishiError
from ..language.error_texts import error_in

Level = Literal["ok", "warning", "problem"]


class Bilingual(NamedTuple):
    """The same sentence in both languages."""

    en: str
    zh: str

    def in_(self, language: str) -> str:
        return self.zh if language == "zh" else self.en

    @classmethod
    def same(cls, text: str) -> Bilingual:
        """A text that exists in one language only."""
        return cls(text, text)

    @classmethod
    def of(cls, error: TaishiError) -> Bilingual:
        return cls(str(error), error_in(str(error), "zh"))


NOTHING = Bilingual("", "")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str
    level: Level
    message: Bilingual
    advice: Bilingual = NOTHING

    def text(self, language: str) -> str:
        parts = (self.message.in_(language), self.advice.in_(language))
        return " → ".join(part for part in parts if part)

    def to_dict(self, language: str) -> dict[str, str]:
        return {
            "check": self.check,
            "level": self.level,
            "message": self.message.in_(language),
            "advice": self.advice.in_(language),
        }
