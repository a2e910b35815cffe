"""The Python page leaves nothing out and names nothing that is not there, in both languages."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import taishi
from taishi import Memory, errors
from taishi.curate.facts import FactService
from taishi.curate.jobs import JobService
from taishi.curate.live_settings import ConfigurationService
from taishi.curate.maintenance import MaintenanceService
from taishi.curate.procedures import ProcedureService
from taishi.curate.profiles import ProfileService
from taishi.curate.records import RecordService
from taishi.curate.shared import SharedService
from taishi.erase.deletions import DeletionService
from taishi.ingest.sessions import SessionService
from taishi.knowledge.notes import NotesService
from taishi.knowledge.service import KnowledgeService
from taishi.transfer.service import TransferService

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    name: (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    for name in ("python.md", "python.zh-CN.md")
}
NOUNS = {
    "facts": FactService,
    "procedures": ProcedureService,
    "shared": SharedService,
    "profiles": ProfileService,
    "records": RecordService,
    "sessions": SessionService,
    "jobs": JobService,
    "knowledge": KnowledgeService,
    "notes": NotesService,
    "deletions": DeletionService,
    "transfer": TransferService,
    "maintenance": MaintenanceService,
    "configuration": ConfigurationService,
}


def verbs_of(kind: type, prefix: str = "") -> dict[str, Any]:
    members = inspect.getmembers(kind, callable)
    return {f"{prefix}{name}": verb for name, verb in members if name[0] != "_"}


VERBS = verbs_of(Memory)
for noun, service in NOUNS.items():
    VERBS |= verbs_of(service, f"{noun}.")
SECTION = re.compile(r"^### `([\w.]+)`\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {page: dict(SECTION.findall(text)) for page, text in PAGES.items()}
CONTENTS = re.compile(r"^- \[[^\]]+\]\(#[^)]+\)[:：](.*)$", re.MULTILINE)
INSIDE = {"TakenError", "ModelDownError"}  # of workers: a caller does not meet them
IN_ANOTHER_ROW = {"UnknownSettingError", "UnknownKeyError"}
both_languages = pytest.mark.parametrize("page", PAGES)


@both_languages
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_section_with_its_arguments_and_an_example(verb: str, page: str) -> None:
    assert verb in SECTIONS[page], f"docs/reference/{page} has no section ### `{verb}`"
    section = SECTIONS[page][verb]
    prose, _, code = section.partition("```python\n")
    assert re.search(rf"\bMemory\.{verb}\(|\bmemory\.{verb}\(", code), f"no example of {verb}"
    for name, parameter in inspect.signature(VERBS[verb]).parameters.items():
        if name not in ("self", "scope") and parameter.kind is not parameter.VAR_KEYWORD:
            assert re.search(rf"`{name}\b", prose), f"{verb}: `{name}` is not explained"


@both_languages
def test_the_page_has_no_verb_that_is_not_there(page: str) -> None:
    assert sorted(SECTIONS[page]) == sorted(VERBS)


@both_languages
def test_the_contents_list_every_verb_once(page: str) -> None:
    listed = re.findall(r"`([\w.]+)`", "".join(CONTENTS.findall(PAGES[page])))
    assert sorted(listed) == sorted(VERBS)


def test_every_noun_of_a_memory_is_here(tmp_path: Path) -> None:
    settings = taishi.load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        nouns = {name: type(value) for name, value in vars(memory).items() if name[0] != "_"}
    assert nouns == NOUNS


@both_languages
@pytest.mark.parametrize("name", taishi.__all__)
def test_every_public_name_is_on_the_page(name: str, page: str) -> None:
    assert re.search(rf"`{name}\b", PAGES[page]), f"`{name}` is not on docs/reference/{page}"


@both_languages
def test_every_error_is_in_the_table(page: str) -> None:
    known = {name for name in vars(errors) if name.endswith("Error")} - INSIDE
    rows = set(re.findall(r"^\| `(\w+Error)`", PAGES[page], re.MULTILINE))
    assert rows == known - IN_ANOTHER_ROW
    for name in IN_ANOTHER_ROW:
        assert f"`{name}`" in PAGES[page]


@pytest.mark.parametrize("page", ["status.md", "status.zh-CN.md"])
def test_O1_every_field_of_the_status_is_explained(page: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    settings = taishi.load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        status = memory.status()
    for name, value in status.items():
        assert re.search(rf"`{name}\b", text), f"`{name}` is not on docs/reference/{page}"
        for inner in value if isinstance(value, dict) else ():
            known = re.search(rf"`(?:{name}\.)?{inner}`", text)
            assert known, f"`{name}.{inner}` is not on docs/reference/{page}"
