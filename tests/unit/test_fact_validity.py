"""From when and until when a fact learned by rule holds (F2): an end is no beginning."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from benchmarks.hostile import job_of

from taishi.historian.fact_patterns import facts_by_rule
from taishi.historian.fact_patterns.validity import validity

NOW = datetime(2026, 3, 18, 20, tzinfo=UTC)

TABLE = [
    ("Ann works at Acme until 2030-12-31", "", "2030-12-31"),
    ("Ann works at Acme till 2030-12-31", "", "2030-12-31"),
    ("Ann works at Acme until the end of 2030", "", "2030-12-31"),
    ("Ann lives in Cork through May 2027", "", "2027-05-31"),
    ("Ann lives in Cork by the end of May 2027", "", "2027-05-31"),
    ("Ann lives in Cork until 2030", "", "2030-12-31"),
    ("Ann has lived in Cork since 2019-05-01", "2019-05-01", ""),
    ("Ann moved to Oslo on 2024-02-03", "2024-02-03", ""),
    ("Ann lives in Cork from 2024-01-01 until 2030-12-31", "2024-01-01", "2030-12-31"),
    ("Ann lives in Cork from 2024 to 2030", "2024-01-01", "2030-12-31"),
    ("Ann lives in Cork from May 2027 to July 2028", "2027-05-01", "2028-07-31"),
    ("Ann has lived in Cork since 2019-05-01, until 2027-01-31", "2019-05-01", "2027-01-31"),
    ("Ann moved to Galway in October 2025", "2025-10-01", ""),
    ("Ann lives in Cork from October 2027 to October 2028", "2027-10-01", "2028-10-31"),
    ("Ann lives in Cork", "", ""),
    ("安在杭州工作到2030年底为止", "", "2030-12-31"),
    ("安住在科克直到2030年12月31日", "", "2030-12-31"),
    ("安在杭州工作至2027年6月", "", "2027-06-30"),
    ("安在杭州的合同2027年6月30日到期", "", "2027-06-30"),
    ("安在上海住到2027年", "", "2027-12-31"),
    ("安2020年5月1日搬到杭州", "2020-05-01", ""),
    ("安从2021年3月1日起在华为工作", "2021-03-01", ""),
    ("安从2024年1月1日到2030年12月31日在腾讯工作", "2024-01-01", "2030-12-31"),
    ("安2024年到2030年在腾讯工作", "2024-01-01", "2030-12-31"),
    ("安住在苏州", "", ""),
]


@pytest.mark.parametrize(("text", "since", "until"), TABLE)
def test_F2_first_and_last_day_of_a_statement(text: str, since: str, until: str) -> None:
    assert validity(text, NOW) == (since, until)


@pytest.mark.parametrize(
    ("said", "since", "until"),
    [
        ("I work at Acme until 2030-12-31", "", "2030-12-31"),
        ("I work at Acme from 2024-01-01 until 2030-12-31", "2024-01-01", "2030-12-31"),
        ("I have lived in Cork since 2019-05-01", "2019-05-01", ""),
        ("我在上海住到2027年", "", "2027-12-31"),
        ("我在阿里巴巴工作至2027年6月", "", "2027-06-30"),
    ],
)
def test_F2_a_fact_by_rule_has_its_end(said: str, since: str, until: str) -> None:
    (fact,) = facts_by_rule(job_of(said))
    assert (fact.valid_from, fact.valid_to) == (since, until)
