"""Texts of `export`, `import`, `backup`, `reembed`, `rescan` and `forget --prove` in English and
Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "copy_copying": ("copying", "复制"),
    "copy_checking": ("checking", "校验"),
    "copy_no_memory": (
        "there is no memory at {address}; give its folder or address",
        "{address} 处没有记忆；请给出记忆所在的目录",
    ),
    "copy_is_whole": (
        "{address} holds no copy that was interrupted; there is nothing to give up",
        "{address} 中没有中断的复制，无可放弃",
    ),
    "copy_given_up": (
        "given up: {address} can be opened, with what was copied so far",
        "已放弃复制：{address} 可以打开，内容止于已复制的部分",
    ),
    "copy_done": (
        "copied and verified: {lines} lines, {keys} keys, {archives} archives; "
        "both sides have the checksum {checksum}",
        "复制完成并已校验：{lines} 行、{keys} 个密钥、{archives} 个归档；两侧校验和均为 {checksum}",
    ),
    "copy_passes": (
        "the source changed during the copy: caught up in {passes} passes",
        "复制期间源有变化：共 {passes} 遍后一致",
    ),
    "copy_open": (
        "{count:process has|processes have} the source open: what they write from now on is not in "
        "the copy",
        "有 {count} 个进程打开着源：它们此后写入的内容不在副本中",
    ),
    "exporting": ("exporting", "导出"),
    "exported": ("{count:line|lines} written to {file}", "已将 {count} 行写入 {file}"),
    "export_exists": (
        "{file} already exists; choose another file, or use --force",
        "{file} 已存在；请换一个文件名，或加 --force",
    ),
    "export_left_out": ("left out: {what}", "未导出：{what}"),
    "export_incomplete": (
        "the export lacks {count:thing|things} that could not be read: see above",
        "导出不完整：有 {count} 项未能导出，见上",
    ),
    "importing": ("importing", "导入"),
    "checking": ("checking", "检查"),
    "line_type": ("type", "类型"),
    "added": ("added", "新增"),
    "same": ("already there", "已存在"),
    "kept": ("kept as it was", "保留原样"),
    "replaced": ("replaced", "已替换"),
    "forgotten": ("forgotten here", "已在此忘记"),
    "import_forgotten": (
        "{count} were forgotten here since and were left out; --even-forgotten imports them",
        "{count} 条此后已在此忘记，未导入；用 --even-forgotten 可重新导入",
    ),
    "no_deletions": ("nothing was deleted", "没有删除记录"),
    "deletion_time": ("time", "时间"),
    "deletion_actor": ("who", "操作者"),
    "deletion_door": ("via", "接口"),
    "deletion_what": ("what", "对象"),
    "deletion_kind": ("kind", "类别"),
    "deletion_scope": ("scope (hash)", "作用域（哈希）"),
    "deletion_removed": ("removed", "删除数"),
    "deletion_reason": ("why", "原因"),
    "no_refusals": ("no write was refused", "没有被拒绝的写入"),
    "refused_too_long": ("too long", "过长"),
    "refused_rejected": ("a person rejected it", "已被人否决"),
    "refused_authority": ("for a person to decide", "须由人决定"),
    "keys_went": (
        "{count:key|keys} bound to it went, too: programs that use them are not let in any more",
        "其中有绑定到它的 API 密钥 {count} 个：用这些密钥的程序不能再访问",
    ),
    "refused_claim": ("metadata name what is Taishi's own", "metadata 占用了太史自有的名称"),
    "bad_line": ("line {line}: {reason}", "第 {line} 行：{reason}"),
    "import_dry": ("nothing was written: this was a dry run", "未写入任何内容：这是试运行"),
    "import_kept": (
        "{count:is|are} stored here with other content and not changed; --replace takes the file's",
        "{count} 条在此已有不同内容，保留原样；用 --replace 改用文件中的",
    ),
    "import_own_only": (
        "--skip-bad and --remap are for Taishi's own exports; with --from, unreadable entries are "
        "always skipped, and --workspace says where the chats go",
        "--skip-bad 和 --remap 只用于太史自己的导出；使用 --from 时总会跳过无法读取的条目，"
        "工作区由 --workspace 指定",
    ),
    "import_chats_only": (
        "--self, --bot, --chat, --timezone, --user-prefix, --encoding, --learn and --no-wait are "
        "for chats from other programs; name the program with --from",
        "--self、--bot、--chat、--timezone、--user-prefix、--encoding、--learn 和 --no-wait "
        "用于其他程序的聊天记录；请用 --from 指明来源",
    ),
    "chat_form": (
        "--chat takes NAME=TARGET, such as 'Family=group:family', not {given}",
        "--chat 的形式是 名称=去向，例如“家人=group:family”，而不是 {given}",
    ),
    "chat_by_title": (
        "the file has no id of the chat {title}, so it goes to {target}: if your bot uses another "
        "id, name it with --chat '{title}=group:ID' (or user:ID)",
        "文件里没有会话“{title}”的编号，因此去向为 {target}：如果机器人用的是别的编号，"
        "请用 --chat '{title}=group:编号'（或 user:编号）指定",
    ),
    "chat_user_prefix": (
        "the group's id begins with {prefix}, the speakers' ids do not: if your bot's user ids "
        "do, run it again with --user-prefix {prefix} --replace, or forget and recall by user miss "
        "these messages",
        "群编号以 {prefix} 开头，说话人的编号却没有：如果机器人的用户编号带这个前缀，请加上 "
        "--user-prefix {prefix} --replace 再运行一次，否则按用户忘记或召回时会漏掉这些消息",
    ),
    "import_looks_like": (
        "{file} looks like a chat of another program: try --from {format}",
        "{file} 看起来是其他程序的聊天记录：请试试 --from {format}",
    ),
    "chat_title": ("chat", "会话"),
    "chat_target": ("goes to", "去向"),
    "chat_messages": ("messages", "消息数"),
    "chat_more": ("and {count:more chat|more chats}", "另有 {count} 个会话"),
    "chat_speakers": ("speakers: {speakers}", "说话人：{speakers}"),
    "chat_span": ("from {first} to {last}", "时间：{first} 至 {last}"),
    "chat_jobs": (
        "{count:job|jobs} queued for the historian; `taishi work` or `taishi serve` processes them",
        "已交给史官 {count} 个任务；`taishi work` 或 `taishi serve` 会处理",
    ),
    "chat_left_out": ("not imported: {what}", "未作为消息导入：{what}"),
    "chat_more_bad": (
        "and {count:more entry|more entries} that cannot be read",
        "另有 {count} 条无法读取",
    ),
    "bad_entry": ("{place}: {reason}", "{place}：{reason}"),
    "left_system": ("system", "系统消息"),
    "left_deleted": ("deleted", "已撤回"),
    "left_empty": ("without text", "无文字"),
    "left_hidden": ("hidden", "隐藏内容"),
    "left_tool": ("tool calls", "工具调用"),
    "import_again": (
        "Run it again: nothing is imported twice",
        "请再运行一次，不会重复导入",
    ),
    "remap_form": ("--remap takes OLD=NEW, not {given}", "--remap 的形式是 旧=新，而不是 {given}"),
    "backed_up": (
        "{files:file|files}, {size} MB, copied to {path} and checked; "
        "`taishi --data {path} status` opens it",
        "{files} 个文件、{size} MB 已复制到 {path} 并检查；用 `taishi --data {path} status` 打开",
    ),
    "reembedding": (
        "{count:text is|texts are} being embedded again; until then, recall is by keyword",
        "正在重新计算 {count} 条文本的向量；这期间按关键词召回",
    ),
    "reembedded": ("all vectors are up to date", "向量已全部更新"),
    "reembed_waits": (
        "they will be embedded once a long-running process has the memory open",
        "等有长期运行的进程打开记忆时再计算向量",
    ),
    "rescanning": ("rescanning", "重新检查"),
    "rescanned": (
        "{looked:record|records} checked with the current redaction rules: {records} changed, and "
        "{texts:other text|other texts}, {pages:page|pages}, {jobs:job|jobs}",
        "已按当前脱敏规则检查 {looked} 条记录：改动 {records} 条，"
        "另有 {texts} 条其他文本、{pages} 份画像、{jobs} 个任务",
    ),
    "rescan_left": ("not checked: {what}", "未能检查：{what}"),
    "proof": (
        "searched {files:file|files}, {bytes:byte|bytes}, and everything in memory, for "
        "{phrases:phrase|phrases}: {found} found",
        "检查了 {files} 个文件、{bytes} 字节及全部内存，查找 {phrases} 个短语：发现 {found} 处",
    ),
    "proof_in_database": (
        "searched every table of the database and everything in memory, for "
        "{phrases:phrase|phrases}: {found} found",
        "检查了数据库的每张表及全部内存，查找 {phrases} 个短语：发现 {found} 处",
    ),
    "proof_in_database_and_files": (
        "searched every table of the database, {files:file|files}, {bytes:byte|bytes}, and "
        "everything in memory, for {phrases:phrase|phrases}: {found} found",
        "检查了数据库的每张表、{files} 个文件、{bytes} 字节及全部内存，查找 {phrases} 个短语："
        "发现 {found} 处",
    ),
    "proof_of_nothing": (
        "nothing is known of {place}, so there was nothing to look for: this proves nothing",
        "没有 {place} 的任何内容，因而没有可查找的短语：这不构成证明",
    ),
    "proof_without_phrases": (
        "there was no phrase long enough to look for; tables and files were searched for the id "
        "alone: {found} found",
        "没有足够长的短语可查找；仅按编号检查了数据表和文件：发现 {found} 处",
    ),
    "proof_found": ("still there: {place}: {what}", "仍在：{place}：{what}"),
    "proof_elsewhere": (
        "also said by others, so it stays: {place}: {what}",
        "别人也说过（保留）：{place}：{what}",
    ),
    "proof_place": ("{line} of {kind} {id}", "{kind} {id} 的{line}"),
    "proof_place_in": (
        "{line} of {kind} {id} in {workspace}",
        "工作区 {workspace} 中{kind} {id} 的{line}",
    ),
    "proof_next": ("; ", "；"),
    "proof_more": ("{what}; and {count} more", "{what}；另有 {count} 处"),
    "proof_failed": (
        "the proof failed: see above; stop other processes that use the folder and forget again",
        "未能证明已忘记：见上；请停止使用该目录的其他进程后再执行一次",
    ),
    "prove_whole": (
        "--prove works on a whole scope; leave the record's id out",
        "--prove 只用于整个作用域；请去掉记录编号",
    ),
}
