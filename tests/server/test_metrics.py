"""What a server tells of itself: metrics, health, logs, spans. Nothing private in any of it."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from support.running_app import RunningApp
from support.scripted_upstream import ScriptedUpstream
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.errors import QueueError, StorageError
from taishi.observe.log_lines import JsonLines, configure_logging, without_secrets
from taishi.observe.metrics import METRICS
from taishi.server import health
from taishi.server.app import create_app
from taishi.server.metrics import SERVER_METRICS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    for name in ("metrics.md", "metrics.zh-CN.md")
]
DASHBOARD = ROOT / "deploy" / "grafana" / "taishi.json"
SERIES = re.compile(r"\b(?:taishi|process|python)_[a-z_]+\b")
ANN = Scope(user="ann")
SECRET_WORDS = "the violet heron sleeps"


@pytest.fixture
def serve(open_memory: Callable[..., Memory], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """(url, memory, keys) of a server with these settings."""
    with contextlib.ExitStack() as stack:

        def start(changes: dict[str, Any] | None = None) -> tuple[str, Memory, Keys]:
            memory = open_memory({"query.recall_timeout": 5.0, **(changes or {})})
            keys = Keys(tmp_path / "data")
            server = stack.enter_context(RunningApp(create_app(memory, keys=keys)))
            return server.url, memory, keys

        yield start


def names_in(text: str) -> set[str]:
    """The names a monitor sees, histograms and counters by the name that is documented."""
    found = set()
    for family in text_string_to_metric_families(text):
        suffix = "_total" if family.type == "counter" else ""
        found.add(family.name + suffix)
    return found


# -- /metrics --------------------------------------------------------------------------------------


def test_O1_metrics_are_what_happened(serve: Any) -> None:
    url, memory, _ = serve()
    memory.end_turn(ANN, new_info="Ann moved to Oslo.", sender_name="Ann")
    memory.drain(30)
    memory.recall(ANN, "Where does Ann live?")
    text = httpx.get(f"{url}/metrics").text
    assert 'taishi_jobs_total{outcome="done"} 1.0' in text
    assert 'taishi_recall_seconds_bucket{le="+Inf",level="hybrid"}' in text
    assert 'taishi_gate_total{grade="first_pass"} 1.0' in text
    assert "taishi_end_turn_seconds_count 1.0" in text
    time.sleep(0.1)  # a request is counted when its last byte is out
    again = httpx.get(f"{url}/metrics").text
    wanted = 'taishi_http_requests_total{method="GET",route="/metrics",status="200"} 1.0'
    assert wanted in again


def test_O1_every_metric_is_on_the_page_and_the_page_has_no_other(serve: Any) -> None:
    url, *_ = serve()
    served = names_in(httpx.get(f"{url}/metrics").text)
    declared = {metric.name for metric in (*METRICS, *SERVER_METRICS)}
    for page in PAGES:
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \|([^|]*)\|", page, re.MULTILINE)
        listed = {name for name, _, _ in rows}
        assert declared <= listed, declared - listed
        assert served <= listed, served - listed
        assert {name for name in listed if name.startswith("taishi_")} == declared
        for metric in (*METRICS, *SERVER_METRICS):
            (kind, labels) = next(row[1:] for row in rows if row[0] == metric.name)
            assert kind == metric.kind, metric.name
            assert tuple(re.findall(r"`(\w+)`", labels)) == metric.labels, metric.name


def test_O1_the_dashboard_asks_only_for_what_there_is() -> None:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    asked = json.dumps([panel.get("targets", []) for panel in board["panels"]])
    known = set(re.findall(r"^\| `(\w+)` \|", PAGES[0], re.MULTILINE))
    histograms = set(re.findall(r"^\| `(\w+)` \| histogram", PAGES[0], re.MULTILINE))
    known |= {f"{name}_{part}" for name in histograms for part in ("bucket", "sum", "count")}
    used = set(SERIES.findall(asked))
    assert used - known == set()
    ours = {metric.name for metric in METRICS} - {"taishi_enabled"}
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
    assert ours - shown == set(), "a metric that no panel shows"
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))


def test_O1_labels_are_routes_and_never_ids(serve: Any) -> None:
    url, *_ = serve()
    for path in ("/v1/nowhere/u-zq47", "/openai/v1/models/m-zq47", "/u-zq47", "/metrics?u=zq47"):
        httpx.get(url + path)
    text = httpx.get(f"{url}/metrics").text
    assert "zq47" not in text
    assert 'route="(none)",status="404"' in text
    assert 'route="/openai/v1/models/{model' in text


def test_O1_metrics_need_an_admin_once_there_are_keys(serve: Any) -> None:
    url, _, keys = serve()
    assert httpx.get(f"{url}/metrics").status_code == 200
    _, owner = keys.create("owner", workspace=None, rights="admin")
    _, writer = keys.create("writer", workspace=None, rights="write")
    _, narrow = keys.create("narrow", rights="admin", user="ann")

    def status(secret: str | None) -> int:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        return httpx.get(f"{url}/metrics", headers=headers).status_code

    assert [status(one) for one in (None, "tsk_no", writer, narrow, owner)] == [
        401, 401, 403, 403, 200
    ]  # fmt: skip


def test_O1_metrics_may_be_opened_by_a_setting(serve: Any) -> None:
    url, _, keys = serve({"monitoring.open_metrics": True})
    keys.create("somebody")
    assert httpx.get(f"{url}/metrics").status_code == 200


def test_O1_openmetrics_is_spoken_to_whom_asks_for_it(serve: Any) -> None:
    url, *_ = serve()
    headers = {"Accept": "application/openmetrics-text; version=1.0.0"}
    answer = httpx.get(f"{url}/metrics", headers=headers)
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


# -- health ----------------------------------------------------------------------------------------


def test_O1_alive_and_ready_are_open_and_give_nothing_away(serve: Any, tmp_path: Path) -> None:
    url, memory, keys = serve()
    keys.create("somebody")
    memory.end_turn(ANN, new_info="Ann moved to Oslo.")
    for path in ("/health/live", "/health/ready"):
        answer = httpx.get(url + path)
        assert answer.status_code == 200
        assert not re.search(r"\d|ann|/", answer.text), answer.text
        assert str(tmp_path) not in answer.text


def test_O1_not_ready_when_the_database_is_broken(memory: Memory, monkeypatch: Any) -> None:
    def broken(*_: Any) -> Any:
        raise StorageError("disk I/O error in /secret/place")

    monkeypatch.setattr(memory._services.runtime.parts.store, "get", broken)
    found = health.not_ready_reasons(memory)
    assert list(found) == ["database"]
    assert "/secret" not in found["database"]


def test_O1_not_ready_when_the_folder_cannot_be_written(memory: Memory, monkeypatch: Any) -> None:
    def refused(**_: Any) -> Any:
        raise OSError(30, "Read-only file system: /secret/place")

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    found = health.not_ready_reasons(memory)
    assert list(found) == ["disk"]
    assert "/secret" not in found["disk"]


def test_O1_not_ready_when_the_disk_is_full(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"monitoring.min_free_mb": 10**9})
    assert list(health.not_ready_reasons(memory)) == ["disk"]


def test_O1_not_ready_when_a_job_waits_too_long(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"monitoring.queue_max_age_seconds": 0.01})
    assert health.not_ready_reasons(memory) == {}
    memory.end_turn(ANN, new_info="Ann moved to Oslo.")
    time.sleep(0.05)
    assert list(health.not_ready_reasons(memory)) == ["queue"]
    memory.drain(30)
    assert health.not_ready_reasons(memory) == {}


def test_O1_not_ready_when_the_worker_is_stuck(
    open_memory: Callable[..., Memory], monkeypatch: Any
) -> None:
    memory = open_memory({"historian.poll_interval_seconds": 0.01})
    memory.start_worker()
    assert health.not_ready_reasons(memory) == {}
    memory.stop_worker()
    memory._services.threads._threads = [object()]  # type: ignore[list-item]  # one that does not come back
    monkeypatch.setattr(memory._services.runtime.metrics, "_last_step", time.monotonic() - 301)
    assert list(health.not_ready_reasons(memory)) == ["worker"]
    memory._services.threads._threads = []


def test_O1_not_ready_while_it_closes(memory: Memory) -> None:
    memory.close()
    assert list(health.not_ready_reasons(memory)) == ["closing"]


def test_O1_a_disk_that_hangs_is_an_answer(serve: Any, monkeypatch: Any) -> None:
    url, *_ = serve()
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.2)
    monkeypatch.setattr(health, "not_ready_reasons", lambda *_: time.sleep(2))
    answer = httpx.get(f"{url}/health/ready")
    assert (answer.status_code, list(answer.json()["reasons"])) == (503, ["disk"])


def test_O1_why_a_server_is_not_ready_is_a_metric(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, *_ = serve()
    monkeypatch.setattr(health, "CACHE_SECONDS", 0.0)

    def reasons() -> dict[str, str]:
        text = httpx.get(f"{url}/metrics").text
        return dict(re.findall(r'^taishi_not_ready\{reason="(\w+)"\} (\S+)', text, re.MULTILINE))

    assert reasons() == dict.fromkeys(health.REASONS, "0.0")
    with monkeypatch.context() as patch:
        patch.setattr(health, "not_ready_reasons", lambda *_: {"disk": "it is full"})
        assert reasons() == dict.fromkeys(health.REASONS, "0.0") | {"disk": "1.0"}
    assert reasons()["disk"] == "0.0"


def test_O1_a_folder_inside_that_cannot_be_written_is_not_ready(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = tempfile.TemporaryFile

    def refused(*words: Any, dir: Path, **options: Any) -> Any:
        if dir.name == "pending":
            raise PermissionError(13, "Permission denied", str(dir))
        return real(*words, dir=dir, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    assert list(health.not_ready_reasons(memory)) == ["disk"]
    assert "pending" in caplog.text


# -- logs ------------------------------------------------------------------------------------------


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Everything that is logged, as JSON lines."""
    root, stream = logging.getLogger(), io.StringIO()
    before, level = root.handlers[:], root.level
    configure_logging("json", stream)
    yield stream
    root.handlers[:] = before
    root.setLevel(level)


