"""F5: agents propose, a coordinator decides, everyone in the workspace reads what was approved."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taishi import InputError, Memory, Scope
from taishi.errors import AuthorityError, RefusedError
from taishi.types import Record

CODER, TESTER, LEAD = Scope(agent="coder"), Scope(agent="tester"), Scope(agent="lead")
ANN, CLUB = Scope(user="ann"), Scope(group="club", user="bob")
SETTINGS = {"shared.coordinators": "person, agent:lead", "query.recall_timeout": 5.0}
TABS, SPACES = "Indent every Python file with tabs", "Indent every Python file with spaces"


class Clock:
    """Each reading is a second later, so that one proposal is newer than another."""

    def __init__(self) -> None:
        self.now = 1_780_000_000.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def team(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(SETTINGS, clock=Clock())


def found(memory: Memory, scope: Scope, query: str = "indent Python file") -> list[str]:
    return [hit.text for hit in memory.recall(scope, query, top_k=50, floor=0.0).hits]


def proposed(memory: Memory, scope: Scope, text: str, **options: Any) -> str:
    id = memory.shared.propose(scope, text, options.pop("type", "convention"), **options)
    assert id is not None
    return id


def states(memory: Memory) -> dict[str, str]:
    return {one.text: one.state for one in memory.shared.list(LEAD)}


def test_F5_only_what_was_approved_is_recalled_and_then_by_everybody(team: Memory) -> None:
    id = proposed(team, CODER, TABS)
    everybody = (CODER, TESTER, LEAD, ANN, CLUB, Scope(shared=True))
    for scope in everybody:
        assert found(team, scope) == []
        assert team.context(scope, "indent Python file") == ""
    assert team.shared.approve(LEAD, id, reason="agreed on Monday") == "approved"
    for scope in everybody:
        assert found(team, scope) == [TABS]
    assert TABS in team.context(ANN, "indent Python file")
    assert found(team, Scope(user="ann", workspace="elsewhere")) == []
    team.shared.reject(LEAD, id)
    assert all(found(team, scope) == [] for scope in everybody)


def test_F5_who_wrote_what_when_and_through_which_door(team: Memory) -> None:
    id = proposed(team, CODER, TABS, door="tool", actor="model")
    proposed(team, TESTER, TABS, door="mcp", actor="model")
    team.shared.approve(ANN, id, actor="person", actor_id="key-7", door="rest", reason="good")
    audit = team.shared.audit(LEAD, id)
    assert [(one.did, one.by, one.role, one.door, one.reason) for one in audit] == [
        ("proposed", "agent:coder", "agent", "tool", ""),
        ("supported", "agent:tester", "agent", "mcp", ""),
        ("approved", "person:key-7", "coordinator", "rest", "good"),
    ]
    assert [one.at for one in audit] == sorted(one.at for one in audit)
    assert all(one.at.startswith("2026-") for one in audit)


def test_F5_proposing_the_same_again_adds_nothing(team: Memory) -> None:
    first = proposed(team, CODER, TABS)
    assert proposed(team, CODER, TABS) == first
    assert proposed(team, TESTER, "Indent every Python file with tabs.") == first
    assert proposed(team, TESTER, TABS) == first, "support is counted once"
    (entry,) = team.shared.list(LEAD)
    assert entry.data["evidence_count"] == 2
    assert entry.confidence == pytest.approx(0.7 + 0.3 * 0.3)


@pytest.mark.parametrize("actor", ["model", "host"])
def test_F5_an_agent_does_not_approve_unless_it_is_listed(team: Memory, actor: str) -> None:
    id = proposed(team, CODER, TABS)
    for scope in (CODER, TESTER):
        with pytest.raises(AuthorityError, match="no coordinator"):
            team.shared.approve(scope, id, actor=actor)
        with pytest.raises(AuthorityError, match="no coordinator"):
            team.shared.resolve(scope, id, id, actor=actor)
    with pytest.raises(AuthorityError):
        team.shared.approve(ANN, id, actor="model")
    assert states(team) == {TABS: "candidate"}
    own = proposed(team, LEAD, "Tests are named after the promise that they check")
    assert team.shared.approve(LEAD, own, actor="model") == "approved"
    assert [row.reason for row in team.deletions.refusals()].count("authority") == 5


def test_F5_the_host_may_take_persons_off_the_list(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"shared.coordinators": "agent:lead"})
    id = proposed(memory, CODER, TABS)
    with pytest.raises(AuthorityError):
        memory.shared.approve(ANN, id, actor="person")
    assert memory.shared.approve(LEAD, id, actor="model") == "approved"


def test_F5_only_creator_and_coordinator_change_an_entry(team: Memory) -> None:
    id = proposed(team, CODER, TABS)
    for change in (
        lambda: team.shared.reject(TESTER, id),
        lambda: team.shared.supersede(TESTER, id, SPACES),
        lambda: team.shared.reject(ANN, id, actor="model"),
    ):
        with pytest.raises(AuthorityError, match="who proposed"):
            change()
    team.shared.approve(LEAD, id)
    shared = Scope(shared=True)
    with pytest.raises(AuthorityError):
        team.remember(shared, "something else", id=id, actor="model")
    with pytest.raises(AuthorityError):
        team.forget(shared, id, actor="model")
    with pytest.raises(InputError, match=r"memory\.shared"):
        team.facts.reject(shared, id)
    with pytest.raises(InputError):
        team.records.update(shared, id, text="something else")
    assert found(team, ANN) == [TABS]
    team.shared.reject(CODER, id, reason="no longer")
    assert found(team, ANN) == []


def test_F5_a_creator_s_new_words_wait_and_the_old_ones_hold_until_then(team: Memory) -> None:
    old = proposed(team, CODER, TABS)
    team.shared.approve(LEAD, old)
    new = team.shared.supersede(CODER, old, SPACES, confidence=0.1)
    assert found(team, ANN) == [TABS]
    assert team.shared.approve(LEAD, new) == "approved", "however confident the old one was"
    assert found(team, ANN) == [SPACES]
    assert states(team) == {TABS: "superseded", SPACES: "approved"}
    assert team.shared.conflicts(LEAD) == []


def test_F5_what_was_never_approved_is_not_found_by_a_question_about_the_past(
    team: Memory,
) -> None:
    old = proposed(team, CODER, TABS)
    team.shared.supersede(CODER, old, SPACES)
    assert states(team) == {TABS: "rejected", SPACES: "candidate"}
    for query in ("How did we indent Python files in 2026?", "2026年5月怎么缩进 Python file"):
        assert found(team, ANN, query) == []


def test_F5_a_coordinator_s_new_words_hold_at_once(team: Memory) -> None:
    old = proposed(team, CODER, TABS)
    team.shared.approve(LEAD, old)
    new = team.shared.supersede(LEAD, old, SPACES, reason="the linter wants it")
    assert found(team, ANN) == [SPACES]
    assert [one.did for one in team.shared.audit(LEAD, new)] == ["proposed", "approved"]
    assert team.shared.audit(LEAD, old)[-1].did == "superseded"


def test_P5_what_was_rejected_is_refused_when_an_agent_says_it_again(team: Memory) -> None:
    id = proposed(team, CODER, TABS)
    team.shared.reject(LEAD, id)
    for scope in (CODER, TESTER):
        with pytest.raises(RefusedError) as caught:
            team.shared.propose(scope, "indent every python file — with tabs!", "convention")
        assert caught.value.reason == "rejected"
    assert proposed(team, LEAD, TABS)
    assert team.shared.approve(LEAD, id) == "approved", "a coordinator may think again"


# -- conflicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("older", "newer", "state", "recalled"),
    [
        (0.5, 0.9, "approved", SPACES),  # newest and most confident: it wins
        (0.7, 0.7, "approved", SPACES),
        (0.9, 0.5, "conflict", TABS),  # newest is not most confident: somebody decides
    ],
)
def test_F5_newest_and_most_confident_wins_or_it_is_a_conflict(
    team: Memory, older: float, newer: float, state: str, recalled: str
) -> None:
    first = proposed(team, CODER, TABS, confidence=older)
    team.shared.approve(LEAD, first)
    second = proposed(team, TESTER, SPACES, confidence=newer)
    ((old, new),) = team.shared.conflicts(LEAD)
    assert (old.text, new.text) == (TABS, SPACES)
    assert found(team, ANN) == [TABS]
    assert team.shared.approve(LEAD, second) == state
    assert found(team, ANN) == [recalled]
    assert len(team.shared.conflicts(LEAD)) == (state == "conflict")


def test_F5_an_older_and_less_confident_one_loses_when_it_is_approved_late(team: Memory) -> None:
    first = proposed(team, CODER, TABS, confidence=0.5)
    second = proposed(team, TESTER, SPACES, confidence=0.9)
    assert team.shared.approve(LEAD, second) == "approved"
    assert team.shared.approve(LEAD, first) == "rejected"
    assert found(team, ANN) == [SPACES]
    assert team.shared.conflicts(LEAD) == []


@pytest.mark.parametrize("both", [False, True])
def test_F5_a_coordinator_settles_a_conflict(team: Memory, both: bool) -> None:
    first = proposed(team, CODER, TABS, confidence=0.9)
    second = proposed(team, TESTER, SPACES, confidence=0.5)
    with pytest.raises(InputError, match="two entries"):
        team.shared.resolve(LEAD, first, first)
    team.shared.resolve(LEAD, second, first, both=both, reason="we talked")
    assert sorted(found(team, ANN)) == sorted([TABS, SPACES] if both else [SPACES])
    assert team.shared.conflicts(LEAD) == []
    assert team.shared.audit(LEAD, second)[-1].did == "resolved"
    assert proposed(team, CODER, "Lines have at most 100 characters")
    assert team.shared.conflicts(LEAD) == []


@pytest.mark.parametrize(
    ("one", "other", "options", "is_conflict"),
    [
        ("Commit messages are in English", "Commit messages are in Chinese", {}, True),
        ("We deploy on Fridays", "We do not deploy on Fridays", {}, True),
        ("提交信息用英文写", "提交信息用中文写", {}, True),
        ("周五可以部署到生产", "周五不可以部署到生产", {}, True),
        ("Tabs, four columns wide", "Two spaces", {"topic": "indentation"}, True),
        ("用制表符", "用两个空格", {"topic": "缩进"}, True),
        ("Release notes live in docs/releases", "Meeting notes live in docs/meetings", {}, False),
        ("Branch names are in lower case", "Class names are in camel case", {}, False),
        ("评审由小李负责", "发布由小王负责", {}, False),
    ],
)
def test_F5_contradictions_in_both_languages(
    team: Memory, one: str, other: str, options: dict[str, str], is_conflict: bool
) -> None:
    proposed(team, CODER, one, **options)
    proposed(team, TESTER, other, **options)
    pairs = [(a.text, b.text) for a, b in team.shared.conflicts(LEAD)]
    assert pairs == ([(one, other)] if is_conflict else [])


def test_F5_what_two_people_prefer_is_no_contradiction(team: Memory) -> None:
    for user, text in (("ann", "The user likes short answers"), ("bob", "The user does not like "
                       "short answers")):  # fmt: skip
        proposed(team, Scope(agent="coder", user=user), text, type="user_preference")
    assert team.shared.conflicts(LEAD) == []
    proposed(team, Scope(agent="coder", user="ann"), "The user does not like short answers",
             type="user_preference")  # fmt: skip
    assert len(team.shared.conflicts(LEAD)) == 1


def test_F5_two_threads_propose_opposites_exactly_one_conflict(
    open_memory: Callable[..., Memory],
) -> None:
    memories = [open_memory(SETTINGS), open_memory(SETTINGS)]
    for round in range(10):
        topic = f"topic {round}"
        gate = threading.Barrier(2)

        def propose(memory: Memory, scope: Scope, text: str, topic: str, gate: Any) -> None:
            gate.wait()
            proposed(memory, scope, f"{text} ({topic})", topic=topic)

        threads = [
            threading.Thread(target=propose, args=(memory, scope, text, topic, gate))
            for memory, scope, text in zip(memories, (CODER, TESTER), (TABS, SPACES), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pairs = memories[0].shared.conflicts(LEAD)
        assert len(pairs) == round + 1, "exactly one more"
    assert len(memories[1].shared.list(LEAD)) == 20, "no proposal was lost"


PROPOSER = """
import json, sys, time
from taishi import Memory, Scope, load
folder, agent, words, start = sys.argv[1:]
settings = load(environ={}, overrides={"models.embedding.kind": "none"})
with Memory.open(folder, settings) as memory:
    while time.time() < float(start):
        time.sleep(0.001)
    for n in range(15):
        memory.shared.propose(Scope(agent=agent), f"{words}, rule {n}", "convention", topic=f"t{n}")
