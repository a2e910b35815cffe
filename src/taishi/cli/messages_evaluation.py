"""Texts of `taishi eval qa`."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "qa_no_model": (
        "`taishi eval qa` needs a chat model: give --model-url and --model, or [models.chat]; the "
        "key comes from TAISHI__MODELS__CHAT__API_KEY",
        "`taishi eval qa` 需要聊天模型：请给出 --model-url 和 --model，或配置 [models.chat]；"
        "密钥取自 TAISHI__MODELS__CHAT__API_KEY",
    ),
    "qa_no_questions": (
        "{file} holds no question that can be judged: each needs an `answer`",
        "{file} 中没有可评判的问题：每题须有 `answer`",
    ),
    "qa_needs_embedder": (
        "the baseline rag needs an embedder ({note}); choose one, or --baseline full-context",
        "基线 rag 需要嵌入模型（{note}）；请配置，或只用 --baseline full-context",
    ),
    "qa_stopped": (
        "{error}\nstopped; verdicts so far: {done} of {total}, kept in {state}. "
        "Run the same command again to go on",
        "{error}\n已停止：{total} 个评判完成了 {done} 个，均保存在 {state}。"
        "再次运行同一命令即可继续",
    ),
    "qa_accuracy": ("right", "正确率"),
    "qa_interval": ("95 %", "95% 区间"),
    "qa_unparsable": ("unparsable", "无法解析"),
    "qa_exact": ("exact", "完全一致"),
    "qa_context": ("context", "材料 token"),
    "qa_tokens": ("tokens", "每题 token"),
    "qa_recall_ms": ("recall p50/p95 ms", "召回 p50/p95 毫秒"),
    "qa_role": ("role", "角色"),
    "qa_calls": ("calls", "调用"),
    "qa_failed_calls": ("failed", "失败"),
    "qa_sent": ("tokens in", "输入 token"),
    "qa_received": ("tokens out", "输出 token"),
    "qa_seconds": ("seconds", "秒"),
    "qa_cost": ("cost", "费用"),
    "qa_total": ("total", "合计"),
    "qa_note_cut": (
        "full-context: {count:conversation was|conversations were} cut to the newest {window} "
        "tokens (--window), by question",
        "full-context：按题计有 {count} 次对话超出窗口，只保留最近 {window} token（--window）",
    ),
    "qa_note_failed_turns": (
        "{count:turn|turns} of {turns} could not be written by the historian and stayed as said",
        "{turns} 轮中有 {count} 轮史官未能改写，保留原话",
    ),
    "qa_note_refused": (
        "{count:answer or verdict was|answers or verdicts were} refused by the model and not "
        "counted; the next run asks again. The last: {error}",
        "模型拒绝了 {count} 次作答或评判，未计入；下次运行会重试。最后一次：{error}",
    ),
    "qa_note_left_out": (
        "{count:question has|questions have} no `answer` in the file and cannot be judged",
        "文件中有 {count} 题没有 `answer`，无法评判",
    ),
    "qa_note_kept": (
        "kept in {state}; the same command continues or prints this again",
        "保存在 {state}；再次运行同一命令可继续或重新输出",
    ),
    "qa_plan": (
        "{questions:question|questions}, {conversations:conversation|conversations}, "
        "{turns:turn|turns}; systems: {systems}; historian: {historian}",
        "{questions} 题，{conversations} 段对话，{turns} 轮；系统：{systems}；史官：{historian}",
    ),
    "qa_plan_cut": (
        "full-context: for {count:question|questions} the conversation is longer than the window "
        "of {window} tokens and is cut",
        "full-context：{count} 题的对话超出 {window} token 的窗口，会被截断",
    ),
    "qa_plan_note": (
        "Nothing was asked. Tokens are estimates: what the historian and the answers will say is "
        "assumed. Embedding on this machine costs nothing.",
        "没有调用模型。token 为估计值：史官和回答的长度是假定的。在本机嵌入不花钱。",
    ),
    "qa_no_price": (
        "no prices are set (models.chat.price_in, price_out), so there is no cost",
        "未设置价格（models.chat.price_in、price_out），因此没有费用",
    ),
    "qa_progress": ("questions", "答题"),
}
