"""Tool definitions as data: names, arguments and descriptions in two languages (T1)."""

from __future__ import annotations

from .note_definitions import NOTE_TOOLS
from .record_definitions import FILTERS, LIST_MEMORIES, UPDATE_MEMORY
from .shared_definitions import PROPOSE_SHARED, REPORT_PROCEDURE, REVIEW_SHARED
from .tool_types import Argument, Tool

__all__ = ["AGENT_TOOLS", "ALL_TOOLS", "CATALOGUE", "MAX_TOP_K", "Argument", "Tool"]
MAX_TOP_K = 50
ENTITIES = ("user", "group")
REMEMBERED_KINDS = ("fact", "note")


def _top_k(default_hint: str) -> Argument:
    return Argument(
        "top_k",
        "count",
        (
            f"How many at most, 1 to {MAX_TOP_K}. {default_hint}",
            f"最多返回几条，1 到 {MAX_TOP_K}，可不填。",
        ),
    )


_QUERY = Argument(
    "query",
    "text",
    (
        "What to look for, in plain words, Chinese or English. Name people, things and dates.",
        "要找的内容，用中文或英文直接描述，写明人名、事物与日期。",
    ),
    required=True,
)
_TIME_FROM = Argument(
    "time_from",
    "time",
    (
        "Only what happened at or after this time, ISO 8601, e.g. 2026-02-20T14:30:00+08:00.",
        "只要此时间及以后的，ISO 8601 格式，例如 2026-02-20T14:30:00+08:00。",
    ),
)
_TIME_TO = Argument(
    "time_to",
    "time",
    (
        "Only what happened up to this time, ISO 8601. A bare date includes that whole day.",
        "只要此时间及以前的，ISO 8601 格式；只写日期则包含当天全天。",
    ),
)

SEARCH_EVENTS = Tool(
    "search_events",
    (
        "Search what happened in earlier conversations here, with times. Use it when the answer "
        "may lie in the past. It only finds what this conversation may see.",
        "检索此处以往对话中发生过的事，带时间。当答案可能在过去的对话里时使用。只能找到当前会话有权看到的内容。",
    ),
    (
        _QUERY,
        Argument(
            "target_user_id",
            "id",
            (
                "Only what this user did or said. Narrows the search, never widens it.",
                "只看这个用户的；只会缩小范围，不会扩大。",
            ),
        ),
        Argument(
            "target_group_id",
            "id",
            (
                "Only what happened in this group. Narrows the search, never widens it.",
                "只看这个群的；只会缩小范围，不会扩大。",
            ),
        ),
        _top_k("Leave it out for the usual number."),
        _TIME_FROM,
        _TIME_TO,
    ),
)

GET_PROFILE = Tool(
    "get_profile",
    (
        "Read the page about one user or one group: lasting traits, preferences, goals. Without "
        "arguments: about whom you are talking with.",
        "读取某个用户或某个群的画像：长期特点、偏好与目标。不给参数则为当前对话的对方。",
    ),
    (
        Argument(
            "entity_type",
            "text",
            (
                "Whose page: user or group. The caller's own if left out.",
                "谁的画像：user 或 group；不填为当前对话的。",
            ),
            choices=ENTITIES,
        ),
        Argument(
            "entity_id",
            "id",
            (
                "The id of that user or group. The caller's own if left out.",
                "该用户或群的编号；不填为当前对话的。",
            ),
        ),
    ),
)

SEARCH_PROFILES = Tool(
    "search_profiles",
    (
        "Find pages about users and groups by what they say, e.g. who likes hiking.",
        "按内容查找用户与群的画像，例如谁喜欢徒步。",
    ),
    (
        _QUERY,
        Argument(
            "entity_type",
            "text",
            ("Only pages of this kind.", "只看这一类画像。"),
            choices=ENTITIES,
        ),
        Argument("entity_id", "id", ("Only this user or group.", "只看这个用户或群。")),
        _top_k("Leave it out for the usual number."),
    ),
)

