"""Kill -9 over every verb that writes (W5): what was acknowledged is there, nothing is doubled, the
doctor finds nothing and no stray file is left after the next start.

KILLS says how often each verb is killed: 8 times here, more in `make test-all` and `make fuzz`.
Half of the kills come from outside at a random moment, half at a random step that touches the disk.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import apsw
import pytest

from fault.kill_lives import ANN, PLAIN, SCOPES, settings
from support.nursery import Nursery
from taishi import Memory, Scope, Settings, load
from taishi.doctor import checks
from taishi.types import Partition

KILLS = int(os.environ.get("KILLS", "8"))
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL"),
    pytest.mark.timeout(120 + 10 * KILLS),
]
WITHIN = 0.12
PATIENCE = 60.0  # on a busy machine few live long enough to accept a turn
PAGE_LINES = 40


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_errors(nursery: Nursery) -> Iterator[None]:
    """A life may be killed, but nothing may go wrong in it."""
    before = len(nursery.errors)
    yield
    assert nursery.errors[before:] == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Memory.open(tmp_path / "data", settings()).close()
    return tmp_path / "data"


def kill_often(
    nursery: Nursery,
    life: str,
    folder: Path,
    order: Callable[[], dict[str, Any]] = dict,
    within: float = WITHIN,
    steps: int = 120,
    acknowledges: bool = True,
) -> None:
    """One life after the other, until so many were killed, and one had something acknowledged:
    on a busy machine the first ones may all be too short. Each start is the next one's."""
    dice, killed, lives = random.Random(f"{life} 20260220"), 0, 0
    while killed < KILLS or (acknowledges and not nursery.of("kept", f"{life}-")):
        lives += 1
        assert lives < 4 * KILLS + 20, f"{killed} of {lives} killed, nothing acknowledged or few"
        seed = f"{life}-{lives}"
        killed += nursery.one_life(life, folder, seed, dice, within, steps, **order())
    print(f"{life}: {killed} kills, {lives} lives, {len(nursery.of('kept', life))} acknowledged")


def started_again(folder: Path) -> Memory:
    memory = Memory.open(folder, settings())
    memory.drain(120)
    queue = memory.status()["queue"]
    assert (queue["pending"], queue["processing"], queue["failed"]) == (0, 0, 0)
    assert memory.maintenance.check() == "ok"
    return memory


def is_in_order(folder: Path) -> None:
    """Nothing is left of the dead, and the doctor agrees."""

    def load_here(**overrides: str) -> Settings:
        return load(environ={}, overrides={**PLAIN, "memory.data": str(folder), **overrides})

    found = [one for one in checks.run_checks(load_here) if one.level != "ok"]
    busy = [one for one in found if (one.check, one.level) == ("disk", "warning")]  # a slow fsync
    others = [one for one in found if one not in busy and one.check != "embedder"]
    assert others == [], others
    stray = [p for p in folder.rglob("*") if p.is_file() and p.suffix in (".tmp", ".lock", ".part")]
    stray += list((folder / "processes").glob("*"))
    stray += [p for p in (folder / "queues").rglob("*") if p.is_file()]
    assert stray == []
    known = {"taishi.db", "taishi.db-pulse", "queues", "profiles", "locks", "processes",
             "keys.json"}  # fmt: skip
    assert {path.name for path in folder.iterdir()} <= known


def records_of(memory: Memory, place: Partition) -> list[tuple[str, str, str]]:
    store, after, found = memory._services.runtime.parts.store, 0, []
    while page := store.scan(place, after):
        found += [(record.id, record.kind, record.text) for _, record in page]
        after = page[-1][0]
    return found


def each_turn_is_one_event(memory: Memory, kept: list[list[Any]], deaths: int) -> None:
    """`kept`: of each acknowledged turn the mark, the number of its scope and its id."""
    found = {n: records_of(memory, scope.home) for n, scope in enumerate(SCOPES)}
    events = {(n, id): text for n, part in found.items() for id, kind, text in part
              if kind == "event"}  # fmt: skip
    assert all(kind != "turn" for part in found.values() for _, kind, _ in part)
    lost = [one for one in kept if one[0] not in events.get((one[1], one[2]), "")]
    assert lost == [], f"{len(lost)} of {len(kept)}"
    assert len(kept) == len({(n, id) for _, n, id in kept}), "an id was given twice"
    marks = Counter(text.partition("mark-")[2].partition("-stop")[0] for text in events.values())
    assert max(marks.values(), default=1) == 1, "doubled"
    # A turn may be accepted by a process that dies before it can say so; nothing else is new.
    assert 0 <= len(events) - len(kept) <= deaths


