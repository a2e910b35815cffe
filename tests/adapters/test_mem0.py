"""mem0's own clients, from its own package, against a real `taishi serve`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from examples import mem0_drop_in as example

from taishi.api_keys import Keys

os.environ["MEM0_TELEMETRY"] = "False"
CLIENT = "mem0.client.main"
START = [sys.executable, "-c", "from taishi.cli import main; main()"]
Clients = Callable[..., Any]


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package, which writes a folder when it is imported."""
    os.environ["MEM0_DIR"] = str(tmp_path_factory.mktemp("mem0"))
    return pytest.importorskip(CLIENT, reason="mem0ai is not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Keys]]:
    """The address of a server that asks for keys, and its keys."""
    data = tmp_path_factory.mktemp("data")
    keys = Keys(data)
    keys.create("owner", None, "admin")
    environment = {name: one for name, one in os.environ.items() if not name.startswith("TAISHI_")}
    environment |= {"TAISHI__MODELS__EMBEDDING__KIND": "none"}
    command = [*START, "--data", str(data), "serve", "--port", "0", "--json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        told = "".join(iter(process.stdout.readline, "}\n")) + "}"
        yield json.loads(told)["address"], keys
        process.terminate()


@pytest.fixture
def connect(mem0: Any, server: tuple[str, Keys]) -> Iterator[Clients]:
    """`connect(user="ann")` makes a client with a key that is bound to a user."""
    address, keys = server
    with ExitStack() as stack:

        def make(client: str = "MemoryClient", **binding: Any) -> Any:
            _, secret = keys.create("test", **{"rights": "admin", **binding})
            made = getattr(mem0, client)(api_key=secret, host=address)
            if client == "MemoryClient":
                stack.callback(made.client.close)
            return made

        yield make


def texts(found: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in found["results"]]


def keep(client: Any, text: str, user: str, **options: Any) -> str:
    (added,) = client.add(text, user_id=user, infer=False, **options)["results"]
    assert added["event"] == "ADD"
    return str(added["id"])


def test_what_is_told_is_found_in_english_and_chinese(connect: Clients) -> None:
    client = connect()
    told = [
        {"role": "user", "content": "I moved to Cork. I love hiking."},
        {"role": "assistant", "content": "Enjoy the hills!"},
    ]
    added = client.add(told, user_id="ann", metadata={"category": "life"})
    assert "ann lives in Cork" in texts(added)
    assert client.add("我对花生过敏", user_id="小明")["results"]

    found = client.search("where does she live?", filters={"user_id": "ann"})
    best = found["results"][0]
    assert (best["memory"], best["user_id"]) == ("ann lives in Cork", "ann")
    assert 0.1 <= best["score"] <= 1
    found = client.search("能吃花生吗？", filters={"user_id": "小明"})
    assert any("花生" in text for text in texts(found))
    labelled = client.get_all(filters={"AND": [{"user_id": "ann"}, {"category": "life"}]})
    assert labelled["count"] == 1
    assert "Cork" in texts(labelled)[0]


def test_two_users_never_meet(connect: Clients) -> None:
    client = connect()
    keep(client, "Ben's door code is 4711", "ben")
    keep(client, "Eve likes doors", "eve")
    assert texts(client.search("door code", filters={"user_id": "eve"})) == ["Eve likes doors"]
    assert texts(client.get_all(filters={"user_id": "eve"})) == ["Eve likes doors"]


