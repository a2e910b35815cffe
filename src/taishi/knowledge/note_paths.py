"""Which paths a note may have.

A path is names separated by single slashes, such as `notes/plan.md`; its ending is free. Whatever
could be read as another path, or cannot be seen, is refused: `..`, a leading slash, a backslash,
control and invisible characters, blanks around a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import accumulate

from ..errors import InputError, NotePathError
from ..language.invisible_characters import UNSEEN
from ..language.lazy_regex import lazy_compile
from ..language.redaction.redactor import Redactor
from ..ports.files import checked_key

MAX_PATH_CHARS = 250
_UNSEEN = lazy_compile(f"[\x80-\x9f\u2028\u2029{UNSEEN}]")
_BLANK_EDGE = re.compile(r"(?:^|/)\s|\s(?:/|$)")


def note_path(path: object, redactor: Redactor) -> str:
    """The path, or InputError."""
    if not isinstance(path, str):
        raise InputError(f"a path is text such as notes/plan.md, not {type(path).__name__}")
    name = _plain(path)
    if len(name) > MAX_PATH_CHARS:
        text = f"a path has at most {MAX_PATH_CHARS} characters, not {len(name)}"
        raise NotePathError(text, "long", name)
    if _UNSEEN.search(name) or _BLANK_EDGE.search(name):
        raise NotePathError(
            f"{name!a:.60} is not a valid path of a note: a name in it begins or ends with "
            "a blank, or has a character that cannot be seen; use one such as notes/plan.md",
            "unseen",
            name,
        )
    if unicodedata.normalize("NFC", name) != name:
        raise NotePathError(
            f"{name!a:.60} is not a valid path of a note: write its accents as single characters "
            "(unicodedata.normalize('NFC', path))",
            "accents",
            name,
        )
    if redactor.text(name) != name:
        text = "the path has a secret in it; use one that may be shown to everybody"
        raise NotePathError(text, "secret", "")
    return name


def _plain(path: str) -> str:
    try:
        return checked_key(path)
    except InputError:
        raise InputError(
            f"{path!a:.60} is not a valid path of a note; use names separated by single "
            "slashes, such as notes/plan.md"
        ) from None


def path_prefix(prefix: object) -> str:
    """What paths begin with: any text, as it is only compared."""
    if not isinstance(prefix, str) or len(prefix) > MAX_PATH_CHARS:
        raise InputError(f"prefix is text of at most {MAX_PATH_CHARS} characters, such as notes/")
    return prefix


def is_below(path: str, folder: str) -> bool:
    """Every path is below the folder with the empty name."""
    return not folder or path.startswith(f"{folder}/")


def parents(path: str) -> Iterator[str]:
    """The folders that a path is in, the outermost first."""
    *folders, _ = path.split("/")
    return accumulate(folders, lambda above, name: f"{above}/{name}")


def first_below(paths: Iterable[str], folder: str) -> str | None:
    return min((path for path in paths if is_below(path, folder)), default=None)
