"""mem0's `Memory` on a memory of ours, in process and without mem0's package."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import pytest
from examples import mem0_drop_in as example

from support.hash_embedder import HashEmbedder
from support.running_app import RunningApp
from support.scripted_model import Reply, ScriptedModel
from taishi import Memory as Engine
from taishi import Scope
from taishi.adapters.mem0 import AsyncMemory, Memory
from taishi.api_keys import Keys
from taishi.errors import AuthorityError, InputError
from taishi.ports import Vector
from taishi.server.app import create_app

ANN = {"user_id": "ann"}
EXAMPLE_SAYS = [
    "where does ann live?: ['ann lives in Cork']",
    "花生: ['小明对花生过敏']",
    """bikes: ["Ann's bike is blue"]""",
    """history: [('ADD', "Ann's bike is red"), ('UPDATE', "Ann's bike is blue")]""",
]


@pytest.fixture
def memory(open_memory: Callable[..., Engine]) -> Iterator[Memory]:
    with Memory(open_memory()) as made:
        yield made


@pytest.fixture
def with_key(open_memory: Callable[..., Engine]) -> Iterator[Callable[..., Memory]]:
    """`with_key(user="ann")`: a server's memory, opened with an ordinary key."""
    engine = open_memory()
    keys = Keys(engine.status()["folder"])
    opened: list[Engine] = []
    with RunningApp(create_app(engine, keys=keys), engine.settings.server) as server:

        def open_one(wait: float = 30.0, works: bool = True, **binding: Any) -> Memory:
            if works:
                engine.start_worker()
            _, secret = keys.create("bot", **binding)
            opened.append(Engine.open(server.url, api_key=secret))
            return Memory(opened[-1], wait=wait)

        yield open_one
        for one in opened:
            one.close()


def texts(found: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in found["results"]]


def keep(memory: Memory, text: str, **options: Any) -> str:
    (added,) = memory.add(text, infer=False, **{"user_id": "ann", **options})["results"]
    return str(added["id"])


def test_the_package_of_mem0_is_not_needed() -> None:
    code = "import sys, taishi.adapters.mem0; assert 'mem0' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_a_conversation_is_read_by_the_historian_before_add_returns(memory: Memory) -> None:
    said = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "I moved to Cork. I love hiking."},
        {"role": "assistant", "content": "The assistant lives in Dublin."},
    ]
    added = memory.add(said, user_id="ann", run_id="r1", agent_id="bot", metadata={"k": "v"})
    assert {"ann lives in Cork", "ann loves hiking"} <= set(texts(added))
    assert {one["event"] for one in added["results"]} == {"ADD"}
    assert not any("kind" in text or "Dublin" in text for text in texts(added))

    (event,) = [one for one in added["results"] if one["kind"] == "event"]
    got = memory.get(event["id"])
    assert got is not None
    assert (got["run_id"], got["agent_id"], got["metadata"]) == ("r1", "bot", {"k": "v"})
    assert texts(memory.get_all(filters={**ANN, "k": "v"})) == [event["memory"]]
    found = memory.search("where does ann live?", filters=ANN)
    assert "ann lives in Cork" in texts(found)
    best = found["results"][0]
    assert best["hash"] and best["created_at"] and best["updated_at"] and best["user_id"] == "ann"


def test_a_user_called_assistant_is_a_person(memory: Memory) -> None:
    assert memory.add("I live in Cork.", user_id="assistant")["results"]


def test_nothing_is_added_of_small_talk(memory: Memory) -> None:
    assert memory.add("How are you?", user_id="ann") == {"results": []}
    assert memory.add([], user_id="ann") == {"results": []}


def test_a_slow_historian_costs_no_words_and_no_metadata(
    open_memory: Callable[..., Engine],
) -> None:
    """A model that does not answer in time: what was said is kept as it is, with its metadata."""
    slow = [Reply(200, {}, delay=1.5)] * 4
    with ScriptedModel(script=slow) as model:
        settings = {"models.chat.api_url": model.url, "models.chat.model_name": "m"}
        memory = Memory(open_memory(settings), wait=0.3)
        added = memory.add("I live in Rome", user_id="ann", metadata={"k": 1})
        assert texts(added) == ["I live in Rome"]
        assert texts(memory.get_all(filters={**ANN, "k": 1})) == ["I live in Rome"]


