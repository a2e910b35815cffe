"""The tools with which an agent keeps note pages of its own, by path. A record of kind note, which
`remember` keeps, is something else: one statement with an id."""

from __future__ import annotations

from .tool_types import Argument, Tool

_PATH = Argument(
    "path",
    "text",
    ("The path of the note page, such as notes/plan.md.", "笔记页的路径，例如 notes/plan.md。"),
    required=True,
)
_PREFIX = Argument(
    "prefix",
    "text",
    ("Only paths that begin so, such as notes/.", "只看以此开头的路径，例如 notes/。"),
)
_EXPECTED = Argument(
    "expected_version",
    "number",
    (
        "The version that you read; refused if the note has another. Not for a folder.",
        "你读到的版本；笔记的版本不符会被拒绝。不用于文件夹。",
    ),
)
_OPERATION = Argument(
    "operation",
    "id",
    (
        "An id of your own for this change: sent twice with it, it is made once.",
        "你为这次更改取的编号：带着它重复发送，只做一次。",
    ),
)

LIST_NOTES = Tool(
    "list_notes",
    (
        "List your own note pages: path, version, length and what each is for. A note page is text "
        "by a path that you keep across conversations. Records of kind note, which `remember` "
        "keeps, are not among them: they have ids, see `list_memories`.",
        "列出你自己的笔记页：路径、版本、长度与用途。笔记页是你按路径跨对话保存的文字。"
        "remember 保存的 note 类记录不在其中，它们有编号，见 list_memories。",
    ),
    (_PREFIX,),
)

READ_NOTE = Tool(
    "read_note",
    (
        "Read one of your note pages, with its version. A long one comes in parts.",
        "读取你的一篇笔记页及其版本；长的分段给出。",
    ),
    (
        _PATH,
        Argument(
            "from_line",
            "number",
            ("The first line to show; 1 if left out.", "从第几行开始；不填为第 1 行。"),
        ),
        Argument(
            "version",
            "number",
            (
                "An earlier version, see `note_history`; the present one if left out.",
                "某个旧版本，见 note_history；不填为当前版本。",
            ),
        ),
    ),
)

NOTE_HISTORY = Tool(
    "note_history",
    (
        "List the versions of one of your note pages, newest first; `read_note` shows one of them.",
        "列出你的一篇笔记页的各个版本，新的在前；用 read_note 查看其中之一。",
    ),
    (_PATH,),
)

WRITE_NOTE = Tool(
    "write_note",
    (
        "Write one of your note pages whole, or add lines at its end with append. Read it before "
        "you write over it, and give the version that you read.",
        "整篇写入你的一篇笔记页，或用 append 在末尾追加。覆盖之前先读取，并给出读到的版本。",
    ),
    (
        _PATH,
        Argument("text", "text", ("Its text.", "正文。"), required=True),
        Argument(
            "append",
            "flag",
            ("True to add the text at the end.", "为 true 时追加到末尾。"),
        ),
        Argument(
            "expected_version",
            "number",
            (
                "The version that you read; 0 if the note must be new. Refused if it has another.",
                "你读到的版本；必须是新笔记则填 0。版本不符会被拒绝。",
            ),
        ),
        Argument(
            "description",
            "text",
            (
                "What the note is for, for `list_notes`; as it was if left out.",
                "这篇笔记的用途，供 list_notes 显示；不填则不变。",
            ),
        ),
        _OPERATION,
    ),
    writes=True,
    is_destructive=True,
)

SEARCH_NOTES = Tool(
    "search_notes",
    (
        "Search your own note pages by meaning and words; each with the passage that matched.",
        "按含义与词语检索你自己的笔记页，附匹配的片段。",
    ),
    (
        Argument("query", "text", ("What to look for.", "要找的内容。"), required=True),
        _PREFIX,
        Argument("top_k", "count", ("How many at most; 10 if left out.", "最多几篇，默认 10。")),
    ),
)

RENAME_NOTE = Tool(
    "rename_note",
    (
        "Rename one of your note pages, or a folder with all that is below it.",
        "给你的一篇笔记页改名，或连同其中内容移动整个文件夹。",
    ),
    (
        _PATH,
        Argument("new_path", "text", ("Its new path.", "新的路径。"), required=True),
        _EXPECTED,
        _OPERATION,
    ),
    writes=True,
)

REMOVE_NOTE = Tool(
    "remove_note",
    (
        "Remove one of your note pages for good, or with folder all that is below a path. Other "
        "memories go with `forget`.",
        "永久移除你的一篇笔记页，或用 folder 移除某路径下的全部笔记页；其他记忆用 forget 删除。",
    ),
    (
        _PATH,
        Argument(
            "folder",
            "flag",
            ("True to remove all notes below the path.", "为 true 时移除该路径下的全部笔记。"),
        ),
        _EXPECTED,
        _OPERATION,
    ),
    writes=True,
    is_destructive=True,
    is_repeatable=True,
)

NOTE_TOOLS = (
    LIST_NOTES,
    READ_NOTE,
    NOTE_HISTORY,
    WRITE_NOTE,
    SEARCH_NOTES,
    RENAME_NOTE,
    REMOVE_NOTE,
)