def test_W5_end_turn(nursery: Nursery, folder: Path) -> None:
    kill_often(nursery, "end_turn", folder)
    kept = [one[1:] for one in nursery.of("kept", "end_turn-")]
    assert len(kept) > KILLS
    with started_again(folder) as memory:
        each_turn_is_one_event(memory, kept, deaths=2 * KILLS + 20)
    is_in_order(folder)


def fill(folder: Path, start: int, count: int) -> list[list[Any]]:
    """Turns that teach: each a fact of its own, and a line of a page."""
    kept = []
    with Memory.open(folder, settings()) as memory:
        for number in range(start, start + count):
            mark = f"mark-{number:05d}-stop"
            info = f"I live in Town{number:05d}" if number % 4 == 0 else f"Ann said {mark}"
            id = memory.end_turn(ANN, f"Ann said {mark}", new_info=info, sender_name="Ann")
            kept.append([mark, 0, id])
    return kept


def each_is_learned_once(memory: Memory) -> None:
    learned = memory.facts.list(ANN, limit=5000)
    texts = Counter(one.text for one in learned)
    assert max(texts.values()) == 1, texts.most_common(3)
    assert {one.data.get("evidence_count", 1) for one in learned} == {1}
    page = memory.profiles.source(ANN)
    assert page is not None
    lines = Counter(line for line in page.body.splitlines() if line.startswith("- "))
    assert max(lines.values()) == 1, lines.most_common(3)


def test_W5_worker(nursery: Nursery, folder: Path) -> None:
    kept: list[list[Any]] = []

    def more() -> dict[str, Any]:
        with Memory.open(folder, settings()) as memory:
            waiting = memory.status()["queue"]["pending"]
        if waiting < 30:
            kept.extend(fill(folder, len(kept), 60))
        return {}

    kill_often(nursery, "worker", folder, more, within=0.4, steps=400, acknowledges=False)
    print(f"worker: {len(kept)} jobs")
    with started_again(folder) as memory:
        each_turn_is_one_event(memory, kept, deaths=0)
        each_is_learned_once(memory)
    is_in_order(folder)


def test_W5_workers_and_speakers_at_once(nursery: Nursery, folder: Path) -> None:
    """Two of each live at any time; each one that dies is replaced."""
    dice, kills = random.Random(20260220), 0
    living = [(role, f"both-{role}-{n}") for role in ("end_turn", "worker") for n in (1, 2)]
    for role, seed in living:
        nursery.start(role, folder, seed)

    def acknowledged() -> int:
        return len(nursery.of("kept", "both-"))

    until = time.monotonic() + PATIENCE
    while kills < 2 * KILLS or (acknowledged() <= KILLS and time.monotonic() < until):
        time.sleep(dice.uniform(0.02, 0.2))
        role, seed = living.pop(dice.randrange(len(living)))
        kills += nursery.kill(seed)
        living.append((role, f"both-{role}-{kills + 10}"))
        nursery.start(role, folder, living[-1][1])
    for _, seed in living:
        nursery.kill(seed)
    kept = [one[1:] for one in nursery.of("kept", "both-")]
    assert len(kept) > KILLS
    print(f"workers: {kills + 4} kills, {len(kept)} acknowledged")
    with started_again(folder) as memory:
        each_turn_is_one_event(memory, kept, deaths=kills + 4)
    is_in_order(folder)


def test_W5_remember_and_update(nursery: Nursery, folder: Path) -> None:
    kill_often(nursery, "remember", folder)
    with started_again(folder) as memory:
        texts = Counter(text for _, _, text in records_of(memory, ANN.home))
    is_in_order(folder)
    kept = [one[1] for one in nursery.of("kept", "remember-")]
    assert kept
    for mark in kept:
        wanted = (f"{mark} part 0 put right", f"{mark} part 1", f"{mark} part 2")
        assert [texts[text] for text in wanted] == [1, 1, 1]
        assert f"{mark} part 0" not in texts
    batches = Counter(text.partition(" part")[0] for text in texts)
    assert set(batches.values()) == {3}, "a batch is kept whole or not at all"


