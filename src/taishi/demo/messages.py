"""Texts of the demo in both languages."""

from __future__ import annotations

import locale
from collections.abc import Mapping

ENGLISH = {
    "language": "en",
    "level_hybrid": "hybrid",
    "level_keyword": "keyword",
    "level_profile-only": "profile-only",
    "level_empty": "empty",
    "level_none": "none",
    "level_trim": "trim",
    "level_summarise": "summarise",
    "level_extract": "extract",
    "did_proposed": "proposed",
    "did_supported": "supported",
    "did_approved": "approved",
    "did_rejected": "rejected",
    "did_superseded": "superseded",
    "did_conflict": "conflict",
    "did_resolved": "resolved",
    "by_person": "person",
    "comma": ", ",
    "title": "Taishi 太史 · a memory engine for chatbots and agents",
    "story": "A story in {chats} chats: two groups and two private chats, {turns} turns over five "
    "weeks, in English and Chinese. Each turn went through end_turn; the historian wrote it down "
    "by rule: no model, no network, no API key.",
    "keyword_only": "No embedder: recall is by keyword only, so a question in one language will "
    "not find what was said in the other. {note}",
    "said": "said",
    "recorded": "recorded as",
    "private": "private",
    "told_title": "Said, and recorded in words that stay true",
    "told_note": "{absolute} of {turns} turns became absolute by rule alone. The others are kept, "
    "and marked.",
    "unresolved": "not absolute: {words}",
    "learned_title": "What was learned",
    "fact": "fact, and the words it came from",
    "fact_state": "state",
    "holds": "holds",
    "superseded": "was so until {until}, then: {then}",
    "was_so": "was so, until {until}",
    "conflict": "contradicts another: a person decides",
    "candidate": "was rejected once and said again: a person decides",
    "rejected": "rejected by a person",
    "sure": "{percent} % sure",
    "evidence_1": "said once",
    "evidence": "said {count} times",
    "learned_note": "By rule only a few kinds of sentence are learned: where somebody lives and "
    "works, likes, allergies and the like.",
    "page_note": "A profile, {file}: Markdown, yours to edit. The mark at the end of a line says "
    "in which chat it may be shown.",
    "more": "… and {count} more",
    "answers_title": "Asked later",
    "ask": "asked, and by whom",
    "answer": "recalled",
    "rank": "no. {rank} of the results",
    "nothing": "(nothing, and rightly so: nobody ever said)",
    "missed": "(not found)",
    "unasked": "(should be nothing, got:) ",
    "block_title": "What goes into the prompt",
    "block_note": "{who} asks in {chat}: “{ask}”",
    "leaks_title": "Trying to leak",
    "leaks_note": "{secrets} secrets, each known to one chat. Asked for outright in every other "
    "chat, in both languages, by recall, search_events and context, with the floor off:",
    "leaks_control": "known where they were told: {known} of {secrets}",
    "leaks_result": "{tries} tries, {leaked} leaked",
    "redaction_title": "Keys pasted into a chat",
    "redaction_note": "{keys} keys were pasted. Every byte of the queue and of the data folder was "
    "searched ({files} files, {size} kB): found {found} times.",
    "documents_title": "Documents, with where it says so",
    "documents_note": "{documents} short documents for everybody in the workspace, {chunks} "
    "chunks, searched by meaning and words. `taishi knowledge sync` keeps a folder in step.",
    "session_title": "A long talk in a small window",
    "session_note": "One chat as {appended} messages of a session, tool calls included, for a "
    "model that takes 2,000 tokens: {sent} messages sent, {tokens} of {budget} tokens, level "
    "{level}; {summarised} messages are summarised, {shortened} shortened. The history is still "
    "there, word for word.",
    "session_task": "A scratchpad, as the prompt block of that session shows it:",
    "model_title": "The same with a model",
    "model_note": "{model} at {host} was given {turns} of the turns, not more, to keep this short "
    "and cheap.",
    "model_down": "The model {model} at {host} wrote nothing: {trouble}. All of this was done by "
    "the rules.",
    "model_partly": "{done} of {turns} turns were written; the others were not: {trouble}",
    "model_late": "the {seconds} s that the demo waits were over",
    "by_rules": "by the rules",
    "by_model": "by the model",
    "same_text": "(the same)",
    "gate_note": "The check for “he”, “yesterday”, “here” and names nobody mentioned: {first_pass} "
    "passed at once, {after_revision} after a revision, {degraded} are kept but marked.",
    "ledger_task": "task",
    "ledger_calls": "calls",
    "ledger_failed": "failed",
    "ledger_in": "tokens in",
    "ledger_out": "out",
    "ledger_seconds": "seconds",
    "ledger_cost": "cost",
    "ledger_sum": "together",
    "no_price": "No price is set, so there is no cost: models.chat.price_in and price_out, per "
    "million tokens.",
    "shared_title": "Agents share what they know",
    "shared_proposed": "The rigger proposes: “{text}”. Until somebody approves it, the crew "
    "recalls {count} of it.",
    "shared_approved": "A person approves; the crew recalls: {text}",
    "shared_conflict": "The mate proposes the opposite, which is a conflict: “{older}”, “{newer}”",
    "shared_settled": "A person decides; the crew recalls: {text}",
    "procedures_title": "Which way works",
    "procedures_first": "Two ways to mend a leak: recall puts “{name}” first. It fails 3 times.",
    "procedures_sunk": "Now “{name}” comes first, and the other is offered for review.",
    "procedures_shared": "It is shared and approved; another agent finds its steps: {steps}",
    "timing_title": "How long it took",
    "timing_verb": "verb",
    "timing_count": "calls",
    "timing_recall": "recall (nothing cached, embedding included)",
    "timing_note": "The whole show: {seconds} s.",
    "failed": "FAILED",
    "kept": "The data is in {folder}. See this story in your browser: {command} --data {folder} ui",
    "gone": "The data folder was temporary and is gone. To keep one: taishi demo --data my-demo",
    "next_title": "What next",
    "next": "docs/tutorial.md            a quarter of an hour, with Python\n"
    "docs/how-to/use-a-model.md  a model as the historian: better records, more facts\n"
    "docs/architecture.md        how it works\n"
    "taishi --help               the commands",
}

