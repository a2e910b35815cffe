"""The tools that look through records one by one: list them, put one right."""

from __future__ import annotations

from ..types import KINDS
from .record_states import CHOICES as STATES
from .tool_types import Argument, Tool

ORDERS = ("arrival", "created", "updated")
FILTERS = Argument(
    "filters",
    "object",
    (
        'Only matching records, e.g. {"kind": "fact"} or {"metadata.project": {"in": ["a", "b"]}}. '
        "Fields: id, kind, state, tags, time, created, updated, expires, user, speaker, session, "
        "source, confidence, metadata.NAME. Operations: eq, ne, in, nin, gt, gte, lt, lte, "
        "contains, exists; and, or, not combine.",
        '只要符合条件的，例如 {"kind": "fact"} 或 {"metadata.project": {"in": ["a", "b"]}}。'
        "字段：id、kind、state、tags、time、created、updated、expires、user、speaker、session、"
        "source、confidence、metadata.名称。运算：eq、ne、in、nin、gt、gte、lt、lte、contains、"
        "exists；可用 and、or、not 组合。",
    ),
)

LIST_MEMORIES = Tool(
    "list_memories",
    (
        "List what is remembered here, newest first, without a question. The ids are what "
        "`update_memory`, `correct` and `forget` take. What was replaced, rejected or is not yet "
        "approved is left out; `state` shows it. For a question use `recall`.",
        "按从新到旧列出此处记住的内容，无需提问；编号可用于 update_memory、correct 与 forget。"
        "已被取代、已否决和待批准的不列出，需要时用 state 查看。有具体问题时请用 recall。",
    ),
    (
        Argument(
            "kind",
            "text",
            ("Only records of this kind.", "只列出这一类记录。"),
            choices=KINDS,
        ),
        Argument(
            "text",
            "text",
            ("Only records that contain these words.", "只列出含有这些字词的记录。"),
        ),
        Argument(
            "state",
            "text",
            (
                "approved (the default): what holds. waiting: not yet approved. replaced, "
                "rejected: what does not hold. all: any, each of the others marked.",
                "approved（默认）：成立的。waiting：待批准的。replaced：已被取代的。"
                "rejected：已否决的。all：全部，不成立或待批准的会注明。",
            ),
            choices=STATES,
        ),
        Argument(
            "time_from",
            "time",
            (
                "Only what happened at or after this time, ISO 8601.",
                "只要此时间及以后的，ISO 8601 格式。",
            ),
        ),
        Argument(
            "time_to",
            "time",
            (
                "Only what happened up to this time, ISO 8601.",
                "只要此时间及以前的，ISO 8601 格式。",
            ),
        ),
        FILTERS,
        Argument(
            "order_by",
            "text",
            (
                "arrival (the default): the last to come first. created, updated: by that time.",
                "arrival（默认）：后到的在前；created、updated：按创建或更新时间。",
            ),
            choices=ORDERS,
        ),
        Argument(
            "top_k",
            "count",
            ("How many at most, 1 to 50; 20 if left out.", "最多几条，1 到 50；不填为 20。"),
        ),
        Argument(
            "cursor",
            "text",
            (
                "From the answer before, to go on after it.",
                "上一次返回的 cursor，用于继续往后列。",
            ),
        ),
    ),
)

UPDATE_MEMORY = Tool(
    "update_memory",
    (
        "Change a record that you stored with `remember`: its text and, of one of kind note, its "
        "metadata and when it is deleted. A fact that is wrong is put right with `correct`. Events "
        "(what `end` stored), pages and what a person wrote cannot be changed with it.",
        "修改你用 remember 保存的一条记录：文本，note 类记录还可改元数据与到期时间。"
        "事实有误时请用 correct。"
        "不能用它更改事件（end 所保存的）、画像以及由人写入的内容。",
    ),
    (
        Argument(
            "id",
            "id",
            (
                "The id of the record, see `list_memories` or `recall`.",
                "记录的编号，见 list_memories 或 recall。",
            ),
            required=True,
        ),
        Argument(
            "text",
            "statement",
            ("The new text, complete in itself.", "新的文本，一句完整的话。"),
        ),
        Argument(
            "metadata",
            "object",
            (
                "Fields that replace those of the record, an object. Not for a fact, which has "
                "its text alone.",
                "取代原有字段的元数据，一个对象。事实只有文本，不能填写。",
            ),
        ),
        Argument(
            "expires",
            "expiry",
            (
                "When it is to be deleted, ISO 8601; 'never' to keep it. Not for a fact.",
                "到期删除的时间，ISO 8601 格式；填 never 则不再到期。事实不能填写。",
            ),
        ),
    ),
    writes=True,
    is_destructive=True,
)