SECRET = "bicycle number-{:05d} is hidden"
BLOCK = 30


def people(folder: Path, start: int) -> None:
    """Each with a secret of their own: in a note, on a page, in a group, in a waiting job."""
    with Memory.open(folder, settings()) as memory:
        for n in range(start, start + BLOCK):
            scope = Scope(user=f"user-{n:05d}")
            memory.remember(scope, SECRET.format(n), kind="note")
            memory.profiles.set(scope, f"- {SECRET.format(n)}")
            if n % 3 == 0:
                memory.end_turn(Scope(group="g", user=f"user-{n:05d}"), SECRET.format(n))


def test_W5_forget(nursery: Nursery, folder: Path) -> None:
    born = 0

    def reached() -> int:
        return max((int(one[1]) for one in nursery.of("tried", "forget-")), default=-1) + 1

    def go_on() -> dict[str, Any]:
        nonlocal born
        if born - reached() < BLOCK:
            people(folder, born)
            born += BLOCK
        return {"first": reached(), "count": born}

    kill_often(nursery, "forget", folder, go_on, within=0.4, steps=500)
    done = {int(one[1]) for one in nursery.of("kept", "forget-")}
    assert done
    with Memory.open(folder, settings()) as memory:
        for n in set(range(reached())) - done:  # whoever asked was told nothing, and asks again
            memory.forget(Scope(user=f"user-{n:05d}"))
    with started_again(folder) as memory:
        for n in range(reached(), born):
            scope = Scope(user=f"user-{n:05d}")
            page = memory.get_profile(scope, "user", f"user-{n:05d}")
            assert page is not None
            assert SECRET.format(n) in page.body
            assert "note" in {kind for _, kind, _ in records_of(memory, scope.home)}
    is_in_order(folder)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    names = " ".join(str(path) for path in folder.rglob("*"))
    left = [n for n in range(born) if SECRET.format(n).encode() in everything]
    assert left == list(range(reached(), born)), "those and nobody else"
    assert not [n for n in range(reached()) if f"user-{n:05d}" in names]


def stocked(folder: Path, users: int) -> list[str]:
    with Memory.open(folder, settings()) as memory:
        for n in range(users):
            scope = Scope(user=f"user-{n}")
            memory.remember_many(scope, [{"text": f"story {m} of user {n} " + "word " * 30}
                                         for m in range(30)])  # fmt: skip
            for body in ("- one", "- two"):
                memory.profiles.set(scope, f"{body} of {n}")
            memory.end_turn(scope, new_info=f"the news of user {n}")
        return list(memory.transfer.export())


def test_W5_export(nursery: Nursery, folder: Path) -> None:
    lines = stocked(folder, 6)
    out = folder.parent / "out.jsonl"
    kill_often(nursery, "export", folder, within=0.3, steps=60)
    assert nursery.of("kept", "export-")
    assert out.read_text(encoding="utf-8").splitlines(True)[1:] == lines[1:]
    with Memory.open(folder, settings()) as memory:
        assert list(memory.transfer.export())[1:] == lines[1:]
    started_again(folder).close()
    is_in_order(folder)