SEARCH_KNOWLEDGE = Tool(
    "search_knowledge",
    (
        "Search the documents that were added here, in Chinese and English; each passage comes "
        "with where it is from: file, section, page. Cite that in your answer.",
        "检索已添加的文档（中英文皆可），每段都注明出处：文件、章节、页码。回答时请引用出处。",
    ),
    (_QUERY, _top_k("5 if left out.")),
)

REMEMBER = Tool(
    "remember",
    (
        "Keep one statement for good, word for word. Use it when the person asks to remember "
        "something, or says something that will matter later. Write it so that it can be "
        "understood on its own: names instead of pronouns, dates instead of 'tomorrow'. What the "
        "person wants done from now on, in their words ('Always run the tests before you "
        "commit'), is kept as a standing instruction. If "
        "something known has changed, use `correct` on that fact instead; the answer names what "
        "is close to the new one or contradicts it.",
        "逐字长期记住一句话。当对方要求记住，或说了以后有用的事时使用。要写得单独看也能懂：用名字代替代词，用日期代替“明天”。"
        "对方要求以后照办的事，请用对方的原话（“提交前一定要先跑测试”），会作为长期指示保存。"
        "已知的事有变化时，请改用 correct 更正那条事实；答复会列出与新内容相近或矛盾的事实。",
    ),
    (
        Argument(
            "text",
            "statement",
            (
                "The statement, complete in itself.",
                "要记住的内容，一句完整的话。",
            ),
            required=True,
        ),
        Argument(
            "kind",
            "text",
            (
                "fact: something that is true (the default), which a newer one can correct. note: "
                "any other short statement. Longer text is a note page: `write_note`.",
                "fact：事实（默认），可由新的说法更正；note：其他短句。较长的文字请用 write_note "
                "写成笔记页。",
            ),
            choices=REMEMBERED_KINDS,
        ),
        Argument(
            "time",
            "time",
            (
                "When it happened, ISO 8601, if that is not now.",
                "发生时间，ISO 8601 格式；不填为此刻。",
            ),
        ),
        Argument(
            "expires",
            "time",
            (
                "When it is to be deleted, ISO 8601, if it is of use for a time only.",
                "到期删除的时间，ISO 8601 格式；只在一段时间内有用时填写。",
            ),
        ),
    ),
    writes=True,
)

END = Tool(
    "end",
    (
        "End this turn and say what memory should keep of it. Call it once, when the answer has "
        "been given.",
        "结束本轮对话，并说明哪些内容值得记住。在答复完成后调用一次。",
    ),
    (
        Argument(
            "action_summary",
            "text",
            (
                "What was done this turn, in one short sentence. Empty if nothing was.",
                "本轮做了什么，一句短话；没有则留空。",
            ),
            old_name="summary",
        ),
        Argument(
            "new_info",
            "texts",
            (
                "What was learned: at most one new thing per message, nothing already known. "
                "Empty if none.",
                "新得知的信息：每条消息至多一条，已知的不写；没有则留空。",
            ),
        ),
        Argument(
            "force",
            "flag",
            (
                "True to end the turn although messages are still unanswered.",
                "还有消息未答复也要结束时为 true。",
            ),
        ),
    ),
    writes=True,
)

RECALL = Tool(
    "recall",
    (
        "Search everything remembered here, of any kind, with times and ids. The ids are what "
        "`forget` takes.",
        "检索此处记住的一切，不限类别，带时间与编号；编号可用于 forget。",
    ),
    (_QUERY, _top_k("Leave it out for the usual number."), _TIME_FROM, _TIME_TO, FILTERS),
)

CONTEXT = Tool(
    "context",
    (
        "What is known that bears on a message: the person's page and the few memories that "
        "matter most. Call it first, with the message you are about to answer.",
        "与一条消息有关的已知内容：对方的画像与最要紧的几条记忆。答复之前先用要答复的消息调用它。",
    ),
    (
        Argument(
            "query",
            "text",
            (
                "The message that you are about to answer, as it is.",
                "你要答复的那条消息，原样给出。",
            ),
            required=True,
        ),
        FILTERS,
    ),
)