@pytest.mark.parametrize("door", ["folder", "ordinary key"])
@pytest.mark.parametrize("metadata", [None, {"topic": "home"}], ids=["plain", "labelled"])
def test_what_is_outdated_or_deleted_is_shown_so_whatever_metadata_it_has(
    memory: Memory,
    with_key: Callable[..., Memory],
    door: str,
    metadata: dict[str, str] | None,
) -> None:
    mem0 = memory if door == "folder" else with_key()
    chat = [
        {"role": "user", "content": "I live in Rome.", "name": "Noa"},
        {"role": "assistant", "content": "Nice city!"},
    ]
    added = mem0.add(chat, user_id="ann", agent_id="guide", metadata=metadata)
    assert [one["kind"] for one in added["results"]] == ["fact", "event"]
    moved = {"role": "user", "content": "I moved to Milan.", "name": "Noa"}
    mem0.add([moved], user_id="ann", metadata=metadata)
    events = {**ANN, "kind": "event"}
    labelled = mem0.get_all(filters=ANN | (metadata or {"kind": "event"}))["results"]
    assert [one["metadata"] for one in labelled] == [metadata, metadata]
    assert len(texts(mem0.get_all(filters={**events, "agent_id": "guide"}))) == 1
    old = next(text for text in texts(mem0.get_all(filters=events)) if "Rome" in text)
    assert "(since then: Noa lives in Milan)" in old

    (fact,) = mem0.get_all(filters={**ANN, "kind": "fact"})["results"]
    mem0.update(fact["id"], "Noa lives in Turin")
    block = mem0.engine.context(Scope(user="ann"), "Where does Noa live?", deadline=5)
    stale = [line for line in block.splitlines() if "Milan" in line and "Turin" not in line]
    assert "Turin" in block and not stale
    mem0.delete(fact["id"])
    left = texts(mem0.get_all(filters=ANN))
    assert not any("Milan" in text or "Turin" in text or "Nice" in text for text in left)
    assert mem0.add("How are you?", user_id="ann", metadata=metadata) == {"results": []}


def test_an_ordinary_key_waits_though_it_may_not_see_the_queue(
    with_key: Callable[..., Memory],
) -> None:
    memory = with_key(wait=0.8, works=False)
    (turn,) = memory.add("I live in Rome", user_id="ann")["results"]
    assert turn["kind"] == "turn" and "Rome" in turn["memory"]


def test_verbatim_messages_keep_their_role_and_name(memory: Memory) -> None:
    said = [
        {"role": "user", "content": "我喜欢绿茶", "name": "小安"},
        {"role": "assistant", "content": [{"type": "text", "text": "好的"}, {"type": "image"}]},
        {"role": "tool", "content": "42"},
    ]
    added = memory.add(said, user_id="ann", infer=False)
    assert texts(added) == ["我喜欢绿茶", "好的"]
    got = memory.get(added["results"][0]["id"])
    assert got is not None
    assert (got["role"], got["actor_id"]) == ("user", "小安")
    assert texts(memory.search("绿茶", filters=ANN)) == ["我喜欢绿茶"]


def test_an_agent_remembers_what_it_says_itself(memory: Memory) -> None:
    said = {"role": "assistant", "content": "I cook Thai food best."}
    added = memory.add(said, agent_id="chef")
    assert texts(added) == ["I cook Thai food best."]
    assert texts(memory.get_all(filters={"agent_id": "chef"})) == ["I cook Thai food best."]
    procedure = memory.add("1. wash 2. cut", agent_id="chef", memory_type="procedural_memory")
    got = memory.get(procedure["results"][0]["id"])
    assert got is not None and got["memory_type"] == "procedural_memory"


