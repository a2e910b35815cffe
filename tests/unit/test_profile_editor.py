"""Facts of many jobs on one page: the result is that of a merge by rule, job by job."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.domain import line_acl
from taishi.domain.profile_editor import PageEditor
from taishi.historian.historian import RuleHistorian
from taishi.types import Profile, Scope

PRIVATE = Scope(user="ann")
GROUPS = (Scope(user="ann", group="g1"), Scope(user="ann", group="g2"))
SCOPES = (PRIVATE, *GROUPS)
PAGES = (
    "",
    "# About Ann\n\n- Ann likes tea\n- Ann lives in Cork <!-- group:g1 -->\n\n- 林薇喜欢茶",
    "- Ann likes tea <!-- group:g1 private -->\n- ann likes TEA.\n<!-- a note -->\n- Ann is 34",
    "Ann likes jazz <!-- everywhere -->\n* Ann owns a boat <!-- group:g2 -->",
)
STATEMENTS = (
    "Ann likes tea", "Ann likes tea.", "Ann lives in Cork", "Ann owns a boat", "Ann likes jazz",
    "林薇喜欢茶", "林薇喜欢茶。", "Ann says <!-- group:g2 --> hello", "Ann reads\nAnn writes",
)  # fmt: skip


def job_by_job(body: str, statements: list[str], scope: Scope | None) -> str:
    """As the page was written for each job before: what the scope sees, merged, put back."""
    shown = line_acl.visible(body, scope) if scope else body
    page = Profile("user", "ann", body=shown)
    merged = RuleHistorian().merge(page, statements) or page
    new = line_acl.rewritten(body, merged.body, scope) if scope else merged.body
    return line_acl.without(new, frozenset()).strip()


@given(
    st.sampled_from(PAGES),
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(STATEMENTS), max_size=3), st.integers(0, len(SCOPES) - 1)
        ),
        max_size=6,
    ),
)
@settings(max_examples=300, deadline=None)
def test_H5_many_jobs_make_the_page_that_each_by_itself_makes(
    body: str, jobs: list[tuple[list[str], int]]
) -> None:
    editor = PageEditor(body)
    for statements, at in jobs:
        before = editor.body
        changed = editor.add(statements, SCOPES[at])
        body = job_by_job(body, statements, SCOPES[at])
        assert editor.body.strip() == body
        assert changed or editor.body == before


@given(
    st.sampled_from(("", "# Hikers\n\n- Ann likes tea\n\n- 林薇喜欢茶")),
    st.lists(st.sampled_from(STATEMENTS), max_size=6),
)
@settings(max_examples=100, deadline=None)
def test_H5_a_group_has_a_page_without_marks(body: str, statements: list[str]) -> None:
    editor = PageEditor(body)
    for one in statements:
        editor.add([one], None)
        body = job_by_job(body, [one], None)
        assert editor.body.strip() == body


def test_P5_what_was_rejected_is_not_let_in_but_what_is_there_stays() -> None:
    refused = {"ann likes tea", "ann is 34"}
    editor = PageEditor("- Ann likes tea")
    assert editor.add(["Ann is 34", "Ann likes jazz"], PRIVATE, refused.__contains__)
    assert editor.body == "- Ann likes tea\n- Ann likes jazz"


def test_S4_what_is_said_in_a_group_too_is_shown_there() -> None:
    editor = PageEditor("- Ann likes tea")
    assert editor.add(["Ann likes tea"], GROUPS[0])
    assert editor.body == "- Ann likes tea <!-- group:g1 private -->"
    assert not editor.add(["Ann likes tea"], PRIVATE)
