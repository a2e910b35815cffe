"""The `taishi` command: every command, its JSON, its wrong input, its documentation (T2)."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from support.scripted_model import ScriptedModel
from taishi import Memory, Scope, Settings, __version__, load
from taishi.backends.file_queue.queue import FileQueue
from taishi.cli import taishi
from taishi.cli.context import to_time
from taishi.cli.messages import WORDS, language_of, message
from taishi.cli.output import one_line, safe
from taishi.cli.turns import to_message
from taishi.disk.installation import model_line
from taishi.doctor import checks
from taishi.doctor.folder_checks import space

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
COMMAND = Path(sys.executable).parent / "taishi"
ANN = ("--user", "ann")

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, no model, English."""
    for name in [n for n in os.environ if n.startswith("LC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")


def refused(result: Result, *words: str, code: int = 2) -> None:
    """One message on stderr, nothing on stdout, no traceback."""
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)  # not an error that nobody caught
    assert "Error: " in result.stderr or "错误：" in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for one in words:
        assert one in result.stderr


# -- remember


def test_T2_remember_then_recall(run: Run, ask: Callable[..., Any]) -> None:
    kept = ask("remember", "Ann moved to Oslo", *ANN, "--speaker", "Ann", "--source", "m1")
    assert kept["count"] == 1
    found = ask("recall", "Oslo", *ANN)
    hit = found["hits"][0]
    assert (hit["id"], hit["text"], hit["speaker"], hit["source"], hit["kind"]) == (
        kept["ids"][0], "Ann moved to Oslo", "Ann", "m1", "fact",
    )  # fmt: skip
    assert found["level"] == "keyword"
    assert found["reason"] is None
    shown = run("recall", "Oslo", *ANN, "--ids").stdout
    assert "Ann moved to Oslo" in shown
    assert kept["ids"][0] in shown
    assert re.search(
        r"^level keyword · vector off, keyword ok, recency ok · [\d.]+ ms$", shown, re.M
    )


def test_T2_remember_from_stdin_and_in_chinese(run: Run, ask: Callable[..., Any]) -> None:
    result = run("--lang", "zh", "remember", "-", *ANN, input="安搬到了奥斯陆\n")
    assert result.stdout.startswith("已记住 ")
    assert ask("recall", "奥斯陆", *ANN)["hits"][0]["text"].strip() == "安搬到了奥斯陆"


def test_T2_remember_takes_kind_and_time(ask: Callable[..., Any]) -> None:
    ask("remember", "the launch", *ANN, "--kind", "event", "--time", "2026-02-20T14:30:00+08:00")
    hit = ask("recall", "launch", *ANN)["hits"][0]
    assert (hit["kind"], hit["time"][:4]) == ("event", "2026")


