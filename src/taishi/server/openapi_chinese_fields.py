"""What fields and parameters mean, in Chinese, by what the OpenAPI description says in English."""

from __future__ import annotations

FIELDS = {
    # turns and sessions
    "The latest messages; the newest are kept with the turn.": (
        "最近的消息；其中最新的几条随这一轮保存。"
    ),
    "The host's id of the request; generated if left out.": "宿主程序的请求编号；不写则自动生成。",
    "When the turn ended; now if left out.": "这一轮结束的时间；不写则为现在。",
    "The user who said this.": "这些话出自哪个用户。",
    "What was done in this turn.": "这一轮做了什么。",
    "What is new and worth keeping; empty if nothing is.": "值得记的新信息；没有则为空。",
    "The old name of action_summary, which wins.": (
        "action_summary 的旧名；两个都给时以 action_summary 为准。"
    ),
    "Keep it even if it looks like nothing new.": "即使看起来没有新内容也保存。",
    "Answer only when the turn can be recalled; wait at most this many seconds.": (
        "等这一轮可以召回再应答，最多等这么多秒。"
    ),
    "Oldest first.": "从旧到新。",
    "Wait at most so many seconds. Default: 10.0.": "最多等这么多秒。默认：10.0。",
    "Whether appended messages go to the historian; left out: only if working.learn_every_rounds "
    "is set.": "是否把追加的消息交给史官；不写则看是否设了 working.learn_every_rounds。",
    "Each with role and content, tool_calls or tool_call_id where they apply; Taishi also takes "
    "id, time, speaker and speaker_id.": (
        "每条有 role 和 content，需要时有 tool_calls 或 tool_call_id；"
        "还可以带太史自己的 id、time、speaker、speaker_id。"
    ),
    "The model's max tokens, of which 70 % are used. Left out: the last messages.": (
        "模型的 token 上限，使用其中的 70%。不写则返回最后的若干条消息。"
    ),
    "Only messages after this number.": "只要这个序号之后的消息。",
    "Only the last messages; `after` is ignored.": "只要最后的几条，忽略 `after`。",
    # recall
    "How many at most; as in the settings if left out.": "最多几条；不写则按设置。",
    "Seconds; late paths are left out.": "秒数；超时的路径不计入。",
    "Minimum similarity; 0: none.": "相似度下限；0 为不设下限。",
    "Only matching records: fields, metadata.NAME, and/or/not; see Filter memories.": (
        "只要符合条件的记录：字段、metadata.NAME、and/or/not；见《按条件过滤记忆》。"
    ),
    "Also explain each hit, and what was dropped; slower.": "同时说明取舍和落选的内容；较慢。",
    "Never exceeded; counted with query.tokenizer.": "不会超出；按 query.tokenizer 计数。",
    "Default: text.": "默认：text。",
    "Also count tokens and time stages; slower.": (
        "同时给出各部分的 token 数和各阶段的耗时；较慢。"
    ),
    "Also send the records that were found.": "同时返回找到的记录。",
    # records
    "Default: fact.": "默认：fact。",
    "When it happened; now if left out.": "发生的时间；不写则为现在。",
    "When they said so; now if left out.": "说这话的时间；不写则为现在。",
    "Who said it.": "谁说的。",
    "Whom it belongs to; the scope's user if left out.": "属于谁；不写则为作用域里的用户。",
    "Your own id; returned unchanged.": "你自己的编号，原样返回。",
    "The id to store it under; a record with this id is replaced.": (
        "指定编号；已有同一编号的会被替换。"
    ),
    "Default: 1.0.": "默认：1.0。",
    "Anything of your own, as JSON.": "你自己的数据，JSON。",
    "Anything of your own, as JSON, for the event.": "你自己的数据，JSON，存在事件上。",
    "Each with the fields of `POST /v1/memories` but `scope`; a `kind` that is left out is "
    "`note`.": (
        "每一条的字段与 `POST /v1/memories` 相同，但没有 `scope`；不写 `kind` 则为 `note`。"
    ),
    "When to delete it; null: never.": "何时删除；null 为永不。",
    "Only these kinds.": "只要这些类别。",
    "`next` of the previous page.": "上一页的 `next`。",
    "When to delete it; an explicit null: never.": "何时删除；明确给出 null 为永不。",
    # profiles
    "The user's or the group's id.": "用户或群的编号。",
    "`updated_at` of the page that was edited. If the page has changed since, nothing is written "
    "and the answer is 409.": ("所编辑画像的 `updated_at`。此后画像有变化则不写入，应答为 409。"),
    "The workspace; the key's if left out.": "工作区；不写则为密钥的工作区。",
    "A revision's name.": "历史版本的名称。",
    "Another revision; the present page if left out.": "另一个版本；不写则为现在。",
    # documents and notes
    "Default: 5.": "默认：5。",
    "Chunks around each match; as in the settings if left out.": (
        "命中片段前后各带几个；不写则按设置。"
    ),
    "Ids or names to search in; all if left out.": "只在这些文档里找，给出编号或名称；不写则全部。",
    "A document's id or its name.": "文档的编号或名称。",
    "Redirect to the file's address, if it is in S3.": "文件在 S3 时，重定向到它所在的地址。",
    "The number of the first one.": "从第几个开始。",
    "Only paths that start with this.": "只要路径以此开头的。",
    "Default: 10.": "默认：10。",
    "Refused with 409 if the note has another version; 0: there is no note yet.": (
        "版本不符则拒绝（409）；0 表示还没有这篇笔记。"
    ),
    "Your own id of this change: sent again, the change is not made twice; with other content, it "
    "is a 409.": "你自己的操作编号：重复发送不会再次修改；内容不同则为 409。",
    "Identifies what the operation does; derived from its content if left out.": (
        "操作的指纹；不写则由内容得出。"
    ),
    "A note's path.": "笔记的路径。",
    "The id that the change was sent with.": "修改时给出的操作编号。",
    "Refused with 409 if it had another.": "与当时的不同则拒绝（409）。",
    "Stays until another is sent.": "一直保留，直到给出新的。",
    "The most characters this note may have; 0: no limit.": "这篇笔记最多多少个字符；0 为不限。",
    "All notes below the path.": "路径下的所有笔记。",
    # facts, shared memory, procedures
    "Only in these states.": "只要这些状态的。",
    "The fact that holds.": "成立的事实。",
    "The one that does not; it is not learned again.": "不成立的事实；不会再次学到。",
    "Default: project_context.": "默认：project_context。",
    "What it is about: two entries of a type with one topic and different words contradict each "
    "other.": "主题：类型和主题相同而说法不同的两条互相矛盾。",
    "Only of these types.": "只要这些类型的。",
    "The entry that holds.": "成立的条目。",
    "The one that does not.": "不成立的条目。",
    "They do not contradict: both hold.": "两者并不矛盾，都成立。",
    "Why, for the audit.": "理由，写入审计记录。",
    "Whether it worked, if known.": "是否成功，如果知道的话。",
    # keeping, looking, moving
    "Then search every byte of the data folder for what they said. This reads every workspace, so "
    "it needs an admin key for all of them.": (
        "之后在数据目录的每个字节里查找其语句。会查遍所有工作区，因此需要面向所有工作区的管理员密钥。"
    ),
    "Only this workspace's; the key's if left out.": "只要这个工作区的；不写则为密钥的工作区。",
    "Not before this day; ISO 8601.": "不早于这一天；ISO 8601。",
    "Only what belongs to this user.": "只要属于这个用户的。",
    "Only with this tag.": "只要带这个标签的。",
    "Only what contains exactly this text.": "只要原文含有这些文字的。",
    "Only what is still in force by its state, but has expired.": (
        "只要状态仍然有效、但已经到期的。"
    ),
    "Only records of this session.": "只要属于这个会话的。",
    "Only matching records; a JSON object.": "只要符合条件的记录；一个 JSON 对象。",
    "By arrival, last first, or by this time, newest first.": (
        "最后到达的在前，或按这个时间从新到旧。"
    ),
    "Long texts and long lists are shortened, for a list of cards.": (
        "截短长文本和长列表，供卡片列表使用。"
    ),
    "Null: every workspace.": "null 为所有工作区。",
    "Default: write.": "默认：write。",
    "Writes and decides as a person; null: if it is an admin key.": (
        "是否以人的名义写入和决定；null 则只有管理员密钥如此。"
    ),
    "With the vectors: a larger file, but ready sooner after an import.": (
        "连同向量：文件更大，导入后更快可用。"
    ),
    "Lines of any other workspace are refused; the key's workspace if left out.": (
        "其他工作区的行会被拒绝；默认为密钥的工作区。"
    ),
    "Lines of this workspace go into `workspace`.": "把这个工作区的行放进 `workspace`。",
    "Overwrite records that differ; else they are kept.": "覆盖不同的内容；否则保留原有的。",
    "Only say what would happen.": "只说明会发生什么。",
    "Skip wrong lines instead of refusing the import.": "略过有错的行，而不是全部拒绝。",
    "Also import what was forgotten here since; this is recorded.": (
        "连同此后在这里忘记过的内容；会留下记录。"
    ),
    "The host's id of the request, as it was sent.": "宿主程序给请求的编号，与发送时相同。",
    "When each was written, by its id; null if that is not known.": (
        "每条写于何时，按编号给出；不知道则为 null。"
    ),
    "Only this workspace; all if left out.": "只限这个工作区；不写则全部。",
    "Only say what would change.": "只说明会有哪些变化。",
    "What 'today' means; now if left out.": "“今天”指哪一天；不写则为当前时间。",
}
