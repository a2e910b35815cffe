"""Texts of `taishi knowledge` and `taishi notes` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "document_name": ("document", "文档"),
    "document_title": ("title", "标题"),
    "document_type": ("type", "类型"),
    "document_size": ("bytes", "字节"),
    "document_chunks": ("chunks", "片段"),
    "document_state": ("state", "状态"),
    "document_file": ("file stored", "保留原件"),
    "document_summary": ("summary", "摘要"),
    "document_summary_extract": ("(its first sentences)", "（取自开头几句）"),
    "document_summary_model": ("(by a model)", "（由模型生成）"),
    "document_added": ("added {name}: {count:chunk|chunks}", "已添加 {name}：{count} 个片段"),
    "document_removed": ("removed {name}", "已移除 {name}"),
    "no_document": (
        "there is no document {id} in this scope; see `taishi knowledge list`",
        "此作用域里没有文档 {id}；可用 `taishi knowledge list` 查看",
    ),
    "no_documents": (
        "no documents yet: add one with `taishi knowledge add FILE`",
        "还没有文档：用 `taishi knowledge add 文件` 添加",
    ),
    "no_original": (
        "the file of {id} was not stored",
        "没有保留 {id} 的原件",
    ),
    "syncing": ("reading", "读取"),
    "synced": (
        "{added} added, {changed} changed, {removed} removed, {unchanged} unchanged; "
        "{count:chunk|chunks} written",
        "新增 {added}，更改 {changed}，移除 {removed}，未变 {unchanged}；写入 {count} 个片段",
    ),
    "document_warning": ("{name}: {reason}", "{name}：{reason}"),
    "sync_problem": ("left out {name}: {reason}", "略过 {name}：{reason}"),
    "found_no_passage": (
        "no document mentions that",
        "没有文档提到这些内容",
    ),
    "note_path": ("note", "笔记"),
    "note_version": ("version", "版本"),
    "note_updated": ("updated", "更新时间"),
    "note_chars": ("characters", "字符"),
    "note_written": ("{path} is now at version {version}", "{path} 现为版本 {version}"),
    "note_removed": ("removed {path}", "已移除 {path}"),
    "notes_removed": ("removed {count:note|notes}", "已移除 {count} 篇笔记"),
    "note_renamed": ("renamed to {path}", "已改名为 {path}"),
    "note_redacted": (
        "secrets were removed from the text: {kinds}",
        "已从正文中去除敏感内容：{kinds}",
    ),
    "note_replayed": (
        "this operation was done before; nothing changed",
        "此操作已执行过，没有再次改动",
    ),
    "note_score": ("score", "得分"),
    "note_snippet": ("passage", "片段"),
    "found_no_note": ("no note mentions that", "没有笔记提到这些内容"),
    "no_note": ("there is no note {path} in this scope", "此作用域里没有笔记 {path}"),
    "no_note_version": (
        "note {path} has no version {version}; list them with `taishi notes history {path}`",
        "笔记 {path} 没有版本 {version}；请用 `taishi notes history {path}` 列出",
    ),
    "no_notes": (
        "no notes yet: write one with `taishi notes write MEMORY.md -`",
        "还没有笔记：用 `taishi notes write MEMORY.md -` 写入",
    ),
}
