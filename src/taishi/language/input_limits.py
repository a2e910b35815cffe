"""Limits on how much of one text is analysed; the rest stays as it is and is marked as unread.

A turn tells of what happened; ten pages, a thousand pronouns or three hundred times are a pasted
document. Everything below these limits is linear in the text, so that together they bound what any
text can cost.
"""

from __future__ import annotations

READ_CHARS = 20_000
MOST_FAULTS = 1_000
MOST_TIMES = 300

UNREAD_REST = f"only the first {READ_CHARS:,} characters were read: the rest is as it was said"