"""


def test_F5_two_processes_propose_opposites_exactly_one_conflict_each(tmp_path: Path) -> None:
    import time

    from taishi import load

    folder, start = tmp_path / "data", str(time.time() + 2.5)
    lives = [
        subprocess.Popen([sys.executable, "-c", PROPOSER, str(folder), agent, words, start])
        for agent, words in (("coder", "tabs"), ("tester", "spaces"))
    ]
    assert [life.wait(60) for life in lives] == [0, 0]
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(folder, settings) as memory:
        host = Scope(shared=True)
        assert len(memory.shared.list(host)) == 30
        topics = [old.data["shared"]["topic"] for old, _ in memory.shared.conflicts(host)]
    assert sorted(topics) == sorted(f"t{n}" for n in range(15))


# -- who may see what -----------------------------------------------------------------------------


def test_S3_what_waits_is_for_those_who_decide_and_those_who_proposed_it(team: Memory) -> None:
    mine = proposed(team, ANN, "The launch is on 3 May", type="project_context", actor="model")
    model = {"actor": "model"}
    for other in (CLUB, Scope(user="bob"), CODER):
        assert team.shared.list(other, **model) == []
        assert team.shared.conflicts(other, **model) == []
        with pytest.raises(InputError, match="no entry"):
            team.shared.audit(other, mine, **model)
        with pytest.raises(InputError):
            team.records.evidence(other, mine)
    assert [one.id for one in team.shared.list(ANN, **model)] == [mine]
    assert [one.id for one in team.shared.list(LEAD, **model)] == [mine]
    assert "ann" not in json.dumps(team.shared.list(LEAD)[0].data["shared"])
    team.shared.approve(LEAD, mine)
    assert [one.id for one in team.shared.list(CLUB, **model)] == [mine]


def test_S2_an_agent_that_works_for_a_user_sees_what_both_may_see(team: Memory) -> None:
    both = Scope(agent="coder", user="ann")
    team.remember(ANN, "tea: Ann takes it green")
    team.remember(CODER, "tea: the coder keeps a list of shops")
    team.remember(TESTER, "tea: the tester hides this")
    team.remember(CLUB, "tea: the club meets at five")
    team.shared.approve(
        LEAD, proposed(team, TESTER, "tea: the office has none", type="known_issue")
    )
    assert sorted(found(team, both, "tea")) == [
        "tea: Ann takes it green",
        "tea: the coder keeps a list of shops",
        "tea: the office has none",
    ]
    assert "tea: the coder keeps a list of shops" not in found(team, ANN, "tea")
    assert "tea: Ann takes it green" not in found(team, CODER, "tea")
    group = Scope(agent="coder", user="ann", group="club")
    assert sorted(found(team, group, "tea")) == [
        "tea: the club meets at five",
        "tea: the office has none",
    ]
    team.remember(both, "tea: told to the coder by Ann")
    assert "tea: told to the coder by Ann" in found(team, ANN, "tea")
    assert "tea: told to the coder by Ann" not in found(team, CODER, "tea")


# -- hostile input, and the life around it --------------------------------------------------------


@pytest.mark.parametrize("text", ["\0", " \u200b ", "x" * 5000, "a" * 1_000_000])
def test_F5_what_cannot_be_an_entry_is_refused_with_a_reason(team: Memory, text: str) -> None:
    with pytest.raises(InputError, match="text"):
        team.shared.propose(CODER, text, "convention")
    assert team.shared.list(LEAD) == []


def test_F5_bad_arguments_say_what_to_do(team: Memory) -> None:
    with pytest.raises(InputError, match="decision_record"):
        team.shared.propose(CODER, "x", "rumour")
    with pytest.raises(InputError, match="confidence"):
        team.shared.propose(CODER, "x", "convention", confidence=2.0)
    with pytest.raises(InputError, match="states"):
        team.shared.list(CODER, states=["open"])
    with pytest.raises(InputError, match="types"):
        team.shared.list(CODER, types=["fact"])
    with pytest.raises(InputError, match="no entry"):
        team.shared.approve(LEAD, "../../etc/passwd")
    with pytest.raises(InputError, match="actor"):
        team.shared.propose(CODER, "x", "convention", actor="god")


def test_R1_secrets_do_not_reach_the_disk(team: Memory, tmp_path: Path) -> None:
    secret = "sk-proj-" + "Qm7Lx2VtB9nRz4KdPw8YhC3sJf6GuA1e"
    id = proposed(team, CODER, f"The key of the build is {secret}", topic=f"key {secret}")
    team.shared.approve(LEAD, id, reason=f"see {secret}")
    team.close()
    stored = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"The key of the build" in one for one in stored), "the control"
    assert not any(secret.encode() in one for one in stored)


def test_C3_off_means_nothing_is_kept(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"memory.enabled": False})
    assert memory.shared.propose(CODER, TABS, "convention") is None
    assert memory.shared.list(CODER) == []


def test_O2_states_and_audits_go_with_an_export_and_come_back(
    team: Memory, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    first = proposed(team, CODER, TABS, confidence=0.9)
    proposed(team, TESTER, SPACES, confidence=0.5)
    team.shared.approve(LEAD, first)
    team.shared.reject(LEAD, proposed(team, CODER, "Tests are optional"))
    lines = list(team.transfer.export())
    other = open_memory(SETTINGS, folder=tmp_path / "other")
    other.transfer.import_records(lines)

    def seen(memory: Memory) -> list[tuple[Any, ...]]:
        entries: list[Record] = memory.shared.list(LEAD)
        return sorted(
            (one.id, one.text, one.state, one.confidence, memory.shared.audit(LEAD, one.id))
            for one in entries
        )

    assert seen(other) == seen(team)
    assert [(a.text, b.text) for a, b in other.shared.conflicts(LEAD)] == [(TABS, SPACES)]
    assert found(other, ANN) == [TABS]


def test_O2_forgetting_a_person_takes_what_came_from_their_chat(team: Memory) -> None:
    for scope in (Scope(user="ann"), Scope(agent="coder", user="ann")):
        id = proposed(team, scope, f"Zanzibar is where {scope.agent or 'the bot'} goes",
                      type="project_context", actor="model")  # fmt: skip
        team.shared.approve(LEAD, id)
    kept = proposed(team, CODER, TABS)
    team.shared.approve(ANN, kept, actor="person")
    words = team.deletions.traces(ANN)
    team.forget(ANN)
    proof = team.deletions.prove(ANN, words)
    assert proof, proof
    assert [one.text for one in team.shared.list(LEAD)] == [TABS]
    assert found(team, CODER, "Zanzibar") == [TABS]


def test_O2_rebuild_and_rescan_leave_entries_as_they_are(team: Memory) -> None:
    id = proposed(team, CODER, TABS)
    team.shared.approve(LEAD, id)
    proposed(team, TESTER, "Tests are run before every merge")
    shared = Scope(shared=True)
    team.end_turn(shared, new_info="We indent every Python file with tabs", sender_name="Ann")
    team.drain()
    before = {one.id: (one.state, one.data["shared"]) for one in team.shared.list(LEAD)}
    team.maintenance.rebuild()
    team.maintenance.rescan()
    after = {one.id: (one.state, one.data["shared"]) for one in team.shared.list(LEAD)}
    assert after == before and len(after) == 2


def test_F5_a_turn_in_the_shared_scope_does_not_approve_or_end_entries(team: Memory) -> None:
    proposed(team, CODER, "Ann lives in Oslo", type="project_context")
    approved = proposed(team, CODER, "Bob lives in Cork", type="project_context")
    team.shared.approve(LEAD, approved)
    before = states(team)
    for n, said in enumerate(("I live in Oslo", "I no longer live in Cork") * 3):
        name = "Ann" if "Oslo" in said else "Bob"
        team.end_turn(Scope(shared=True), new_info=said, sender_name=name, request_id=f"r{n}",
                      messages=[{"speaker": name, "text": said}])  # fmt: skip
    team.drain()
    assert states(team) == before