def test_T2_remember_a_file_twice_keeps_it_once(
    run: Run, ask: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "items.jsonl"
    lines = [json.dumps({"text": f"fact number {n}", "source": n}) for n in range(1200)]
    file.write_text("\n".join(["\ufeff" + lines[0], "", *lines[1:]]), "utf-8")
    assert run("remember", "--file", file, "--group", "g").stdout == "remembered 1200 records\n"
    assert ask("remember", "--file", file, "--group", "g")["count"] == 1200
    assert ask("status")["records"]["note"] == 1200


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"text": "a"}\n{broken', "line 2: not JSON"),
        (b'{"text": "a"}\n[1]', "line 2: list instead of an object"),
        (b'{"text": "a"}\n\n{"txt": "b"}', "line 3: unknown key txt"),
        (b'{"text": "\xff"}', "line 1: not JSON"),
        (b'{"text": "a", "time": "soon"}', "line 1: 'soon' is not a time"),
    ],
)
def test_T2_remember_names_the_wrong_line(
    run: Run, tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "items.jsonl"
    file.write_bytes(content)
    refused(run("remember", "--file", file, *ANN), words, "run it again")


def test_T2_remember_refuses_wrong_input(run: Run, tmp_path: Path) -> None:
    refused(run("remember", *ANN), "give a text")
    refused(run("remember", "x", "--file", "y", *ANN), "not both")
    refused(run("remember", "", *ANN), "nothing to remember")
    refused(run("remember", "x", *ANN, "--kind", "rumour"), "rumour")
    refused(run("remember", "x", *ANN, "--time", "soon"), "ISO 8601")
    refused(run("remember", "--file", tmp_path / "none", *ANN), "none", "correct the path")
    refused(run("remember", "x", "--user", "a\x07b"), "control character")
    refused(CliRunner().invoke(taishi, ["remember", "-", *ANN], input=b"\xff\xfe"), "UTF-8")


@pytest.mark.model
def test_T2_remember_waits_until_meaning_is_searchable(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAISHI__MODELS__EMBEDDING__KIND")
    assert ask("remember", "Ann moved to Oslo", *ANN)["embedded"] is True
    found = ask("recall", "which city is her home now?", *ANN, "--floor", "0")
    assert found["level"] == "hybrid"
    assert found["hits"][0]["text"] == "Ann moved to Oslo"


def test_Q3_remember_keeps_what_a_dead_embedder_cannot_embed(
    run: Run, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in (("KIND", "openai"), ("API_URL", "http://127.0.0.1:9"), ("MODEL_NAME", "m"),
                       ("TIMEOUT_SECONDS", "0.2"), ("DIMENSIONS", "8")):  # fmt: skip
        monkeypatch.setenv(f"TAISHI__MODELS__EMBEDDING__{key}", value)
    monkeypatch.setattr("taishi.cli.memories.STALLED_SECONDS", 0.3)
    result = run("remember", "Ann moved to Oslo", *ANN)
    assert result.exit_code == 0
    assert "not yet searchable by meaning" in result.stderr
    found = ask("recall", "Oslo", *ANN, "--deadline", "2")
    assert (found["level"], found["hits"][0]["text"]) == ("keyword", "Ann moved to Oslo")
    assert levels(ask("doctor", code=1))["embedder"] == "problem"


# -- recall and context


@pytest.mark.parametrize("command", [("recall", "x"), ("context", "x"), ("remember", "x"),
                                     ("end-turn",), ("forget",), ("profile", "show")])  # fmt: skip
def test_S3_no_scope_is_an_error_everywhere(run: Run, command: tuple[str, ...]) -> None:
    refused(run(*command), "no scope", "--user ID")


def test_S3_no_scope_is_said_in_chinese_and_without_python(run: Run) -> None:
    result = run("--lang", "zh", "recall", "谁")
    refused(result, "未指定作用域", "--user ID")
    assert "Scope(" not in result.stderr
    assert "no scope" not in result.stderr


def test_O2_forget_refuses_a_page_and_names_what_stays(run: Run, ask: Callable[..., Any]) -> None:
    data = Path(os.environ["TAISHI_DATA"])
    with Memory.open(data) as memory:
        said = "I live in Oslo. The weather was awful"
        memory.end_turn(Scope(user="ann"), new_info=said, sender_name="Ann")
        memory.drain()
        ids = {one.kind: one.id for one in memory.records.newest(Scope(user="ann")).records}
        copy = memory.remember(Scope(user="ann"), "Ann lives in Oslo", kind="note")
    refused(run("forget", "user:ann", *ANN), "user:ann is a page", "taishi facts list")
    refused(run("--lang", "zh", "forget", "user:ann", *ANN), "user:ann 是画像")
    told = {"changed": [ids["event"]], "still_told_by": [copy]}
    assert ask("forget", ids["fact"], *ANN) == {"removed": 1, **told}


@pytest.mark.parametrize("text", ["a long tale of tea " * 40, "一个很长的故事" * 60])
def test_T2_a_long_fact_does_not_widen_the_table(
    run: Run, ask: Callable[..., Any], text: str
) -> None:
    ask("remember", text, *ANN)
    shown = run("facts", "list", *ANN).stdout
    assert "…" in shown and max(map(cell_len, shown.splitlines())) <= 200
    assert ask("facts", "list", *ANN)["facts"][0]["text"].strip() == text.strip()


def test_S3_contradicting_scope(run: Run) -> None:
    refused(run("recall", "x", "--shared", *ANN), "shared=True")


@pytest.mark.parametrize("command", [("recall", "x", *ANN), ("context", "x", *ANN), ("status",),
                                     ("forget", "x", *ANN), ("profile", "show", *ANN)])  # fmt: skip
def test_T2_reading_makes_no_folder(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    refused(run(*command), "there is no memory at", "--data", code=1)
    assert not (tmp_path / "data").exists()


def test_Q1_an_empty_answer_says_why(ask: Callable[..., Any], run: Run) -> None:
    ask("remember", "Ann moved to Oslo", *ANN)

    def reason(*arguments: str) -> str:
        return str(ask("recall", *arguments)["reason"])

    assert "nothing is remembered" in reason("Oslo", "--user", "bob")
    assert "below the floor" in reason("quantum chromodynamics", *ANN)
    assert "loosen" in reason("Oslo", *ANN, "--kind", "event")
    assert "loosen" in reason("Oslo", *ANN, "--from", "2090-01-01")
    shown = run("recall", "Oslo", "--user", "bob")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Nothing was found: nothing is remembered")


def test_E2_times_may_be_epochs(ask: Callable[..., Any]) -> None:
    ask("remember", "the launch", *ANN, "--time", "1700000000")
    assert len(ask("recall", "launch", *ANN, "--from", 1699999999, "--to", 1700000001)["hits"]) == 1
    assert ask("recall", "launch", *ANN, "--from", 1700000001)["hits"] == []
    assert to_time("20240102") == "20240102"


@pytest.mark.parametrize(
    "option",
    [("--top-k", "0"), ("--kind", "rumour"), ("--from", "soon"), ("--to", "soon"),
     ("--now", "soon"), ("--floor", "2"), ("--deadline", "0"), ("--nonsense", "1")],
)  # fmt: skip
def test_T2_recall_refuses_wrong_options(run: Run, option: tuple[str, str]) -> None:
    run("remember", "x", *ANN)
    refused(run("recall", "x", *ANN, *option))


def test_T2_terminal_tricks_are_not_played(run: Run) -> None:
    run("remember", "evil \x1b[31mred \u202etxt [bold]x[/bold]", *ANN, "--speaker", "[red]Eve")
    shown = run("recall", "evil", *ANN).stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[bold]x[/bold]" in shown
    assert "[red]Eve" in shown
    assert "evil \\u001b[31mred \\u202etxt" in shown
    assert safe("a\ud800\x00\tb\n") == "a\\ud800\\u0000\tb\n"
    assert len(one_line("word " * 300_000)) < 300


def test_I1_context_prints_just_the_block(run: Run, ask: Callable[..., Any]) -> None:
    run("remember", "Ann moved to Oslo", *ANN)
    block = run("context", "Oslo", *ANN).stdout
    assert block.startswith("===")
    assert block.endswith("===\n")
    assert "Ann moved to Oslo" in block
    assert run("context", "Oslo", *ANN, "--form", "xml").stdout.startswith("<memory>")
    assert ask("context", "Oslo", *ANN)["block"].strip() == block.strip()
    assert run("context", "Oslo", "--user", "bob").stdout == ""
    assert "Ann moved" not in run("context", "Oslo", *ANN, "--max-tokens", "1").stdout
    refused(run("context", "Oslo", *ANN, "--form", "html"), "markdown")
    refused(run("context", "Oslo", *ANN, "--max-tokens", "-1"))


# -- end-turn and work


def test_W1_end_turn_then_work(run: Run, ask: Callable[..., Any]) -> None:
    group = ("--group", "g1", *ANN)
    queued = ask("end-turn", *group, "--new-info", "I fly to Oslo tomorrow", "--request-id", "r1",
                 "--sender-name", "Ann", "--group-name", "Travellers", "--message", "Ann: I fly",
                 "--time", "2026-02-20T10:00:00+00:00")  # fmt: skip
    assert queued == {"job": "r1:1", "worked": False}
    assert ask("status")["queue"]["pending"] == 1
    assert ask("work", "--once") == {
        "done": 1, "retried": 0, "failed": 0, "waiting": 0, "unembedded": 0,
    }  # fmt: skip
    text = ask("recall", "Oslo", *group)["hits"][0]["text"]
    assert "Ann" in text
    assert "2026-02-21" in text
    assert run("work", "--once").stdout.startswith("done 0 · retried 0 · failed 0 · waiting 0")


def test_W1_end_turn_works_at_once(ask: Callable[..., Any]) -> None:
    done = ask("end-turn", *ANN, "--action", "Booked a table", "--work")
    assert done["worked"] is True
    assert ask("recall", "table", *ANN)["hits"][0]["kind"] == "event"


def test_W1_nothing_to_keep(run: Run, ask: Callable[..., Any]) -> None:
    assert ask("end-turn", *ANN, "--work") == {"job": None, "worked": False}
    assert "nothing to store" in run("end-turn", *ANN).stdout


@pytest.fixture
def use_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Name a chat model, and wait for no second try."""
    give_back = FileQueue._give_back
    monkeypatch.setattr(FileQueue, "_give_back", lambda *given: give_back(*given[:-1], 0.0))

    def use(url: str) -> None:
        monkeypatch.setenv("TAISHI__MODELS__CHAT__API_URL", url)
        monkeypatch.setenv("TAISHI__MODELS__CHAT__MODEL_NAME", "scripted")

    return use


@pytest.mark.parametrize(
    ("language", "words"), [("en", "gave"), ("zh", "史官放弃了")], ids=["en", "zh"]
)
def test_H7_end_turn_says_that_the_job_was_given_up(
    run: Run, use_model: Callable[[str], None], language: str, words: str
) -> None:
    turn = ("end-turn", *ANN, "--new-info", "Ann flies to Oslo", "--work")
    with ScriptedModel(faults=1.0, kinds=("ignored",)) as server:
        use_model(server.url)
        told = run("--lang", language, *turn)
        as_json = run(*turn, "--json")
    assert told.exit_code == as_json.exit_code == 1
    assert words in told.stderr and "taishi jobs retry" in told.stderr
    assert "queued and processed" not in told.stdout and "已入队并处理" not in told.stdout
    answer = json.loads(as_json.stdout)
    assert answer["worked"] is False and "4 tries" in answer["reason"]
    assert "Ann flies to Oslo" in run("recall", *ANN, "Oslo").stdout, "as it was said"


def test_H7_end_turn_does_not_wait_for_a_model_that_cannot_be_reached(
    run: Run, use_model: Callable[[str], None]
) -> None:
    use_model("http://127.0.0.1:9/v1")
    began = time.monotonic()
    told = run("end-turn", *ANN, "--new-info", "Ann flies to Oslo", "--work")
    assert time.monotonic() - began < 30
    assert told.exit_code == 1 and "cannot be reached" in told.stderr
    assert "queued and processed" not in told.stdout
    assert "Ann flies to Oslo" in run("recall", *ANN, "Oslo").stdout


def test_H7_end_turn_waits_for_a_slow_model_for_a_while(
    run: Run, use_model: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.cli.turns.WORK_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use_model(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        monkeypatch.setenv("TAISHI__MODELS__CHAT__TIMEOUT_SECONDS", "5")
        began = time.monotonic()
        told = run("end-turn", *ANN, "--new-info", "Ann flies to Oslo", "--work")
    assert told.exit_code == 1 and "taishi work" in told.stderr
    assert time.monotonic() - began < 25


def test_T2_end_turn_refuses_wrong_input(run: Run) -> None:
    refused(run("end-turn", *ANN, "--action", "x", "--time", "soon"), "ISO 8601")
    refused(run("end-turn", *ANN, "--action", "x", "--request-id", "a" * 300), "256")
    refused(run("work", "--once", "--every", "0"))


@pytest.mark.parametrize(
    ("said", "speaker", "text"),
    [("Ann: hello", "Ann", "hello"), ("安：你好：吗", "安", "你好：吗"), ("hello", None, "hello"),
     ("https://a.example/b", None, "https://a.example/b"),
     ("x" * 50 + ": y", None, "x" * 50 + ": y")],
)  # fmt: skip
def test_T2_messages_name_their_speaker(said: str, speaker: str | None, text: str) -> None:
    message = to_message(said)
    assert (message.speaker, message.text) == (speaker, text)


def test_T2_a_memory_that_is_off_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("remember", "x", *ANN)
    monkeypatch.setenv("TAISHI__MEMORY__ENABLED", "false")
    for command in (("remember", "y", *ANN), ("end-turn", *ANN, "--action", "y"), ("work",)):
        refused(run(*command), "switched off", code=1)
    assert "switched off" in run("recall", "x", *ANN).stdout


# -- forget and profile


def test_O2_forget_one_and_all(run: Run, ask: Callable[..., Any]) -> None:
    ids = ask("remember", "Ann moved to Oslo", *ANN)["ids"]
    ask("remember", "Ann plays chess", *ANN)
    assert ask("forget", ids[0], *ANN) == {"removed": 1}
    refused(run("forget", ids[0], *ANN), "there is no record", "--ids")
    refused(run("forget", *ANN), "--yes")
    assert len(ask("recall", "chess", *ANN)["hits"]) == 1
    assert run("forget", *ANN, "--yes").stdout == "forgot 1\n"
    assert ask("recall", "chess", *ANN)["hits"] == []


def test_P1_profile_show(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data", load()) as memory:
        memory.profiles.set(Scope(user="ann"), "Lives in Oslo.", "Ann", ["engineer"])
    assert run("profile", "show", *ANN).stdout == "# Ann\n\n#engineer\n\nLives in Oslo.\n"
    assert ask("profile", "show", *ANN)["profile"]["name"] == "Ann"
    assert ask("profile", "show", "--user", "bob") == {"profile": None}
    assert "no profile" in run("profile", "show", "--user", "bob").stdout
    refused(run("profile", "show", "--agent", "a"), "--user or --group")


# -- status, doctor, models, config, version


def test_O1_status_tables(run: Run, ask: Callable[..., Any]) -> None:
    run("remember", "x", *ANN)
    shown = run("status").stdout
    for part in (
        "records",
        "queue",
        "index of this process",
        "embedder",
        "last write to readable, ms",
    ):
        assert part in shown
    assert ask("status")["records"]["fact"] == 1
    assert "记录" in run("--lang", "zh", "status").stdout
    refused(run("status", "everything"), "everything")


def levels(document: dict[str, Any]) -> dict[str, str]:
    return {finding["check"]: finding["level"] for finding in document["findings"]}


def test_O2_doctor_on_a_healthy_folder(run: Run, ask: Callable[..., Any]) -> None:
    run("remember", "x", *ANN)
    found = levels(ask("doctor"))
    fine = ("settings", "clock", "disk", "permissions", "keys", "database", "queue", "index",
            "pages")  # fmt: skip
    assert found == {**dict.fromkeys(fine, "ok"), "embedder": "warning"}
    assert "0 problems, 1 warning." in run("doctor").stdout
    assert "仅按关键词召回" in run("--lang", "zh", "doctor").stdout


def test_O2_doctor_before_the_first_write(
    ask: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert levels(ask("doctor", code=1))["disk"] == "problem", "it is named, and not there"
    monkeypatch.delenv("TAISHI_DATA")
    assert levels(ask("doctor"))["disk"] == "warning", "the default"
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / ("long" * 100)))
    assert levels(ask("doctor", code=1))["disk"] == "problem"
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "file"))
    assert levels(ask("doctor", code=1))["disk"] == "problem"


def test_O2_doctor_finds_a_damaged_database(
    run: Run, ask: Callable[..., Any], tmp_path: Path
) -> None:
    run("remember", "x", *ANN)
    for file in (tmp_path / "data").glob("taishi.db*"):
        file.write_bytes(b"not a database, but long enough to be read as one" * 100)
    document = ask("doctor", code=1)
    assert levels(document)["database"] == "problem"
    assert document["ok"] is False
    assert all(f["advice"] for f in document["findings"] if f["level"] != "ok")
    refused(run("recall", "x", *ANN), code=1)


def test_O2_doctor_finds_wrong_settings_and_a_missing_model(
    ask: Callable[..., Any], run: Run, no_local_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("remember", "x", *ANN)
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "local")
    document = ask("doctor", code=1)
    assert levels(document)["embedder"] == "problem"
    assert levels(document)["database"] == "ok"
    assert model_line() in json.dumps(document)
    monkeypatch.setenv("TAISHI__QUERY__TOP", "1")
    assert levels(ask("doctor", code=1)) == {"settings": "problem"}


GOOD = {"pending": 1, "processing": 0, "failed": 0, "oldest_seconds": 5.0}


@pytest.mark.parametrize(
    ("finding", "level"),
    [
        (space(checks.NOTHING, 10**12, 1.0), "ok"),
        (space(checks.NOTHING, 10**8, 1.0), "warning"),
        (space(checks.NOTHING, 10**6, 1.0), "problem"),
        (space(checks.NOTHING, 10**12, 500.0), "warning"),
        (checks.queue(GOOD), "ok"),
        (checks.queue(GOOD, workers=0), "warning"),
        (checks.queue(GOOD | {"pending": 0}, workers=0), "ok"),
        (checks.queue(GOOD | {"failed": 1}), "warning"),
        (checks.queue(GOOD | {"oldest_seconds": 7200.0}), "warning"),
        (checks.queue(GOOD | {"processing": 1}, 40.0), "ok"),
        (checks.queue(GOOD | {"processing": 1}, 90.0), "warning"),
        (checks.index({"fact": 3, "unembedded": 0}, True), "ok"),
        (checks.index({"fact": 3, "unembedded": 2}, True), "warning"),
        (checks.index({"fact": 3, "unembedded": 3}, False), "ok"),
        (checks.database("ok", "data"), "ok"),
        (checks.database("row 3 missing from index", "data"), "problem"),
        (checks.clock(Settings(), 1_800_000_000.0), "ok"),
        (checks.clock(Settings(), 0.0), "problem"),
    ],
)
def test_O2_doctor_judges(finding: checks.Finding, level: str) -> None:
    assert finding.level == level
    assert level == "ok" or (finding.advice.en and finding.advice.zh)


def test_T2_models_says_what_is_installed(run: Run, ask: Callable[..., Any]) -> None:
    installed = ask("models")
    assert (installed["name"], installed["dimensions"]) == ("taishi-local-2", 384)
    assert (installed["ok"], installed["problem"]) == (True, "")
    assert installed["bytes"] > 30_000_000
    assert installed["folder"] in run("models").stdout.replace("\n", "")
    refused(run("models", "push"), "push")


def test_T2_models_says_what_to_install(
    run: Run, ask: Callable[..., Any], no_local_model: None
) -> None:
    missing = ask("models", code=1)
    assert (missing["ok"], missing["bytes"]) == (False, 0)
    assert model_line() in missing["problem"]
    assert "taishi-model" in run("models").stdout


def test_C1_config(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    example = run("config", "example").stdout
    assert example == ask("config", "example")["toml"]
    file = tmp_path / "mine.toml"
    file.write_text(example, "utf-8")
    assert ask("--config", file, "config", "check")["ok"] is True
    assert run("config", "check").stdout.startswith("The settings are valid")
    file.write_text('[models.chat]\napi_key = "sk-secret"\n[query]\nrecall_top_k = 7\n', "utf-8")
    shown = ask("--config", file, "config", "show")
    assert shown["query"]["recall_top_k"] == 7
    assert shown["models"]["chat"]["api_key"] == "***"
    assert "recall_top_k" in run("--config", file, "config", "show").stdout
    file.write_text("[query]\nrecall_top = 7\n", "utf-8")
    refused(run("--config", file, "config", "check"), "recall_top_k")
    refused(run("--config", tmp_path / "none.toml", "recall", "x", *ANN), "none.toml")
    assert run("--config", file, "version").exit_code == 0


def test_T2_global_options_may_follow_the_command(run: Run, tmp_path: Path) -> None:
    kept = run("remember", "Ann moved to Oslo", *ANN, "--data", tmp_path / "other", "--lang", "zh")
    assert kept.stdout.startswith("已记住")
    assert not (tmp_path / "data").exists()
    assert "Oslo" in run("--data", tmp_path / "other", "recall", "Oslo", *ANN).stdout
    refused(run("config", "check", "--config", "none.toml"), "none.toml")
    refused(run("status", "--lang", "fr"), "fr")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_T2_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([COMMAND, "config", "show"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode != 0
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_T2_version_and_wrong_commands(run: Run, ask: Callable[..., Any]) -> None:
    assert set(ask("version")) == {"version", "python"}
    refused(run("--lang", "fr", "version"), "fr")
    refused(run("recal", "x"), "recal")
    refused(run("--data", "mysql://x", "remember", "x", *ANN), "mysql://")


# -- eval and demo


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    items = [("1", "Ann moved to Oslo"), ("2", "Bob bakes bread"), ("3", "Eve sails in May")]
    queries = [("where is Oslo", "1", "place"), ("who bakes bread", "2", "person"),
               ("an unrelated matter", "3", "hard")]  # fmt: skip
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({
        "name": "small",
        "corpora": {"c": [{"id": id, "text": text} for id, text in items]},
        "queries": [{"corpus": "c", "query": q, "gold": [g], "category": c}
                    for q, g, c in queries],
    }), "utf-8")  # fmt: skip
    return file


def test_T2_eval(run: Run, ask: Callable[..., Any], cases: Path, tmp_path: Path) -> None:
    report = ask("eval", cases, "--misses", 5)["reports"][0]
    assert report["questions"] == {"all": 3, "hard": 1, "person": 1, "place": 1}
    assert report["metrics"]["place"]["MRR"] == 1.0
    assert set(report["recall_ms_by_category"]) == set(report["metrics"])
    assert all(m["category"] == "hard" for m in report["misses"])
    shown = run("eval", cases, "--limit", 1, "--misses", 1).stdout
    for heading in ("R@5", "R@10", "R@20", "hit@5", "all@5", "all@10", "nDCG@10", "MRR", "p95 ms"):
        assert heading in shown
    assert "place" in shown
    assert "person" not in shown
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "content",
    ["{", "[]", "{}", '{"name": "x", "queries": [], "corpora": {}}',
     '{"name": "x", "queries": [], "corpora": []}',
     '{"name": "x", "unit": "page", "corpora": {"c": []}, "queries": '
     '[{"corpus": "c", "query": "q", "gold": ["1"]}]}',
     '{"name": "x", "corpora": {"c": []}, "queries": [{"corpus": "c", "query": "q", "gold": []}]}'],
)  # fmt: skip
def test_T2_eval_refuses_a_wrong_file(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(content, "utf-8")
    refused(run("eval", file), "wrong.json")


def test_T2_eval_refuses_wrong_arguments(run: Run, cases: Path) -> None:
    refused(run("eval"), "FILE")
    refused(run("eval", cases, "nowhere.json"), "nowhere.json")
    refused(run("eval", cases, "--limit", "0"))


def test_T2_demo_gets_the_folder_and_the_language(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr("taishi.demo.run", lambda *arguments: told.append(arguments))
    run("demo")
    run("--lang", "zh", "demo", "--data", tmp_path / "d", "--json")
    config = tmp_path / "taishi.toml"
    config.write_text("", encoding="utf-8")
    run("demo", "--lang", "zh", "--config", config)
    assert told == [
        (None, "en", False, None),
        (tmp_path / "d", "zh", True, None),
        (None, "zh", False, config),
    ]
    refused(run("demo", "--speed", "1"), "--speed")


# -- words and pages


NAME = re.compile(r"{(\w+)[:}]")


def test_T2_every_message_is_in_both_languages() -> None:
    for key, (english, chinese) in WORDS.items():
        assert set(re.findall(NAME, english)) == set(re.findall(NAME, chinese)), key
        assert english, key
        assert chinese, key


@pytest.mark.parametrize(
    ("environ", "language"),
    [({}, "en"), ({"LANG": "zh_CN.UTF-8"}, "zh"), ({"LANG": "zh_CN", "LC_ALL": "C"}, "en"),
     ({"LC_ALL": "", "LANG": "zh-Hans"}, "zh"), ({"LANG": "de_DE"}, "en")],
)  # fmt: skip
def test_T2_language_of_the_terminal(environ: dict[str, str], language: str) -> None:
    assert language_of(environ) == language


def test_T2_language_follows_terminal_settings_and_option(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("end-turn", *ANN).stdout.strip() == message("zh", "nothing_to_keep")
    monkeypatch.setenv("TAISHI__MEMORY__LANGUAGE", "en")
    assert run("end-turn", *ANN).stdout.strip() == message("en", "nothing_to_keep")
    assert run("--lang", "zh", "end-turn", *ANN).stdout.strip() == message("zh", "nothing_to_keep")


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for part, child in command.commands.items():
            yield from leaves(child, f"{name} {part}")
    else:
        yield name, command


def flags(command: click.Command) -> set[str]:
    return {
        o for p in command.params if isinstance(p, click.Option) and not p.hidden for o in p.opts
    }


@pytest.mark.parametrize(
    ("page", "shared_options"), [("cli.md", "Shared options"), ("cli.zh-CN.md", "通用选项")]
)
def test_T2_every_command_and_option_is_documented(page: str, shared_options: str) -> None:
    """And nothing else is: an option that is gone must leave the page too."""
    head, *parts = re.split(r"^## ", (REFERENCE / page).read_text("utf-8"), flags=re.M)
    sections = {part.splitlines()[0].strip("`"): part for part in parts}
    shared = set(re.findall(r"^\| `(--[\w-]+)`", sections.pop(shared_options), re.M))
    tables = {
        name: "\n".join(re.findall(r"^\| `.*", part, re.M)) for name, part in sections.items()
    }
    documented = {name: set(re.findall(r"`(--[\w-]+)`", rows)) for name, rows in tables.items()}
    commands = dict(leaves(taishi, "taishi"))
    assert set(documented) == set(commands)
    for name, command in commands.items():
        assert documented[name] - shared == flags(command) - shared, name
        assert command.help, name
        assert "```json" in sections[name] or name == "taishi demo", name
    assert flags(taishi) | {"--help"} == set(re.findall(r"`(--[\w-]+)`", head)) - {"--json"}


def test_T2_every_command_has_json_and_help(run: Run) -> None:
    for name, command in leaves(taishi, ""):
        # What a hook prints is the protocol of the program that runs it: JSON, and no choice.
        assert "--json" in flags(command) or name.strip() == "hook", name
        assert run(*name.split(), "--help").exit_code == 0


# -- a folder that holds no memory yet


@pytest.mark.parametrize(("lang", "words"), [("en", "new memory created in"), ("zh", "新建记忆")])
def test_T2_a_new_memory_is_told_once_with_its_path(
    run: Run, ask: Run, tmp_path: Path, lang: str, words: str
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "mine.txt").write_text("my own", "utf-8")
    first = run("--data", notes, "--lang", lang, "remember", "Ann moved to Oslo", *ANN)
    assert words in first.stderr and str(notes) in first.stderr and words not in first.stdout
    again = run("--data", notes, "--lang", lang, "remember", "Ann moved to Rome", *ANN)
    assert words not in again.output
    programs = run("--lang", lang, "remember", "Ann moved to Oslo", *ANN, "--json")
    assert words not in programs.output and json.loads(programs.stdout)["ids"]
    assert words not in run("--lang", lang, "demo", "--data", tmp_path / "demo").output


@pytest.fixture(params=["empty", "missing"])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder without a memory: with a file of somebody's, or not there at all."""
    folder = tmp_path / "notes"
    if request.param == "empty":
        folder.mkdir()
        (folder / "mine.txt").write_text("my own", "utf-8")
    return folder


# Commands that make a memory where there is none, and those that need none.
MAKES = {
    "demo", "remember", "end-turn", "add-messages", "session append", "knowledge add",
    "knowledge sync", "notes write", "shared propose", "migrate end-summaries", "work", "mcp",
    "hook", "serve", "ui", "keys create", "import",
}  # fmt: skip
NEEDS_NONE = {
    "models", "doctor", "eval recall", "eval qa", "config example", "config show", "config check",
    "config set", "config unset", "version", "tools", "copy",
}  # fmt: skip
OPTIONS = {"records update": ("--text", "x"), "profile edit": ("--file", __file__)}


def reading_commands() -> Iterator[list[str]]:
    for full_name, command in leaves(taishi, ""):
        name = full_name.strip()
        if name in MAKES | NEEDS_NONE:
            continue
        given = [f"x{n}" for n, one in enumerate(command.params) if isinstance(one, click.Argument)]
        scope = [*ANN] if "--user" in flags(command) else []
        session = ["--session", "s"] if "--session" in flags(command) else []
        yield [*name.split(), *given, *OPTIONS.get(name, ()), *scope, *session]


@pytest.mark.parametrize("command", list(reading_commands()), ids=" ".join)
def test_T2_reading_makes_no_memory(
    run: Run, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    told = (f"there is no memory at {bare}", f"`taishi --data {bare} remember TEXT --user ID`")
    refused(run("--data", bare, *command), *told, code=1)
    chinese = (f"{bare} 处没有记忆：请用 `taishi --data {bare} remember", "新建")
    refused(run("--data", bare, "--lang", "zh", *command), *chinese, code=1)
    assert sorted(tmp_path.rglob("*")) == before


def test_T2_the_memory_that_may_be_meant_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, inside = tmp_path / "project", tmp_path / "project" / "data"
    run("--data", inside, "remember", "Ann moved to Oslo", *ANN)
    refused(run("--data", project, "status"), f"There is one at {inside}", code=1)
    refused(run("--data", inside / "queues", "status"), f"There is one at {inside}", code=1)
    refused(run("--data", project, "--lang", "zh", "status"), f"。{inside} 处有记忆", code=1)
    monkeypatch.chdir(project)
    refused(run("--data", "nowhere", "status"), f"There is one at {inside}", code=1)
    monkeypatch.chdir(tmp_path)
    assert "There is one" not in run("--data", tmp_path / "far" / "away", "status").stderr


def test_T2_keys_may_be_there_before_the_memory(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "served"
    assert run("--data", folder, "keys", "create", "bot").exit_code == 0
    assert "bot" in run("--data", folder, "keys", "list").stdout
    refused(run("--data", folder, "status"), "there is no memory at", code=1)
    assert not (folder / "taishi.db").exists()


def test_T2_the_doctor_makes_no_memory(run: Run, bare: Path) -> None:
    there = bare.exists()
    told = run("--data", bare, "doctor", "--json")
    assert told.exit_code == 1, "a place that was named, such as in a cron job, with a typo"
    rows = {row["check"]: row for row in json.loads(told.stdout)["findings"]}
    if there:
        assert rows["database"]["level"] == "problem"
        assert "there is no memory here yet" in rows["database"]["message"]
        assert sorted(path.name for path in bare.iterdir()) == ["mine.txt"]
    else:
        assert rows["disk"]["level"] == "problem" and not bare.exists()


def test_O2_a_dry_run_makes_no_memory(run: Run, tmp_path: Path) -> None:
    run("remember", "Ann moved to Oslo", *ANN)
    run("export", tmp_path / "all.jsonl")
    (tmp_path / "other").mkdir()
    done = run("--data", tmp_path / "other", "import", tmp_path / "all.jsonl", "--dry-run")
    assert done.exit_code == 0, done.output
    assert not list((tmp_path / "other").iterdir())


# -- errors within what is shown, in Chinese


def test_T2_the_doctor_tells_an_error_in_chinese(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("[memory\n", "utf-8")
    told = run("--config", bad, "--lang", "zh", "doctor")
    assert "不是 TOML" in told.stdout and "correct that line" not in told.stdout


def test_T2_what_an_import_leaves_out_is_told_in_chinese(run: Run, tmp_path: Path) -> None:
    run("remember", "Ann moved to Oslo", *ANN)
    file = tmp_path / "all.jsonl"
    run("export", file)
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([lines[0], '{"type": "cat"}', *lines[1:]]), "utf-8")
    told = run("--lang", "zh", "import", file, "--skip-bad")
    assert "没有类型 'cat'" in told.stderr and "a line is one of" not in told.stderr
    refused(run("--lang", "zh", "import", file), "第 2 行：没有类型 'cat'", "没有导入任何内容")


def test_T2_the_reason_of_a_failed_job_is_told_in_chinese(run: Run, tmp_path: Path) -> None:
    reason = "ModelError: the model answered with an empty summary; it is asked again later"
    with Memory.open(tmp_path / "data", load(overrides={"historian.job_max_retries": 0})) as memory:
        memory.end_turn(Scope(user="ann"), new_info="I live in Oslo")
        queue = memory._services.runtime.parts.queue
        lease = queue.claim()
        assert lease is not None and not queue.retry(lease, reason)
        name = memory.jobs.list()[0]["name"]
    for command in (("jobs", "list"), ("jobs", "show", name)):
        told = run("--lang", "zh", *command).stdout
        assert (
            "试了 1 次后放弃；最后一次：模型给出的摘要为空" in told and "empty summary" not in told
        )
        assert reason in run(*command).stdout


# -- the real command


def test_T2_the_real_command_is_quick_and_quiet_in_a_pipe() -> None:
    before = os.times()
    done = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True)
    after = os.times()
    assert "Store TEXT word for word" in done.stdout
    # Processor time: the clock on the wall also measures what else the machine is doing.
    assert after[2] + after[3] - before[2] - before[3] < 0.5
    loaded = "import sys, taishi.cli; print({'rich', 'numpy', 'apsw'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True) == "set()\n"
    cut = f"'{COMMAND}' config example | head -n 1"
    piped = subprocess.run(cut, shell=True, capture_output=True, text=True, check=True)
    assert piped.stdout.startswith("# Taishi")
    assert piped.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_T2_the_real_worker_stops_when_told(run: Run, told: signal.Signals) -> None:
    run("end-turn", *ANN, "--action", "Booked a table")
    command = [COMMAND, "work", "--every", "0.1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if line.startswith("done 1"):
                break
        process.send_signal(told)
        rest, complaints = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "done 1" in rest
    assert "Traceback" not in complaints
    assert "table" in run("recall", "table", *ANN).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_T2_ctrl_c_is_quiet(tmp_path: Path) -> None:
    command = [COMMAND, "remember", "-", *ANN]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What a shell runs in the background ignores it, and so would what the tests run.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        patience = time.monotonic() + 20
        while not (tmp_path / "data" / "queues").exists() and time.monotonic() < patience:
            time.sleep(0.05)
        time.sleep(0.3)  # from the folders to reading stdin
        process.send_signal(signal.SIGINT)
        out, complaints = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert complaints.startswith("new memory created in") and complaints.count("\n") == 1


def test_T2_the_version_is_an_option_too() -> None:
    done = CliRunner().invoke(taishi, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"taishi {__version__}\n")
