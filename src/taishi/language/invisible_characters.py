"""The set of invisible Unicode characters, as the inside of a regular expression's [...].

Whatever compares, redacts or shows texts must agree on it; a shorter list in one place is the way
past all the others.
"""

# Soft hyphen, fillers, zero-width characters, marks of direction, variation selectors, tags.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
