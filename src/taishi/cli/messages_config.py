"""Texts of `taishi config` and `taishi migrate` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "setting_from": ("from", "来源"),
    "from_default": ("default", "默认"),
    "from_option": ("option", "命令行选项"),
    "setting_set": ("{name} is set in {file}", "{name} 已写入 {file}"),
    "setting_unset": (
        "{name} is out of {file}; the default holds",
        "{name} 已从 {file} 中去掉，沿用默认值",
    ),
    "setting_same": ("{file} says so already", "{file} 中已是如此"),
    "setting_live": (
        "processes that are running take it over within seconds",
        "正在运行的进程将在几秒内采用",
    ),
    "setting_restart": ("it takes effect after a restart", "重启后生效"),
    "setting_overridden": (
        "note: {by} sets {name}, too, and wins over the file",
        "注意：{by} 也设置了 {name}，优先于文件",
    ),
    "migrate_off": (
        "memory is switched off (memory.enabled = false); switch it on before you migrate",
        "记忆已关闭（memory.enabled = false）；迁移前请先开启",
    ),
    "migrating": ("migrating", "迁移"),
    "migrated": (
        "{total:entry|entries}: {added} brought in, {already} already there, {broken} broken",
        "共 {total} 条：迁入 {added} 条，已存在 {already} 条，损坏 {broken} 条",
    ),
    "migrated_dry": (
        "dry run, nothing is written. {total:entry|entries}: {added} would be brought in, "
        "{already} already there, {broken} broken",
        "演练，未写入。共 {total} 条：将迁入 {added} 条，已存在 {already} 条，损坏 {broken} 条",
    ),
    "migrated_notes": (
        "{timeless} without a time that can be read; {relative} with words such as “yesterday” or "
        "“he” that could not be resolved",
        "{timeless} 条没有可读的时间；{relative} 条含有无法还原的“昨天”“他”之类的词",
    ),
    "entry_broken": ("entry {number}: {reason}", "第 {number} 条：{reason}"),
    "entry_broken_more": (
        "… and {count} more; --json lists them all",
        "……另有 {count} 条；--json 列出全部",
    ),
}
