"""Texts of `taishi records`, and of what was redacted, in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "no_records": ("no matching records", "没有符合条件的记录"),
    "no_such_record": (
        "there is no record {id} in this scope; see `{command}`",
        "该作用域里没有编号为 {id} 的记录；用 `{command}` 查看",
    ),
    "more_records": ("more: --after {cursor}", "还有更多：--after {cursor}"),
    "record_state": ("state", "状态"),
    "record_created": ("created", "创建时间"),
    "redacted": (
        "removed before it was stored: {kinds}",
        "写入前已去除的敏感内容：{kinds}",
    ),
    "no_longer_told": ("no longer told: {text}", "不再记有：{text}"),
    "still_known": (
        "learned from it, and still known; correct it with `taishi facts correct {id}`: {text}",
        "由它学到的事实仍然成立，需要时请用 `taishi facts correct {id}` 更正：{text}",
    ),
    "learned_went": (
        "{kind} {id}, which rested on it alone, went with it: {text}",
        "{kind} {id} 只由它得出，已一并删除：{text}",
    ),
    "told_in_other_words": (
        "{kind} {id} seems to say it in other words; forget that as well if it is to go: {text}",
        "{kind} {id} 似乎换了说法讲同一件事，如需删除请一并忘记：{text}",
    ),
}
