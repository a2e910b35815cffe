"""Texts of `taishi knowledge` and `taishi notes` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "document_name": ("document", "文档"),
    "document_title": ("title", "标题"),
    "document_type": ("type", "类型"),
    "document_size": ("bytes", "字节"),
    "document_chunks": ("chunks", "切块"),
    "document_state": ("state", "状态"),
    "document_file": ("file kept", "保留原件"),
    "document_summary": ("summary", "摘要"),
    "document_summary_extract": ("(its first sentences)", "（取自开头几句）"),
    "document_summary_model": ("(by a model)", "（由模型生成）"),
    "document_added": ("added {name}: {count:chunk|chunks}", "已添加 {name}：{count} 个切块"),
    "document_removed": ("removed {name}", "已移除 {name}"),
    "no_document": (
        "there is no document {id} in this scope; see `taishi knowledge list`",
        "此范围没有文档 {id}；可用 `taishi knowledge list` 查看",
    ),
    "no_documents": (
        "no documents yet: add one with `taishi knowledge add FILE`",
        "还没有文档：用 `taishi knowledge add 文件` 添加",
    ),
    "no_original": (
        "the file of {id} is not kept",
        "没有保留 {id} 的原件",
    ),
    "syncing": ("reading", "读取"),
    "synced": (
        "{added} added, {changed} changed, {removed} removed, {unchanged} unchanged; "
        "{count:chunk|chunks} written",
        "新增 {added}，更改 {changed}，移除 {removed}，未变 {unchanged}；写入 {count} 个切块",
    ),
    "document_warning": ("{name}: {reason}", "{name}：{reason}"),
    "sync_problem": ("left out {name}: {reason}", "略过 {name}：{reason}"),
    "found_no_passage": (
        "no document says anything about that",
        "没有文档提到这些内容",
    ),
    "note_path": ("note", "笔记"),
    "note_version": ("version", "版本"),
    "note_updated": ("updated", "更新时间"),
    "note_chars": ("characters", "字符"),
    "note_written": ("{path} has version {version} now", "{path} 现为版本 {version}"),
    "note_removed": ("removed {path}", "已移除 {path}"),
    "no_note": ("there is no note {path} in this scope", "此范围没有笔记 {path}"),
    "no_notes": (
        "no notes yet: write one with `taishi notes write MEMORY.md -`",
        "还没有笔记：用 `taishi notes write MEMORY.md -` 写入",
    ),
}