CORRECT = Tool(
    "correct",
    (
        "Put a remembered fact right when the person says that it is wrong: the new words take the "
        "place of the old everywhere. Without text: it is not so at all, and is withdrawn. What a "
        "person decided themselves cannot be changed with it.",
        "对方指出事实有误时用来更正：新说法在各处取代旧的。不给 text 表示并非如此，予以撤回。"
        "由人自己裁定的内容不能用它更改。",
    ),
    (
        Argument(
            "id",
            "id",
            ("The id of the fact, see `recall`.", "该事实的编号，见 recall。"),
            required=True,
        ),
        Argument(
            "text",
            "statement",
            (
                "How it really is, complete in itself. Empty if it is simply not so.",
                "实际情况，一句完整的话；若只是不属实则留空。",
            ),
        ),
    ),
    writes=True,
)

FORGET = Tool(
    "forget",
    (
        "Remove from memory for good: one record by its id (see `recall`), or everything about "
        "this user or group. A forgotten fact is also taken out of the event that it was learned "
        "from, which stays for what else it tells: do not forget events to make sure. The answer "
        "says what went and what stays. A profile page goes with its facts, a note page with "
        "`remove_note`. "
        "Only when the person asks for it.",
        "永久删除记忆：用编号删除一条（见 recall），或删除该用户或群的一切。删除事实时，"
        "学到它的事件里也会去掉这句话，其余内容保留，不必再去删除事件；答复会说明删了什么、留下什么。"
        "画像随其中的事实删除，笔记页用 remove_note 移除。仅在对方要求时使用。",
    ),
    (
        Argument("id", "id", ("The id of one record.", "一条记录的编号。")),
        Argument(
            "everything",
            "flag",
            (
                "True to remove everything; needs confirm.",
                "为 true 时删除一切，须同时给出 confirm。",
            ),
        ),
        Argument(
            "confirm",
            "text",
            (
                "The words that the first call asks for; ask the person before you say them.",
                "第一次调用所要求的确认词；给出之前先征得对方同意。",
            ),
        ),
    ),
    writes=True,
    is_destructive=True,
    is_repeatable=True,
)

UPDATE_SCRATCHPAD = Tool(
    "update_scratchpad",
    (
        "Keep track of a longer task in this session: the goal, the steps, what was decided, what "
        "is in the way. Give only the fields that change; a list replaces the old one. It is shown "
        "to you again in this session, and is gone when the session is idle.",
        "在本次会话中记录较长任务的进展：目标、步骤、决定与阻碍。只填有变化的字段；列表会替换原有内容。"
        "它会在本次会话中再次提供给你，会话闲置后清除。",
    ),
    (
        Argument("current_goal", "text", ("What the task is for.", "任务的目标。")),
        Argument("current_step", "text", ("What is being done now.", "当前正在做什么。")),
        Argument("sub_goals", "texts", ("What is still to be done.", "还要完成的部分。")),
        Argument("completed", "texts", ("What is done.", "已完成的部分。")),
        Argument(
            "decisions",
            "texts",
            (
                "What was decided, each as 'WHAT because WHY'.",
                "已作的决定，每条写作“做什么，因为……”。",
            ),
        ),
        Argument("blockers", "texts", ("What is in the way.", "遇到的阻碍。")),
    ),
    writes=True,
)

CATALOGUE = {
    tool.name: tool
    for tool in (
        SEARCH_EVENTS,
        GET_PROFILE,
        SEARCH_PROFILES,
        SEARCH_KNOWLEDGE,
        REMEMBER,
        END,
        RECALL,
        CONTEXT,
        LIST_MEMORIES,
        UPDATE_MEMORY,
        CORRECT,
        FORGET,
        PROPOSE_SHARED,
        REVIEW_SHARED,
        REPORT_PROCEDURE,
        UPDATE_SCRATCHPAD,
        *NOTE_TOOLS,
    )
}
AGENT_TOOLS = ("search_events", "get_profile", "search_profiles", "remember", "end")
ALL_TOOLS = tuple(CATALOGUE)
