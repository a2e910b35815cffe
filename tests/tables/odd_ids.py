"""Ids that a host may pass by accident or by design, and what becomes of them (P4, S1).

"page": served by every verb. "no page": served by every verb, but no file may be named by it, so
that there is no page. "refused": an error at the door; nothing is kept.
"""

from __future__ import annotations

PAGE = (
    "a/b", "a\\b", "a:b", "C:", "CON", "con", "nul.txt", "LPT1", "COM1.tar.gz", "COM¹", "aux",
    "ann.", "ann..", "ann ", " ann", "ann\u3000", ".hidden", "...", "~", "~root", "-rf", "--help",
    "%2e%2e%2f", "%00", "100%", "$HOME", "`id`", "$(id)", "'; DROP TABLE records; --", '"', "'",
    "<b>&amp;</b>", "{user}", "*", "?", "|", ";", "#", "a,b", "a=b", "null", "None", "true", "0",
    "-1", "1e9", "Ann", "ann", "ANN", "é", "e\u0301", "한", "\u1112\u1161\u11ab", "ﬁ", "fi",
    "Å", "\u212b", "ß", "ss", "İ", "ｎｕｌ", "小明", "小明。", "😀", "👩\u200d👩\u200d👧", "\u200b",
    "a\u200bb", "a\u202eb", "a\u2028b", "\ufeffann", "a\x9bb", "\u0301", "a" * 200,
    "长" * 66, "ann@example.org", "@ann:server.org", "!room:server.org", "wxid_AbC", "U024BE7LH",
)  # fmt: skip

NO_PAGE = (
    "..", ".", "../x", "..\\x", "a/../b", "a/..", "/", "/Team/ann", "/etc/passwd", "\\\\host\\c$",
    "C:\\Users\\ann", "c:/x", "./x", "a" * 201, "a" * 256, "长" * 67, "长" * 256, "😀" * 20,
    "😀" * 256,
)  # fmt: skip

# Of the first, those that file systems take for one another, or for something else.
TRICKY = (
    "a/b", "CON", "nul.txt", "ann.", "ann ", "...", "%2e%2e%2f", "Ann", "ann", "é", "e\u0301",
    "a\u202eb", "😀", "a" * 200,
)  # fmt: skip

REFUSED = (
    "", " ", "\t", "\u3000", "\x85", "a\x00b", "a\nb", "a\rb", "\x1b[2J", "\x7f", "\ud800",
    "a\udcff", "a" * 257, "x" * 1_000_000, True, 1.5, ["a"], {"a": 1}, b"ann",
)  # fmt: skip