def test_get_update_history_and_delete(connect: Clients, mem0: Any) -> None:
    client = connect()
    id = keep(client, "Kim drinks tea", "kim", metadata={"topic": "drinks", "rank": 2})
    got = client.get(id)
    assert (got["memory"], got["metadata"]) == ("Kim drinks tea", {"topic": "drinks", "rank": 2})
    assert got["created_at"] and got["hash"] and got["user_id"] == "kim"

    client.update(id, text="Kim drinks coffee", metadata={"rank": 3})
    got = client.get(id)
    assert got["memory"] == "Kim drinks coffee"
    assert got["metadata"] == {"topic": "drinks", "rank": 3}
    assert got["updated_at"] > got["created_at"]
    events = [(one["event"], one["old_memory"], one["new_memory"]) for one in client.history(id)]
    assert events == [
        ("ADD", None, "Kim drinks tea"),
        ("UPDATE", "Kim drinks tea", "Kim drinks coffee"),
    ]

    client.delete(id)
    missing = pytest.raises(sys.modules["mem0.exceptions"].MemoryNotFoundError)
    with missing as told:
        client.get(id)
    assert "not found" in str(told.value)
    assert texts(client.get_all(filters={"user_id": "kim"})) == []


def test_a_fact_that_was_learned_is_put_right(connect: Clients) -> None:
    client = connect()
    added = client.add("I live in Bonn.", user_id="una")["results"]
    (fact,) = [one for one in added if one["kind"] == "fact"]
    new = client.update(fact["id"], text="una lives in Köln")
    assert client.get(new["id"])["memory"] == "una lives in Köln"
    assert "una lives in Bonn" not in texts(client.get_all(filters={"user_id": "una"}))


def test_pages_are_whole_and_counted(connect: Clients) -> None:
    client = connect()
    for number in range(7):
        keep(client, f"Pat saw bird {number}", "pat")
    pages = [
        client.get_all(filters={"user_id": "pat"}, page=page, page_size=3) for page in (1, 2, 3)
    ]
    assert [page["count"] for page in pages] == [7, 7, 7]
    assert [len(page["results"]) for page in pages] == [3, 3, 1]
    assert [bool(page["next"]) for page in pages] == [True, True, False]
    assert len({text for page in pages for text in texts(page)}) == 7


def test_filters(connect: Clients) -> None:
    client = connect()
    keep(client, "Fay read Emma", "fay", metadata={"shelf": "A", "stars": 5, "Genre": "Novel"})
    keep(client, "Fay read Ulysses", "fay", metadata={"shelf": "B", "stars": 3}, run_id="r1")
    keep(client, "Fay read Dune", "fay", metadata={"shelf": "C", "stars": 4}, agent_id="clerk")

    def found(**filters: Any) -> list[str]:
        listed = client.get_all(filters={"user_id": "fay", **filters})
        searched = client.search("Fay read", filters={"user_id": "fay", **filters}, threshold=0.0)
        assert sorted(texts(listed)) == sorted(texts(searched))
        return sorted(text.removeprefix("Fay read ") for text in texts(listed))

    assert found(shelf="A") == ["Emma"]
    assert found(shelf={"ne": "A"}) == ["Dune", "Ulysses"]
    assert found(shelf={"in": ["A", "B"]}) == ["Emma", "Ulysses"]
    assert found(shelf={"nin": ["A", "B"]}) == ["Dune"]
    assert found(stars={"gt": 3, "lte": 5}) == ["Dune", "Emma"]
    assert found(Genre={"contains": "Nov"}) == ["Emma"]
    assert found(Genre={"icontains": "nOVE"}) == ["Emma"]
    assert found(Genre="*") == ["Emma"]
    assert found(OR=[{"shelf": "A"}, {"stars": {"lt": 4}}]) == ["Emma", "Ulysses"]
    assert found(NOT=[{"shelf": "A"}, {"shelf": "B"}]) == ["Dune"]
    assert found(run_id="r1") == ["Ulysses"]
    assert found(agent_id="clerk") == ["Dune"]
    assert found(created_at={"gte": "2020-01-01"}) == ["Dune", "Emma", "Ulysses"]
    assert found(metadata={"shelf": "C"}) == ["Dune"]