def test_users_agents_and_runs_never_meet(memory: Memory) -> None:
    places: list[dict[str, Any]] = [ANN, {"user_id": "ben"}, {"agent_id": "ann"}, {"run_id": "ann"}]
    for place in places:
        memory.add(f"A secret of {place}", infer=False, **place)
    for place in places:
        assert texts(memory.get_all(filters=place)) == [f"A secret of {place}"]
        assert texts(memory.search("secret", filters=place)) == [f"A secret of {place}"]
    memory.delete_all(user_id="ann")
    assert [len(memory.get_all(filters=place)["results"]) for place in places] == [0, 1, 1, 1]


def test_what_is_shared_with_everybody_is_not_a_users(memory: Memory) -> None:
    memory.engine.remember(Scope(shared=True), "The office cat is called Momo")
    keep(memory, "Ann feeds the cat")
    assert texts(memory.search("cat", filters=ANN)) == ["Ann feeds the cat"]


def test_metadata_comes_back_as_it_was_and_cannot_move_a_memory(memory: Memory) -> None:
    given = {"tags": "mine", "type": 3, "deep": {"a": [1, None, True]}, "a.b": "dot", "state": "x"}
    id = keep(memory, "tea", metadata={**given, "user_id": "ben", "agent_id": "spy"})
    got = memory.get(id)
    assert got is not None and got["metadata"] == given
    assert got["user_id"] == "ann" and "agent_id" not in got
    assert texts(memory.get_all(filters={**ANN, "a.b": "dot"})) == ["tea"]
    memory.update(id, metadata={"user_id": "ben", "type": 4})
    got = memory.get(id)
    assert got is not None and got["metadata"] == {**given, "type": 4}
    assert memory.get_all(filters={"user_id": "ben"}) == {"results": []}


def test_updates_make_a_history(memory: Memory) -> None:
    id = keep(memory, "one")
    memory.update(id, "two")
    memory.update(id, data="three")
    rows = memory.history(id)
    assert [(row["old_memory"], row["new_memory"], row["event"]) for row in rows] == [
        (None, "one", "ADD"),
        ("one", "two", "UPDATE"),
        ("two", "three", "UPDATE"),
    ]
    assert [row["updated_at"] for row in rows] == sorted(row["updated_at"] for row in rows)
    assert memory.delete(id) == {"message": "Memory deleted successfully!"}
    assert memory.get(id) is None
    assert memory.history(id) == []
    with pytest.raises(ValueError, match="not found"):
        memory.delete(id)
    with pytest.raises(ValueError, match="not found"):
        memory.update(id, "four")


def test_ids_of_any_script_lead_back(memory: Memory) -> None:
    for user in ("小明", "a:b/c%d", "e@x.org", "run:x"):
        id = keep(memory, f"kept for {user}", user_id=user)
        got = memory.get(id)
        assert got is not None and got["user_id"] == user
        assert "/" not in id
        (listed,) = memory.get_all(filters={"user_id": user})["results"]
        assert listed["id"] == id


def test_a_memory_with_an_end_is_gone_after_its_day(
    open_memory: Callable[..., Engine],
) -> None:
    now = [datetime(2030, 5, 1, 12, tzinfo=UTC).timestamp()]
    memory = Memory(open_memory(clock=lambda: now[0]))
    id = keep(memory, "The code is on the fridge", expiration_date=date(2030, 5, 3))
    keep(memory, "Milk is in the fridge", expiration_date="2030-05-09")
    got = memory.get(id)
    assert got is not None and got["expiration_date"] == "2030-05-03"
    now[0] += timedelta(days=2, hours=11).total_seconds()  # 23:00 on the last day
    assert len(memory.search("fridge", filters=ANN)["results"]) == 2
    now[0] += 3601
    assert texts(memory.search("fridge", filters=ANN)) == ["Milk is in the fridge"]
    assert texts(memory.get_all(filters=ANN)) == ["Milk is in the fridge"]
    assert memory.get(id) is None
    with pytest.raises(ValueError, match="past"):
        keep(memory, "late", expiration_date="2030-05-01")
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        keep(memory, "when?", expiration_date="soon")