def test_W5_import(nursery: Nursery, folder: Path, tmp_path: Path) -> None:
    lines = stocked(tmp_path / "source", 3)
    count = 3 * KILLS
    for n in range(count):
        renamed = [line.replace("user-", f"person-{n}-") for line in lines]
        renamed = [re.sub(r'(?<="id":")(\d{20})-\w{12}', rf"\1-{n:012x}", line) for line in renamed]
        (tmp_path / f"lines-{n}.jsonl").write_text("".join(renamed), encoding="utf-8")

    def go_on() -> dict[str, Any]:
        tried = [int(one[1]) for one in nursery.of("tried", "import-")]
        return {"first": max(tried, default=-1) + 1}

    kill_often(nursery, "import", folder, go_on, within=0.3, steps=400)
    reached = go_on()["first"]
    done = {int(one[1]) for one in nursery.of("kept", "import-")}
    assert done
    wanted = sum(json.loads(line).get("type") not in ("header", "end") for line in lines)

    def of(n: int, memory: Memory) -> list[str]:
        scopes = [Scope(user=f"person-{n}-{m}") for m in range(3)]
        return [line for scope in scopes for line in list(memory.transfer.export(scope))[1:-1]]

    with Memory.open(folder, settings()) as memory:
        assert [n for n in done if len(of(n, memory)) != wanted] == [], "acknowledged and lost"
        for n in range(reached):  # to do it again is to mend it
            memory.transfer.import_records(
                (tmp_path / f"lines-{n}.jsonl").read_bytes().splitlines()
            )
        assert [n for n in range(reached) if len(of(n, memory)) != wanted] == []
    started_again(folder).close()
    is_in_order(folder)


def test_W5_backup(nursery: Nursery, folder: Path, tmp_path: Path) -> None:
    lines = stocked(folder, 3)

    def go_on() -> dict[str, Any]:
        tried = [int(one[1]) for one in nursery.of("tried", "backup-")]
        return {"first": max(tried, default=-1) + 1}

    kill_often(nursery, "backup", folder, go_on, within=0.2, steps=250)
    done = {int(one[1]) for one in nursery.of("kept", "backup-")}
    assert done
    assert done <= {int(path.name.partition("-")[2]) for path in tmp_path.glob("copy-*")
                    if path.suffix != ".part"}  # fmt: skip
    with Memory.open(folder, settings()) as memory:
        for n in range(go_on()["first"]):
            copy = tmp_path / f"copy-{n}"
            if not copy.exists():
                memory.transfer.backup(copy)
    assert list(tmp_path.glob("*.part")) == []
    for n in random.Random(1).sample(range(go_on()["first"]), min(20, go_on()["first"])):
        with Memory.open(tmp_path / f"copy-{n}", settings()) as copied:
            assert list(copied.transfer.export())[1:] == lines[1:]
    started_again(folder).close()
    is_in_order(folder)


def test_W5_profile(nursery: Nursery, folder: Path) -> None:
    seen = [""]

    def look() -> dict[str, Any]:
        """After each life: the page is what the last edit made of it, or the one under way."""
        lines = [one for seed in list(nursery.said) if seed.startswith("profile-")
                 for one in nursery.said[seed] if one[0] in ("tried", "kept")]  # fmt: skip
        wanted = {seen[-1], next((one[1] for one in reversed(lines) if one[0] == "kept"), "")}
        if lines and lines[-1][0] == "kept":
            wanted = {lines[-1][1]}
        elif lines and lines[-1][1] == "an earlier one":
            wanted.update(one[1] for one in lines)
        elif lines:
            wanted.add(lines[-1][1])
        with Memory.open(folder, settings()) as memory:
            page = memory.profiles.source(ANN)
            mark = page.body.split()[2] if page else ""
            assert mark in wanted
            assert memory.profiles.faults() == []
            if page:
                seen.append(mark)
                assert page.body.strip() == f"- likes {mark}\n- plays chess"
                assert memory.search_profiles(ANN, mark, deadline=20.0).hits, "the index follows"
                held = sorted(one.text for one in memory.facts.list(ANN, states=("approved",)))
                assert held == [f"likes {mark}", "plays chess"], "and so do the facts"
        return {}

    kill_often(nursery, "profile", folder, look)
    look()
    assert nursery.of("kept", "profile-")
    with started_again(folder) as memory:
        assert memory.profiles.set(ANN, "- likes tea").body.strip() == "- likes tea"
        assert len(memory.profiles.revisions(ANN)) == 5, "a whole write takes the oldest away"
    is_in_order(folder)