def test_a_memory_with_an_end(connect: Clients) -> None:
    client = connect()
    tomorrow = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    id = keep(client, "Gus parks on level 3", "gus", expiration_date=tomorrow)
    assert client.get(id)["expiration_date"] == tomorrow
    client.update(id, expiration_date=None)
    assert "expiration_date" not in client.get(id)
    with pytest.raises(sys.modules["mem0.exceptions"].ValidationError, match="past"):
        keep(client, "Gus parked on level 2", "gus", expiration_date="2020-01-01")


def test_batches(connect: Clients) -> None:
    client = connect()
    ids = [keep(client, f"Hal owns book {number}", "hal") for number in range(3)]
    client.batch_update([{"memory_id": id, "text": f"Hal sold {id[-4:]}"} for id in ids[:2]])
    assert (
        sum(
            text.startswith("Hal sold")
            for text in texts(client.get_all(filters={"user_id": "hal"}))
        )
        == 2
    )
    unknown = "user:hal:nothing"
    with pytest.raises(sys.modules["mem0.exceptions"].MemoryNotFoundError):
        client.batch_delete([{"memory_id": ids[0]}, {"memory_id": unknown}])
    assert client.get(ids[0]), "nothing is deleted if one is not there"
    client.batch_delete([{"memory_id": id} for id in ids])
    assert client.get_all(filters={"user_id": "hal"})["results"] == []


def test_entities_are_listed_and_deleted(connect: Clients) -> None:
    client = connect(workspace="entities")
    keep(client, "Ida sings", "ida")
    client.add("Jo plays", agent_id="band", infer=False)
    client.add("The rehearsal is on", run_id="tour", infer=False)
    listed = {(one["type"], one["name"]) for one in client.users()["results"]}
    assert listed == {("user", "ida"), ("agent", "band"), ("run", "tour")}
    client.delete_users(user_id="ida")
    assert {one["name"] for one in client.users()["results"]} == {"band", "tour"}
    client.reset()
    assert client.users()["results"] == []


def test_everything_of_a_user_or_of_a_run_is_deleted(connect: Clients) -> None:
    client = connect()
    keep(client, "Kay likes jazz", "kay", run_id="monday")
    keep(client, "Kay likes opera", "kay", run_id="friday")
    client.delete_all(user_id="kay", run_id="monday")
    assert texts(client.get_all(filters={"user_id": "kay"})) == ["Kay likes opera"]
    options = sys.modules["mem0.client.types"].DeleteAllMemoryOptions(filters={"user_id": "kay"})
    client.delete_all(options)
    assert texts(client.get_all(filters={"user_id": "kay"})) == []


def test_a_key_for_one_user_reaches_no_other(connect: Clients) -> None:
    errors = sys.modules["mem0.exceptions"]
    mine, everybody = connect(user="lea"), connect()
    others_id = keep(everybody, "Max is afraid of spiders", "max")
    keep(mine, "Lea likes spiders", "lea")
    for call in (
        lambda: mine.search("spiders", filters={"user_id": "max"}),
        lambda: mine.get_all(filters={"user_id": "max"}),
        lambda: mine.get(others_id),
        lambda: mine.history(others_id),
        lambda: mine.update(others_id, text="mine now"),
        lambda: mine.delete(others_id),
        lambda: mine.batch_delete([{"memory_id": others_id}]),
        lambda: mine.delete_all(user_id="max"),
        lambda: mine.delete_users(user_id="max"),
        lambda: mine.add("planted", user_id="max", infer=False),
    ):
        with pytest.raises(errors.AuthenticationError):
            call()
    assert texts(mine.search("spiders", filters={"user_id": "lea"})) == ["Lea likes spiders"]
    assert [one["name"] for one in mine.users()["results"]] == ["lea"]
    assert texts(everybody.get_all(filters={"user_id": "max"})) == ["Max is afraid of spiders"]