def test_what_has_ended_can_be_shown_until_it_is_removed(
    open_memory: Callable[..., Engine],
) -> None:
    now = [datetime(2030, 5, 1, 12, tzinfo=UTC).timestamp()]
    engine = open_memory(clock=lambda: now[0])
    memory = Memory(engine)
    keep(memory, "The code is on the fridge", expiration_date="2030-05-01")
    engine.stop_worker()
    now[0] += 86_400
    listed = memory.get_all(filters=ANN, show_expired=True)
    assert texts(listed) == ["The code is on the fridge"]
    assert memory.get_all(filters=ANN) == {"results": []}


def test_what_ends_is_not_learned(memory: Memory) -> None:
    """A fact that is drawn from it would stay."""
    tomorrow = datetime.fromtimestamp(time.time(), UTC).date() + timedelta(days=1)
    added = memory.add("I live in Cork.", user_id="ann", expiration_date=tomorrow)
    assert texts(added) == ["I live in Cork."]
    memory.engine.drain()
    assert texts(memory.get_all(filters=ANN)) == ["I live in Cork."]


def test_top_k_threshold_and_explain(memory: Memory) -> None:
    for number in range(5):
        keep(memory, f"Ann planted tree number {number}")
    assert len(memory.search("tree", filters=ANN, top_k=3)["results"]) == 3
    assert memory.search("tree", filters=ANN, top_k=0) == {"results": []}
    assert memory.search("tree", filters=ANN, threshold=1.0) == {"results": []}
    assert len(memory.get_all(filters=ANN, top_k=2)["results"]) == 2
    found = memory.search("tree", filters=ANN, explain=True)["results"]
    assert all("coverage" in one["score_details"] for one in found)


def test_newest_first(memory: Memory) -> None:
    for number in range(3):
        keep(memory, f"note {number}")
    assert texts(memory.get_all(filters=ANN)) == ["note 2", "note 1", "note 0"]


def test_pages_have_everything_once(memory: Memory) -> None:
    for number in range(5):
        keep(memory, f"note {number}")
    pages = [memory.get_all(filters=ANN, page=n, page_size=2) for n in (1, 2, 3, 4)]
    assert [texts(page) for page in pages] == [
        ["note 4", "note 3"], ["note 2", "note 1"], ["note 0"], [],
    ]  # fmt: skip
    assert len(texts(memory.get_all(filters=ANN, page=1))) == 5
    assert texts(memory.get_all(filters=ANN, page_size=1)) == ["note 4"]
    for wrong in ({"page": 0}, {"page": True}, {"page_size": -1}, {"page": "2"}):
        with pytest.raises(InputError, match="page"):
            memory.get_all(filters=ANN, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "fact", "categories"),
    [
        ("I live in Cork.", "ann lives in Cork", ["residence"]),
        ("I work at Acme.", "ann works at Acme", ["employer"]),
        ("我住在上海。", "ann住在上海", ["residence"]),
        ("I am allergic to nuts.", "ann is allergic to nuts", ["health"]),
        ("My cat is called Miso.", "ann's cat is called Miso", ["possession", "pet"]),
    ],
)
def test_categories_are_what_a_fact_is_about_and_not_the_words_it_is_found_by(
    memory: Memory, said: str, fact: str, categories: list[str]
) -> None:
    memory.add(said, user_id="ann")
    facts = {**ANN, "kind": "fact"}

    def found(wanted: object) -> list[str]:
        return texts(memory.get_all(filters={**facts, "categories": wanted}))

    (known,) = memory.get_all(filters=facts)["results"]
    assert (known["memory"], known["categories"]) == (fact, categories)
    searched = memory.search(fact, filters=facts)["results"]
    assert [one["categories"] for one in searched] == [categories]
    for one in categories:
        for wanted in (one, [one, "sport"], {"in": [one]}, {"contains": one}, {"eq": one}, "*"):
            assert found(wanted) == [fact], wanted
        for wanted in ({"ne": one}, {"nin": [one, "sport"]}, {"in": [one], "ne": one}):
            assert found(wanted) == [], wanted
    for wanted in ("sport", {"in": ["sport"]}, {"contains": categories[0][:3]}, None):
        assert found(wanted) == [], wanted
    assert found({"nin": ["sport"]}) == [fact]
    with pytest.raises(InputError, match="unknown operation"):
        found({"near": 1})


