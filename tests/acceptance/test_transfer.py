"""O2 through the public door: export and import, back-up, new vectors, and a proof of absence."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.hash_embedder import HashEmbedder
from taishi import AsyncMemory, InputError, Memory, Message, ModelMissingError, Scope, load
from taishi.cli import taishi
from taishi.ports import Call, IndexRow
from taishi.types import Edit, Partition, Record

ANN = Scope(user="ann-1708", session="s1")
KITCHEN = Scope(group="kitchen", user="ann-1708", session="s2")
BEN = Scope(group="kitchen", user="ben", session="s2")
OTHER = Scope(user="zoe", workspace="team/red")
TEA = "安的私房话：她在下雨天最喜欢喝龙井茶看书"
Open = Callable[..., Memory]


def fill(memory: Memory) -> None:
    """Something of everything: kinds, states, places, pages with snapshots, jobs of every state."""
    memory.remember(
        ANN, "Ann is allergic to walnuts", metadata={"a": ["\x00", {"b": None}], "n": 1.5}
    )
    memory.remember(Scope(shared=True), "The office closes at six")
    memory.remember(Scope(agent="planner"), "Plans are made on Mondays", kind="procedure")
    memory.remember(OTHER, TEA, time="2020-02-29T12:00:00+08:00", confidence=0.25)
    waffle = Message("I love my purple waffle iron", "Ann", 5.0, "m1", "ann-1708")
    memory.end_turn(KITCHEN, new_info=waffle.text, sender_name="Ann", messages=[waffle])
    memory.drain()
    wrong = memory.remember(ANN, "Ann plays the trombone every single night")
    memory.facts.reject(ANN, wrong)
    memory.facts.correct(
        ANN, memory.remember(ANN, "Ann lives in the city of Bergen"), "Ann lives in Oslo"
    )
    for body in ("- likes tea", "- likes tea\n- has a cat named Mozart", f"- {TEA}"):
        memory.profiles.set(ANN, body, name="Ann", tags=["茶"])
    memory.profiles.set(Scope(group="kitchen"), "- meets on Fridays", name="Kitchen")
    memory.profiles.set(OTHER, "- red")
    memory.set_link(ANN, True)
    memory.sessions.end(KITCHEN)
    memory.observe(ANN, "search", {"q": "tea"}, ["green", "black"])
    memory._services.runtime.parts.store.ledger.add(
        Call("rewrite", "gpt", True, 1.5, 10, 2, "tool", 0.5, "")
    )
    memory.end_turn(ANN, new_info=TEA, messages=[Message(TEA, "Ann", "2026-02-20T10:00:00Z")])
    memory.end_turn(BEN, action_summary="Ben asked about bread", sender_name="Ben")
    fail_one(memory, Scope(user="dan"), "Dan's bicycle has a flat tyre again")


def fail_one(memory: Memory, scope: Scope, text: str) -> None:
    """A job that was given up, as if its model had been down too often."""
    memory.end_turn(scope, new_info=text)
    queue = memory._services.runtime.parts.queue
    leases = []
    while lease := queue.claim():
        if text in lease.job.new_info:
            queue.max_retries = 0
            assert not queue.retry(lease, f"the model said no to {text}")
        else:
            leases.append(lease)
    for lease in leases:
        queue.postpone(lease, 0.0)


def body_of(lines: list[str]) -> list[str]:
    return lines[1:]


# -- export and import -------------------------------------------------------------------------


def test_O2_export_then_import_into_an_empty_folder_gives_the_same_lines(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    fill(memory)
    lines = list(memory.transfer.export())
    types = [json.loads(line)["type"] for line in lines]
    assert {
        "header",
        "record",
        "message",
        "session",
        "link",
        "ledger",
        "profile",
        "job",
        "end",
    } == {*types}
    header, end = json.loads(lines[0]), json.loads(lines[-1])
    assert (header["format"], header["version"], header["embedder"]) == (
        "taishi-export",
        1,
        "hash-1",
    )
    assert {k: v for k, v in header["counts"].items() if v} == end["counts"]
    assert end["counts"]["record"] == types.count("record")
    states = {json.loads(line).get("state") for line in lines}
    assert {"approved", "rejected", "superseded"} <= states or {"approved", "rejected"} <= states
    assert sorted(json.loads(line)["failed"] for line in lines if '"type":"job"' in line) == [
        False, False, True,
    ]  # fmt: skip

    empty = open_memory(folder=tmp_path / "empty")
    done = empty.transfer.import_records(lines)
    assert sum(done.added.values()) == len(lines) - 2
    assert body_of(list(empty.transfer.export())) == body_of(lines)
    # twice is like once
    again = empty.transfer.import_records(lines)
    assert (sum(again.same.values()), again.added, again.kept) == (len(lines) - 2, {}, {})
    assert body_of(list(empty.transfer.export())) == body_of(lines)
    # and it works there: pages, links, jobs, recall
    assert empty.profiles.revisions(ANN) == memory.profiles.revisions(ANN)
    assert empty.recall(ANN, "walnuts").hits[0].text == "Ann is allergic to walnuts"
    assert [job["reason"] for job in empty.jobs.list() if job["state"] == "failed"] == [
        "given up after 1 tries; the last: the model said no to Dan's bicycle has a flat tyre again"
    ]
    empty.drain()
    assert empty.status()["queue"]["pending"] == 0
    assert "trombone" not in " ".join(hit.text for hit in empty.recall(ANN, "trombone").hits)


TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False,
    allow_infinity=False) | TEXT | st.just("\x00nul"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
IDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(
    lambda text: text.strip() != ""
)


ITEMS = st.fixed_dictionaries({
    "text": TEXT.filter(str.strip), "metadata": st.dictionaries(TEXT, JSON, max_size=3),
    "id": IDS, "speaker": st.none() | TEXT, "time": st.floats(-1e9, 1e10) | st.none(),
    "source": st.none() | TEXT, "kind": st.sampled_from(["fact", "note", "chunk", "event"]),
})  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(items=st.lists(ITEMS, min_size=1, max_size=4), user=IDS, workspace=IDS, page=TEXT, news=TEXT)
def test_O2_nothing_is_lost_on_the_way_whatever_the_text(
    items: list[dict[str, Any]], user: str, workspace: str, page: str, news: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("any")
    chosen = load(environ={}, overrides={"models.embedding.kind": "none"})
    scope = Scope(user=user, workspace=workspace)
    with Memory.open(folder / "one", chosen) as one, Memory.open(folder / "two", chosen) as two:
        one.remember_many(scope, items)
        one.end_turn(scope, new_info=news, messages=[Message(news, page)])
        try:
            one.profiles.set(scope, page, name=news)
        except InputError:
            pass  # an id that no file may be named by has no page
        lines = list(one.transfer.export())
        two.transfer.import_records(line.encode() for line in lines)
        assert body_of(list(two.transfer.export())) == body_of(lines)


def test_O2_vectors_come_along_if_asked_for_and_only_to_the_same_model(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.remember(ANN, "Ann collects sextants")
    memory.drain()
    lines = list(memory.transfer.export(vectors=True))
    assert "vector" in json.loads(lines[1])
    assert "vector" not in json.loads(list(memory.transfer.export())[1])

    class Silent(HashEmbedder):
        def embed(self, texts: Any, kind: Any) -> Any:
            assert kind == "query", "the vectors came along"
            return super().embed(texts, kind)

    same = open_memory({"query.recall_timeout": 5.0}, Silent(), tmp_path / "same")
    same.transfer.import_records(lines)
    assert same.status()["records"]["unembedded"] == 0
    assert same.recall(ANN, "sextants").level == "hybrid"
    assert list(same.transfer.export(vectors=True))[1:] == lines[1:]
    other = open_memory(embedder=HashEmbedder("hash-2"), folder=tmp_path / "other")
    other.transfer.import_records(lines)
    other.drain()
    assert other.status()["records"]["unembedded"] == 0


def test_O2_a_wrong_line_is_named_and_nothing_is_written(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    fill(memory)
    lines = list(memory.transfer.export())
    target = open_memory(folder=tmp_path / "target")
    record = json.loads(lines[2])
    wrong = {
        "not JSON": "{",
        "unknown type 'x'": json.dumps({"type": "x"}),
        "text must be text": json.dumps({**record, "text": 5}),
        "unknown field 'colour'": json.dumps({**record, "colour": "red"}),
        "the field 'id' is missing": json.dumps({k: v for k, v in record.items() if k != "id"}),
        "unknown kind 'gossip'": json.dumps({**record, "kind": "gossip"}),
        "out of range": json.dumps({**record, "time": 1e300}),
        "contains a control character": json.dumps({**record, "place_id": "a\x07"}),
        "nested deeper": json.dumps({**record, "data": json.loads('{"a":' * 90 + "1" + "}" * 90)}),
    }
    for reason, line in wrong.items():
        with pytest.raises(InputError, match=rf"^line 3: .*{reason}.*Nothing was imported"):
            target.transfer.import_records([*lines[:2], line, *lines[3:]])
    with pytest.raises(InputError, match="cut short"):
        target.transfer.import_records(lines[:-1])
    with pytest.raises(InputError, match="do not fit"):
        target.transfer.import_records([*lines[:3], *lines[4:]])
    with pytest.raises(InputError, match="begins with a header"):
        target.transfer.import_records(lines[1:])
    with pytest.raises(InputError, match=r"Upgrade it first: .*install"):
        target.transfer.import_records([lines[0].replace('"version":1', '"version":2'), *lines[1:]])
    assert len(list(target.transfer.export())) == 2
    done = target.transfer.import_records([*lines[:2], "{", *lines[3:]], skip_bad=True)
    assert [bad.line for bad in done.bad] == [3]
    assert sum(done.added.values()) == len(lines) - 3


def test_O2_a_dry_run_counts_and_writes_nothing(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    fill(memory)
    lines = list(memory.transfer.export())
    target = open_memory(folder=tmp_path / "target")
    seen: list[tuple[int, int]] = []
    done = target.transfer.import_records(
        lines, dry_run=True, progress=lambda n, of: seen.append((n, of))
    )
    assert sum(done.added.values()) == len(lines) - 2
    assert seen[-1] == (len(lines) - 2, len(lines) - 2)
    assert len(list(target.transfer.export())) == 2
    assert target.jobs.list() == []


def test_O2_what_is_here_in_another_form_is_kept_or_replaced(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.remember(ANN, "the old words", id="x")
    memory.profiles.set(ANN, "- old page")
    lines = list(memory.transfer.export())
    target = open_memory(folder=tmp_path / "target")
    target.remember(ANN, "the new words", id="x")
    target.profiles.set(ANN, "- new page")
    assert target.transfer.import_records(lines).kept == {"record": 2, "profile": 1}
    page = target.profiles.source(ANN)
    assert (
        target.records.get(ANN, "x").text == "the new words" and page and page.body == "- new page"
    )
    assert target.transfer.import_records(lines, replace=True).replaced == {
        "record": 2,
        "profile": 1,
    }
    page = target.profiles.source(ANN)
    assert (
        target.records.get(ANN, "x").text == "the old words" and page and page.body == "- old page"
    )


def test_S_an_import_that_is_bound_cannot_place_a_line_elsewhere(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    fill(memory)
    lines = list(memory.transfer.export())
    target = open_memory(folder=tmp_path / "target")
    with pytest.raises(InputError, match="only the workspace team/red may be written"):
        target.transfer.import_records(lines, workspace="team/red")
    done = target.transfer.import_records(lines, workspace="team/red", skip_bad=True)
    assert {place.workspace for place, _ in target._services.runtime.parts.store.places()} == {
        "team/red"
    }
    assert done.added == {"record": 3, "profile": 1}  # the line of the page is a fact as well
    bound = open_memory(folder=tmp_path / "bound")
    bound.transfer.import_records(lines, Scope(user="ann-1708"), skip_bad=True)
    assert {str(place) for place, _ in bound._services.runtime.parts.store.places()} == {
        "default/private:ann-1708"
    }
    assert [job["job"]["user_id"] for job in bound.jobs.list()] == ["ann-1708"]


def test_O2_a_workspace_can_become_another(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    fill(memory)
    target = open_memory(folder=tmp_path / "target")
    lines = list(memory.transfer.export(workspace="default"))
    assert '"team/red"' not in "".join(lines)
    target.transfer.import_records(lines, remap={"default": "neu"}, workspace="neu")
    assert {place.workspace for place, _ in target._services.runtime.parts.store.places()} == {
        "neu"
    }
    moved = Scope(user="ann-1708", workspace="neu")
    assert target.profiles.source(moved) is not None
    assert {job["job"]["workspace"] for job in target.jobs.list()} == {"neu"}


def test_S_a_scope_exports_its_own_place_and_nothing_else(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    text = "".join(memory.transfer.export(Scope(user="ann-1708")))
    assert "walnuts" in text and "Mozart" in text and TEA in text
    assert not [word for word in ("office", "Mondays", "Fridays", "bicycle", "gpt")
                if word in text]  # fmt: skip
    with pytest.raises(InputError, match="is in default, not in red"):
        memory.transfer.export(Scope(user="ann"), workspace="red")


def test_R1_no_secret_leaves_with_an_export_or_comes_in_with_one(
    open_memory: Open, tmp_path: Path
) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    memory = open_memory()
    place = Partition("default", "private", "ann-1708")
    old = Record(
        "r", place, "fact", f"the key is {secret}", data={"api_key": "abc123def", "q": [secret]}
    )
    memory._services.runtime.parts.store.apply([Edit("put", old)])
    lines = list(memory.transfer.export())
    assert secret not in "".join(lines) and "abc123def" not in "".join(lines)
    record = {**json.loads(lines[1]), "text": f"take {secret}", "data": {"password": "hunter22"}}
    target = open_memory(folder=tmp_path / "target")
    target.transfer.import_records([lines[0], json.dumps(record) + "\n", lines[2]])
    kept = target.records.get(ANN, "r")
    assert secret not in kept.text and kept.data == {"password": "[redacted:password]"}


def test_T2_the_async_face_streams_an_export(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)

    async def collect() -> list[str]:
        face = AsyncMemory(memory)
        return [line async for line in face.transfer.export(workspace="default")]

    assert asyncio.run(collect())[1:] == list(memory.transfer.export(workspace="default"))[1:]


# -- back-up and new vectors -------------------------------------------------------------------


def test_O2_a_backup_opens_as_the_memory_it_was(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    fill(memory)
    (tmp_path / "data" / "prompts").mkdir(exist_ok=True)
    (tmp_path / "data" / "keys.json").write_text("{}")
    lines = list(memory.transfer.export())
    made = memory.transfer.backup(tmp_path / "copy")
    assert made.jobs == 3 and sum(made.records.values()) == json.loads(lines[0])["counts"]["record"]
    assert list(tmp_path.glob("*.part")) == []
    assert (tmp_path / "copy" / "keys.json").read_text() == "{}"
    copy = open_memory(folder=tmp_path / "copy")
    assert body_of(list(copy.transfer.export())) == body_of(lines)
    copy.drain()
    assert copy.maintenance.check() == "ok"
    with pytest.raises(InputError, match="already exists"):
        memory.transfer.backup(tmp_path / "copy")
    with pytest.raises(InputError, match="inside the data folder"):
        memory.transfer.backup(tmp_path / "data" / "copy")


def test_O2_a_backup_under_load_loses_no_accepted_turn(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.start_worker()
    accepted: list[str] = []
    for number in range(60):
        id = memory.end_turn(ANN, new_info=f"Turn number {number} of many")
        assert id is not None
        accepted.append(id)
        if number == 40:
            before = list(accepted)
            memory.transfer.backup(tmp_path / "copy")
    memory.stop_worker()
    copy = open_memory(folder=tmp_path / "copy")
    copy.drain()
    assert [id for id in before if copy.records.get(ANN, id).kind != "event"] == []


def vectors_of(memory: Memory) -> dict[int, bytes]:
    store, model = memory._services.runtime.parts.store, memory._services.runtime.embedder.name
    rows = map(IndexRow._make, next(iter(store.snapshot(1, model).rows.values())))
    return {row.number: row.code for row in rows if row.code}


def test_Q7_reembed_makes_every_vector_anew_while_words_still_find(open_memory: Open) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    memory.remember_many(ANN, [{"text": f"note number {n} about rivers"} for n in range(150)])
    memory.drain()
    before = vectors_of(memory)
    assert len(before) == 150
    assert memory.maintenance.reembed() == 150
    assert memory.recall(ANN, "rivers").hits
    memory.drain()
    assert memory.status()["records"]["unembedded"] == 0
    assert vectors_of(memory) == before
    plain = open_memory(embedder=None)
    with pytest.raises(ModelMissingError, match="taishi doctor"):
        plain.maintenance.reembed()


# -- forgetting, proved ------------------------------------------------------------------------


def said_by_ann(memory: Memory, folder: Path) -> list[str]:
    """Much data by Ann and by others, everywhere, in both languages; what Ann said."""
    words: list[str] = []

    def says(number: int, length: int = 1) -> str:
        text = f"Ann's walnut story {number} " + " ".join(f"oak{number}x{n}" for n in range(length))
        words.append(text)
        return text

    for number in range(120):
        memory.remember(ANN, says(number, (1, 30, 900)[number % 3]), speaker="Ann")
        memory.remember_many(BEN, [
            {"text": f"Ben's rye story {number} " + "crumb " * (1, 40, 1200)[number % 3],
             "speaker": "Ben"},
        ] * 2)  # fmt: skip
        memory.remember(KITCHEN, says(1000 + number), speaker="Ann", kind="note",
                        metadata={"quote": says(2000 + number)})  # fmt: skip
    words += [TEA, "她在下雨天最喜欢喝龙井茶看书", "I love my purple waffle iron from Bergen"]
    memory.end_turn(KITCHEN, new_info=words[-1], sender_name="Ann",
                    messages=[Message(words[-1], "Ann", None, "m1", "ann-1708")])  # fmt: skip
    memory.end_turn(BEN, new_info="I bake bread on Fridays", sender_name="Ben", messages=[
        Message("My secret ingredient is cardamom from Zanzibar", "Ann", None, "m2"),
        Message("I bake bread on Fridays", "Ben", None, "m3", "ben")])  # fmt: skip
    memory.drain()
    memory.sessions.end(KITCHEN)
    memory.remember(ANN, "Ann is in a good mood because of the new violin", kind="short_term")
    memory.profiles.set(ANN, f"- {TEA}", name="Ann")
    memory.profiles.set(ANN, "- has a cat that is called Mozart the Third", name="Ann")
    memory.profiles.set(Scope(group="kitchen"), f"- {words[-1]}\n- Ben bakes bread", name="Kitchen")
    memory.profiles.set(Scope(group="kitchen"), f"- {words[-1]}\n- Ben bakes rye", name="Kitchen")
    memory.recall(BEN, "waffle iron")
    memory.end_turn(BEN, new_info="I bake bread on Sundays", sender_name="Ben", messages=[
        Message("My second ingredient is saffron from Kashmir", "Ann", None, "m4"),
        Message("I bake bread on Sundays", "Ben", None, "m5", "ben")])  # fmt: skip
    memory.end_turn(ANN, new_info=TEA, messages=[Message(TEA, "Ann")])
    fail_one(memory, KITCHEN, "Ann's bicycle has a flat tyre again and again")
    (folder / "queues/failed/00000000000000000001-aaaaaaaaaaaa.1.1.json").write_text(
        '{"broken": "' + words[0]
    )
    killed = folder / "profiles" / "users" / "ann-1708.md.0f0f.tmp"
    killed.write_text(f"---\n- {TEA}")
    os.utime(killed, (1, 1))
    return [
        *words, "good mood because of the new violin", "a cat that is called Mozart the Third",
        "My secret ingredient is cardamom from Zanzibar", "My second ingredient is saffron",
        "Ann's bicycle has a flat tyre",
    ]  # fmt: skip


def bytes_with(folder: Path, words: list[str]) -> dict[str, str]:
    """Which file holds which word, in plain bytes: no code of ours looks for them."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for word in words:
                for form in {word.encode(), json.dumps(word)[1:-1].encode()}:
                    pieces = [form[at : at + 36] for at in range(0, len(form), 400)]
                    if any(len(piece) > 15 and piece in data for piece in pieces):
                        found[path.name] = word
    return found


