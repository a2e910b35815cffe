"""All texts of the CLI in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from taishi.cli import (
    messages_config,
    messages_evidence,
    messages_knowledge,
    messages_mcp,
    messages_server,
    messages_session,
    messages_shared,
    messages_transfer,
)
from taishi.language.plurals import counted

LANGUAGES = ("en", "zh")

_COMMON: dict[str, tuple[str, str]] = {
    "no_folder": (
        "there is no memory at {folder} yet: write to it with `taishi remember`, or name another "
        "folder with --data",
        "{folder} 还没有记忆：先用 `taishi remember` 写入，或用 --data 指定其他目录",
    ),
    "scope_hint": (
        "On the command line: --user ID, --group ID, --agent ID or --shared",
        "命令行用法：--user ID、--group ID、--agent ID 或 --shared",
    ),
    "off": (
        "memory is switched off (memory.enabled = false); nothing is kept or recalled",
        "记忆已关闭（memory.enabled = false），不写入也不召回",
    ),
    "off_here": (
        "memory is off in this scope (memory.only_scopes, memory.except_scopes)",
        "此范围的记忆未启用（memory.only_scopes、memory.except_scopes）",
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
        "kept, but {count:text is|texts are} not yet searchable by meaning; see `taishi doctor`",
        "已保存，但有 {count} 条文本暂不能按语义检索；请运行 `taishi doctor`",
    ),
    "reading_items": ("remembering", "写入"),
    "embedding": ("embedding", "嵌入"),
    "forgot": ("forgot {count}", "已忘记 {count} 条"),
    "forgot_none": (
        "there is no record {id} in {place}; see ids with `taishi recall --ids`",
        "{place} 中没有记录 {id}；用 `taishi recall --ids` 查看编号",
    ),
    "forget_all": (
        "Forget everything about {place}, for good?",
        "永久忘记 {place} 的一切？",
    ),
    "forget_needs_yes": (
        "this forgets everything about {place}; say --yes, or name one record's id",
        "这会忘记 {place} 的一切；请加 --yes，或给出一条记录的编号",
    ),
    # recall
    "score": ("score", "得分"),
    "kind": ("kind", "类别"),
    "when": ("when", "时间"),
    "who": ("who", "说话人"),
    "text": ("text", "内容"),
    "id": ("id", "编号"),
    "line": ("level {level} · {paths} · {took} ms", "级别 {level} · {paths} · {took} 毫秒"),
    "found_nothing": ("Nothing was found: {reason}", "没有找到：{reason}"),
    "empty_scope": ("nothing is remembered in this scope yet", "该范围内还没有记忆"),
    "below_floor": (
        "the nearest memory is below the floor ({floor}); --floor 0 shows it",
        "最接近的记忆低于下限（{floor}）；用 --floor 0 可显示",
    ),
    "filtered": (
        "--kind, --from and --to leave nothing over; loosen them",
        "--kind、--from、--to 排除了全部记忆，请放宽条件",
    ),
    "no_answer": (
        "the store did not answer ({paths}); raise --deadline or run `taishi doctor`",
        "存储没有应答（{paths}）；请加大 --deadline 或运行 `taishi doctor`",
    ),
    # recall --explain
    "explained": ("What was weighed", "取舍"),
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
    "drop_low": ("too low on every path", "各路径排名均过低"),
    "drop_top_k": ("beyond the count asked for", "超出所要条数"),
    "weights": ("weights: {weights}", "权重：{weights}"),
    "not_answered": (
        "without {paths}: the answer leaves it out",
        "缺少 {paths}：本次结果未包含",
    ),
    # profile
    "no_profile": ("there is no profile of {place} yet", "还没有 {place} 的画像"),
    "profile_scope": (
        "a profile is about a user or a group: pass --user or --group",
        "画像属于用户或群：请用 --user 或 --group",
    ),
    "profile_written": ("written; the old page is kept as a snapshot", "已写入；旧页面已存为快照"),
    "profile_same": ("nothing was changed", "没有改动"),
    "profile_too_long": (
        "the page is longer than {most} characters; shorten it",
        "页面超过 {most} 个字符，请缩短",
    ),
    "edit_needs_file": (
        "--json opens no editor; pass the new body with --file",
        "--json 不打开编辑器；请用 --file 给出新正文",
    ),
    "edit_kept": (
        "{error}. Your text is kept in {file}; pass it again with --file",
        "{error}。你写的内容保存在 {file}，可用 --file 再次提交",
    ),
    "not_utf8": ("{file} is not UTF-8 text; convert it first", "{file} 不是 UTF-8 文本，请先转换"),
    "revision": ("revision", "版本"),
    "no_revisions": ("there are no snapshots yet", "还没有快照"),
    "no_difference": ("no difference", "没有差别"),
    "rolled_back": (
        "{revision} is back; what was there is kept as a snapshot",
        "已回到 {revision}；原页面已存为快照",
    ),
    # facts
    "no_facts": ("no facts here", "这里没有事实"),
    "no_conflicts": ("no conflicts", "没有冲突"),
    "conflicts_hint": (
        "Decide with `taishi facts resolve KEEP DROP`",
        "用 `taishi facts resolve 保留 舍弃` 裁决",
    ),
    "confidence": ("confidence", "可信度"),
    "evidence": ("evidence", "证据数"),
    "since": ("since", "起"),
    "until": ("until", "止"),
    "state_candidate": ("candidate", "待批准"),
    "state_approved": ("approved", "已批准"),
    "state_rejected": ("rejected", "已否决"),
    "state_superseded": ("superseded", "已被取代"),
    "state_conflict": ("conflict", "有冲突"),
    "fact_approved": ("approved {id}", "已批准 {id}"),
    "fact_rejected": ("rejected {id}; it is not learned again", "已否决 {id}，不会再次学到"),
    "fact_corrected": ("corrected; the new fact is {id}", "已更正；新事实为 {id}"),
    "conflict_resolved": ("resolved; {id} holds", "已裁决；以 {id} 为准"),
    # jobs, ledger
    "no_jobs": ("no jobs", "没有任务"),
    "job": ("job", "任务"),
    "tries": ("tries", "次数"),
    "reason": ("reason", "原因"),
    "retry_what": ("name the failed jobs, or say --all", "请给出失败任务的名称，或用 --all"),
    "jobs_retried": ("{count:job is|jobs are} back in the queue", "{count} 个任务已回到队列"),
    "no_such_job": (
        "there is no such job {name}; see `taishi jobs list`",
        "没有任务 {name}；用 `taishi jobs list` 查看",
    ),
    "no_calls": ("no model was called yet", "还没有调用过模型"),
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
        "nothing to keep: give --action or --new-info",
        "没有要保存的内容：请给出 --action 或 --new-info",
    ),
    "messages_added": ("{count} new messages", "新增 {count} 条消息"),
    "queued": ("queued {job}", "已入队 {job}"),
    "worked": ("queued and worked {job}", "已入队并处理 {job}"),
    "working": ("working; Ctrl-C to stop", "正在处理；按 Ctrl-C 停止"),
    "work_line": (
        "done {done} · retried {retried} · failed {failed} · waiting {waiting} · "
        "not embedded {unembedded}",
        "完成 {done} · 重试 {retried} · 失败 {failed} · 等待 {waiting} · 未嵌入 {unembedded}",
    ),
    "left_over": (
        "{waiting:job|jobs} and {unembedded:text|texts} still wait after {seconds} s; run it "
        "again, or see `taishi doctor`",
        "{seconds} 秒后仍有 {waiting} 个任务、{unembedded} 条文本等待；请再次运行，或用 "
        "`taishi doctor` 查看",
    ),
    # status
    "folder": ("folder", "目录"),
    "enabled": ("enabled", "启用"),
    "records": ("records", "记录"),
    "queue": ("queue", "队列"),
    "off_reason": ("why it is off", "关闭原因"),
    "read_only": ("can only be read", "只读"),
    "scopes": ("on for", "启用范围"),
    "only": ("only", "仅限"),
    "except": ("except", "除外"),
    "processes": ("processes", "进程数"),
    "models": ("models so far", "模型累计"),
    "chat": ("chat", "聊天"),
    "rerank": ("rerank", "重排"),
    "jobs": ("jobs, all processes", "任务（所有进程）"),
    "observations": ("tool runs", "工具记录"),
    "archive": ("archive", "归档"),
    "tool_runs": ("tool runs", "工具记录"),
    "files": ("files", "文件"),
    "oldest": ("oldest", "最早"),
    "newest": ("newest", "最新"),
    "index": ("index of this process", "本进程的索引"),
    "workers": ("historians, all processes", "史官（所有进程）"),
    "embedder": ("embedder", "嵌入器"),
    "general": ("memory", "记忆"),
    "part": ("part", "部分"),
    "name": ("name", "名称"),
    "readable_after_ms": ("last write to readable, ms", "最近写入到可读（毫秒）"),
    "pending": ("pending", "待处理"),
    "processing": ("processing", "处理中"),
    "failed": ("failed", "失败"),
    "done": ("done", "完成"),
    "retried": ("retried", "重试"),
    "not_absolute": ("not absolute", "未完全绝对化"),
    "oldest_seconds": ("oldest, s", "最久（秒）"),
    "unembedded": ("without a vector", "尚无向量"),
    "waiting": ("waiting", "等待"),
    "dropped": ("dropped", "已丢弃"),
    "places": ("places", "范围"),
    "rows": ("rows", "行"),
    "vectors": ("vectors", "向量"),
    "bytes": ("bytes", "字节"),
    "on": ("on", "启用"),
    "note": ("note", "说明"),
    "none": ("none", "无"),
    # doctor
    "check": ("check", "检查项"),
    "state": ("state", "状态"),
    "found": ("found", "情况"),
    "ok": ("ok", "正常"),
    "warning": ("warning", "警告"),
    "problem": ("problem", "问题"),
    "all_well": ("All is well.", "一切正常。"),
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
    "settings_ok": ("The settings are fine; data folder {data}", "设置无误；数据目录 {data}"),
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
        "提示词记忆块：平均 {mean} token，共 {asked} 题",
    ),
    "left_out": (
        "{count:question is|questions are} left out: nothing in the file answers them",
        "略去 {count} 题：文件中没有能回答它们的内容",
    ),
    "baseline_needs_embedder": (
        "the baselines dense and rrf need an embedder ({note}); choose one, or --baseline bm25",
        "基线 dense 与 rrf 需要嵌入模型（{note}）；请配置，或只用 --baseline bm25",
    ),
    "no_questions": (
        "{file} holds no questions that can be asked; check that each names what answers it",
        "{file} 中没有可问的问题；请检查每题是否写明答案所在",
    ),
}

# One table per group of commands; the keys are unique across all of them.
TABLES = (
    _COMMON,
    messages_config.WORDS,
    messages_evidence.WORDS,
    messages_knowledge.WORDS,
    messages_mcp.WORDS,
    messages_transfer.WORDS,
    messages_server.WORDS,
    messages_shared.WORDS,
    messages_session.WORDS,
)
WORDS: dict[str, tuple[str, str]] = {key: texts for table in TABLES for key, texts in table.items()}


def language_of(environ: Mapping[str, str]) -> str:
    """The terminal's language, in the order POSIX reads the variables."""
    locale = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := environ.get(n))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def message(language: str, key: str, **values: object) -> str:
    english, chinese = WORDS[key]
    return (chinese if language == "zh" else english).format(**counted(values))