def test_F5_shared_entries_approved(nursery: Nursery, folder: Path) -> None:
    """Every second entry takes the place of an approved one: both change, or neither does."""
    count, team = 12 * KILLS, Scope(shared=True)
    with Memory.open(folder, settings()) as memory:
        for n in range(count):
            memory.shared.propose(Scope(agent="coder"), f"rule number-{n} holds", "convention",
                                  topic=f"topic {n - n % 2}")  # fmt: skip

    def go_on() -> dict[str, Any]:
        tried = [int(one[1]) for one in nursery.of("tried", "shared-")]
        return {"first": max(tried, default=-1) + 1, "count": count}

    kill_often(nursery, "shared", folder, go_on, within=0.3, steps=400)
    reached = go_on()["first"]
    done = {int(one[1]) for one in nursery.of("kept", "shared-")}
    assert done
    with started_again(folder) as memory:
        entries = memory.shared.list(team, limit=5000)
        state = {int(one.text.split("number-")[1].split()[0]): one.state for one in entries}
        assert len(entries) == len(state) == count, "nothing lost, nothing doubled"
        for one in entries:
            acts = Counter(act.did for act in memory.shared.audit(team, one.id))
            assert acts["approved"] == (one.state in ("approved", "superseded")), one
            assert acts["superseded"] == (one.state == "superseded"), one
        for n in range(0, count, 2):
            pair = state[n], state[n + 1]
            assert pair in {
                ("candidate", "conflict"),
                ("approved", "conflict"),
                ("superseded", "approved"),
                ("candidate", "approved"),
            }, (n, pair)
            assert n not in done or pair[0] in ("approved", "superseded")
            assert n + 1 not in done or pair[1] == "approved"
            assert n <= reached or pair == ("candidate", "conflict")
    is_in_order(folder)


def test_W5_facts_approved_corrected_rejected(nursery: Nursery, folder: Path) -> None:
    count = 9 * KILLS
    with Memory.open(folder, settings()) as memory:
        memory.remember_many(ANN, [{"text": f"Ann likes tea number-{n} best", "kind": "fact"}
                                   for n in range(PAGE_LINES, count)])  # fmt: skip
        body = "\n".join(f"- Ann likes tea number-{n} best" for n in range(PAGE_LINES))
        memory.profiles.set(ANN, body, name="Ann")
        assert len(memory.facts.list(ANN, states=("approved",), limit=5000)) == count

    def go_on() -> dict[str, Any]:
        tried = [int(one[1]) for one in nursery.of("tried", "facts-")]
        return {"first": max(tried, default=-1) + 1, "count": count}

    kill_often(nursery, "facts", folder, go_on, within=0.3, steps=400)
    reached = go_on()["first"]
    done = {int(one[1]) for one in nursery.of("kept", "facts-")}
    assert done
    with started_again(folder) as memory:
        known = {one.text: one.state for one in memory.facts.list(ANN, limit=5000)}
        texts = Counter(one.text for one in memory.facts.list(ANN, limit=5000))
        assert max(texts.values()) == 1
        page = memory.profiles.source(ANN)
        assert page is not None
        for n in range(count):
            tea, coffee = f"Ann likes tea number-{n} best", f"Ann likes coffee number-{n} best"
            states = (known.get(tea), known.get(coffee))
            before, after = ("approved", None), AFTER[n % 3]
            if n in done:
                assert states == after, n
            else:
                assert states in ((before, after) if n < reached else (before,)), n
            if states == AFTER[1] or states == AFTER[2]:
                assert f"{tea}\n" not in f"{page.body}\n", f"rejected, and still on the page: {n}"
    is_in_order(folder)


AFTER = {0: ("approved", None), 1: ("rejected", None), 2: ("rejected", "approved")}


def test_W5_session(nursery: Nursery, folder: Path) -> None:
    kill_often(nursery, "session", folder)
    said: dict[str, list[str]] = {}
    ended = set()
    for _, name, what in nursery.of("kept", "session-"):
        if what == "ended":
            ended.add(name)
        else:
            said[name] = what
    assert ended
    with started_again(folder) as memory:
        texts = {id: text for id, kind, text in records_of(memory, ANN.home) if kind == "summary"}
        for name in ended:
            assert all(texts[f"summary:{name}"].count(mark) == 1 for mark in said[name])
        for name in said.keys() - ended:
            memory.sessions.end(Scope(user="ann", session=name))
        texts = {id: text for id, kind, text in records_of(memory, ANN.home) if kind == "summary"}
        for name, marks in said.items():
            assert [texts.get(f"summary:{name}", "").count(mark) for mark in marks] == [1, 1], name
    is_in_order(folder)


