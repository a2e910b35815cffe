"""The example file and the reference pages, made from the declarations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .schema import HOT, Settings
from .spec import NO_LIMIT, Section, Spec, walk

ENGLISH = """\
# Settings

[中文](settings.zh-CN.md)

Defaults, then the file, then the environment; the later wins. The file is the one `TAISHI_CONFIG`
names, or `taishi.toml` in the current folder. `TAISHI__SECTION__KEY` sets any key, for instance
`TAISHI__MODELS__CHAT__API_KEY`. "Live": a running process applies a change within seconds; the
others need a restart. A `[models.chat.<task>]` section has the keys of `[models.chat]` and takes
from it what it leaves out. How to change them:
[Change settings while it runs](../how-to/change-settings.md)."""
CHINESE = """\
# 设置

[English](settings.md)

依次读取默认值、设置文件、环境变量，后者优先。\
设置文件由 `TAISHI_CONFIG` 指定，没有指定则是当前目录的 `taishi.toml`。\
`TAISHI__SECTION__KEY` 可以设置任何一项，例如 `TAISHI__MODELS__CHAT__API_KEY`。\
“即时”一列为“是”的，正在运行的进程几秒内生效；其余的重启后生效。\
`[models.chat.<task>]` 的设置项与 `[models.chat]` 相同，没有填的沿用后者的值。\
修改方法见[运行中修改设置](../how-to/change-settings.zh-CN.md)。"""


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
    lines = [ENGLISH]
    for name, part, settings in _pages():
        lines += ["", f"## `[{name}]`", "", part.en]
        if settings:
            lines += ["", "| key | default | expected | live | meaning |", "|" + "---|" * 5]
        for key, spec in settings:
            live = "yes" if _is_live(name, key) else ""
            lines.append(_row(key, spec, spec.expected, live, spec.en))
    return "\n".join(lines) + "\n"


def reference_markdown_zh() -> str:
    """docs/reference/settings.zh-CN.md: the same in Chinese."""
    lines = [CHINESE]
    for name, part, settings in _pages():
        lines += ["", f"## `[{name}]`", "", part.zh]
        if settings:
            lines += ["", "| 设置项 | 默认值 | 取值 | 即时 | 含义 |", "|" + "---|" * 5]
        for key, spec in settings:
            live = "是" if _is_live(name, key) else ""
            lines.append(_row(key, spec, _expected_zh(spec), live, spec.zh))
    return "\n".join(lines) + "\n"


def _is_live(section: str, key: str) -> bool:
    return f"{section}.{key}".startswith(HOT)


def _row(key: str, spec: Spec, expected: str, live: str, meaning: str) -> str:
    return f"| `{key}` | `{_toml(spec.default)}` | {expected} | {live} | {meaning} |"


def _expected_zh(spec: Spec) -> str:
    """`Spec.expected` in Chinese."""
    if spec.choices:
        return "、".join(spec.choices) + " 之一"
    if isinstance(spec.default, bool):
        return "true 或 false"
    if isinstance(spec.default, str):
        return "文本，不能为空" if spec.low else "文本"
    noun = "整数" if isinstance(spec.default, int) else "数字"
    upper = f"{spec.low:g} 到 {spec.high:g}" if spec.high < NO_LIMIT else f"不小于 {spec.low:g}"
    return f"{noun}，{upper}"


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
