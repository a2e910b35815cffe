"""All texts of the CLI in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from taishi.cli import (
    messages_config,
    messages_evaluation,
    messages_evidence,
    messages_index,
    messages_knowledge,
    messages_mcp,
    messages_records,
    messages_server,
    messages_session,
    messages_shared,
    messages_status,
    messages_transfer,
)
from taishi.language.plurals import counted

LANGUAGES = ("en", "zh")

_COMMON: dict[str, tuple[str, str]] = {
    "no_memory": (
        "there is no memory at {place}: make one with `{command}`, or name another place with "
        "--data",
        "{place} 处没有记忆：请用 `{command}` 新建，或用 --data 指定其他位置",
    ),
    "memory_near": ("There is one at {places}", "{places} 处有记忆"),
    "sentence_end": (". ", "。"),
    "new_memory": ("new memory created in {folder}", "已在 {folder} 新建记忆"),
    "on_server": (
        "{server} is a server, and this command works on the data itself: run it where that is",
        "{server} 是一个服务；此命令直接操作数据，请在数据所在的机器上运行",
    ),
    "no_scope": (
        "no scope: say --user ID for a private chat, --group ID for a group, --agent ID for "
        "an agent, or --shared for the whole workspace",
        "未指定作用域：请给出 --user ID（私聊）、--group ID（群）、--agent ID（智能体）"
        "或 --shared（整个工作区）",
    ),
    "scope_hint": (
        "On the command line: --user ID, --group ID, --agent ID or --shared",
        "命令行用法：--user ID、--group ID、--agent ID 或 --shared",
    ),
    "off": (
        "memory is switched off (memory.enabled = false), nothing is stored or recalled; switch it "
        "on with `taishi config set memory.enabled true`",
        "记忆已关闭（memory.enabled = false），不写入也不召回；"
        "用 `taishi config set memory.enabled true` 开启",
    ),
    "off_here": (
        "memory is off in this scope; see memory.only_scopes and memory.except_scopes in the "
        "settings",
        "此作用域未启用记忆；请查看设置 memory.only_scopes 与 memory.except_scopes",
    ),
    # remember, forget
    "nothing_given": (
        "nothing to remember: give a text, - for stdin, or --file items.jsonl",
        "没有要记住的内容：请给出文本、用 - 读标准输入，或用 --file items.jsonl",
    ),
    "both_given": ("give a text or --file, not both", "文本与 --file 只能给一个"),
    "remembered": ("remembered {id}", "已记住 {id}"),
    "remembered_many": ("remembered {count:record|records}", "已记住 {count} 条"),
    "not_embedded": (
        "stored, but {count:text is|texts are} not yet searchable by meaning; see `taishi doctor`",
        "已保存，但有 {count} 条文本暂不能按语义检索；请运行 `taishi doctor`",
    ),
    "reading_items": ("remembering", "写入"),
    "embedding": ("embedding", "计算向量"),
    "forgot": ("forgot {count}", "已忘记 {count} 条"),
    "keys_went": (
        "{count:key|keys} bound to it went, too: programs that use them are not let in any more",
        "其中有绑定到它的 API 密钥 {count} 个：用这些密钥的程序不能再访问",
    ),
    "went_with_it": (
        "{kind} {id} told nothing else and went with it: {text}",
        "{kind} {id} 没有说别的，已一并删除：{text}",
    ),
    "version_went": (
        "{kind} {id} had been replaced by it, and went with it: {text}",
        "{kind} {id} 是被它取代的旧版本，已一并删除：{text}",
    ),
    "taken_out": (
        "{kind} {id} no longer says it, and stays: {text}",
        "{kind} {id} 已不再有这句话，其余保留：{text}",
    ),
    "still_told": (
        "{kind} {id} still says it; forget that as well if it is to go: {text}",
        "{kind} {id} 仍有同样的内容，如需删除请一并忘记：{text}",
    ),
    "not_alone_profile": (
        "{id} is a page, which is made from facts: forget the facts that it states (`taishi facts "
        "list`), edit it (`taishi profile edit`), or forget the whole scope",
        "{id} 是画像，由事实汇总而成：请忘记其中的事实（`taishi facts list`）、编辑画像"
        "（`taishi profile edit`），或忘记整个作用域",
    ),
    "not_alone_chunk": (
        "{id} is a part of the note {path}: write the note without it (`taishi notes write`), or "
        "remove the note (`taishi notes remove`)",
        "{id} 是笔记 {path} 的一部分：请重写该笔记（`taishi notes write`），"
        "或移除它（`taishi notes remove`）",
    ),
    "forgot_nothing": (
        "nothing was known about {place}: check the id, if that is a surprise",
        "没有关于 {place} 的记忆；如果本该有，请核对编号",
    ),
    "similar_user": (
        "{count:record is|records are} still there of the user {id}, whose id is the same but for "
        "its prefix: if that is the same person, run `taishi forget --user {id}` as well",
        "用户 {id} 还有 {count} 条记录，其编号只有前缀不同：如果是同一个人，"
        "请再运行 `taishi forget --user {id}`",
    ),
    "forgot_none": (
        "there is no record {id} in {place}; see ids with `taishi recall --ids`",
        "{place} 中没有记录 {id}；用 `taishi recall --ids` 查看编号",
    ),
    "forget_all": (
        "Permanently forget everything about {place}?",
        "永久忘记 {place} 的全部记忆？",
    ),
    "forget_needs_yes": (
        "this forgets everything about {place}; add --yes, or give the id of one record",
        "这会忘记 {place} 的全部记忆；请加 --yes，或给出一条记录的编号",
    ),
    # recall
    "comma": (", ", "、"),
    "score": ("score", "得分"),
    "kind": ("kind", "类别"),
    "when": ("when", "时间"),
    "who": ("who", "说话人"),
    "text": ("text", "内容"),
    "id": ("id", "编号"),
    "line": ("level {level} · {paths} · {took} ms", "级别 {level} · {paths} · {took} 毫秒"),
    "found_nothing": ("Nothing was found: {reason}", "没有找到：{reason}"),
    "empty_scope": ("nothing is remembered in this scope yet", "该作用域里还没有记忆"),
    "below_floor": (
        "the closest memory scores below the floor ({floor}); --floor 0 shows it",
        "最接近的记忆低于下限（{floor}）；用 --floor 0 可显示",
    ),
    "filtered": (
        "--kind, --from and --to exclude everything; loosen them",
        "--kind、--from、--to 排除了全部记忆，请放宽条件",
    ),
    "no_answer": (
        "the store did not answer ({paths}); raise --deadline or run `taishi doctor`",
        "存储没有应答（{paths}）；请加大 --deadline 或运行 `taishi doctor`",
    ),
    # recall --explain
    "explained": ("How records were ranked", "取舍"),
    "found_by": ("found by", "命中路径"),
    "cosine": ("meaning", "语义"),
    "coverage": ("words", "词语"),
    "around": ("words around", "上下文词语"),
    "age": ("age ×", "时间 ×"),
    "kind_weight": ("kind ×", "类别 ×"),
    "trust_weight": ("trust ×", "可信 ×"),
    "verdict": ("verdict", "结果"),
    "verdict_kept": ("kept", "入选"),
    "drop_floor": ("below the floor", "低于下限"),
    "drop_duplicate": ("near-duplicate of {id}", "与 {id} 近似重复"),
    "drop_low": ("ranked too low on every path", "各路径排名均过低"),
    "drop_top_k": ("more than asked for", "超出所要条数"),
    "weights": ("weights: {weights}", "权重：{weights}"),
    "not_answered": (
        "without {paths}: the results do not include it",
        "缺少 {paths}：本次结果未包含",
    ),
    # profile
    "no_profile": ("there is no profile of {place} yet", "还没有 {place} 的画像"),
    "profile_scope": (
        "a profile belongs to a user or a group: pass --user or --group",
        "画像属于用户或群：请用 --user 或 --group",
    ),
    "profile_of_one": (
        "a page belongs to one user or one group: leave out --user or --group",
        "一页画像只属于一个用户或一个群：请去掉 --user 或 --group",
    ),
    "profile_only_in_groups": (
        "{count:more line is|more lines are} shown in groups only; `{edit}` shows them",
        "另有 {count} 行只在群里显示；用 `{edit}` 查看",
    ),
    "profile_not_in_group": (
        "{group} is shown nothing of the profile of {user}",
        "{group} 看不到用户 {user} 的画像内容",
    ),
    "profile_written": ("saved; the old page is kept as a snapshot", "已写入；旧版本已存为快照"),
    "profile_same": ("nothing was changed", "没有改动"),
    "profile_too_long": (
        "the page is longer than {most} characters; shorten it",
        "画像超过 {most} 个字符，请缩短",
    ),
    "edit_needs_file": (
        "--json opens no editor; pass the new body with --file",
        "--json 不打开编辑器；请用 --file 给出新正文",
    ),
    "edit_kept": (
        "{error}. Your text is saved in {file}; pass it again with --file",
        "{error}。你写的内容保存在 {file}，可用 --file 再次提交",
    ),
    "not_utf8": ("{file} is not UTF-8 text; convert it first", "{file} 不是 UTF-8 文本，请先转换"),
    "revision": ("revision", "版本"),
    "changed_by": ("written by", "写入者"),
    "writer_historian": ("the historian", "史官"),
    "writer_correction": ("a corrected fact", "事实更正"),
    "writer_rebuild": ("taishi rebuild", "taishi rebuild"),
    "writer_file": ("an edit of the file", "直接编辑文件"),
    "writer_rollback": ("a rollback", "回滚"),
    "writer_person": ("a person", "人工"),
    "writer_unknown": ("unknown", "未知"),
    "no_revisions": ("there are no snapshots yet", "还没有快照"),
    "no_difference": ("no difference", "没有差别"),
    "rolled_back": (
        "restored {revision}; the previous page is kept as a snapshot",
        "已回到 {revision}；原来的版本已存为快照",
    ),
    # facts
    "no_facts": ("no facts here", "这里没有事实"),
    "no_conflicts": ("no conflicts", "没有冲突"),
    "conflicts_hint": (
        "Resolve them with `taishi facts resolve KEEP DROP`",
        "用 `taishi facts resolve 保留 舍弃` 裁决",
    ),
    "confidence": ("confidence", "置信度"),
    "evidence": ("evidence", "证据数"),
    "since": ("since", "起"),
    "until": ("until", "止"),
    "state_candidate": ("candidate", "待批准"),
    "state_approved": ("approved", "已批准"),
    "state_rejected": ("rejected", "已否决"),
    "state_superseded": ("superseded", "已被取代"),
    "state_conflict": ("conflict", "有冲突"),
    "fact_approved": ("approved {id}", "已批准 {id}"),
    "fact_rejected": ("rejected {id}; it will not be learned again", "已否决 {id}，不会再次学到"),
    "fact_corrected": ("corrected; the new fact is {id}", "已更正；新事实为 {id}"),
    "conflict_resolved": ("resolved; {id} is kept", "已裁决；以 {id} 为准"),
    # jobs, ledger
    "no_jobs": ("no jobs", "没有任务"),
    "job": ("job", "任务"),
    "tries": ("tries", "次数"),
    "reason": ("reason", "原因"),
    "retry_what": ("name the failed jobs, or use --all", "请给出失败任务的名称，或用 --all"),
    "jobs_retried": ("{count:job is|jobs are} back in the queue", "{count} 个任务已回到队列"),
    "no_such_job": (
        "there is no job {name}; see `taishi jobs list`",
        "没有任务 {name}；用 `taishi jobs list` 查看",
    ),
    "no_calls": ("no model has been called yet", "还没有调用过模型"),
    "day": ("day", "日期"),
    "task": ("task", "用途"),
    "mode": ("mode", "方式"),
    "calls": ("calls", "调用"),
    "tokens_in": ("tokens in", "输入 token"),
    "tokens_out": ("tokens out", "输出 token"),
    "seconds": ("seconds", "秒"),
    "cost": ("cost", "费用"),
    "last_error": ("last error", "最近错误"),
    "ledger_sum": (
        "{calls:call|calls} · {tokens:token|tokens} · cost {cost}",
        "{calls} 次调用 · {tokens} token · 费用 {cost}",
    ),
    # end-turn, work
    "nothing_to_keep": (
        "nothing to store: give --action or --new-info",
        "没有要保存的内容：请给出 --action 或 --new-info",
    ),
    "messages_added": ("{count} new messages", "新增 {count} 条消息"),
    "queued": ("queued {job}", "已入队 {job}"),
    "worked": ("queued and processed {job}", "已入队并处理 {job}"),
    "work_given_up": (
        "the historian gave {job} up: {reason}. The turn is kept as it was said and can be "
        "recalled; nothing was learned from it. `taishi jobs retry` tries it again",
        "史官放弃了 {job}：{reason}。这一轮已按原话保存，可以召回，但没有从中学到内容；"
        "用 `taishi jobs retry` 可重试",
    ),
    "work_waits": (
        "{job} is not processed: the model cannot be reached, or did not answer well within "
        "{seconds} s. The turn is kept as it was said; `taishi work` goes on with it",
        "{job} 尚未处理：模型无法连接，或在 {seconds} 秒内没有给出可用的回答。这一轮已按原话保存；"
        "用 `taishi work` 继续处理",
    ),
    "working": ("processing jobs; press Ctrl-C to stop", "正在处理；按 Ctrl-C 停止"),
    "work_read_only": (
        "{folder} can only be read, so no job can be processed. Make the folder and its files "
        "writable (or the database, or connect to the primary server), then start again",
        "{folder} 只能读取，无法处理任务。"
        "请给予目录及文件写权限（数据库则恢复写入，或连接主服务器），再重新启动",
    ),
    "work_line": (
        "done {done} · retried {retried} · failed {failed} · waiting {waiting} · "
        "not embedded {unembedded}",
        "完成 {done} · 重试 {retried} · 失败 {failed} · 等待 {waiting} · 尚无向量 {unembedded}",
    ),
    "nobody_works": (
        "{waiting:job waits|jobs wait} and no process runs the historian: run `taishi work`, or "
        "`taishi serve` without --no-worker",
        "{waiting} 个任务在等待，而没有进程在运行史官：请运行 `taishi work`，或不带 --no-worker 的 "
        "`taishi serve`",
    ),
    "left_over": (
        "{waiting:job|jobs} and {unembedded:text|texts} are still waiting after {seconds} s; run "
        "it again, or see `taishi doctor`",
        "{seconds} 秒后仍有 {waiting} 个任务、{unembedded} 条文本没处理完；请再次运行，或用 "
        "`taishi doctor` 查看",
    ),
    # doctor
    "check": ("check", "检查项"),
    "state": ("state", "状态"),
    "found": ("found", "情况"),
    "ok": ("ok", "正常"),
    "warning": ("warning", "警告"),
    "problem": ("problem", "问题"),
    "all_well": ("Everything is fine.", "一切正常。"),
    "not_all_well": (
        "{problems:problem|problems}, {warnings:warning|warnings}.",
        "{problems} 个问题，{warnings} 个警告。",
    ),
    # models
    "model": ("model", "模型"),
    "size": ("size", "大小"),
    "dimensions": ("dimensions", "维数"),
    # config
    "setting": ("setting", "设置"),
    "value": ("value", "值"),
    "variable_unread": (
        "nothing reads the environment variable {name}",
        "环境变量 {name} 不起作用",
    ),
    "variable_nearest": (
        "nothing reads the environment variable {name}; did you mean {nearest}?",
        "环境变量 {name} 不起作用；是否想写 {nearest}？",
    ),
    "settings_ok": (
        "The settings are valid; file {file}, data folder {data}",
        "设置无误；文件 {file}，数据目录 {data}",
    ),
    "settings_default": (
        "The settings are valid; no file, there is no taishi.toml in this folder; data folder "
        "{data}",
        "设置无误；没有设置文件（当前目录没有 taishi.toml）；数据目录 {data}",
    ),
    "settings_ignored": (
        "{file} is not read; to use it: --config {file}",
        "{file} 没有被读取；要使用它：--config {file}",
    ),
    # eval
    "category": ("category", "类别"),
    "questions": ("questions", "问题数"),
    "misses": ("misses", "未命中"),
    "query": ("query", "查询"),
    "wanted": ("wanted", "应为"),
    "got": ("got", "实得"),
    "system": ("system", "系统"),
    "against_best": ("ours − best", "本系统 − 最佳基线"),
    "not_in": ("not in {depth}", "前 {depth} 条中没有"),
    "context_tokens": (
        "prompt block: {mean} tokens on average, {asked} questions",
        "提示词块：平均 {mean} token，共 {asked} 题",
    ),
    "left_out": (
        "{count:question was|questions were} left out: nothing in the file answers them",
        "略去 {count} 题：文件中没有能回答它们的内容",
    ),
    "baseline_needs_embedder": (
        "the baselines dense and rrf need an embedder ({note}); choose one, or --baseline bm25",
        "基线 dense 与 rrf 需要嵌入模型（{note}）；请配置，或只用 --baseline bm25",
    ),
    "no_questions": (
        "{file} has no usable questions; check that each one names what answers it",
        "{file} 中没有可问的问题；请检查每题是否写明答案所在",
    ),
}

# One table per group of commands; the keys are unique across all of them.
TABLES = (
    _COMMON,
    messages_config.WORDS,
    messages_evaluation.WORDS,
    messages_evidence.WORDS,
    messages_index.WORDS,
    messages_knowledge.WORDS,
    messages_mcp.WORDS,
    messages_transfer.WORDS,
    messages_server.WORDS,
    messages_shared.WORDS,
    messages_records.WORDS,
    messages_session.WORDS,
    messages_status.WORDS,
)
WORDS: dict[str, tuple[str, str]] = {key: texts for table in TABLES for key, texts in table.items()}


def language_of(environ: Mapping[str, str]) -> str:
    """The terminal's language, in the order POSIX reads the variables."""
    locale = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := environ.get(n))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def message(language: str, key: str, **values: object) -> str:
    english, chinese = WORDS[key]
    return (chinese if language == "zh" else english).format(**counted(values))
