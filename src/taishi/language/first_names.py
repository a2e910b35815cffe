"""Lists of common first names that are given to only men or only women.

Used to rule readings out ("Bob … her" is somebody else), never to say what somebody is.
"""

from __future__ import annotations

from typing import Literal

Gender = Literal["m", "f"]

_MEN = """
aaron adam adrian ahmed alan albert ali anthony arthur ben benjamin bob brad brandon brian
bruce bryan carl carlos charles charlie christopher colin craig daniel dave david dennis
derek diego dominic donald doug douglas dylan ed eddie edward emil eric erik ethan evan felix
fernando francisco fred gary george gordon graham greg gregory hans harold harry henry
howard hugh hugo ian isaac ivan jacob jake james jason javier jeff jeffrey jeremy jerry jim
joe joel john johnny jonathan jose joseph josh joshua juan justin karl keith ken kenneth kevin
kyle larry lars leo leon liam logan louis lucas luis luke marco marcus mario martin matt
matthew miguel mike mohamed mohammed nathan neil nicholas nick noah oliver oscar owen pablo
patrick paul pedro pete peter phil philip rafael ralph raymond ricardo richard rick robert
roberto roger ron ronald ross roy russell ryan sean scott sebastian sergio simon stefan stephen
steve steven stuart ted theo thomas tim timothy toby todd tom tommy tony vincent walter
wayne william zach
"""
_WOMEN = """
abigail alice alicia alison amanda amelia amy ana andrea angela anita ann anna anne annie
barbara becky bella beth betty bridget brenda carla carmen carol caroline catherine cathy
charlotte chloe christina christine cindy claire clara clare claudia deborah debra denise
diana diane donna dora doris dorothy edith elena elizabeth ella ellen emily emma erica erin eva
eve evelyn fiona fatima frances gabriela gina hannah harriet heather heidi helen
helena ingrid irene isabel isabella jane janet janice jennifer jenny jessica jill joan joanna
josephine judith judy julia julie karen kate katherine kathleen kathy katie kelly kristin laura
lauren leah lena linda lisa liz louise lucia lucy lydia maggie margaret maria mariana marie
marta martha mary megan melissa mia michelle molly monica nadia nancy naomi natalie natasha nicole
nina nora olga olivia pamela patricia paula rachel rebecca renee rita rosa ruth sabrina
sally samantha sandra sara sarah sharon sheila sonia sophia sophie stephanie stella
susan susie sylvia tanya teresa tina tracy ursula valerie vanessa vera veronica
wendy yvonne zoe
"""
_GENDER: dict[str, Gender] = {
    **dict.fromkeys(_MEN.split(), "m"),
    **dict.fromkeys(_WOMEN.split(), "f"),
}


def gender_of(name: str) -> Gender | None:
    """By the first name; None where it is not known or given to both."""
    words = name.split()
    return _GENDER.get(words[0].casefold()) if words else None


def is_first_name(word: str) -> bool:
    return word.casefold() in _GENDER
