"""Both pages on the export format name every line and every field of it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from taishi import exported
from taishi.transfer.format import TYPES, End, Header
from taishi.types import Record

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
LINES = {
    "record": Record,
    "message": exported.ExportedMessage,
    "session": exported.ExportedSession,
    "link": exported.ExportedLink,
    "ledger": exported.ExportedCalls,
    "profile": exported.ExportedProfile,
    "job": exported.ExportedJob,
    "original": exported.ExportedOriginal,
    "header": Header,
    "end": End,
}
PLACE = {"workspace", "place", "place_id"}


@pytest.mark.parametrize("page", ["export-format.md", "export-format.zh-CN.md"])
def test_every_line_and_field_is_on_the_page(page: str) -> None:
    sections = re.split(r"^## ", (REFERENCE / page).read_text("utf-8"), flags=re.MULTILINE)
    assert {"header", *TYPES, "end"} == set(LINES)
    for line, kind in LINES.items():
        section = next(part for part in sections if f"`{line}`" in part.partition("\n")[0])
        fields = {field.name for field in dataclasses.fields(kind)} - {"redaction"}
        fields |= PLACE if "place" in fields else set()
        missing = {name for name in fields if not re.search(rf"`{name}\b", section)}
        assert missing == set(), line
