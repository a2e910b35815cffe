"""Health check of profile files, with advice on how to repair them (P6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..exported import PageFault
from .findings import Bilingual, Finding, Level

MAX_SHOWN = 20
UNREADABLE_KINDS = ("folder", "unreadable", "other")

WORDS: dict[str, tuple[Bilingual, Bilingual]] = {
    "encoding": (
        Bilingual("not UTF-8, read as {detail}", "不是 UTF-8，按 {detail} 读取"),
        Bilingual("save it as UTF-8", "请另存为 UTF-8"),
    ),
    "front_missing": (
        Bilingual(
            "no front matter, all of it is read as the page", "没有 front matter，全部按正文读取"
        ),
        Bilingual("nothing to do: the next write adds it", "无需处理：下次写入时补上"),
    ),
    "front_open": (
        Bilingual("the front matter lacks a line of ---", "front matter 缺少一行 ---"),
        Bilingual("put it back, or wait for the next write", "请补上，或等下次写入"),
    ),
    "front_broken": (
        Bilingual(
            "the front matter is not YAML: {detail}", "front matter 不是合法的 YAML：{detail}"
        ),
        Bilingual("look at quotes and brackets in that line", "请检查这一行的引号与括号"),
    ),
    "label": (
        Bilingual("{detail} is not plain text and is left out", "{detail} 不是纯文本，已略去"),
        Bilingual("write it as text in quotes", "请写成带引号的文本"),
    ),
    "id": (
        Bilingual("says {detail}, but its file name says otherwise", "写着 {detail}，与文件名不符"),
        Bilingual("the file name counts; correct the id", "以文件名为准，请改正编号"),
    ),
    "empty": (
        Bilingual("the file is empty", "文件为空"),
        Bilingual(
            "roll back with `taishi profile rollback`, or delete it",
            "请用 `taishi profile rollback` 恢复，或删除该文件",
        ),
    ),
    "folder": (
        Bilingual("a folder is in the place of the page", "画像的位置上是一个目录"),
        Bilingual("move the folder away", "请移走该目录"),
    ),
    "unreadable": (
        Bilingual("cannot be read {detail}", "无法读取 {detail}"),
        Bilingual("correct its permissions", "请改正权限"),
    ),
    "stray": (
        Bilingual("says what another person said", "写着另一个人说的内容"),
        Bilingual("`taishi rebuild` takes it out", "用 `taishi rebuild` 可以移除"),
    ),
    "other": (
        Bilingual(
            "is the page of {detail} and is shown to nobody here", "是 {detail} 的画像，不予显示"
        ),
        Bilingual("correct the id, or remove the copy", "请改正编号，或删除副本"),
    ),
}


def profile_findings(faults: Sequence[PageFault]) -> Iterator[Finding]:
    """One finding per fault; a warning if the profile can be read nevertheless."""
    if not faults:
        yield Finding("pages", "ok", Bilingual("readable", "可读取"))
    for fault in faults[:MAX_SHOWN]:
        what, advice = WORDS[fault.kind]
        message = Bilingual(
            f"{fault.file}, line {fault.line}: {what.en.format(detail=fault.detail)}".rstrip(),
            f"{fault.file} 第 {fault.line} 行：{what.zh.format(detail=fault.detail)}".rstrip(),
        )
        level: Level = "problem" if fault.kind in UNREADABLE_KINDS else "warning"
        yield Finding("pages", level, message, advice)
    if len(faults) > MAX_SHOWN:
        more = len(faults) - MAX_SHOWN
        yield Finding("pages", "warning", Bilingual(f"and {more} more", f"另有 {more} 处"))
