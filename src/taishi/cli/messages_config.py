"""Texts of `taishi config` and `taishi migrate` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "setting_from": ("from", "来源"),
    "from_default": ("default", "默认"),
    "from_option": ("option", "命令行选项"),
    "setting_set": ("{name} is set in {file}", "{name} 已写入 {file}"),
    "setting_unset": (
        "removed {name} from {file}; the default applies",
        "{name} 已从 {file} 中去掉，沿用默认值",
    ),
    "setting_same": ("{file} already has this value", "{file} 里已经是这个值"),
    "setting_live": (
        "a server or worker that is running applies it within seconds",
        "如有正在运行的服务或后台任务，几秒内生效",
    ),
    "setting_switched_on": (
        "restart servers and workers that are running: until then memory stays off there, and "
        "turns are not kept",
        "如有正在运行的服务或后台任务，请重启：在此之前那里的记忆仍然关闭，对话不会保存",
    ),
    "setting_restart": ("it takes effect after a restart", "重启后生效"),
    "setting_overridden": (
        "note: {by} also sets {name}, and overrides the file",
        "注意：{by} 也设置了 {name}，优先于文件",
    ),
    "migrate_off": (
        "memory is switched off (memory.enabled = false); turn it on before you migrate",
        "记忆已关闭（memory.enabled = false）；迁移前请先开启",
    ),
    "migrating": ("migrating", "迁移"),
    "migrated": (
        "{total:entry|entries}: {added} imported, {already} already there, {broken} broken",
        "共 {total} 条：迁入 {added} 条，已存在 {already} 条，损坏 {broken} 条",
    ),
    "migrated_dry": (
        "dry run, nothing was written. {total:entry|entries}: {added} would be imported, "
        "{already} already there, {broken} broken",
        "试运行，未写入。共 {total} 条：将迁入 {added} 条，已存在 {already} 条，损坏 {broken} 条",
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
