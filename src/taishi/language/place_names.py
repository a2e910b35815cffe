"""Whether a name is that of a place, as far as it can be told from the name itself.

"Moved to Oslo" tells of a home, "moved to Linear" of a tracker, and only the name says which.
`place_names.txt` has countries, regions, cities and many towns; other names tell it by a part that
places have: "Port Ellen", "Clearwater Bay", "Bend, Oregon", "Ludwigsburg".
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

from .lazy_regex import lazy_compile

MOST_CHARS = 80
_BEFORE = lazy_compile(
    r"(?:san|santa|santo|são|sankt|st|saint|port|fort|mount|los|las|upper|lower|north|south|east|west"
    r"|northern|southern|eastern|western|greater|central|downtown|county|co|bad|ciudad|villa|puerto"
    r"|isle of|lake|castle|kuala|nova|novi|the (?=\w+s$))[ -]\S"
)
_AFTER = lazy_compile(
    r".+[ -](?:city|town|village|beach|islands?|bay|hills?|heights|park|streets?|st|road|rd|avenue"
    r"|ave|lane|square|county|district|province|prefecture|valley|springs|falls|lake|harbou?r|cove"
    r"|creek|ridge|point|upon[ -]\w+|on[ -]sea|le[ -]\w+|sur[ -]\w+|am[ -]\w+|an der \w+)"
)
_ENDING = lazy_compile(
    r"[a-z]{3,}(?:ville|burgh?|borough|bury|shire|ington|hampton|bridge|stadt|heim|dorf|hausen"
    r"|kirchen|furt|ford|wick|mouth|stan|grad|polis|worth|stead|minster|cester|chester|haven|hagen"
    r"|koping|stad|abad|nagar|ingham|ingen|hofen|weiler|dale|vik|fjord|grove)"
    r"|(?:bally|inver|aber|llan|carrick|knock|lough)[a-z]{3,}"
)
_FOLDED = str.maketrans({"ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ß": "ss", "ı": "i"})


@cache
def _known() -> frozenset[str]:
    text = files(__package__).joinpath("place_names.txt").read_text("ascii")
    return frozenset(text.splitlines())


def is_place_name(name: str) -> bool:
    """Whether the name, or one of its parts between commas, is known as a place or built like the
    name of one."""
    return any(_is_place(part.strip()) for part in name[:MOST_CHARS].split(","))


def _is_place(name: str) -> bool:
    plain = _folded(name)
    plain = plain.removeprefix("the ") if plain.startswith("the ") else plain
    if len(plain) < 2 or (len(plain) == 2 and name != name.upper()):
        return False  # "LA", not "La"
    if plain in _known():
        return True
    words = plain.split()
    if any(" ".join(words[:count]) in _known() for count in range(1, len(words))):
        return not any(len(word) < 2 for word in words)  # "Berlin Mitte"
    return any(rule.fullmatch(plain) is not None for rule in (_AFTER, _ENDING)) or (
        _BEFORE.match(plain) is not None
    )


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower().translate(_FOLDED).replace("’", "'"))
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    return re.sub(r"\s+", " ", letters.replace(".", "")).strip()
