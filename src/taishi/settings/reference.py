"""The example file and the reference page, made from the declarations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .schema import HOT, Settings
from .spec import Section, Spec, walk

INTRODUCTION = """\
Defaults, then the file, then the environment; the later wins. The file is the one `TAISHI_CONFIG`
names, or `taishi.toml` in the current folder. `TAISHI__SECTION__KEY` sets any key, for instance
`TAISHI__MODELS__CHAT__API_KEY`. "Live": taken over without a restart. A `[models.chat.<task>]`
section has the keys of `[models.chat]` and takes from it what it leaves out.

默认值、文件、环境变量，后者优先。文件由 `TAISHI_CONFIG` 指定，否则为当前目录的 `taishi.toml`。
`TAISHI__SECTION__KEY` 可设任意键，例如 `TAISHI__MODELS__CHAT__API_KEY`。live 表示无需重启即生效。
`[models.chat.<task>]` 的键与 `[models.chat]` 相同，未填的沿用其值。"""


def _pages() -> Iterator[tuple[str, Section, list[tuple[str, Spec]]]]:
    """Every section with its own settings; a task's are those of the section around it."""
    known = dict(walk(Settings))
    for key, part in known.items():
        if isinstance(part, Section):
            own = [(k[-1], s) for k, s in known.items() if k[:-1] == key and isinstance(s, Spec)]
            yield ".".join(key), part, [] if part.optional else own


def example_toml() -> str:
    """taishi.example.toml: every setting, commented out, with its default."""
    lines = [
        "# Taishi 的全部设置及默认值。复制为 taishi.toml，去掉要改的那一行开头的 #。",
        "# All settings with their defaults. Copy to taishi.toml and take the # off a line.",
    ]
    for name, part, settings in _pages():
        lines += ["", f"# {part.zh} {part.en}", f"[{name}]"]
        for key, spec in settings:
            lines += [f"# {spec.zh} {spec.en}", f"#{key} = {_toml(spec.default)}"]
    return "\n".join(lines) + "\n"


def reference_markdown() -> str:
    """docs/reference/settings.md: a table per section."""
    lines = ["# Settings 设置", "", INTRODUCTION]
    for name, part, settings in _pages():
        lines += ["", f"## `[{name}]`", "", f"{part.en} {part.zh}"]
        if settings:
            lines += ["", "| key | default | expected | live | meaning | 含义 |", "|" + "---|" * 6]
        for key, spec in settings:
            live = "yes" if f"{name}.{key}".startswith(HOT) else ""
            cells = (f"`{key}`", f"`{_toml(spec.default)}`", spec.expected, live, spec.en, spec.zh)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