class Caller(threading.Thread):
    """Sends turns, one after the other, whatever happens to the server."""

    def __init__(self, port: int, name: str) -> None:
        super().__init__(daemon=True)
        self._port, self._name = port, name
        self.kept: list[list[Any]] = []
        self.over = threading.Event()

    def run(self) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            mark = f"mark-{self._name}-{number}-stop"
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
            try:
                body = {"scope": {"user": "ann"}, "action_summary": f"Ann said {mark}"}
                connection.request("POST", "/v1/turns", json.dumps(body),
                                   {"Content-Type": "application/json"})  # fmt: skip
                answer = connection.getresponse()
                told = json.loads(answer.read())
                assert answer.status == 202, told
                self.kept.append([mark, 0, told["id"]])
            except (OSError, http.client.HTTPException):
                continue  # nothing was promised
            finally:
                connection.close()


def test_W5_server(nursery: Nursery, folder: Path) -> None:
    callers = [Caller(nursery.port, f"caller{n}") for n in range(2)]
    for caller in callers:
        caller.start()
    dice = random.Random(20260220)
    for n in range(KILLS):
        nursery.start("server", folder, f"server-{n}")
        assert nursery.wait_for(f"server-{n}", "kept")
        time.sleep(dice.uniform(0.0, 0.3))
        assert nursery.kill(f"server-{n}")
    for caller in callers:
        caller.over.set()
    for caller in callers:
        caller.join(20)
    kept = [one for caller in callers for one in caller.kept]
    assert len(kept) > KILLS
    print(f"server: {KILLS} kills, {len(kept)} acknowledged")
    with started_again(folder) as memory:
        each_turn_is_one_event(memory, kept, deaths=2 * KILLS)
    is_in_order(folder)


def old_folder(folder: Path) -> None:
    """As version 3 left it."""
    folder.mkdir(parents=True)
    connection = apsw.Connection(str(folder / "taishi.db"))
    scripts = resources.files("taishi.backends.sqlite") / "migrations"
    for name in ("001_records.sql", "002_history.sql", "003_packs.sql"):
        connection.execute((scripts / name).read_text("utf-8"))
    connection.pragma("user_version", 3)
    connection.execute("INSERT INTO places VALUES (1, 'default', 'private', 'ann', 400, 400, 0)")
    for n in range(300):
        number = 1 << 32 | n + 1
        text = f"note {n} " + "The harbour office opens at nine. " * (30 if n % 10 == 0 else 1)
        connection.execute(
            "INSERT INTO records VALUES (?,1,?,'note',?,0,0,NULL,0,NULL,NULL,NULL,NULL,"
            "'approved',1,NULL,0,'{}')", (number, str(n), text))  # fmt: skip
        connection.execute(
            "INSERT INTO shelf VALUES (?,1,'note','approved',0,0,NULL,NULL,NULL,NULL,x'',0,NULL)",
            (number,))  # fmt: skip
    connection.close()


def test_W5_migration(nursery: Nursery, tmp_path: Path) -> None:
    old_folder(tmp_path / "old")
    dice, killed, lives = random.Random(20260220), 0, 0
    while killed < KILLS:
        lives += 1
        assert lives < 6 * KILLS
        folder = tmp_path / f"data-{lives}"
        shutil.copytree(tmp_path / "old", folder)
        if dice.random() < 0.5:
            order = {"step": dice.randrange(1, 60), "early": True}
            nursery.start("migrate", folder, f"migrate-{lives}", **order)
            nursery.wait_gone(f"migrate-{lives}", 5.0)
        else:
            nursery.start("migrate", folder, f"migrate-{lives}")
            time.sleep(dice.uniform(0, 0.08))
        killed += nursery.kill(f"migrate-{lives}")
        with started_again(folder) as memory:
            found = records_of(memory, ANN.home)
            assert len(found) == len({id for id, _, _ in found}) == 300
            assert memory.status()["records"] == {"note": 300, "unembedded": 300}
        if lives % 5 == 0:
            is_in_order(folder)
        shutil.rmtree(folder)
    print(f"migration: {killed} kills, {lives} lives")