def test_a_program_s_own_tags_are_categories(memory: Memory) -> None:
    ann = Scope(user="ann")
    tagged = {"tags": ["bike", "things"]}
    memory.engine.remember(ann, "Ann's bike is red", kind="note", metadata=tagged)
    memory.engine.remember(ann, "Ann rows", kind="note", metadata={"tags": "one", "category": 3})
    listed = memory.get_all(filters=ANN)["results"]
    assert [one["categories"] for one in listed] == [[], ["bike", "things"]]
    assert texts(memory.get_all(filters={**ANN, "categories": "bike"})) == ["Ann's bike is red"]


@pytest.mark.parametrize(
    ("filters", "what"),
    [
        ({}, "user_id"),
        ({"category": "x"}, "user_id"),
        ({"user_id": ""}, "empty"),
        ({"user_id": True}, "string or an integer"),
        ({"user_id": "*"}, "one user at a time"),
        ({"user_id": {"in": ["ann"]}}, "one user at a time"),
        ({"AND": [{"user_id": "ann"}, {"user_id": "ben"}]}, "two values"),
        ({"user_id": "ann", "OR": [{"user_id": "ben"}, {"a": 1}]}, "one user at a time"),
        ({"user_id": "ann", "OR": []}, "something in it"),
        ({"user_id": "ann", "NOT": ["a"]}, "objects"),
        ({"user_id": "ann", "a": {"near": 1}}, "unknown operation"),
        ({"user_id": "ann", "a": {"eq": {"b": 1}}}, "compared with"),
        ({"user_id": "ann", "created_at": {"gt": "soon"}}, "created"),
        ({"user_id": "ann", "metadata": {}}, "nothing"),
        ({"user_id": "ann", 3: 4}, "must be text"),
        ({"user_id": "ann", "id": "unknown"}, "not found"),
        (["user_id"], "object"),
    ],
)
def test_filters_that_cannot_be_used_say_why(memory: Memory, filters: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        memory.get_all(filters=filters)


def test_filters_that_are_nested_without_end(memory: Memory) -> None:
    filters: dict[str, Any] = {"a": 1}
    for _ in range(200):
        filters = {"OR": [filters]}
    with pytest.raises(InputError, match="nested"):
        memory.get_all(filters={"user_id": "ann", **filters})
    deep: dict[str, Any] = {"user_id": "ann"}
    for _ in range(200):
        deep = {"AND": [deep]}
    with pytest.raises(InputError, match="nested"):
        memory.get_all(filters=deep)


def test_filters_by_id(memory: Memory) -> None:
    ids = [keep(memory, f"note {number}") for number in range(3)]
    wanted = {"OR": [{"id": ids[0]}, {"memory_id": {"in": ids[1:2]}}]}
    assert texts(memory.get_all(filters={**ANN, **wanted})) == ["note 1", "note 0"]


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda m: m.add("tea"), "user_id"),
        (lambda m: m.add(7, user_id="ann"), "messages"),
        (lambda m: m.add(["tea"], user_id="ann"), "role and content"),
        (lambda m: m.add([{"role": 1, "content": "x"}], user_id="ann"), "role"),
        (lambda m: m.add([{"role": "user", "content": 5}], user_id="ann"), "content"),
        (lambda m: m.add(["x"] * 1001, user_id="ann"), "1000"),
        (lambda m: m.add("tea", user_id="ann", metadata=[1]), "metadata"),
        (lambda m: m.add("tea", user_id="ann", memory_type="odd"), "memory_type"),
        (lambda m: m.add("tea", user_id="ann", prompt="only tea"), "prompt"),
        (lambda m: m.add("tea", user_id="ann", custom_instructions="x"), "Taishi's prompts, see"),
        (
            lambda m: m.add("tea", user_id="ann", custom_instructions=None, color=1),
            "no argument 'c",
        ),
        (lambda m: m.search("tea", user_id="ann"), "filters"),
        (lambda m: m.search("tea", filters=ANN, color=1), "no argument"),
        (lambda m: m.search("  ", filters=ANN), "empty"),
        (lambda m: m.search("tea", filters=ANN, threshold=2), "threshold"),
        (lambda m: m.search("tea", filters=ANN, top_k=-1), "top_k"),
        (lambda m: m.get_all(filters=ANN, top_k=True), "top_k"),
        (lambda m: m.delete_all(), "user_id"),
        (lambda m: m.update("user:ann:x"), "at least one"),
        (lambda m: m.delete("\0"), "not found"),
        (lambda m: m.search("tea", filters=ANN, limit=2), "say top_k"),
        (lambda m: Memory.from_config({"vector_store": {}}), "configuration"),
        (lambda m: Memory({"llm": {"provider": "openai"}}), "configuration"),
        (lambda m: Memory(object()), "configuration"),
        (lambda m: Memory(config={"llm": {}}), "configuration"),
        (lambda m: AsyncMemory({"llm": {}}), "configuration"),
        (lambda m: asyncio.run(AsyncMemory.from_config({"llm": {}})), "configuration"),
    ],
)
def test_bad_calls_say_what_to_do(memory: Memory, call: Callable[[Any], Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        call(memory)


def test_a_fact_is_put_right_under_a_new_id(memory: Memory) -> None:
    added = memory.add("I live in Bonn.", user_id="ann")["results"]
    (fact,) = [one for one in added if one["kind"] == "fact"]
    memory.update(fact["id"], "ann lives in Köln")
    assert "ann lives in Köln" in texts(memory.get_all(filters=ANN))
    assert "ann lives in Bonn" not in texts(memory.get_all(filters=ANN))
    (new,) = memory.get_all(filters={**ANN, "kind": "fact"})["results"]
    assert new["id"] != fact["id"]
    with pytest.raises(InputError, match="metadata"):
        memory.update(new["id"], metadata={"a": 1})


def test_the_old_id_of_a_fact_leads_to_its_correction(memory: Memory) -> None:
    added = memory.add("I live in Bonn.", user_id="ann")["results"]
    old = next(one["id"] for one in added if one["kind"] == "fact")
    memory.update(old, "ann lives in Köln")
    memory.update(old, "ann lives in Trier")
    got = memory.get(old)
    assert got is not None and got["memory"] == "ann lives in Trier"
    assert memory.get(got["id"]) == got
    shown = [(one["event"], one["old_memory"], one["new_memory"]) for one in memory.history(old)]
    assert shown == [
        ("ADD", None, "ann lives in Bonn"),
        ("UPDATE", "ann lives in Bonn", "ann lives in Köln"),
        ("UPDATE", "ann lives in Köln", "ann lives in Trier"),
    ]
    times = [one["updated_at"] for one in memory.history(old)]
    assert times == sorted(times) and len(set(times)) == 3
    assert {one["memory_id"] for one in memory.history(old)} == {old}

    memory.delete(old)
    assert memory.get(old) is None and memory.get(got["id"]) is None
    assert memory.history(old) == []
    assert memory.engine.facts.list(Scope(user="ann")) == []
    left = texts(memory.search("where does ann live?", filters=ANN))
    assert not any("Köln" in text or "Trier" in text for text in left)
    with pytest.raises(InputError, match="not found"):
        memory.delete(old)


def test_a_deleted_fact_is_not_told_by_its_event(memory: Memory) -> None:
    memory.add("I love hiking.", user_id="ann")
    (fact,) = [
        one for one in memory.add("I live in Bonn.", user_id="ann")["results"]
        if one["kind"] == "fact"
    ]  # fmt: skip
    memory.update(fact["id"], "ann lives in Köln")
    memory.delete(fact["id"])
    left = texts(memory.get_all(filters=ANN)) + texts(memory.search("ann lives", filters=ANN))
    assert not any(name in text for text in left for name in ("Bonn", "Köln"))
    assert any("hiking" in text for text in left)


def test_an_event_that_told_more_outlives_one_of_its_facts(memory: Memory) -> None:
    added = memory.add("I live in Bonn. I love hiking.", user_id="ann")["results"]
    home = next(one["id"] for one in added if one["memory"] == "ann lives in Bonn")
    memory.delete(home)
    kinds = sorted(one["kind"] for one in memory.get_all(filters=ANN)["results"])
    assert kinds == ["event", "fact"]
    (event,) = [one["id"] for one in added if one["kind"] == "event"]
    memory.delete(event)
    assert memory.get_all(filters=ANN) == {"results": []}


@pytest.mark.parametrize("where", ["folder", "server"])
def test_listings_mark_what_is_outdated_as_searches_do(
    memory: Memory, with_key: Callable[..., Memory], where: str
) -> None:
    memory = with_key() if where == "server" else memory
    added = memory.add("I live in Bonn.", user_id="ann")["results"]
    id = next(one["id"] for one in added if one["kind"] == "fact")
    memory.update(id, "ann lives in Köln")
    events = {**ANN, "kind": "event"}
    (listed,) = texts(memory.get_all(filters=events))
    assert "Bonn" in listed and listed.endswith("(since corrected: ann lives in Köln)")
    assert texts(memory.search("where does ann live?", filters=events)) == [listed]


def test_a_fact_that_a_person_rejected_is_no_memory(memory: Memory) -> None:
    added = memory.add("I live in Bonn.", user_id="ann")["results"]
    id = next(one["id"] for one in added if one["kind"] == "fact")
    memory.engine.facts.reject(Scope(user="ann"), id.rpartition(":")[2])
    assert memory.get(id) is None


class SlowToRead(HashEmbedder):
    """Embeds what is stored so late that a search would come before it."""

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if kind == "document":
            time.sleep(0.5)
        return super().embed(texts, kind)


@pytest.mark.parametrize("options", [{}, {"infer": False}, {"update": True}])
def test_what_was_added_can_be_searched_by_meaning_at_once(
    open_memory: Callable[..., Engine], options: dict[str, bool]
) -> None:
    is_update = options.pop("update", False)
    with Memory(open_memory(embedder=SlowToRead())) as memory:
        added = memory.add("I love rowing.", user_id="ann", **options)["results"]
        if is_update:
            memory.update(added[0]["id"], "ann loves sculling")
        assert memory.engine.status()["records"]["unembedded"] == 0


def test_a_run_within_a_user_is_deleted_with_what_was_learned_from_it(memory: Memory) -> None:
    memory.add("I live in Cork.", user_id="ann", run_id="r1")
    keep(memory, "Ann likes tea", run_id="r2")
    memory.delete_all(user_id="ann", run_id="r1")
    assert texts(memory.get_all(filters=ANN)) == ["Ann likes tea"]


def test_reset_deletes_the_workspace_and_no_other(open_memory: Callable[..., Engine]) -> None:
    engine = open_memory()
    one, other = Memory(engine, workspace="one"), Memory(engine, workspace="other")
    keep(one, "tea")
    one.add("tea", run_id="r", infer=False)
    keep(other, "coffee")
    one.reset()
    assert one.get_all(filters=ANN) == one.get_all(filters={"run_id": "r"}) == {"results": []}
    assert texts(other.get_all(filters=ANN)) == ["coffee"]


def test_what_an_ordinary_key_may_change(with_key: Callable[..., Memory]) -> None:
    """As the page says, and docs/explanation/security.md."""
    memory = with_key()
    added = memory.add("I live in Bonn.", user_id="ann")["results"]
    fact, event = (one["id"] for one in added)
    memory.update(fact, "ann lives in Köln")
    own = keep(memory, "tea")
    memory.update(own, "green tea", metadata={"k": 1})
    with pytest.raises(AuthorityError, match="stays as it was said: correct the fact") as refused:
        memory.update(event, "nothing was said")
    assert "id" not in str(refused.value).split(), "an update has to name one"
    scope = Scope(user="ann")
    person = with_key(as_person=True).engine
    id = person.remember(scope, "ann is vegan", kind="fact", actor="person")
    with pytest.raises(AuthorityError, match="a person decided this"):
        memory.engine.facts.correct(scope, id, "ann eats meat")
    memory.delete(event)
    assert memory.get(event) is None, "to delete is allowed"


def test_reset_reaches_as_far_as_the_key(
    open_memory: Callable[..., Engine], with_key: Callable[..., Memory]
) -> None:
    of_ann, of_all = with_key(user="ann"), with_key()
    keep(of_all, "tea")
    keep(of_all, "coffee", user_id="bob")
    of_all.engine.remember(Scope(group="g"), "the group likes tea")
    of_ann.reset()
    assert of_all.get_all(filters=ANN) == {"results": []}
    assert texts(of_all.get_all(filters={"user_id": "bob"})) == ["coffee"]
    of_all.reset()
    assert of_all.get_all(filters={"user_id": "bob"}) == {"results": []}
    assert of_all.engine.recall(Scope(group="g"), "tea", deadline=5).hits, "a group is no entity"


def test_a_memory_that_is_passed_in_stays_open(open_memory: Callable[..., Engine]) -> None:
    engine = open_memory()
    with Memory(engine) as memory:
        keep(memory, "tea")
    assert engine.recall(Scope(user="ann"), "tea", deadline=5).hits


def test_a_folder_is_opened_and_closed(tmp_path: Any, make_settings: Callable[..., Any]) -> None:
    for expected in ([], ["tea"]):
        with Memory(tmp_path / "data", make_settings()) as memory:
            assert texts(memory.get_all(filters=ANN)) == expected
            if not expected:
                keep(memory, "tea")


def test_the_example_runs(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    example.main([str(tmp_path / "data")])
    assert capsys.readouterr().out.splitlines() == EXAMPLE_SAYS


def test_the_async_twin(open_memory: Callable[..., Engine]) -> None:
    async def play() -> None:
        async with AsyncMemory(open_memory()) as memory:
            added = await memory.add("tea", user_id="ann", infer=False)
            id = added["results"][0]["id"]
            await memory.update(id, "green tea")
            assert texts(await memory.search("tea", filters=ANN)) == ["green tea"]
            assert len(await memory.history(id)) == 2
            assert (await memory.get(id) or {})["memory"] == "green tea"
            await memory.delete(id)
            await memory.add("milk", user_id="ann", infer=False)
            await memory.delete_all(user_id="ann")
            assert await memory.get_all(filters=ANN) == {"results": []}
            await memory.reset()

    asyncio.run(play())


def test_replaced_facts_are_neither_listed_nor_found(memory: Memory) -> None:
    scope, past = Scope(user="ann"), "where did ann live in 2024?"
    old = memory.engine.remember(scope, "ann lives in Bonn", actor="model")
    memory.engine.facts.correct(scope, old, "ann lives in Köln", actor="model")
    rejected = memory.engine.remember(scope, "ann lives in Paris")
    memory.engine.facts.reject(scope, rejected)
    found = memory.engine.recall(scope, past).hits
    assert "superseded" in [hit.metadata["state"] for hit in found], "the past is asked for"
    for shown in (memory.get_all(filters=ANN), memory.search(past, filters=ANN, top_k=1),
                  memory.search(past, filters={**ANN, "kind": "fact"})):  # fmt: skip
        assert texts(shown) == ["ann lives in Köln"]
