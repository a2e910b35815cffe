"""What the adapters for frameworks with tools of their own know of ours, without a framework."""

from __future__ import annotations

from typing import get_args

from taishi.adapters.tool_calls import TYPES
from taishi.tools.tool_types import Form


def test_every_form_of_an_argument_has_a_type() -> None:
    assert set(TYPES) == set(get_args(Form))
