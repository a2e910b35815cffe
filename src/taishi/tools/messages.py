"""Messages of the tools to a model, in English and Chinese. Each says what to do next."""

from __future__ import annotations

from ..language.plurals import counted
from .argument_messages import ARGUMENT_WORDS
from .forget_messages import FORGET_WORDS
from .note_messages import NOTE_WORDS

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
        "There is no page about {kind} {id} that can be seen here. A search may still find single "
        "memories of them.",
        "此处看不到 {kind} {id} 的画像。搜索或许还能找到关于对方的个别记忆。",
    ),
    "bare_profile": (
        "(The page says nothing that may be seen here: nothing else is known yet.)",
        "（画像中没有此处可见的内容：目前别无所知。）",
    ),
    "profile": ("Page about {kind} {id}", "{kind} {id} 的画像"),
    "named": (" ({name})", "（{name}）"),
    "updated": (", updated {time}", "，更新于 {time}"),
    "tags": ("Tags: {tags}", "标签：{tags}"),
    "more": (
        "({count} more left out: ask more narrowly, or for fewer.)",
        "（另有 {count} 条未列出：请缩小查询范围。）",
    ),
    "id": (" ({kind}, id {id})", "（{kind}，编号 {id}）"),
    "state_waiting": (" (not yet approved)", "（待批准）"),
    "state_replaced": (" (replaced)", "（已被取代）"),
    "state_rejected": (" (rejected)", "（已否决）"),
    "ends": (" (until {day})", "（至 {day}）"),
    "kind_turn": ("turn", "对话"),
    "kind_event": ("event", "事件"),
    "kind_fact": ("fact", "事实"),
    "kind_instruction": ("standing instruction", "长期指示"),
    "kind_procedure": ("procedure", "流程"),
    "kind_short_term": ("short_term", "短期"),
    "kind_profile": ("profile", "画像"),
    "kind_observation": ("observation", "观察"),
    "kind_summary": ("summary", "摘要"),
    "kind_note": ("note", "笔记"),
    "kind_chunk": ("chunk", "文档片段"),
    "kind_document": ("document", "文档"),
    "remembered": ("Remembered (id {id}).", "已记住（编号 {id}）。"),
    "remembered_instruction": (
        "Kept as a standing instruction (id {id}): from now on it stands at the head of what is "
        "recalled.",
        "已作为长期指示记住（编号 {id}）：以后都会列在召回内容的最前面。",
    ),
    "remembered_redacted": (
        "Remembered (id {id}), without secrets that were taken out first: {kinds}.",
        "已记住（编号 {id}），写入前已去除敏感内容：{kinds}。",
    ),
    "remembered_long": (
        " It is {count:character|characters} long, and a search shows only its "
        "beginning: keep the gist here and the whole text with write_note.",
        "全文共 {count} 个字符，检索时只显示开头：此处请只记要点，全文用 write_note 保存。",
    ),
    "remembered_too_long_for_a_note": (
        " It is {count:character|characters} long, and a search shows only its beginning: keep the "
        "gist here and the whole text in several notes with write_note, each of at most {most} "
        "characters.",
        "全文共 {count} 个字符，检索时只显示开头：此处请只记要点，"
        "全文用 write_note 分成几篇笔记保存，每篇最多 {most} 个字符。",
    ),
    "contradicts": (
        "Kept (id {id}), but disputed: it contradicts {records}. Until that is settled, the older "
        "one is what a search finds, and context shows it as undecided, with these words beside "
        "it. If that has changed, call correct with its id and these words, which settles it; "
        "else a person decides (`taishi facts conflicts`, the page Review).",
        "已保存（编号 {id}），但有争议：它与{records}矛盾。解决之前，检索到的仍是旧的一条；"
        "context 会注明尚未定论，并附上这句新的说法。若情况有变，请用该编号和这句话"
        "调用 correct，即可解决；否则由人裁定（`taishi facts conflicts` 或网页的“审阅”）。",
    ),
    "close_to": (
        " Close to it is: {records}. If the new one takes its place, call correct with that id and "
        "forget this one.",
        "相近的已有：{records}。若新的取代了它，请用该编号调用 correct，并忘记这一条。",
    ),
    "known_already": (
        "Known already (id {id}), in the same words; nothing was added.",
        "已经记住过（编号 {id}），内容相同，未重复保存。",
    ),
    "scratchpad": (
        "Noted for this session. Goal: {goal}. Now: {step}.",
        "已记入本次会话。目标：{goal}。当前步骤：{step}。",
    ),
    "no_session": (
        "This conversation has no session, so there is no scratchpad. Keep track of the task in "
        "your answer.",
        "当前对话没有会话编号，因此没有草稿板。请在回答中自行记录进展。",
    ),
    "bad_cursor": (
        "This cursor is not from list_memories: use the one of its last answer, or none to start "
        "over.",
        "这个 cursor 不是 list_memories 给出的：请用它上一次返回的 cursor，"
        "或不带 cursor 从头列出。",
    ),
    "in_period": (
        "Nothing between these times has the words of the query. The newest told then, "
        "{count:memory|memories}:",
        "这段时间里没有与查询字句相符的内容。当时说过的最新 {count} 条：",
    ),
    "times_swapped": (
        "time_from is later than time_to: swap them.",
        "time_from 晚于 time_to：请对调。",
    ),
    "fact_is_text": (
        "Nothing was changed: {id} is a fact, of which only the text is changed. To put it right, "
        "call correct with its id and the new text; it keeps its end. To give it another end, "
        "forget it and remember it again with expires. Metadata is kept of records of kind note "
        "alone.",
        "未作更改：{id} 是事实，只能修改文本。要更正，请用该编号和新的文本调用 correct，"
        "到期时间不变；要改到期时间，请用 forget 删除，再用 remember 带上 expires 重新记住。"
        "元数据只有 note 类记录才有。",
    ),
    "ended": ("The turn is over and will be remembered.", "本轮已结束，内容将被记住。"),
    "ended_redacted": (
        " Secrets were taken out first: {kinds}.",
        "写入前已去除敏感内容：{kinds}。",
    ),
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
    "replaced_already": (
        "Nothing was changed: this fact was replaced before. What holds now is {record}; if that "
        "is wrong, call correct with its id.",
        "未作更改：这条事实此前已被取代。现在成立的是{record}；若它有误，"
        "请用它的编号调用 correct。",
    ),
    "says_the_same": (
        "Nothing was changed: the fact says this already. Give the text that is to take its place.",
        "未作更改：这条事实本来就是这样说的。请给出要取代它的内容。",
    ),
    "changed": ("Changed (id {id}).", "已更改（编号 {id}）。"),
    "change_what": (
        "Say what to change: text, metadata or both.",
        "请说明要改什么：text、metadata 或两者。",
    ),
    "nothing_listed": ("Nothing is remembered here that fits.", "此处没有符合条件的记忆。"),
    "more_listed": (
        'There are more: call list_memories again with cursor="{cursor}".',
        '还有更多：请带上 cursor="{cursor}" 再次调用 list_memories。',
    ),
    "must_be_mapping": (
        "{name} must be an object, not {value}.",
        "{name} 应为对象，而不是 {value}。",
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
        "Not done: this is for a person to decide. Tell them that they can, on the web page "
        "(`taishi ui`) or on the command line (`taishi records`, `taishi facts`), and go on.",
        "未执行：这要由人来决定。请告知对方可在网页（`taishi ui`）或命令行（`taishi records`、"
        "`taishi facts`）中操作，然后继续。",
    ),
    "refused_review": (
        "Not done: a coordinator or a person decides on this. Tell the person that they can with "
        "`taishi shared approve ID` or `taishi shared reject ID` (of two that contradict: `taishi "
        "shared resolve`), or on the page Review of `taishi ui`, and go on.",
        "未执行：这要由协调者或人来决定。请告知对方可用 `taishi shared approve 编号` 或 "
        "`taishi shared reject 编号`（两条矛盾时用 `taishi shared resolve`），"
        "或在 `taishi ui` 的“审阅”页面中操作，然后继续。",
    ),
    "no_proposal": (
        "There is no proposal {id} in shared memory that can be seen here; call review_shared "
        "without id for those that wait.",
        "共享记忆中没有此处可见的提议 {id}；不带 id 调用 review_shared 可列出待决的提议。",
    ),
    "way_event": (
        "Nothing was changed: {id} is an event, made from what was said. Put right the fact that "
        "it told with `correct`, remove the event with `forget`, or let the person change it: "
        "`taishi ui`, `taishi records update`.",
        "未作更改：{id} 是事件，由对话整理而成。请用 correct 更正其中的事实，用 forget 删除该事件，"
        "或由对方自行修改（`taishi ui`、`taishi records update`）。",
    ),
    "way_bare_event": (
        "Nothing was changed: {id} is an event, made from what was said, and no fact was made of "
        "it. `remember` what is right, with its time; if the person wants the event gone with all "
        "that it tells, `forget` it and remember the rest again.",
        "未作更改：{id} 是事件，由对话整理而成，没有从中得出事实。"
        "请用 remember 记住正确的内容并写明时间；"
        "若对方要删除该事件及其全部内容，请用 forget 删除，再重新记住其余内容。",
    ),
    "way_profile": (
        "Nothing was changed: {id} is a page, made from facts. Put right or forget the facts that "
        "it states, with `correct` or `forget` (list_memories with kind=fact shows their ids). To "
        "remove everything there is: forget with everything=true.",
        "未作更改：{id} 是画像，由事实汇总而成。请用 correct 或 forget 处理其中的事实"
        "（用 list_memories 加 kind=fact 查看编号）。要删除全部内容，请调用 forget 并给出 "
        "everything=true。",
    ),
    "way_notes": (
        "Nothing was changed: {id} is a part of the note page {path}. Write it as it should be "
        "with `write_note`, or remove it with `remove_note`.",
        "未作更改：{id} 是笔记页 {path} 的一部分。请用 write_note 重写，或用 remove_note 移除。",
    ),
    "way_note_page": (
        "Nothing was changed: {id} is the whole note page {path}, with its history. Only if the "
        "person means all of it: remove it with `remove_note`. To take a part out, write it "
        "without that with `write_note`.",
        "未作更改：{id} 是整篇笔记页 {path}，连同其历史。只有对方要删除整篇时，才用 "
        "remove_note 移除；只去掉其中一部分，请用 write_note 重写。",
    ),
    "way_document": (
        "Nothing was changed: {id} is a part of the document {path}. A person adds it again "
        "(`taishi knowledge add`); `forget` removes it.",
        "未作更改：{id} 是文档 {path} 的一部分。可由人重新添加（`taishi knowledge add`），"
        "或用 forget 删除。",
    ),
    "way_record": (
        "Nothing was changed: {id} is not a fact but a record of the kind {kind}. Change it with "
        "`update_memory` if you wrote it, or remove it with `forget`.",
        "未作更改：{id} 不是事实，而是{kind}。若由你写入，可用 update_memory 修改；"
        "也可用 forget 删除。",
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
    "refused_over_limit": (
        "Not kept: the text is too long; at most {limit} characters are taken. Say it in a few "
        "sentences.",
        "未保存：文本过长，最多 {limit} 个字符。请用几句话说明。",
    ),
    **FORGET_WORDS,
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
        "这会永久删除 {place} 的全部记忆。请先征得对方同意，然后带上 everything=true 与 "
        'confirm="{place}" 再次调用 forget。',
    ),
    "read_only": (
        "{name} writes, and this memory is read-only here: nothing was changed. Tell the person "
        "that the server was started read-only, or that its key may only read.",
        "{name} 会写入，而此处的记忆为只读：未作任何更改。请告知对方：服务以只读方式启动，"
        "或所用密钥只能读取。",
    ),
    "no_own_group": (
        "This conversation is not in a group. Leave entity_type out for the page of the person "
        "you are talking with, or say which group: entity_id.",
        "当前会话不在群里。不填 entity_type 即为对方的画像；要某个群的画像，请给出 entity_id。",
    ),
    "no_own_user": (
        "It is not known who is speaking in this group. Say whose page: entity_id; or leave "
        "entity_type out for the page of the group.",
        "此群里不知道是谁在说话。请用 entity_id 说明要谁的画像；不填 entity_type 即为该群的画像。",
    ),
    "no_own_profile": (
        "Say whose page: entity_type and entity_id. This conversation has no user or group of "
        "its own.",
        "请用 entity_type 与 entity_id 说明要谁的画像：当前会话没有对应的用户或群。",
    ),
    **ARGUMENT_WORDS,
    **NOTE_WORDS,
}


def message(language: str, key: str, **values: object) -> str:
    return WORDS[key][language == "zh"].format(**counted(values))
