"""Texts of `export`, `import`, `backup`, `reembed`, `rescan` and `forget --prove` in English and
Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "exporting": ("exporting", "导出"),
    "exported": ("{count:line|lines} written to {file}", "已将 {count} 行写入 {file}"),
    "export_exists": (
        "{file} is there already; name another file, or say --force",
        "{file} 已存在；请换一个文件名，或加 --force",
    ),
    "export_left_out": ("left out: {what}", "未导出：{what}"),
    "importing": ("importing", "导入"),
    "checking": ("checking", "检查"),
    "line_type": ("type", "类型"),
    "added": ("added", "新增"),
    "same": ("there already", "已存在"),
    "kept": ("kept as it was", "保留原样"),
    "replaced": ("replaced", "已替换"),
    "forgotten": ("forgotten here", "已在此忘记"),
    "import_forgotten": (
        "{count} were forgotten here since and were left out; --even-forgotten takes them in",
        "{count} 条此后已在此忘记，未导入；用 --even-forgotten 可重新导入",
    ),
    "no_deletions": ("nothing was deleted", "没有删除记录"),
    "deletion_time": ("time", "时间"),
    "deletion_actor": ("who", "操作者"),
    "deletion_door": ("door", "入口"),
    "deletion_what": ("what", "对象"),
    "deletion_kind": ("kind", "类别"),
    "deletion_scope": ("scope (hash)", "范围（哈希）"),
    "deletion_removed": ("removed", "删除数"),
    "deletion_reason": ("why", "原因"),
    "no_refusals": ("no write was refused", "没有被拒绝的写入"),
    "refused_too_long": ("too long", "过长"),
    "refused_rejected": ("a person rejected it", "已被人否决"),
    "refused_authority": ("for a person to decide", "须由人决定"),
    "bad_line": ("line {line}: {reason}", "第 {line} 行：{reason}"),
    "import_dry": ("nothing was written: this was a dry run", "未写入任何内容：这是试运行"),
    "import_kept": (
        "{count:is|are} here in another form and kept; --replace takes those of the file",
        "{count} 条在此已有不同内容，保留原样；用 --replace 改用文件中的",
    ),
    "import_again": (
        "Run it again, nothing is taken in twice",
        "请再运行一次，不会重复导入",
    ),
    "remap_form": ("--remap takes OLD=NEW, not {given}", "--remap 的形式是 旧=新，而不是 {given}"),
    "backed_up": (
        "{files:file|files}, {size} MB, copied to {path} and checked; "
        "`taishi --data {path} status` opens it",
        "{files} 个文件、{size} MB 已复制到 {path} 并检查；用 `taishi --data {path} status` 打开",
    ),
    "reembedding": (
        "{count:text is|texts are} embedded anew; recall is by words meanwhile",
        "正在重新嵌入 {count} 条文本；其间按关键词召回",
    ),
    "reembedded": ("all vectors are new", "向量已全部更新"),
    "reembed_waits": (
        "they are embedded when a process that keeps running has the memory open",
        "待有常驻进程打开记忆时完成嵌入",
    ),
    "rescanning": ("rescanning", "重新检查"),
    "rescanned": (
        "{looked:record|records} read by today's redaction rules: {records} changed, and "
        "{texts:other text|other texts}, {pages:page|pages}, {jobs:job|jobs}",
        "已按当前脱敏规则检查 {looked} 条记录：改动 {records} 条，"
        "另有 {texts} 条其他文本、{pages} 份档案、{jobs} 个任务",
    ),
    "rescan_left": ("not read: {what}", "未能检查：{what}"),
    "proof": (
        "looked at {files:file|files}, {bytes:byte|bytes}, and everything in memory, for "
        "{phrases:phrase|phrases}: {found} found",
        "检查了 {files} 个文件、{bytes} 字节及内存中的一切，查找 {phrases} 个短语：发现 {found} 处",
    ),
    "proof_found": ("still there: {place}: {what}", "仍在：{place}：{what}"),
    "proof_elsewhere": (
        "in what others said, which stays: {place}: {what}",
        "在他人所说的内容中（予以保留）：{place}：{what}",
    ),
    "proof_failed": (
        "the proof failed: see above; stop other processes that use the folder and forget again",
        "未能证明已忘记：见上；请停止使用该目录的其他进程后再执行一次",
    ),
    "prove_whole": (
        "--prove is for a whole scope; leave the record's id out",
        "--prove 只用于整个范围；请去掉记录编号",
    ),
}
