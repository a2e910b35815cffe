"""The prompts of the answerer and the judge: Markdown files beside this module, in two languages.

They are part of every figure, so a run records their hashes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

from ...errors import InputError
from ...language.analyzer import has_cjk

LANGUAGES = ("en", "zh")
NAMES = ("answer", "judge", "judge_unanswerable")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z]{1,20})\}")
_SECTIONS = re.compile(r"# System\n(.*?)\n# User\n(.*)", re.DOTALL)


def language_of(text: str) -> str:
    return "zh" if has_cjk(text) else "en"


@dataclass(frozen=True, slots=True)
class EvaluationPrompts:
    """The texts of the files, by file name."""

    by_name: dict[str, str]

    @classmethod
    def load(cls) -> EvaluationPrompts:
        folder = files("taishi.evaluation.qa") / "prompts"
        names = [f"{name}.{language}.md" for name in NAMES for language in LANGUAGES]
        return cls({name: (folder / name).read_text(encoding="utf-8") for name in names})

    def messages(self, name: str, language: str, **values: str) -> list[dict[str, str]]:
        """A prompt as chat messages. Values are inserted once: braces in them stay as they are."""
        sections = _SECTIONS.fullmatch(self.by_name[f"{name}.{language}.md"])
        if sections is None:
            raise InputError(f"the prompt {name}.{language}.md needs '# System' and '# User'")
        roles = zip(("system", "user"), sections.groups(), strict=True)
        return [{"role": role, "content": _filled(text.strip(), values)} for role, text in roles]

    @property
    def hashes(self) -> dict[str, str]:
        return {
            name: hashlib.sha256(text.encode()).hexdigest()[:16]
            for name, text in sorted(self.by_name.items())
        }


def _filled(text: str, values: dict[str, str]) -> str:
    def put(match: re.Match[str]) -> str:
        return values[match[1]] if match[1] else match[0][0]

    return _PLACEHOLDER.sub(put, text)
