"""The tools of agents that work together: shared memory, and how procedures went."""

from __future__ import annotations

from .tool_types import Argument, Tool

SHARED_TYPES = (
    "project_context",
    "decision_record",
    "convention",
    "known_issue",
    "user_preference",
)

PROPOSE_SHARED = Tool(
    "propose_shared",
    (
        "Propose one statement to everybody in the workspace: a convention, a decision, a known "
        "issue. It is not remembered as true before a coordinator approves it. Nothing private.",
        "向整个工作区提议一条内容：约定、决定、已知问题等。协调者批准之前不会被当作事实记住。不要写私人内容。",
    ),
    (
        Argument(
            "text",
            "statement",
            ("The statement, complete in itself.", "要提议的内容，一句完整的话。"),
            required=True,
        ),
        Argument(
            "type",
            "text",
            ("What kind of statement it is.", "内容的类型。"),
            required=True,
            choices=SHARED_TYPES,
        ),
        Argument(
            "topic",
            "text",
            (
                "What it is about, in a word or two: for each topic one statement holds.",
                "主题，一两个词：每个主题只有一条成立。",
            ),
        ),
    ),
    writes=True,
)

REVIEW_SHARED = Tool(
    "review_shared",
    (
        "For a coordinator: without an id, list what agents proposed and what contradicts; with an "
        "id and a decision, approve or reject it, or keep it in a conflict with another.",
        "供协调者使用：不给 id 时列出待批准与相互矛盾的提议；给出 id 与 decision 时批准、否决，"
        "或在冲突中保留它。",
    ),
    (
        Argument("id", "id", ("The id of the proposal.", "提议的编号。")),
        Argument(
            "decision",
            "text",
            (
                "approve, reject, or keep: of two that contradict, this one holds (needs other).",
                "approve 批准，reject 否决，keep 在冲突中保留这一条（须给出 other）。",
            ),
            choices=("approve", "reject", "keep"),
        ),
        Argument(
            "other",
            "id",
            ("With keep: the id of the one that does not hold.", "keep 时：不成立的那条的编号。"),
        ),
        Argument("reason", "text", ("Why, in one sentence.", "理由，一句话。")),
    ),
    writes=True,
)

REPORT_PROCEDURE = Tool(
    "report_procedure",
    (
        "Say that you applied a procedure from memory, and whether it worked, so that the good "
        "ones come first.",
        "报告你使用了记忆中的某个流程以及是否奏效，好让有效的流程排在前面。",
    ),
    (
        Argument(
            "id",
            "id",
            ("The id of the procedure, see `recall`.", "流程的编号，见 recall。"),
            required=True,
        ),
        Argument(
            "worked",
            "flag",
            ("True if it worked. Leave it out if you do not know.", "是否奏效；不清楚则不填。"),
        ),
    ),
    writes=True,
)
