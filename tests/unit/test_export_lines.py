"""A line of an export is read back as it was written, and a wrong one says which field, and how."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.hostile import job_of

from taishi.errors import InputError
from taishi.exported import (
    ExportedCalls,
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
)
from taishi.transfer.format import End, Header, Line, read_line, write_line
from taishi.types import Partition, Record

ANN = Partition("default", "private", "ann")
REVISION = "20260220T143000.000000Z"
QUEUE_ID = f"{7:020d}-{10:012x}"
MESSAGE = {"speaker": None, "speaker_id": "1", "text": "tea?", "time": 1.0, "id": None}
DATA = {"n": [1e22, 1e-7, None, {"deep": "世"}]}
JOB = replace(job_of("Ann likes tea"), redaction=0, recent_messages=(MESSAGE,))
LINES: dict[str, Line] = {
    "header": Header(1.5, None, True, "everything", {"record": 1}),
    "record": ExportedRecord(
        Record("r", ANN, "fact", "Ann 世\x7f", time=1.0, data=DATA), b"\0" * 8
    ),
    "of a workspace": ExportedRecord(Record("r", Partition("default", "workspace"), "note", "")),
    "message": ExportedMessage(ANN, "s", "Ann", None, "hi", 2.5, "m", False),
    "session": ExportedSession(ANN, "s", None, "what was said"),
    "link": ExportedLink("default", "ann"),
    "ledger": ExportedCalls("2026-02-20", "t", "m", "tools", 1, 0, 5, 6, 1.25, 1e-7, ""),
    "profile": ExportedProfile("default", "user", "ann", None, ((REVISION, "- tea"),)),
    "job": ExportedJob(QUEUE_ID, True, 2, 1.0, "no space", JOB),
    "end": End({"record": 1}, ("a page",)),
}


@pytest.mark.parametrize("name", LINES)
def test_O2_a_line_comes_back_as_it_was(name: str) -> None:
    line = LINES[name]
    assert read_line(write_line(line)) == line
    assert read_line(b"\xef\xbb\xbf" + write_line(line).encode()) == line


def test_O2_numbers_are_written_as_python_writes_them() -> None:
    assert '"data":{"n":[1e+22,1e-07,null,{"deep":"世"}]}' in write_line(LINES["record"])


def test_O2_half_a_character_is_escaped_on_the_way_out_and_replaced_on_the_way_in() -> None:
    written = write_line(ExportedLink("default", "ann"))
    session = write_line(ExportedSession(ANN, "s", None, "cut \ud83d"))
    assert written.isascii() and r"cut \ud83d" in session
    read = read_line(session)
    assert isinstance(read, ExportedSession) and read.summary == "cut \ufffd"


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("record", {"text": 5}, "text must be text, not int"),
    ("record", {"text": None}, "text must be text, not null"),
    ("record", {"user": ["a"]}, "user must be text, not array"),
    ("record", {"id": " "}, "id must be text that is not empty"),
    ("record", {"place_id": "a\x07"}, "place_id contains a control character"),
    ("record", {"place_id": ""}, "place_id must be text that is not empty"),
    ("of a workspace", {"place_id": "x"}, "place_id must be empty where the place is the whole"),
    ("record", {"place": "attic"}, "unknown place 'attic'; use one of private, group"),
    ("record", {"kind": "gossip"}, "unknown kind 'gossip'; use one of turn, event"),
    ("record", {"state": "so so"}, "unknown state 'so so'; use one of approved"),
    ("record", {"time": "today"}, "time must be a number, not str"),
    ("record", {"time": True}, "time must be a number, not bool"),
    ("record", {"time": 1e300}, "time is out of range; it must be a number"),
    ("record", {"since": 10**400}, "since is out of range; it must be a number"),
    ("record", {"data": []}, "data must be an object, not array"),
    ("record", {"vector": "%"}, "vector is not base64"),
    ("record", {"vector": "AAAA"}, "vector is no vector"),
    ("record", {"vector": None}, "vector must be text, not null"),
    ("record", {"colour": "red"}, "unknown field 'colour'; take it out, or import with the"),
    ("record", {"due_iso": "2026-02-20T00:00:00Z"}, "unknown field 'due_iso'"),
    ("record", {"confidence": "\ud800"}, "there is a broken .* look at .'confidence'"),
    ("record", {"x\ud800": 1}, r"there is a broken .* look at \['x.ud800'\]"),
    ("end", {"left_out": ["a", {"b": "\ud800"}]}, "left_out.1. must be text, not object"),
    (
        "end",
        {"counts": {"record": "\ud800"}},
        "there is a broken character in a field",
    ),
    ("link", {"a\nb": 1}, r"unknown field 'a\\nb'; take it out"),
    ("message", {"summarised": "yes"}, "summarised must be true or false, not str"),
    ("ledger", {"calls": -1}, "calls is out of range; it must be a whole number from 0 up"),
    ("ledger", {"calls": 1.5}, "calls must be a whole number from 0 up, not float"),
    ("ledger", {"calls": 2**53 + 1}, "calls is out of range"),
    ("ledger", {"day": "2026-2-20"}, "day '2026-2-20' must be a day such as 2026-02-20"),
    ("ledger", {"day": "2026-02-20\n"}, ".* must be a day such as 2026-02-20"),
    ("ledger", {"day": "٢٠٢٦-02-20"}, ".* must be a day such as 2026-02-20"),
    ("profile", {"entity_type": "bot"}, "unknown entity_type 'bot'; use one of user, group"),
    ("profile", {"snapshots": ["x"]}, r"snapshots\[0\] must be an object, not str"),
    ("profile", {"snapshots": [{"revision": "1", "page": ""}]}, "revision '1' must be a time"),
    ("profile", {"snapshots": [{"revision": REVISION}]}, "the field 'page' is missing"),
    ("job", {"id": "7"}, "id '7' must be 20 digits, a dash, 12 hex digits"),
    ("job", {"job": {}}, "not a job: .*required field `request_id`"),
    ("header", {"format": "zip"}, "this is not a Taishi export"),
    ("header", {"version": 2, "new": 1}, ".*Upgrade it first: .*install"),
    ("header", {"counts": {"record": -1}}, r"counts\[...\] is out of range; it must be a whole"),
    ("end", {"left_out": [1]}, r"left_out\[0\] must be text, not int"),
    ("end", {"type": "fin"}, "unknown type 'fin'; a line is one of header, record"),
)


@pytest.mark.parametrize(("name", "change", "reason"), WRONG)
def test_O2_what_is_wrong_with_a_line_is_said(
    name: str, change: dict[str, Any], reason: str
) -> None:
    whole = json.loads(write_line(LINES[name]))
    read_line(json.dumps(whole))
    with pytest.raises(InputError, match=f"^{reason}"):
        read_line(json.dumps({**whole, **change}))


@pytest.mark.parametrize("name", LINES)
def test_O2_every_field_must_be_there_but_for_a_vector_and_the_times_in_words(name: str) -> None:
    whole = json.loads(write_line(LINES[name]))
    for gone in whole.keys() - {"type", "vector", "format"}:
        line = json.dumps({k: v for k, v in whole.items() if k not in (gone, f"{gone}_iso")})
        if gone.endswith("_iso"):
            read_line(line)
        else:
            with pytest.raises(InputError, match=f"^the field '{gone}' is missing"):
                read_line(line)


def test_O2_the_time_in_words_may_stand_alone() -> None:
    whole = json.loads(write_line(LINES["record"]))
    del whole["time"]
    assert read_line(json.dumps(whole)) == LINES["record"]
    with pytest.raises(InputError, match=r"^time_iso: "):
        read_line(json.dumps({**whole, "time_iso": "soon"}))
    with pytest.raises(InputError, match=r"^time_iso must be an ISO time"):
        read_line(json.dumps({**whole, "time_iso": 5}))


@pytest.mark.parametrize("line", ["NaN", '{"type":"end","counts":{},"left_out":NaN}', "[" * 10**5])
def test_O2_what_is_no_json_is_refused(line: str) -> None:
    with pytest.raises(InputError, match=r"^not JSON in UTF-8"):
        read_line(line)
