"""Messages to a model about its notes, in English and Chinese."""

from __future__ import annotations

NOTE_WORDS: dict[str, tuple[str, str]] = {
    "no_note": (
        "There is no note {path}; see the paths with list_notes.",
        "没有笔记 {path}；可用 list_notes 查看路径。",
    ),
    "no_notes": ("There are no notes here yet.", "此处还没有笔记。"),
    "note_listed": (
        "{path} (version {version}, {count:character|characters})",
        "{path}（版本 {version}，{count} 个字符）",
    ),
    "note_whole": ("{path}, version {version}:", "{path}，版本 {version}："),
    "note_part": (
        "{path}, version {version}, lines {first} to {last} of {total}:",
        "{path}，版本 {version}，第 {first} 至 {last} 行，共 {total} 行：",
    ),
    "note_has_fewer": (
        "{path}, version {version}, has {total:line|lines}; there is no line {first}.",
        "{path}（版本 {version}）共 {total} 行，没有第 {first} 行。",
    ),
    "note_path_long": (
        "This path is too long for a note: use a shorter one, such as notes/plan.md.",
        "这个路径对笔记来说太长：请用更短的路径，例如 notes/plan.md。",
    ),
    "note_path_unseen": (
        "{path} cannot be the path of a note: a name in it begins or ends with a blank, or has a "
        "character that cannot be seen. Use one such as notes/plan.md.",
        "{path} 不能作为笔记的路径：其中有名称以空格开头或结尾，或含有不可见的字符。"
        "请改用 notes/plan.md 这样的路径。",
    ),
    "note_path_accents": (
        "{path} cannot be the path of a note: write accented letters as single characters (NFC).",
        "{path} 不能作为笔记的路径：带变音符号的字母请写成单个字符（NFC）。",
    ),
    "note_path_secret": (
        "The path has a secret in it: use one that may be shown to everybody.",
        "路径里含有机密信息：请改用可以给任何人看的路径。",
    ),
    "note_path_below_note": (
        "{path} is a note, so nothing can be below it: choose another path, or rename that note.",
        "{path} 是一篇笔记，下面不能再有内容：请换一个路径，或给那篇笔记改名。",
    ),
    "note_path_folder": (
        "{path} is a folder: choose another path for the note.",
        "{path} 是一个文件夹：请给笔记换一个路径。",
    ),
    "note_path_whole_folder": (
        "{path} is a folder: call remove_note with folder=true to remove all that is below it.",
        "{path} 是一个文件夹：要删除其中的全部笔记，请带上 folder=true 再次调用 remove_note。",
    ),
    "note_path_inside": (
        "A folder cannot be moved into itself: choose a new path outside of {path}.",
        "文件夹不能移动到自身里面：请在 {path} 之外选择新路径。",
    ),
    "bad_path": (
        "{path} cannot be the path of a note: use names separated by single slashes, such as "
        "notes/plan.md.",
        "{path} 不能作为笔记的路径：请用单个斜杠分隔的名称，例如 notes/plan.md。",
    ),
    "note_goes_on": (
        " (go on with from_line={next} before you write over it)",
        "（覆盖之前请用 from_line={next} 读完）",
    ),
    "note_written": (
        "Written: {path} is now at version {version}.",
        "已写入：{path} 现为版本 {version}。",
    ),
    "note_redacted": (
        " Secrets were taken out of the text: {kinds}.",
        "已从正文中去除敏感内容：{kinds}。",
    ),
    "note_changed": (
        "Nothing was changed: {path} has version {version}. Read it again and repeat the change.",
        "未作更改：{path} 的版本是 {version}。请重新读取后再改。",
    ),
    "no_version": (
        "There is no version {version} of {path}; see note_history.",
        "{path} 没有版本 {version}；可用 note_history 查看。",
    ),
    "version_listed": (
        "- version {version}, {time}, {count:character|characters}",
        "- 版本 {version}，{time}，{count} 个字符",
    ),
    "folder_has_no_version": (
        "A folder has no version: leave expected_version out.",
        "文件夹没有版本：请不要给出 expected_version。",
    ),
    "operation_used": (
        "Nothing was changed: this operation id was used for another change. Use another id.",
        "未作更改：这个操作编号已用于另一次更改，请换一个。",
    ),
    "note_taken": (
        "Not renamed: {path} exists already. Choose another path, or remove it first.",
        "未改名：{path} 已存在。请换一个路径，或先移除它。",
    ),
    "note_renamed": (
        "Renamed to {path}: {count:note|notes}.",
        "已改名为 {path}：{count} 篇笔记。",
    ),
    "note_removed": ("Removed: {count:note|notes}.", "已移除：{count} 篇笔记。"),
}