def lines_of(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_O1_a_request_is_one_json_line_with_its_id(serve: Any, logged: io.StringIO) -> None:
    url, _, keys = serve()
    key, secret = keys.create("ann's", user="ann")
    headers = {"Authorization": f"Bearer {secret}", "X-Request-ID": "my-request-7"}
    answer = httpx.get(f"{url}/metrics", headers=headers)
    assert answer.headers["x-request-id"] == "my-request-7"
    end = time.monotonic() + 10  # the line is written after the answer
    while '"/metrics"' not in logged.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
    (line,) = [one for one in lines_of(logged) if one.get("route") == "/metrics"]
    assert line["request_id"] == "my-request-7"
    assert (line["method"], line["status"], line["key"]) == ("GET", 403, key.id)
    assert line["ms"] >= 0
    assert line["level"] == "info"
    assert secret not in logged.getvalue()


def test_O1_why_turns_are_refused_is_logged_once_a_minute(
    serve: Any, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, memory, _ = serve()

    def full(_: Any) -> str:
        raise QueueError("the job was not accepted: No space left on device")

    monkeypatch.setattr(memory._services.runtime.parts.queue, "put", full)
    turn = {"scope": {"user": "ann"}, "new_info": "Ann moved to Oslo."}
    for _ in range(5):
        assert httpx.post(f"{url}/v1/turns", json=turn).status_code == 503
    found = [line for line in lines_of(logged) if "No space left" in line["message"]]
    assert len(found) == 1 and found[0]["level"] == "warning"


def test_O1_logs_hold_no_secret_and_no_word_of_anybody(serve: Any, logged: io.StringIO) -> None:
    with ScriptedUpstream(words=(SECRET_WORDS,)) as upstream:
        url, memory, keys = serve(
            {"proxy.upstream_url": upstream.url, "proxy.api_key": "sk-up-123"}
        )
        _, secret = keys.create("ann's", user="ann")
        headers = {"Authorization": f"Bearer {secret}"}
        said = {"model": "m", "messages": [{"role": "user", "content": f"I say {SECRET_WORDS}."}]}
        chat = f"{url}/openai/v1/chat/completions"
        assert httpx.post(chat, json=said, headers=headers).status_code == 200
        httpx.post(chat, json=said, headers={"X-API-Key": "tsk_0123456789ab_wrong-secret-x"})
        httpx.get(f"{url}/v1/memories?q={SECRET_WORDS}", headers=headers)
        memory.drain(30)
    told = logged.getvalue()
    assert "/openai/v1/chat/completions" in told
    for private in (
        SECRET_WORDS,
        SECRET_WORDS.replace(" ", "%20"),
        secret,
        "sk-up-123",
        "wrong-sec",
    ):
        assert private not in told, private


def test_O1_an_error_is_one_line_too_and_secrets_in_it_are_masked() -> None:
    secret = "tsk_0123456789ab_" + "s3cr3t-S3CR3T_x" * 3
    try:
        raise ValueError(
            f"Authorization: Bearer abcdef123456 and {secret}\nand sk-proj-abcdef123456"
        )
    except ValueError as error:
        trace = (type(error), error, error.__traceback__)
    record = logging.LogRecord("taishi", logging.ERROR, "", 0, "no: %s", (secret,), trace)
    line = JsonLines().format(record)
    assert "\n" not in line
    told = json.loads(line)
    assert told["message"] == "no: tsk_0123456789ab-***"
    for private in ("s3cr3t", "abcdef123456"):
        assert private not in line
    assert without_secrets("the sky and a task_list are no secrets") == (
        "the sky and a task_list are no secrets"
    )


def test_O1_text_lines_are_for_people() -> None:
    stream = io.StringIO()
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        configure_logging("text", stream)
        told = {"ms": 4.2, "request_id": "r7"}
        logging.getLogger("taishi.http").info("GET %s\n200", "/metrics", extra=told)
    finally:
        root.handlers[:] = before
        root.setLevel(level)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info    taishi\.http: GET /metrics 200 4\.2 ms \[r7\]\n",
        stream.getvalue(),
    )
    with pytest.raises(ValueError, match="json or text"):
        configure_logging("yaml")


# -- spans -----------------------------------------------------------------------------------------


def test_O1_spans_for_requests_recall_and_jobs(serve: Any, monkeypatch: Any) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("opentelemetry.trace.get_tracer", provider.get_tracer)
    with ScriptedUpstream() as upstream:
        url, memory, _ = serve({"telemetry.enabled": True, "proxy.upstream_url": upstream.url})
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        said = {"model": "m", "user": "ann",
                "messages": [{"role": "user", "content": f"I say {SECRET_WORDS}."}]}  # fmt: skip
        chat = f"{url}/openai/v1/chat/completions"
        httpx.post(chat, json=said, headers={"traceparent": parent})
        end = time.monotonic() + 10
        while memory.status()["jobs"]["done"] < 1 and time.monotonic() < end:
            memory.drain(10)
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert {"taishi.http", "taishi.recall", "taishi.job"} <= set(spans)
    request, recall = spans["taishi.http"], spans["taishi.recall"]
    assert request.attributes["taishi.route"] == "/openai/v1/chat/completions"
    assert request.attributes["taishi.status"] == 200
    assert f"{request.context.trace_id:032x}" == parent.split("-")[1]
    assert recall.context.trace_id == request.context.trace_id
    assert recall.attributes["taishi.level"] == "hybrid"
    assert spans["taishi.job"].attributes["taishi.outcome"] == "done"
    told = json.dumps([dict(span.attributes) for span in exporter.get_finished_spans()])
    assert SECRET_WORDS not in told
    assert "ann" not in told
