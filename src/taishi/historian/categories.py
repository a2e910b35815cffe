"""Fact categories, and which of them have a single value per person."""

from __future__ import annotations

INSTRUCTION = "instruction"  # how a person wants the bot to act from now on (H8)
CATEGORIES = (
    "user_preference", "residence", "employer", "job", "name", "age", "birthday", "phone", "email",
    "partner", "relationship", "health", "possession", "skill", "language", "education", "habit",
    "origin", "timezone", "goal", "plan", "decision", "mood", "project", "history", INSTRUCTION,
    "other",
)  # fmt: skip
SINGLE_VALUED = frozenset(
    ("residence", "employer", "job", "name", "age", "birthday", "phone", "email", "partner",
     "timezone")
)  # fmt: skip
LIVES = ("lasting", "preference", "decision", "follow_up", "mood")

_SYNONYMS = {
    "residence": "location home address city lives_in",
    "employer": "work company workplace employment",
    "job": "occupation profession career role",
    "user_preference": "preference preferences like likes dislike taste food hobby interest",
    "relationship": "family friend relation relationships",
    "partner": "spouse wife husband marriage",
    "health": "allergy medical diet",
    "possession": "pet pets belongings ownership",
    "education": "school study studies",
    "origin": "hometown birthplace nationality",
    "timezone": "time_zone",
    "instruction": "standing_instruction rule request",
    "plan": "appointment schedule event meeting",
    "phone": "phone_number telephone contact",
}


def category_of(word: str) -> str:
    """The category that a model's word stands for; "other" if unknown."""
    normalised = "_".join(word.lower().replace("-", " ").split())
    if normalised in CATEGORIES:
        return normalised
    return next((name for name, words in _SYNONYMS.items() if normalised in words.split()), "other")
