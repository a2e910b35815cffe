"""Reads program code: functions and classes are sections.

Python is cut by its own tokens, other languages by lines that begin a definition and by their
indentation. Nothing is compiled, imported or executed.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from ...language.possessive import possessive
from ...ports.documents import Block, Document
from .limits import MAX_BLOCK_CHARS, MAX_TITLE_CHARS
from .text_decoding import decoded

# By the name's ending: the language, as it stands in the media type.
LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript",
    ".java": "java", ".kt": "kotlin", ".kts": "kotlin", ".scala": "scala", ".go": "go",
    ".rs": "rust", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hpp": "c++",
    ".cs": "csharp", ".swift": "swift", ".rb": "ruby", ".php": "php", ".lua": "lua",
    ".sh": "shellscript", ".bash": "shellscript", ".sql": "sql", ".r": "r", ".dart": "dart",
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".ini": "ini",
    ".cfg": "ini", ".xml": "xml", ".css": "css",
}  # fmt: skip
# Without definitions; and what is too long for a list of all its lines.
PLAIN = frozenset(("json", "yaml", "toml", "ini", "xml", "css"))
MAX_OUTLINED = 5_000_000
MAX_LINE = 1_000

_MODIFIERS = possessive(
    r"(?:export|default|public|private|protected|internal|static|async|abstract|final|override|"
    r"virtual|inline|extern|unsafe|pub|open|data|sealed|suspend|local)(?:\([a-z]{1,12}\))?[ \t]+"
)
_DEFINITION = re.compile(
    rf"[ \t]*+{_MODIFIERS}(?:"
    r"(?:class|interface|struct|enum|trait|impl|module|namespace|object|record|protocol|extension)"
    r"[ \t]+([\w:.<>]{1,80})"
    r"|(?:def|fn|fun|func|function|sub)\*?[ \t]+(?:\([^()]{0,80}\)[ \t]*)?([\w.:]{1,80})"
    r"|type[ \t]+(\w{1,80})[ \t]+(?:struct|interface)"
    r"|create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:table|view|function|procedure|index)[ \t]+"
    r"(?:if[ \t]+not[ \t]+exists[ \t]+)?([\w.\"]{1,80})"
    r"|(?:const|let|var)[ \t]+(\w{1,80})[ \t]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^()]{0,200}\)[ \t]*=>)"
    r")",
    re.IGNORECASE,
)
# A function as C, Java and their kin write it: types, its name, arguments and a brace.
_BEFORE_ARGUMENTS = re.compile(r"([A-Za-z_~][\w:~]{0,80})[ \t]*\(")
_NOT_NAMES = frozenset("if else for while switch catch return new throw do with elif".split())


class Definition(NamedTuple):
    """A function or class that begins in this line (from 0); `indent` tells what is inside it.
    Without a name: other code, behind the end of one."""

    line: int
    indent: int
    name: str


def read(name: str, data: bytes) -> Document:
    language = LANGUAGES[PurePath(name).suffix.lower()]
    texts = decoded(name, data)
    media_type = f"text/x-{language}"
    if language in PLAIN or len(data) > MAX_OUTLINED:
        return Document(PurePath(name).name, media_type, _plain(texts))
    text = "".join(texts)
    found = _python(text) if language == "python" else None
    definitions = found if found is not None else _by_lines(text)
    return Document(PurePath(name).name, media_type, _blocks(text, definitions))


def _plain(texts: Iterator[str]) -> Iterator[Block]:
    from .plain_text import paragraphs

    for paragraph in paragraphs(texts):
        yield Block(paragraph.strip("\n"), kind="code")


def _python(text: str) -> list[Definition] | None:
    """None if it is no Python that can be read."""
    found: list[Definition] = []
    first_of_line, decorated_from = True, -1
    keyword = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                first_of_line = True
                continue
            if token.type in (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING):
                continue
            if keyword and token.type == tokenize.NAME and token.string not in ("def", "class"):
                line, indent = token.start[0] - 1, len(token.line) - len(token.line.lstrip())
                start = decorated_from if decorated_from >= 0 else line
                found.append(Definition(start, indent, f"{keyword} {token.string}"))
                keyword, decorated_from = "", -1
            elif first_of_line and token.string == "@":
                decorated_from = token.start[0] - 1 if decorated_from < 0 else decorated_from
            elif first_of_line and token.string in ("def", "class", "async"):
                keyword = "class" if token.string == "class" else "def"
            elif first_of_line:
                decorated_from = -1
                if found and found[-1].name and token.start[1] <= found[-1].indent:
                    found.append(Definition(token.start[0] - 1, token.start[1], ""))
            first_of_line = False
    except (tokenize.TokenError, SyntaxError, RecursionError, MemoryError):
        return None
    return found


def _by_lines(text: str) -> list[Definition]:
    found = []
    for number, line in enumerate(text.split("\n")):
        line = line[:MAX_LINE].rstrip()
        match = _DEFINITION.match(line)
        name = next(filter(None, match.groups()), "") if match else _function_name(line)
        if name:
            width = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
            found.append(Definition(number, width, name.rstrip(":")))
    return found


def _function_name(line: str) -> str:
    match = _BEFORE_ARGUMENTS.search(line) if line.endswith("{") else None
    if match is None:
        return ""
    words = line[: match.start()].split()
    has_type = bool(words) and "=" not in words and _NOT_NAMES.isdisjoint(words)
    return match[1] if has_type and match[1] not in _NOT_NAMES else ""


def _blocks(text: str, definitions: list[Definition]) -> Iterator[Block]:
    """The lines from one definition to the next, under the names of those they are inside."""
    lines = text.split("\n")
    stack: list[Definition] = []
    start = 0
    for definition in (*definitions, Definition(len(lines), 0, "")):
        if definition.line > start:
            yield from _lines_block(lines[start : definition.line], stack)
        while stack and stack[-1].indent >= definition.indent:
            stack.pop()
        if definition.name:
            stack.append(definition)
        start = definition.line


def _lines_block(lines: list[str], stack: list[Definition]) -> Iterator[Block]:
    section = tuple(definition.name[:MAX_TITLE_CHARS] for definition in stack)
    text = "\n".join(lines).strip("\n")
    for start in range(0, len(text), MAX_BLOCK_CHARS):
        part = text[start : start + MAX_BLOCK_CHARS]
        if part.strip():
            yield Block(part, section, kind="code")
