"""S1–S4: whatever is written, removed and linked, by whichever path, nobody sees a record that
was not written where their scope may look.

Many worlds share one folder, so that a leak from one to another would show, too. Every text
carries a mark; the mark says where it was written, so an answer is judged by its words alone.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.hash_embedder import HashEmbedder
from support.sizes import few_and_many
from taishi import Hit, InputError, Memory, Scope, ScopeError
from taishi.types import Partition

MARK = re.compile(r"zz(\d+)zz")
WORDS = ("oslo", "火锅", "ann", "咖啡", "v1.2.3", "2024", "移动", "teapots")
# Prefixes of one another, other tables' words, SQL, paths, marks of direction, look-alikes.
IDS = (
    "a", "a:", "a:b", "ab", "b", "a/b", "../a", "A", "a%", "%", "_", "*", "'", '"', "a' OR '1'='1",
    "a\u202eb", "\u05d0", "猫", "猫咪", "ａ", "é", "e\u0301", "1", "12", "group", "private",
    "default/private:a", "workspace", "-1", "0", "a\\b", "a b", "a ", "x" * 256,
)  # fmt: skip
SUFFIXES = ("", ":", "/", "%", "'", "猫")
LARGE = Scope(user="a", workspace="large")
KINDS = ("fact", "event", "note", "procedure", "turn", "chunk")


@dataclass(frozen=True)
class Written:
    place: Partition
    id: str
    user: str | None
    kind: str


class Truth:
    """What was written and is still there, kept apart from the engine."""

    def __init__(self) -> None:
        self.by_mark: dict[int, Written] = {}
        self.links: set[tuple[str, str]] = set()
        self._mark_of: dict[tuple[Partition, str], int] = {}
        self._of_workspace: defaultdict[str, dict[int, None]] = defaultdict(dict)
        self._marks = itertools.count(1)

    def new_mark(self) -> int:
        return next(self._marks)

    def write(self, mark: int, place: Partition, id: str, user: str | None, kind: str) -> None:
        """A record with the same place and id is replaced, so its mark is gone."""
        self.remove(place, id)
        self.by_mark[mark] = Written(place, id, user, kind)
        self._mark_of[place, id] = mark
        self._of_workspace[place.workspace][mark] = None

    def remove(self, place: Partition, id: str) -> None:
        mark = self._mark_of.pop((place, id), None)
        if mark is not None:
            del self.by_mark[mark]
            del self._of_workspace[place.workspace][mark]

    def may_see(self, scope: Scope, mark: int) -> bool:
        record = self.by_mark.get(mark)
        if record is None:
            return False  # removed, or never written
        if record.place in (scope.home, scope.commons):
            return True
        if scope.agent and scope.home.kind == "private":  # an agent works for a user
            agents = Partition(scope.workspace, "agent", scope.agent)
            if record.place == agents:
                return True
        if scope.user is None or (scope.workspace, scope.user) not in self.links:
            return False
        if scope.home.kind == "private":
            in_a_group = (record.place.workspace, record.place.kind) == (scope.workspace, "group")
            return in_a_group and record.user == scope.user
        return record.place == Partition(scope.workspace, "private", scope.user)

    def visible(self, scope: Scope) -> list[int]:
        return [m for m in self._of_workspace[scope.workspace] if self.may_see(scope, m)]

    def ids_in(self, place: Partition) -> list[str]:
        marks = self._of_workspace[place.workspace]
        return [self.by_mark[m].id for m in marks if self.by_mark[m].place == place]


@st.composite
def scopes(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A handful of scopes over two or three ids, so that they meet one another."""
    id = st.sampled_from(draw(st.lists(st.sampled_from(IDS), min_size=2, max_size=3, unique=True)))
    workspace = st.sampled_from(draw(st.lists(st.sampled_from(SUFFIXES), min_size=1, max_size=2)))
    found = []
    for _ in range(draw(st.integers(3, 6))):
        kind = draw(st.sampled_from(("user", "user", "group", "group", "agent", "shared", "all",
                                     "agent of a user")))  # fmt: skip
        given: dict[str, Any] = {"workspace": draw(workspace), "shared": kind == "shared"}
        if kind in ("user", "group", "all", "agent of a user"):
            given["user"] = draw(id)
        if kind in ("group", "all"):
            given["group"] = draw(id)
        if kind in ("agent", "all", "agent of a user"):
            given["agent"] = draw(id)
        found.append(given)
    return found


