"""Ids of other frameworks: any text gives an id that a scope takes, and no two give the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taishi import Scope
from taishi.adapters.scope_ids import record_id, safe_id
from taishi.types import clean_id

TEXTS = st.text(st.characters(), max_size=260) | st.text(" \t\n\x1f\u2003%/_~.2F0", max_size=8)


@given(st.sets(TEXTS, min_size=2, max_size=4))
def test_no_two_texts_give_one_id(texts: set[str]) -> None:
    assert len({safe_id(text) for text in texts}) == len(texts)


@given(TEXTS)
def test_a_scope_takes_every_id_as_it_is(text: str) -> None:
    id = safe_id(text)
    scope = Scope(user=id, workspace=id, session=id)
    assert (scope.user, scope.workspace, scope.session) == (id, id, id)
    assert "/" not in id


@pytest.mark.parametrize("id", ["ann", "u-7", "telegram:42", "安", "Ann Lee", "ann@example.org"])
def test_an_ordinary_id_stays_as_it_is(id: str) -> None:
    assert safe_id(id) == record_id(id) == id


@given(TEXTS)
def test_an_id_of_a_record_can_be_passed_in_again(text: str) -> None:
    id = record_id(text)
    assert record_id(id) == id == clean_id(id, "id")
