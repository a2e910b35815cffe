"""What the demo says between its scenes, in both languages."""

from __future__ import annotations

import locale
from collections.abc import Mapping

ENGLISH = {
    "title": "Taishi 太史 · a memory engine for chatbots and agents",
    "story": "A story in {chats} chats: two groups and two private chats, {turns} turns over five "
    "weeks, in English and Chinese. Each turn went through end_turn; the historian wrote it down. "
    "No network, no API key.",
    "keyword_only": "No embedder: recall is by keyword only, so a question in one language will "
    "not find what was said in the other. {note}",
    "said": "said",
    "recorded": "recorded as",
    "private": "private",
    "told_title": "1 · Said, and recorded in words that stay true",
    "told_note": "{absolute} of {turns} turns became absolute by rule alone. The others are kept "
    "and marked, not guessed at.",
    "unresolved": "not absolute: {words}",
    "answers_title": "2 · Asked later",
    "ask": "asked, and by whom",
    "answer": "recalled",
    "rank": "no. {rank} of the results",
    "nothing": "(nothing, and rightly so: nobody ever said)",
    "missed": "(not found)",
    "unasked": "(should be nothing, got:) ",
    "block_title": "3 · What goes into the prompt",
    "block_note": "{who} asks in {chat}: “{ask}”",
    "leaks_title": "4 · Trying to leak",
    "leaks_note": "{secrets} secrets, each known to one chat. Asked for outright in every other "
    "chat, in both languages, by recall, search_events and context, with the floor off:",
    "leaks_control": "known where they were told: {known} of {secrets}",
    "leaks_result": "{tries} tries, {leaked} leaked",
    "redaction_title": "5 · Keys pasted into a chat",
    "redaction_note": "{keys} keys were pasted. Every byte of the queue and of the data folder was "
    "searched ({files} files, {size} kB): found {found} times.",
    "timing_title": "6 · How long it took",
    "timing_verb": "verb",
    "timing_count": "calls",
    "timing_recall": "recall (nothing cached, embedding included)",
    "timing_note": "The whole show: {seconds} s.",
    "failed": "FAILED",
    "kept": "The data is in {folder}: look into it with any SQLite tool.",
    "gone": "The data folder was temporary and is gone. To keep one: taishi demo --data my-demo",
    "next_title": "What next",
    "next": "docs/tutorial.md       twenty lines of Python\n"
    "docs/architecture.md   how it works\n"
    "taishi --help          the commands",
}

CHINESE = {
    "title": "Taishi 太史 · 聊天机器人与智能体的记忆引擎",
    "story": "一个故事，{chats} 个聊天：两个群、两个私聊，五个星期共 {turns} 轮，中英文都有。"
    "每一轮经 end_turn 交给史官记录。不联网，不用任何密钥。",
    "keyword_only": "没有嵌入模型：只按关键词召回，用一种语言提问找不到另一种语言说过的话。{note}",
    "said": "原话",
    "recorded": "记录为",
    "private": "私聊",
    "told_title": "1 · 原话，与过多久都成立的记录",
    "told_note": "{turns} 轮中有 {absolute} 轮仅凭规则即写成绝对表述；其余照样保留并标明，不去猜。",
    "unresolved": "未能绝对化：{words}",
    "answers_title": "2 · 日后问起",
    "ask": "谁问、问什么",
    "answer": "召回",
    "rank": "结果第 {rank} 条",
    "nothing": "（没有，本该如此：从来没人说过）",
    "missed": "（没找到）",
    "unasked": "（本应为空，却得到）",
    "block_title": "3 · 放进提示词的内容",
    "block_note": "{who} 在 {chat} 里问：“{ask}”",
    "leaks_title": "4 · 试着套话",
    "leaks_note": "{secrets} 个秘密，各只有一个聊天知道。到其余每个聊天里用中英文直接追问，"
    "recall、search_events、context 都试，并关掉相似度下限：",
    "leaks_control": "在说出它的地方都还记得：{known} / {secrets}",
    "leaks_result": "试了 {tries} 次，泄露 {leaked} 次",
    "redaction_title": "5 · 贴进聊天的密钥",
    "redaction_note": "贴过 {keys} 个密钥。逐字节查遍队列和数据目录（{files} 个文件，{size} kB）："
    "找到 {found} 次。",
    "timing_title": "6 · 用了多久",
    "timing_verb": "调用",
    "timing_count": "次数",
    "timing_recall": "recall（不用缓存，含嵌入）",
    "timing_note": "整场演示 {seconds} 秒。",
    "failed": "失败",
    "kept": "数据在 {folder}，任何 SQLite 工具都能打开看。",
    "gone": "数据目录是临时的，已经删除。想留下来：taishi demo --data my-demo",
    "next_title": "接下来",
    "next": "docs/tutorial.zh-CN.md  二十行 Python\n"
    "docs/architecture.md    它怎样工作\n"
    "taishi --help           全部命令",
}


def words_for(language: str) -> Mapping[str, str]:
    """The narration in "en" or "zh"; "auto" follows the terminal's locale."""
    if language == "auto":
        name = locale.getlocale()[0] or ""
        language = "zh" if name.lower().startswith(("zh", "chinese")) else "en"
    return CHINESE if language == "zh" else ENGLISH
