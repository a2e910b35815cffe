"""Morning or afternoon, for an hour that does not say: by what is done at that hour.

Only where one of the two is out of the question; "call me at eight" stays open.
"""

from __future__ import annotations

from ..lazy_regex import lazy_compile

_EARLY = lazy_compile(
    r"\b(?:breakfast|wak(?:e|es|ing)|woke|got up|gets? up|sunrise|dawn)\b|起床|早饭|早餐|早班"
    r"|早会|晨跑|日出"
)
_MIDDAY = lazy_compile(r"\b(?:lunch|brunch)\b|午饭|午餐")
_LATE = lazy_compile(
    r"\b(?:dinner|supper|movie|film|concert|party|pub|drinks|theat(?:re|er)|sunset|gig|after work"
    r"|after school)\b|晚饭|晚餐|电影|演唱会|聚餐|夜宵|下班|放学|派对"
)
_OFFICE = lazy_compile(
    r"\b(?:meetings?|appointment|interview|dentist|doctor|exam|standup|stand-up|review|demo|class"
    r"|lesson|lecture|bank|workshop|haircut|checkup)\b|开会|会议|的会|面试|上课|考试|看牙|牙医|看医生|答辩|培训"
)
_OFFICE_MORNING = (9, 12)
_OFFICE_AFTERNOON = (1, 7)


def hour_of_day(hour: int, sentence: str) -> int | None:
    """The hour from 0 to 23 that is meant by 1 to 12 in this sentence; None if it may be both."""
    if hour == 0:
        return None  # two hours, which may fall into different halves
    early, late = _EARLY.search(sentence), _LATE.search(sentence)
    if early and late:
        return None
    if early:
        return hour if 4 <= hour <= 11 else None
    if late:
        return hour + 12 if 4 <= hour <= 11 else None
    if _MIDDAY.search(sentence):
        return hour if 10 <= hour <= 12 else hour + 12 if hour <= 3 else None
    if not _OFFICE.search(sentence):
        return None
    if _OFFICE_MORNING[0] <= hour <= _OFFICE_MORNING[1]:
        return hour
    return hour + 12 if _OFFICE_AFTERNOON[0] <= hour < _OFFICE_AFTERNOON[1] else None