def test_O2_after_forget_no_byte_of_the_folder_holds_the_persons_words(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory({"historian.job_max_retries": 5, "query.recall_timeout": 5.0})
    folder = tmp_path / "data"
    words = said_by_ann(memory, folder)
    assert len(bytes_with(folder, words)) >= 6
    traces = memory.deletions.traces(ANN)
    assert not memory.deletions.prove(ANN, traces), "nothing is forgotten yet"

    assert memory.forget(ANN) > 200
    assert bytes_with(folder, [*words, "ann-1708 "]) == {}
    assert [
        p.name for p in folder.rglob("*") if p.is_file() and b"ann-1708" in p.read_bytes()
    ] == []
    assert [p.name for p in folder.rglob("*ann-1708*")] == []
    proof = memory.deletions.prove(ANN, traces)
    assert proof and proof.found == () and proof.elsewhere == ()
    assert proof.phrases > 400 and proof.bytes > 100_000 and proof.files >= 4

    # the others are as they were, and Ann may come back
    page = memory.profiles.source(Scope(group="kitchen"))
    assert page is not None and page.body == "- Ben bakes rye"
    assert any("bread" in hit.text for hit in memory.recall(BEN, "bread").hits)
    (job,) = [job["job"] for job in memory.jobs.list()]
    assert [m["text"] for m in job["recent_messages"]] == ["I bake bread on Sundays"]
    memory.remember(ANN, "Ann is back from the sea")
    assert [hit.text for hit in memory.recall(ANN, "sea").hits] == ["Ann is back from the sea"]
    memory.close()
    assert bytes_with(folder, words) == {}


def test_O2_a_person_is_forgotten_while_the_worker_is_at_it(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory({"historian.poll_interval_seconds": 0.01, "historian.workers": 2})
    memory.start_worker()
    for number in range(40):
        scope = (KITCHEN, BEN, ANN)[number % 3]
        memory.end_turn(scope, new_info=f"{scope.user} told the walnut tale {number} of the sea")
    started = time.monotonic()
    memory.forget(ANN)
    assert time.monotonic() - started < 30, "it waits for nobody who waits for it"
    memory.drain()
    memory.stop_worker()
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert [path.name for path in files if b"ann-1708 told" in path.read_bytes()] == []
    kept = memory.records.list(BEN, kinds=["event"]).records
    assert len(kept) == 13


def test_O2_the_same_id_in_another_workspace_stays(open_memory: Open) -> None:
    memory = open_memory()
    red = Scope(user="ann-1708", workspace="red")
    for scope in (ANN, red):
        memory.remember(scope, f"Ann of {scope.workspace} keeps many bees")
        memory.profiles.set(scope, f"- bees of {scope.workspace} are fine")
    traces = memory.deletions.traces(ANN)
    memory.forget(ANN)
    assert memory.deletions.prove(ANN, traces)
    assert memory.profiles.source(red) is not None and memory.profiles.source(ANN) is None
    assert not memory.deletions.prove(red), "it is all there"


def test_O2_the_proof_finds_what_is_left_behind(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember(ANN, "Ann collects brass sextants from old ships")
    memory.remember(BEN, "Ann collects brass sextants from old ships")
    memory.remember(ANN, TEA)
    traces = memory.deletions.traces(ANN)
    memory.forget(ANN)
    proof = memory.deletions.prove(ANN, traces)
    assert proof and [trace.place for trace in proof.elsewhere] == [
        "record of default/group:kitchen"
    ]
    log = tmp_path / "data" / "some.log"
    log.write_text(f"debug: {json.dumps({'text': TEA})}")
    (left,) = memory.deletions.prove(ANN, traces).found
    assert (left.place, left.what) == ("some.log", TEA)
    log.write_text("user=ann-1708")
    assert [t.what for t in memory.deletions.prove(ANN, traces).found] == ["ann-1708"]


def test_O2_a_fact_of_another_loses_the_evidence_of_whom_is_forgotten(open_memory: Open) -> None:
    memory = open_memory()
    kitchen = BEN.home
    ann_event = Record("ann-event:1", kitchen, "event", "Ann said so", user="ann-1708")
    fact = Record("f1", kitchen, "fact", "The oven needs a repair", user="ben", data={
        "sources": ["ben-event:1", "ann-event:1"], "quotes": ["the oven smokes, said Ann herself"],
    })  # fmt: skip
    memory._services.runtime.parts.store.apply([Edit("put", ann_event), Edit("put", fact)])
    memory.forget(ANN)
    kept = memory.records.get(BEN, "f1")
    assert kept.text == "The oven needs a repair"
    assert (kept.data["sources"], kept.data["quotes"]) == (["ben-event:1"], [])


def test_O2_a_group_is_forgotten_whole(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    fill(memory)
    group = Scope(group="kitchen")
    traces = memory.deletions.traces(group)
    memory.forget(group)
    proof = memory.deletions.prove(group, traces)
    assert proof.found == ()
    assert "kitchen" not in {place.id for place, _ in memory._services.runtime.parts.store.places()}
    assert memory.recall(ANN, "walnuts").hits


# -- the commands ------------------------------------------------------------------------------


def run(*arguments: str, code: int = 0, env: dict[str, str] | None = None) -> str:
    environment = {"TAISHI__MODELS__EMBEDDING__KIND": "none", **(env or {})}
    result = CliRunner().invoke(taishi, list(arguments), env=environment)
    assert result.exit_code == code, result.output
    return result.output


def test_T2_the_commands_export_import_back_up_and_prove(tmp_path: Path) -> None:
    run("remember", "Ann collects brass sextants from old ships", "--user", "ann-1708")
    assert "3 lines" in run("export", "out.jsonl")
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0
    assert "--force" in run("export", "out.jsonl", code=2)
    assert run("export", "--user", "ann-1708").count("\n") == 3
    assert "dry run" in run("--data", "two", "remember", "x y z", "--user", "q") + run(
        "--data", "two", "import", "out.jsonl", "--dry-run"
    )
    run("--data", "two", "import", "out.jsonl", "--remap", "default=neu")
    assert "sextants" in run("--data", "two", "recall", "sextants", "--user", "ann-1708",
                             "--workspace", "neu")  # fmt: skip
    same = json.loads(run("import", "out.jsonl", "--json"))
    assert same["same"] == {"record": 1}
    (tmp_path / "bad.jsonl").write_text(
        (tmp_path / "out.jsonl").read_text().replace("fact", "gossip")
    )
    assert "line 2" in run("import", "bad.jsonl", code=2)
    assert "checked" in run("backup", "copy")
    assert "sextants" in run("--data", "copy", "recall", "sextants", "--user", "ann-1708")
    assert "no embedder" in run("reembed", code=1)
    said = run("forget", "--user", "ann-1708", "--yes", "--prove", "--lang", "zh")
    assert "发现 0 处" in said
    (tmp_path / "data" / "left.log").write_text("ann-1708")
    report = CliRunner().invoke(taishi, ["forget", "--user", "ann-1708", "--yes", "--prove"])
    assert report.exit_code == 1 and "left.log" in report.output


def test_O2_a_proof_over_much_data_takes_seconds(open_memory: Open) -> None:
    memory = open_memory(embedder=None)
    memory.remember_many(BEN, [{"text": f"Ben's rye story {n} with crumbs"} for n in range(5000)])
    memory.remember_many(
        ANN, [{"text": f"Ann's tale {n} of the sea and ships"} for n in range(2000)]
    )
    traces = memory.deletions.traces(ANN)
    started = time.monotonic()
    memory.forget(ANN)
    assert memory.deletions.prove(ANN, traces)
    assert time.monotonic() - started < 40