SCOPE_NUMBER = st.integers(0, 5)
STEP = st.tuples(
    st.sampled_from(("write", "write", "write", "write", "turn", "remove", "link", "unlink",
                     "profile", "ask")),
    SCOPE_NUMBER,
    st.sampled_from(WORDS),
    st.sampled_from(KINDS),
    st.booleans(),
)  # fmt: skip
WORLD = st.tuples(
    scopes(),
    st.lists(STEP, min_size=4, max_size=12),
    st.lists(SCOPE_NUMBER, min_size=1, max_size=1),
)


class World:
    """One generated world, played on two memories that are open on the same folder."""

    def __init__(self, number: int, drawn: Any, memories: tuple[Memory, Memory], truth: Truth):
        given, self.steps, self.asked = drawn
        self.scopes = [Scope(**{**s, "workspace": f"{number}{s['workspace']}"}) for s in given]
        self.memories = memories
        self.truth = truth
        self.answers = 0
        self.hits = 0

    def scope(self, number: int) -> Scope:
        return self.scopes[number % len(self.scopes)]

    def play(self) -> None:
        for step in self.steps:
            self.do(*step)
        self.memories[0].drain()
        for number in self.asked:
            self.ask_everything(self.scope(number))
        for scope in self.scopes:
            self.ask_one_known(scope)

    def do(self, what: str, at: int, word: str, kind: str, second: bool) -> None:
        memory, scope = self.memories[second], self.scope(at)
        mark = self.truth.new_mark()
        if what == "write":
            id = f"id-{word}"  # the same few ids in every place
            memory.remember(scope, f"{word} zz{mark}zz likes tea", kind=kind, id=id, time=mark)
            self.truth.write(mark, scope.home, id, scope.user, kind)
        elif what == "turn":
            id = memory.end_turn(scope, f"{word} zz{mark}zz", request_id=f"turn-{mark}") or ""
            self.truth.write(mark, scope.home, id, scope.user, "event")
        elif what == "remove":
            mine = [id for id in self.truth.ids_in(scope.home) if id.startswith("id-")]
            for id in mine[:1]:
                memory.forget(scope, id)
                self.truth.remove(scope.home, id)
        elif what in ("link", "unlink"):
            if scope.user is not None:
                memory.set_link(scope, what == "link")
                key = (scope.workspace, scope.user)
                (self.truth.links.add if what == "link" else self.truth.links.discard)(key)
        elif what == "profile":
            self.write_profile(memory, scope, word, mark)
        else:
            self.judge(scope, memory.recall(scope, word, top_k=50, floor=0.0).hits)

    def write_profile(self, memory: Memory, scope: Scope, word: str, mark: int) -> None:
        if scope.home.kind not in ("private", "group"):
            return
        entity = "user" if scope.home.kind == "private" else "group"
        user = scope.home.id if entity == "user" else None
        try:
            memory.profiles.set(scope, f"{word} zz{mark}zz likes tea", name=f"page {word}")
        except InputError:
            return  # an id that could leave the folder has no page
        self.truth.write(mark, scope.home, f"{entity}:{scope.home.id}", user, "profile")

    def judge(self, scope: Scope, hits: tuple[Hit, ...]) -> None:
        self.answers += 1
        self.hits += len(hits)
        for hit in hits:
            for mark in map(int, MARK.findall(hit.text)):
                assert self.truth.may_see(scope, mark), (scope, hit, self.truth.by_mark.get(mark))

    def ask_everything(self, scope: Scope) -> None:
        everything = " ".join(WORDS)
        for memory in self.memories:
            self.judge(scope, memory.recall(scope, everything, top_k=200, floor=0.0).hits)
            self.judge(scope, memory.recall(scope, "", top_k=200, floor=0.0).hits)
        hybrid = self.memories[0]
        found = hybrid.recall(scope, everything, top_k=200, floor=0.0, kinds=("fact", "note")).hits
        assert {hit.kind for hit in found} <= {"fact", "note"}
        self.judge(scope, found)
        marks = self.truth.visible(scope)
        middle = marks[len(marks) // 2] if marks else 0
        found = hybrid.recall(scope, everything, top_k=200, floor=0.0,
                              time_from=0.0, time_to=float(middle)).hits  # fmt: skip
        assert all(hit.time is not None and 0 <= hit.time.timestamp() <= middle for hit in found)
        self.judge(scope, found)
        self.judge(scope, hybrid.search_profiles(scope, everything).hits)
        block = hybrid.context(scope, everything)
        assert all(self.truth.may_see(scope, int(mark)) for mark in MARK.findall(block)), block
        self.ask_for_others(scope)

    def ask_for_others(self, scope: Scope) -> None:
        """A target narrows and never widens; another place's id is not a key to it."""
        hybrid = self.memories[0]
        for other in self.scopes[:3]:
            found = hybrid.search_events(scope, " ".join(WORDS), target_user_id=other.user,
                                         target_group_id=other.group, top_k=200).hits  # fmt: skip
            self.judge(scope, found)
            for mark in (int(m) for hit in found for m in MARK.findall(hit.text)):
                written = self.truth.by_mark[mark]
                assert other.user in (None, written.user)
                assert other.group in (None, written.place.id)
            if other.home.kind in ("private", "group"):
                name = "user" if other.home.kind == "private" else "group"
                page = hybrid.get_profile(scope, name, other.home.id)
                for mark in map(int, MARK.findall(page.body if page else "")):
                    # A link shows a page in a group, too: that of whoever asks, and no other (S2).
                    written = self.truth.by_mark[mark]
                    assert self.truth.may_see(scope, mark)
                    assert written.place == replace(other.home, workspace=scope.workspace)
                    assert written.kind == "profile"
                    assert written.place == scope.home or written.place.id == scope.user
        for id in {written.id for written in islice(reversed(self.truth.by_mark.values()), 20)}:
            hit = hybrid.get(scope, id)
            if hit is not None:
                (mark,) = map(int, MARK.findall(hit.text))
                assert self.truth.by_mark[mark].place == scope.home
            self.follow(scope, id)

    def follow(self, scope: Scope, id: str) -> None:
        """What a record rests on is for those who may see it."""
        try:
            found = self.memories[0].records.evidence(scope, id)
        except InputError:
            return
        for mark in map(int, MARK.findall(str(found))):
            assert self.truth.may_see(scope, mark), (scope, found)

    def ask_one_known(self, scope: Scope) -> None:
        """The other half of the promise: what may be seen is found, by every kind of memory."""
        marks = self.truth.visible(scope)
        for memory in self.memories if marks else ():
            mark = marks[-1]
            found = memory.recall(scope, f"zz{mark}zz", top_k=20, floor=0.0).hits
            self.judge(scope, found)
            assert mark in {int(m) for hit in found for m in MARK.findall(hit.text)}, (
                scope, mark, self.truth.by_mark[mark], self.steps,
            )  # fmt: skip


@pytest.mark.parametrize("worlds", few_and_many(80, 1000))
@pytest.mark.parametrize("index_mb", [2048, 1])
def test_S3_cross_scope_recall_is_zero(
    index_mb: int, worlds: int, open_memory: Callable[..., Memory]
) -> None:
    changes = {"query.recall_timeout": 30.0, "index.memory_mb": index_mb}
    memories = (open_memory(changes, HashEmbedder()), open_memory(changes, None))
    truth = Truth()
    if index_mb == 1:
        fill(memories[0], truth)
    played: list[World] = []

    @settings(
        max_examples=worlds + 10,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(WORLD)
    def play(drawn: Any) -> None:
        world = World(len(played), drawn, memories, truth)
        played.append(world)
        world.play()
        if index_mb == 1 and len(played) % 3 == 0:
            world.judge(LARGE, memories[0].recall(LARGE, "oslo", top_k=50, floor=0.0).hits)

    play()
    assert len(played) >= worlds
    assert sum(world.answers for world in played) > 10 * worlds
    assert sum(world.hits for world in played) > 5 * worlds
    if index_mb == 1:
        assert memories[0].recall(LARGE, "oslo").hits
        assert memories[0].status()["index"]["places"] < 10, "the others had to go"


def fill(memory: Memory, truth: Truth) -> None:
    """A large place, so that an index of 1 MB has to let others go all the time."""
    marks = [truth.new_mark() for _ in range(5000)]
    for mark in marks:
        truth.write(mark, LARGE.home, f"large-{mark}", "a", "fact")
    memory.remember_many(LARGE, (
        {"text": f"{WORDS[m % 8]} zz{m}zz likes tea", "kind": "fact", "id": truth.by_mark[m].id}
        for m in marks
    ))  # fmt: skip
    memory.drain()


@pytest.mark.parametrize("given", [{}, {"session": "s"}, {"user": ""}, {"user": " "}])
def test_S3_no_scope_is_an_error_and_never_everything(given: dict[str, str]) -> None:
    with pytest.raises(ScopeError, match="no scope"):
        Scope(**given)


@pytest.mark.parametrize(
    "given", [None, "u7", 7, {"user": "u7"}, Partition("default", "private", "a")]
)
def test_S3_every_verb_refuses_what_is_no_scope(memory: Memory, given: Any) -> None:
    memory.remember(Scope(user="u7"), "a secret")
    verbs: list[Callable[[], object]] = [
        lambda: memory.recall(given, "secret"),
        lambda: memory.context(given, "secret"),
        lambda: memory.search_events(given, "secret"),
        lambda: memory.search_profiles(given, "secret"),
        lambda: memory.get_profile(given, "user", "u7"),
        lambda: memory.get(given, "x"),
        lambda: memory.remember(given, "x"),
        lambda: memory.end_turn(given, "x"),
        lambda: memory.observe(given, "x"),
        lambda: memory.forget(given),
        lambda: memory.set_link(given, True),
        lambda: memory.profiles.set(given, "x"),
    ]
    for verb in verbs:
        with pytest.raises(ScopeError):
            verb()
    assert memory.recall(Scope(user="u7"), "secret").hits


def test_S1_numbers_are_the_ids_they_spell(memory: Memory) -> None:
    memory.remember(Scope(user=7), "Ann lives in Oslo", id="1")  # type: ignore[arg-type]
    assert memory.get(Scope(user="7"), "1") is not None
    with pytest.raises(InputError, match="user"):
        Scope(user=True)  # type: ignore[arg-type]


def test_S2_a_link_opens_ones_own_groups_and_closes_again(memory: Memory) -> None:
    private, group = Scope(user="ann"), Scope(group="g", user="ann")
    bob = Scope(group="g", user="bob")
    memory.remember(private, "oslo is private")
    memory.remember(group, "oslo as ann said it")
    memory.remember(bob, "oslo by bob himself")

    def texts(scope: Scope) -> set[str]:
        return {hit.text for hit in memory.recall(scope, "oslo", floor=0.0, top_k=10).hits}

    everybody = {"oslo as ann said it", "oslo by bob himself"}
    assert (texts(private), texts(group)) == ({"oslo is private"}, everybody)
    memory.set_link(private, True)
    assert texts(private) == {"oslo is private", "oslo as ann said it"}
    assert texts(group) == everybody | {"oslo is private"}
    assert texts(bob) == everybody, "bob's scope gains nothing by ann's link"
    memory.set_link(group, False)
    assert (texts(private), texts(group)) == ({"oslo is private"}, everybody)


def test_S4_a_page_of_a_private_chat_is_not_shown_in_a_group(memory: Memory) -> None:
    memory.profiles.set(Scope(user="ann"), "Ann is allergic to peanuts", name="Ann")
    group = Scope(group="g", user="ann")
    memory.remember(group, "ann talks of peanuts")
    assert "allergic" in memory.context(Scope(user="ann"), "peanuts")
    assert "allergic" not in memory.context(group, "peanuts")
    assert not memory.search_profiles(group, "allergic peanuts").hits
    assert memory.get_profile(group, "user", "ann") is None
