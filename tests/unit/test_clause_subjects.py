"""Whose a clause is, so that nothing is cut off that the next clause goes on with."""

from __future__ import annotations

import pytest

from taishi.language.clause_subjects import subject_of

CLAUSES = [
    ("Ann's mum is called Li", "Ann's mum"),
    ("My sister Lena lives in Oslo", "My sister Lena"),
    (" lives in Chengdu ", ""),
    (" turns 70 on 2026-11-25", ""),
    ("also works at Acme", ""),
    ("Ann works at Acme", "Ann"),
    ("I'm allergic to walnuts", "I"),
    ("The landlord raised the rent", "The landlord"),
    ("Lena lives in Oslo", "Lena"),
    ("peanuts", None),
    ("work at Acme", None),
    ("Ann的妈妈叫李秀兰", "Ann的妈妈"),
    ("我妈妈叫李秀兰", "我妈妈"),
    ("我女儿今年七岁", "我女儿"),
    ("住在成都", ""),
    ("2026年11月25日过七十岁生日", ""),
    ("下周三过七十岁生日", ""),
    ("今年七岁", ""),
    ("Ann对核桃过敏", "Ann"),
    ("李秀兰很开心", None),
]


@pytest.mark.parametrize(("clause", "subject"), CLAUSES)
def test_a_clause_has_its_own_subject_or_goes_on(clause: str, subject: str | None) -> None:
    assert subject_of(clause, ["Ann"]) == subject
