"""Messages of the tools to a model, in English and Chinese. Each says what to do next."""

from __future__ import annotations

from ..language.plurals import counted

WORDS: dict[str, tuple[str, str]] = {
    "off": (
        "Memory is switched off here: nothing is kept and nothing can be looked up. Go on "
        "without it.",
        "此处的记忆功能已关闭：不会保存，也无法查询。请在没有记忆的情况下继续。",
    ),
    "trouble": (
        "Memory could not be reached just now. Go on without it; you may try once more later.",
        "暂时无法使用记忆。请先继续，稍后可再试一次。",
    ),
    "nothing": (
        "Nothing about this is remembered here. Do not make it up; ask the person if it matters.",
        "此处没有相关的记忆。不要编造，如有必要请询问对方。",
    ),
    "no_profile": (
        "There is no page about {kind} {id} that can be seen here.",
        "此处看不到 {kind} {id} 的画像。",
    ),
    "profile": ("Page about {kind} {id}", "{kind} {id} 的画像"),
    "named": (" ({name})", "（{name}）"),
    "updated": (", updated {time}", "，更新于 {time}"),
    "tags": ("Tags: {tags}", "标签：{tags}"),
    "more": (
        "({count} more left out: ask more narrowly, or for fewer.)",
        "（另有 {count} 条未列出：请缩小查询范围。）",
    ),
    "id": (" (id {id})", "（编号 {id}）"),
    "remembered": ("Remembered (id {id}).", "已记住（编号 {id}）。"),
    "scratchpad": (
        "Noted for this session. Goal: {goal}. Now: {step}.",
        "已记入本次会话。目标：{goal}。当前步骤：{step}。",
    ),
    "no_session": (
        "This conversation has no session, so there is no scratchpad. Keep track of the task in "
        "your answer.",
        "当前对话没有会话编号，因此没有草稿板。请在回答中自行记录进展。",
    ),
    "ended": ("The turn is over and will be remembered.", "本轮已结束，内容将被记住。"),
    "ended_on_the_old_list": (
        "The turn is over; memory is switched off, so its summary is kept on the old list alone.",
        "本轮已结束；记忆已关闭，摘要只保存在旧列表中。",
    ),
    "ended_empty": (
        "The turn is over; there was nothing to keep.",
        "本轮已结束，没有需要保存的内容。",
    ),
    "corrected": ("Corrected (new id {id}).", "已更正（新编号 {id}）。"),
    "withdrawn": (
        "Withdrawn: it is no longer remembered as true.",
        "已撤回：不再作为事实记住。",
    ),
    "no_fact": (
        "There is no fact {id} here; see the ids with recall.",
        "此处没有编号为 {id} 的事实；请用 recall 查看编号。",
    ),
    "refused_rejected": (
        "Not kept: a person said that this is not so. Do not say it again; only a person can take "
        "that back.",
        "未保存：有人指出这并不属实。请不要再提；只有人可以收回这一否决。",
    ),
    "refused_authority": (
        "Not done: this is for a person to decide. Tell them, and go on.",
        "未执行：这要由人来决定。请告知对方，然后继续。",
    ),
    "proposed": (
        "Proposed (id {id}). It holds once a coordinator approves it; do not rely on it before.",
        "已提议（编号 {id}）。协调者批准后才成立，在此之前不要当真。",
    ),
    "nothing_proposed": (
        "Nothing waits for a decision that can be seen here.",
        "此处没有可见的待决提议。",
    ),
    "waiting": ("Waiting:", "待批准："),
    "contradicting": ("Contradicting:", "相互矛盾："),
    "approved": ("Approved: everybody recalls it from now on.", "已批准：从现在起所有人都能召回。"),
    "not_approved": (
        "Not approved, it is {state}: an approved one contradicts it. Call review_shared with "
        "decision=keep and other to settle it.",
        "未批准，状态为 {state}：与已批准的一条矛盾。请用 decision=keep 与 other 裁决。",
    ),
    "rejected": ("Rejected: it will not be recalled.", "已否决：不会被召回。"),
    "decide_how": (
        "Say decision=approve or reject, or decision=keep with other for a conflict.",
        "请给出 decision=approve 或 reject；冲突时用 decision=keep 并给出 other。",
    ),
    "reported": (
        "Noted: this procedure was used {count:time|times}.",
        "已记录：该流程共使用 {count} 次。",
    ),
    "no_procedure": (
        "There is no procedure {id} that can be used here; see the ids with recall.",
        "此处没有编号为 {id} 的可用流程；请用 recall 查看编号。",
    ),
    "refused_too_long": (
        "Not kept: the text is too long. Say it in a few sentences.",
        "未保存：文本过长。请用几句话说明。",
    ),
    "forgot": ("Forgotten: {count:record|records}.", "已忘记 {count} 条。"),
    "no_record": (
        "There is no record {id} here; see the ids with recall.",
        "此处没有编号为 {id} 的记录；请用 recall 查看编号。",
    ),
    "forget_what": (
        "Say which: id for one record (see recall), or everything=true.",
        "请说明删除哪条：用 id 指定一条（见 recall），或 everything=true。",
    ),
    "forget_one_of": (
        "Give id or everything=true, not both.",
        "id 与 everything=true 只能给一个。",
    ),
    "confirm": (
        "This removes everything about {place}, for good. Ask the person first; if they agree, "
        'call forget again with everything=true and confirm="{place}".',
        "这会永久删除 {place} 的一切。请先征得对方同意，然后带上 everything=true 与 "
        'confirm="{place}" 再次调用 forget。',
    ),
    "unknown_tool": (
        "There is no tool {name}; did you mean {nearest}? There are: {all}.",
        "没有工具 {name}；是否指 {nearest}？可用工具：{all}。",
    ),
    "not_json": (
        "The arguments of {tool} could not be read: give a JSON object with {all}.",
        "无法读取 {tool} 的参数：请给出 JSON 对象，可含 {all}。",
    ),
    "unknown_argument": (
        "{tool} has no argument {name}; did you mean {nearest}? It takes: {all}.",
        "{tool} 没有参数 {name}；是否指 {nearest}？可用参数：{all}。",
    ),
    "missing": (
        "{tool} needs {name}: {description}",
        "{tool} 缺少 {name}：{description}",
    ),
    "must_be_text": ("{name} must be text, not {value}.", "{name} 应为文本，而不是 {value}。"),
    "must_be_id": (
        "{name} must be an id, that is text or a whole number, not {value}.",
        "{name} 应为编号（文本或整数），而不是 {value}。",
    ),
    "must_be_count": (
        "{name} must be a whole number from 1 to {most}, not {value}.",
        "{name} 应为 1 到 {most} 的整数，而不是 {value}。",
    ),
    "must_be_time": (
        "{name} must be a time in ISO 8601, such as 2026-02-20T14:30:00+08:00, not {value}.",
        "{name} 应为 ISO 8601 时间，例如 2026-02-20T14:30:00+08:00，而不是 {value}。",
    ),
    "must_be_texts": (
        "{name} must be a text or a list of texts, not {value}.",
        "{name} 应为文本或文本列表，而不是 {value}。",
    ),
    "must_be_flag": (
        "{name} must be true or false, not {value}.",
        "{name} 应为 true 或 false，而不是 {value}。",
    ),
    "must_be_one_of": (
        "{name} must be one of {choices}, not {value}.",
        "{name} 应为 {choices} 之一，而不是 {value}。",
    ),
    "wrong": ("{tool}: {error}.", "{tool}：{error}。"),
}


def message(language: str, key: str, **values: object) -> str:
    return WORDS[key][language == "zh"].format(**counted(values))
