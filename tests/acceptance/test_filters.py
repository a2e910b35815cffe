"""Filters, ends and orders of records, through `Memory`, on both databases (Q10)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope
from taishi.recall.score_range import from_0_to_1

ANN, BO = Scope(user="ann"), Scope(user="bo")
NOW = 1_800_000_000.0
DAY = 86_400.0


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


OpenMemory = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: OpenMemory, clock: Clock) -> Memory:
    return open_memory(clock=clock)


def found(memory: Memory, query: str, filters: Any, scope: Scope = ANN, **rest: Any) -> set[str]:
    recall = memory.recall(scope, query, filters=filters, deadline=10, **rest)
    assert not recall.skipped
    return {hit.id for hit in recall.hits}


def test_Q10_recall_finds_a_few_that_match_among_many_that_are_more_alike(memory: Memory) -> None:
    memory.remember_many(
        ANN, [{"text": f"the tea ceremony of day {n}", "kind": "note"} for n in range(10_000)]
    )
    rare = [
        {
            "text": f"a cup of tea, number {n}",
            "id": f"rare{n}",
            "kind": "note",
            "metadata": {"project": {"name": "apollo"}},
        }
        for n in range(10)
    ]
    memory.remember_many(ANN, rare)
    memory.remember_many(BO, rare)
    only = {"metadata.project.name": "apollo"}
    assert found(memory, "the tea ceremony", only, top_k=20, floor=0) == {
        f"rare{n}" for n in range(10)
    }
    assert found(memory, "the tea ceremony", {**only, "id": "rare3"}) == {"rare3"}
    assert found(memory, "the tea ceremony", {"metadata.project.name": "gemini"}) == set()


def test_Q10_the_cache_of_answers_knows_the_filters(memory: Memory) -> None:
    for place in ("oslo", "rome"):
        memory.remember(ANN, f"a trip to {place}", id=place, metadata={"place": place})
    for place in ("oslo", "rome", "oslo"):
        assert found(memory, "a trip", {"metadata.place": place}) == {place}
    memory.remember(ANN, "a trip to oslo again", id="third", metadata={"place": "oslo"})
    assert found(memory, "a trip", {"metadata.place": "oslo"}) == {"oslo", "third"}


def test_Q10_states_and_documents_can_be_asked_for(memory: Memory) -> None:
    memory.remember(ANN, "Ann may like tea", id="maybe", actor="model")
    memory.remember(ANN, "Ann likes tea", id="sure")
    states = {record.id: record.state for record in memory.records.newest(ANN).records}
    for state in set(states.values()):
        wanted = {id for id, one in states.items() if one == state}
        assert found(memory, "what tea does Ann like?", {"state": state}) == wanted
    memory.knowledge.add(ANN, b"# Tea\n\nGreen tea is brewed at 80 degrees.", name="tea.md")
    assert memory.recall(ANN, "how is green tea brewed?", filters={"kind": "chunk"}, deadline=10)
    assert not memory.recall(
        ANN, "how is green tea brewed?", filters={"kind": "event"}, deadline=10
    )


def test_Q10_the_prompt_block_is_filtered(memory: Memory) -> None:
    memory.remember(ANN, "Ann drinks green tea", kind="note", metadata={"public": True})
    memory.remember(ANN, "Ann drinks black tea", kind="note", metadata={"public": False})
    block = memory.context(ANN, "which tea does Ann drink?", filters={"metadata.public": True})
    assert "green tea" in block and "black tea" not in block
    assert memory.brief(ANN, "tea", filters={"metadata.public": 3}).recall.hits == ()


DEEP: Any = {"id": "a"}
for _ in range(9):
    DEEP = {"not": DEEP}


@pytest.mark.parametrize(("filters", "said"), [
    ("kind", "must be an object"),
    ({"knd": "fact"}, "did you mean 'kind'"),
    ({"metadta.x": 1}, "unknown field"),
    ({"kind": "fakt"}, "did you mean 'fact'"),
    ({"kind": {"equals": "fact"}}, "unknown operation"),
    ({"confidence": {"gtee": 1}}, "did you mean 'gte'"),
    ({"metadata.x": {"regex": "a"}}, "unknown operation 'regex' of metadata.x; use"),
    ({"project": "a"}, "did you mean 'metadata.project'"),
    ({"metadata": {"topic": "a"}}, "did you mean 'metadata.topic'"),
    ({"metadata": {"topic": {"in": ["a"]}}}, "did you mean 'metadata.topic'"),
    ({"Metadata": {"topic": "a"}}, "did you mean 'metadata.topic'"),
    ({"metadata": "a"}, "unknown field 'metadata'; fields"),
    ({"metadata": {"exists": True}}, "unknown field 'metadata'; fields"),
    ({"metadata": {"topic": {"name": "a"}}}, "unknown field 'metadata'; fields"),
    ({"metadata": {"a.b": 1}}, "unknown field 'metadata'; fields"),
    ({"meta": {"topic": "a"}}, "unknown field 'meta'; fields"),
    ({"project": {"gtee": 1}}, "did you mean 'metadata.project'"),
    ({"retained_turn": "a"}, "unknown field 'retained_turn'; fields"),
    ({"a b": "a"}, "unknown field 'a b'; fields"),
    ({"confidence": {"contains": 1}}, "cannot be compared with contains"),
    ({"confidence": "high"}, "a number, not a text"),
    ({"confidence": float("nan")}, "finite"),
    ({"time": "yesterday"}, "is not a time"),
    ({"user": ["ann"]}, "a text, not a list"),
    ({"metadata.x": {"eq": {"a": 1}}}, "not an object"),
    ({"metadata.x": {"gt": True}}, "have no order"),
    ({"metadata.x": {"in": "abc"}}, "needs a list"),
    ({"metadata.": 1}, "cannot be looked up"),
    ({'metadata.a"b': 1}, "cannot be looked up"),
    ({"metadata.x": {"exists": 1}}, "true or false"),
    ({"metadata.x": {}}, "compared with nothing"),
    ({"and": []}, "something in it"),
    ({"or": {"kind": "fact"}}, "needs a list"),
    ({"not": []}, "must be an object"),
    ({"not": {}}, "says nothing"),
    ({1: 2}, "must be text"),
    ({"metadata.retained_turn": {"exists": True}}, "is not shown"),
    ({f"metadata.f{n}": n for n in range(65)}, "more than 64"),
    ({"metadata.x": {"in": list(range(1001))}}, "more than 1000"),
    ({"metadata.x": 2**63}, "2^63"),
    ({"metadata.x": "y" * 10_001}, "longer than"),
    (DEEP, "deeper"),
])  # fmt: skip
def test_Q10_a_filter_that_cannot_be_used_says_why(memory: Memory, filters: Any, said: str) -> None:
    for ask in (
        lambda: memory.recall(ANN, "tea", filters=filters),
        lambda: memory.records.newest(ANN, filters=filters),
    ):
        with pytest.raises(InputError, match=said.replace("^", "\\^")):
            ask()


def test_Q10_a_record_with_an_end_is_gone_when_it_comes(memory: Memory, clock: Clock) -> None:
    memory.remember(ANN, "the code of the door is green", id="soon", expires=NOW + DAY)
    memory.remember(ANN, "the door is green", id="stays")
    hit = memory.get(ANN, "soon")
    assert hit is not None and hit.expires is not None and hit.expires.timestamp() == NOW + DAY
    assert found(memory, "the green door", None) == {"soon", "stays"}
    clock.now = NOW + DAY
    assert found(memory, "the green door", None) == {"stays"}
    assert found(memory, "what was the green door in 1999?", None) <= {"stays"}
    assert memory.get(ANN, "soon") is None and memory.records.get(ANN, "soon") is None
    assert "code" not in memory.context(ANN, "the green door")
    listed = [[one.id for one in page.records] for page in (
        memory.records.list(ANN),
        memory.records.newest(ANN),
        memory.records.newest(ANN, expired=True),
        memory.records.newest(ANN, filters={"expires": {"lte": clock.now}}),
    )]  # fmt: skip
    assert listed == [["stays"], ["stays"], ["soon"], ["soon"]]
    assert memory.records.digest(ANN).expired == 1
    memory._services.upkeep.expire()
    assert memory.records.newest(ANN, expired=True).records == ()
    assert memory.records.digest(ANN).total == 1


def test_Q10_an_end_can_be_moved_and_taken_back(memory: Memory, clock: Clock) -> None:
    memory.remember(ANN, "a note", "note", id="n", expires="2027-01-16T00:00:00Z")
    assert memory.records.update(ANN, "n", text="a longer note").expires is not None
    assert memory.records.update(ANN, "n", expires=NOW + DAY).expires == NOW + DAY
    assert memory.records.update(ANN, "n", expires=None).expires is None
    clock.now = NOW + 9 * DAY
    assert memory.get(ANN, "n") is not None
    for past in (NOW, "2020-01-01"):
        with pytest.raises(InputError, match="in the past"):
            memory.remember(ANN, "too late", expires=past)


def test_Q10_created_and_updated_are_on_every_record(memory: Memory, clock: Clock) -> None:
    memory.remember(ANN, "a note about tea", "note", id="n")
    clock.now += 60
    changed = memory.records.update(ANN, "n", text="a note about green tea")
    assert (changed.created, changed.updated) == (NOW, NOW + 60)
    hit = memory.recall(ANN, "green tea", deadline=10).hits[0]
    assert hit.created is not None and hit.updated is not None
    assert (hit.created.timestamp(), hit.updated.timestamp()) == (NOW, NOW + 60)


@pytest.mark.parametrize("order_by", ["arrival", "created", "updated"])
def test_Q10_pages_newest_first_are_stable_while_records_come(
    memory: Memory, clock: Clock, order_by: str
) -> None:
    for n in range(7):
        memory.remember(ANN, f"note {n}", "note", id=f"n{n}", session=f"s{n % 2}")
        clock.now += 1
    memory.records.update(ANN, "n1", text="changed note 1")
    seen: list[str] = []
    after = None
    while True:
        page = memory.records.newest(ANN, limit=2, after=after, order_by=order_by)
        seen += [record.id for record in page.records]
        memory.remember(ANN, "one more", "note")
        clock.now += 1
        if (after := page.next) is None:
            break
    expected = [f"n{n}" for n in reversed(range(7))]
    if order_by == "updated":
        expected = ["n1", *(id for id in expected if id != "n1")]
    assert seen == expected
    ids = [
        r.id for r in memory.records.newest(ANN, session="s1", limit=2, order_by=order_by).records
    ]
    assert ids == [id for id in expected if id in ("n1", "n3", "n5")][:2]
    text = memory.records.newest(
        ANN, text="note", limit=3, order_by=order_by, filters={"id": {"lt": "n4"}}
    )
    assert [r.id for r in text.records] == [id for id in expected if id < "n4"][:3]


def test_Q10_a_cursor_of_another_order_is_refused(memory: Memory) -> None:
    memory.remember_many(ANN, [{"text": f"note {n}"} for n in range(3)])
    after = memory.records.newest(ANN, limit=1).next
    for order_by, cursor in (
        ("created", after),
        ("arrival", "djI6YzpuYW46MQ"),
        ("created", "djI6YzpuYW46MQ"),
    ):
        with pytest.raises(InputError, match="cursor"):
            memory.records.newest(ANN, after=cursor, order_by=order_by)
    with pytest.raises(InputError, match="order_by"):
        memory.records.newest(ANN, order_by="size")


def test_R2_what_was_redacted_is_said(memory: Memory) -> None:
    memory.remember(ANN, "my password is hunter2secret", "note", id="n",
                    metadata={"api_key": "abc", "deep": [{"note": "fine"}]})  # fmt: skip
    hit = memory.get(ANN, "n")
    assert hit is not None and "hunter2secret" not in hit.text
    assert "password" in hit.redacted and len(hit.redacted) == 2
    memory.remember(ANN, "nothing to hide", "note", id="plain")
    assert (plain := memory.get(ANN, "plain")) is not None and plain.redacted == ()


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**9), 10**9),
        st.integers(2**64, 2**64 + 9),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.sampled_from('ab 茶é\n\0"\\ 😀'), max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(("a", "b c", "名", "x.y", "")), inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(JSON)
def test_Q10_a_json_value_comes_back_as_it_was(memory: Memory, value: Any) -> None:
    memory.remember(ANN, "a value", "note", id="v", metadata={"value": value})
    kept = memory.records.get(ANN, "v")
    assert kept is not None
    assert json.dumps(kept.data["value"]) == json.dumps(value)


def test_Q10_a_value_is_kept_whole_or_not_at_all(memory: Memory) -> None:
    wide = {"list": list(range(5000)), "map": {f"k{n}": n for n in range(3000)}, "big": 7**999}
    memory.remember(ANN, "a wide value", "note", id="v", metadata=wide)
    assert (kept := memory.records.get(ANN, "v")) is not None and dict(kept.data) == wide
    deep: Any = 1
    for _ in range(70):
        deep = [deep]
    loop: list[Any] = []
    loop.append(loop)
    for value, said in ((deep, "deeper"), (loop, "itself"), (1 << 20_000, "bits")):
        with pytest.raises(InputError, match=said):
            memory.remember(ANN, "no", metadata={"value": value})


def test_Q1_scores_are_from_0_to_1_and_better_is_higher() -> None:
    raw = [-3.0, -0.1, 0.0, 0.3, 0.9, 0.95, 1.0, 1.4, 2.0, 3.5]
    shown = [from_0_to_1(score) for score in raw]
    assert shown[:5] == [0.0, 0.0, 0.0, 0.3, 0.9]
    assert all(0 <= one <= 1 for one in shown) and shown == sorted(shown)
    assert len(set(shown[4:])) == len(shown[4:])


@pytest.mark.parametrize("embedder", [HashEmbedder, None])
def test_Q1_a_hit_that_has_every_bonus_scores_at_most_1(
    open_memory: OpenMemory, clock: Clock, embedder: Any
) -> None:
    memory = open_memory(clock=clock, embedder=embedder)
    text = "I always want green tea, please remember that I prefer green tea"
    for n in range(5):
        memory.remember(ANN, text, "procedure", id=f"p{n}", speaker="Ann", session="s", time=NOW)
    asked = f"Ann: {text} today, how do I make green tea?"
    found = memory.recall(ANN, asked, deadline=10, floor=0, explain=True)
    assert found.hits and all(0 <= one.score <= 1 for one in (*found.hits, *found.explain))
    brief = memory.brief(ANN, asked, deadline=10)
    assert all(0 <= hit.score <= 1 for hit in brief.recall.hits)
    events = memory.search_events(ANN, asked, deadline=10)
    assert all(0 <= hit.score <= 1 for hit in events.hits)