def test_a_key_that_may_read_does_not_write(connect: Clients) -> None:
    reader = connect(rights="read")
    with pytest.raises(sys.modules["mem0.exceptions"].AuthenticationError):
        reader.add("planted", user_id="ned", infer=False)
    assert reader.get_all(filters={"user_id": "ned"})["results"] == []


def test_a_wrong_key_is_told_so(mem0: Any, server: tuple[str, Keys]) -> None:
    with mem0.httpx.Client() as http, pytest.raises(ValueError, match="unknown"):
        mem0.MemoryClient(api_key="tsk_wrong", host=server[0], client=http)


def test_errors_say_what_to_do(connect: Clients) -> None:
    errors, client = sys.modules["mem0.exceptions"], connect()
    with pytest.raises(errors.ValidationError, match="user_id"):
        client.search("tea", filters={"shelf": "A"})
    with pytest.raises(errors.ValidationError, match="one user at a time"):
        client.search("tea", filters={"OR": [{"user_id": "ann"}, {"user_id": "ben"}]})
    with pytest.raises(errors.ValidationError, match="custom_instructions"):
        client.add("tea", user_id="ann", custom_instructions="only tea")
    with pytest.raises(errors.ValidationError, match="operation"):
        client.get_all(filters={"user_id": "ann", "n": {"near": 3}})


def test_the_async_client(connect: Clients) -> None:
    async def play() -> None:
        async with connect("AsyncMemoryClient") as client:
            await client.add("Ola lives in Oslo", user_id="ola", infer=False)
            found = await client.search("Oslo", filters={"user_id": "ola"})
            assert texts(found) == ["Ola lives in Oslo"]
            await client.delete_all(user_id="ola")
            assert (await client.get_all(filters={"user_id": "ola"}))["results"] == []

    asyncio.run(play())


def test_the_example_runs(
    mem0: Any, server: tuple[str, Keys], capsys: pytest.CaptureFixture[str]
) -> None:
    """The very same program as in process, with mem0's client."""
    address, keys = server
    _, secret = keys.create("test", rights="admin")
    example.main([address, secret])
    said = capsys.readouterr().out
    assert "where does ann live?: ['ann lives in Cork']" in said
    assert """bikes: ["Ann's bike is blue"]""" in said
    assert "花生过敏" in said


def test_our_own_clients_still_get_our_own_answers(server: tuple[str, Keys], mem0: Any) -> None:
    """The paths are alike: whose they are is told by the scheme of the key."""
    address, keys = server
    _, secret = keys.create("test", rights="admin")
    http = mem0.httpx
    bearer = {"Authorization": f"Bearer {secret}"}
    where = {"user": "ray"}
    made = http.post(
        f"{address}/v1/memories", headers=bearer, json={"text": "tea", "id": "x/", "scope": where}
    )
    assert made.status_code == 201
    got = http.get(f"{address}/v1/memories/x/", headers=bearer, params=where)
    assert got.json()["text"] == "tea"
    assert http.get(f"{address}/v1/ping/", headers=bearer).status_code == 404
    assert http.get(f"{address}/mem0/v1/ping/", headers=bearer).json()["status"] == "ok"
    assert (
        http.get(
            f"{address}/v1/memories/x/", headers={"Authorization": f"Token {secret}"}
        ).status_code
        == 404
    )


def test_the_same_calls_give_the_same_fields_as_the_package(mem0: Any) -> None:
    """The façade has every parameter that mem0's own class has."""
    import inspect

    from taishi.adapters.mem0 import Memory

    package = pytest.importorskip("mem0.memory.main").Memory
    for name in (
        "add",
        "get",
        "get_all",
        "search",
        "update",
        "delete",
        "delete_all",
        "history",
        "reset",
    ):
        theirs = inspect.signature(getattr(package, name)).parameters
        ours = inspect.signature(getattr(Memory, name)).parameters
        named = {one for one, kind in theirs.items() if kind.kind is not kind.VAR_KEYWORD}
        assert named <= set(ours), name