# No spaces in running text: lines would be broken there and hardly anywhere else.
CHINESE = {
    "language": "zh",
    "level_hybrid": "语义和词语",
    "level_keyword": "仅词语",
    "level_profile-only": "仅画像",
    "level_empty": "没有结果",
    "level_none": "未压缩",
    "level_trim": "裁剪",
    "level_summarise": "摘要",
    "level_extract": "摘录",
    "did_proposed": "提议",
    "did_supported": "附议",
    "did_approved": "批准",
    "did_rejected": "否决",
    "did_superseded": "取代",
    "did_conflict": "冲突",
    "did_resolved": "裁决",
    "by_person": "人",
    "comma": "；",
    "title": "Taishi 太史 · 聊天机器人与智能体的记忆引擎",
    "story": "一个故事，{chats}个聊天：两个群、两个私聊，五个星期共{turns}轮，中英文都有。"
    "每一轮结束后交给史官，由规则记录：不用大模型，不联网，不用任何密钥。",
    "keyword_only": "没有嵌入模型：只按关键词召回，用一种语言提问找不到另一种语言说过的话。{note}",
    "said": "原话",
    "recorded": "记录为",
    "private": "私聊",
    "told_title": "原话，与过多久都成立的记录",
    "told_note": "{turns}轮中有{absolute}轮只靠规则就写清了人和日期；"
    "其余照样保留，并注明哪里不清楚。",
    "unresolved": "未能写清：{words}",
    "learned_title": "学到了什么",
    "fact": "事实，与它的出处",
    "fact_state": "状态",
    "holds": "成立",
    "superseded": "到{until}为止成立，之后：{then}",
    "was_so": "到{until}为止成立",
    "conflict": "与另一条矛盾，等人裁决",
    "candidate": "曾被否决，又有人说起，等人裁决",
    "rejected": "被人否决",
    "sure": "把握 {percent}%",
    "evidence_1": "说过一次",
    "evidence": "说过{count}次",
    "learned_note": "只靠规则，能学会的句式有限：住处、工作、喜好、过敏等。",
    "page_note": "一份画像，{file}：Markdown，可以直接改。行尾的标记说明这一行能在哪个聊天里出现。",
    "more": "……还有{count}条",
    "answers_title": "日后问起",
    "ask": "谁问、问什么",
    "answer": "召回",
    "rank": "结果第 {rank} 条",
    "nothing": "（没有结果，这是对的：没人说过）",
    "missed": "（没找到）",
    "unasked": "（本应为空，却得到）",
    "block_title": "放进提示词的内容",
    "block_note": "{who} 在 {chat} 里问：“{ask}”",
    "leaks_title": "试着套话",
    "leaks_note": "{secrets}个秘密，各只有一个聊天知道。到其余每个聊天里用中英文直接追问，三种读取"
    "方式都试，并关掉相似度下限：",
    "leaks_control": "在说出它的地方都还记得：{known} / {secrets}",
    "leaks_result": "试了 {tries} 次，泄露 {leaked} 次",
    "redaction_title": "贴进聊天的密钥",
    "redaction_note": "贴过{keys}个密钥。逐字节查遍队列和数据目录（{files}个文件，{size}kB）："
    "找到{found}次。",
    "documents_title": "检索文档，注明出处",
    "documents_note": "{documents} 份给整个工作区的短文档，{chunks} 个片段，按语义与词语检索。"
    "`taishi knowledge sync` 可让一个目录保持同步。",
    "session_title": "小窗口里的长对话",
    "session_note": "一个聊天作为会话的 {appended} 条消息（含工具调用），交给上限 2000 token "
    "的模型：发送 {sent} 条，{tokens} / {budget} token，级别 {level}；{summarised} 条已摘要，"
    "{shortened} 条已缩短。原始记录一字不差地保留着。",
    "session_task": "草稿板，在该会话的提示词块中显示为：",
    "model_title": "换成大模型再来一遍",
    "model_note": "交给 {model}（{host}）的只有其中{turns}轮，免得太久太贵。",
    "model_down": "{model}（{host}）什么也没写成：{trouble}。以上全部由规则完成。",
    "model_partly": "{turns}轮中写成了{done}轮，其余没有：{trouble}",
    "model_late": "演示只等 {seconds} 秒，时间到了",
    "by_rules": "规则写的",
    "by_model": "模型写的",
    "same_text": "（相同）",
    "gate_note": "检查有没有留下“他”“昨天”“这里”，有没有凭空出现的名字：{first_pass}条一次通过，"
    "{after_revision}条改写后通过，{degraded}条未通过，照样保留并标记。",
    "ledger_task": "任务",
    "ledger_calls": "调用",
    "ledger_failed": "失败",
    "ledger_in": "输入 token",
    "ledger_out": "输出",
    "ledger_seconds": "秒",
    "ledger_cost": "费用",
    "ledger_sum": "合计",
    "no_price": "没有设置单价，所以没有费用：models.chat.price_in 与 price_out，每百万 token。",
    "shared_title": "智能体共享记忆",
    "shared_proposed": "帆缆助手提议：“{text}”。未经批准，船员召回到 {count} 条。",
    "shared_approved": "有人批准后，船员召回：{text}",
    "shared_conflict": "大副助手提出相反的说法，成为冲突：“{older}”与“{newer}”",
    "shared_settled": "由人裁决后，船员召回：{text}",
    "procedures_title": "哪种做法有效",
    "procedures_first": "堵漏有两种做法，召回时“{name}”在前；它失败了三次。",
    "procedures_sunk": "此后“{name}”在前，另一种列入待复查。",
    "procedures_shared": "共享并批准之后，另一个智能体找到了步骤：{steps}",
    "timing_title": "用了多久",
    "timing_verb": "调用",
    "timing_count": "次数",
    "timing_recall": "recall（不用缓存，含嵌入）",
    "timing_note": "整场演示 {seconds} 秒。",
    "failed": "失败",
    "kept": "数据在 {folder}。在浏览器里看这个故事：{command} --data {folder} ui",
    "gone": "数据目录是临时的，已经删除。想留下来：taishi demo --data my-demo",
    "next_title": "接下来",
    "next": "docs/tutorial.zh-CN.md             一刻钟，用 Python\n"
    "docs/how-to/use-a-model.zh-CN.md   让大模型当史官：记得更准，学得更多\n"
    "docs/architecture.zh-CN.md         工作原理\n"
    "taishi --help                      全部命令",
}


def texts_for(language: str) -> Mapping[str, str]:
    """The texts in "en" or "zh"; "auto" follows the terminal's locale."""
    if language == "auto":
        name = locale.getlocale()[0] or ""
        language = "zh" if name.lower().startswith(("zh", "chinese")) else "en"
    return CHINESE if language == "zh" else ENGLISH
