"""What the command line says to an operator when something is not as it should be."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fault.test_read_only import as_nobody, sealed
from taishi import Memory, Scope, load
from taishi.cli import taishi
from taishi.cli.context import CliContext
from taishi.doctor.folder_checks import disk
from taishi.errors import StorageError
from taishi.server.listener import listen

ANN = Scope(user="ann")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs permissions as on POSIX")


def cli(folder: Path, *arguments: str) -> Result:
    env = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US"}
    return CliRunner().invoke(taishi, ["--data", str(folder), *arguments], env=env)


@pytest.fixture(autouse=True)
def in_a_folder_that_all_may_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        memory.remember(ANN, "Ann lives in Oslo")
        memory.profiles.set(ANN, "- likes tea", name="Ann")
        memory.end_turn(ANN, "Ann waits in the queue")
    return tmp_path / "data"


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (folder, *folder.rglob("*"))}


def test_O2_a_backup_is_for_its_owner_alone(filled: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        for path in filled.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        made = cli(filled, "backup", str(tmp_path / "copy"))
    finally:
        os.umask(before)
    assert made.exit_code == 0, made.output
    assert modes(tmp_path / "copy") == {0}
    rows = json.loads(cli(tmp_path / "copy", "doctor", "--json").stdout)["findings"]
    assert next(row for row in rows if row["check"] == "permissions")["level"] == "ok"


def test_O2_a_read_only_folder_can_be_backed_up_and_the_copy_used(filled: Path) -> None:
    cli(filled, "status")  # its modules, while they can be read
    with sealed(filled) as folder:
        target = folder.parent.parent / f"{folder.parent.name}-copy"
        with as_nobody():
            try:
                made = cli(folder, "backup", str(target))
                assert made.exit_code == 0, made.output
                assert modes(target) == {0}
                assert cli(target, "remember", "Ann has a boat", "--user", "ann").exit_code == 0
                page = next((target / "profiles").rglob("*.md"))
                assert os.access(page, os.W_OK, effective_ids=True)
            finally:
                shutil.rmtree(target, ignore_errors=True)


def test_O2_a_file_that_cannot_be_read_is_named_not_the_target(filled: Path) -> None:
    cli(filled, "status")
    with sealed(filled) as folder:
        page = next((folder / "profiles").rglob("*.md"))
        page.chmod(0o000)
        target = folder.parent.parent / f"{folder.parent.name}-copy"
        with as_nobody():
            said = cli(folder, "backup", str(target))
        assert said.exit_code == 1
        assert f"{page} cannot be read" in said.output and "disk's space" not in said.output


def test_work_on_a_read_only_folder_says_so(filled: Path) -> None:
    cli(filled, "status")
    with sealed(filled) as folder, as_nobody():
        for words in (["work"], ["work", "--once"]):
            said = cli(folder, *words)
            assert said.exit_code == 1 and "can only be read" in said.output
        said = cli(folder, "keys", "create", "bot")
        assert said.exit_code == 1 and "cannot be written" in said.output
        assert "lock" not in said.output and "Errno" not in said.output


def test_doctor_of_a_folder_that_may_not_be_entered_is_a_table(filled: Path) -> None:
    cli(filled, "doctor")
    base = Path("/tmp") / f"taishi-closed-{os.getpid()}"
    base.mkdir(0o700)
    try:
        with as_nobody():
            if os.access(base, os.X_OK, effective_ids=True):
                pytest.skip("nobody may enter everything here")
            said = cli(base, "doctor", "--json")
            found = disk(base)
    finally:
        base.rmdir()
    rows = {row["check"]: row for row in json.loads(said.stdout)["findings"]}
    assert rows["disk"]["level"] == "problem" and "may not be entered" in rows["disk"]["message"]
    assert "无权进入" in found.message.zh and said.exit_code == 1


def test_an_empty_folder_of_somebody_else_says_whose_it_should_be() -> None:
    base = Path("/tmp") / f"taishi-empty-{os.getpid()}"
    base.mkdir(0o755)
    try:
        with as_nobody():
            if os.access(base, os.W_OK, effective_ids=True):
                pytest.skip("nobody may write everywhere here")
            said = cli(base, "remember", "x", "--user", "ann")
            rows = json.loads(cli(base, "doctor", "--json").stdout)["findings"]
            below = json.loads(cli(base / "new", "doctor", "--json").stdout)["findings"]
    finally:
        base.rmdir()
    assert said.exit_code == 1 and "run this as the user that it belongs to" in said.stderr
    assert "correct that" not in said.stderr
    found = {row["check"]: row for row in rows}
    assert f"the user that owns it ({Path('/').owner()})" in found["disk"]["advice"]
    assert "space" not in found["disk"]["advice"] and found["disk"]["level"] == "problem"
    assert found["database"]["level"] == "problem"  # no memory was made
    advice = next(row["advice"] for row in below if row["check"] == "disk")
    assert "the user that owns it" in advice and "--data" in advice


@pytest.mark.parametrize(
    ("context", "command"),
    [
        (CliContext(), "taishi keys create NAME"),
        (CliContext(data="./data3"), "taishi --data ./data3 keys create NAME"),
        (CliContext("my data", "a"), "taishi --data 'my data' --config a keys create NAME"),
        (
            CliContext("postgresql://u:pw@h/db"),
            "taishi --data 'postgresql://u:***@h/db' keys create NAME",
        ),
    ],
)  # fmt: skip
def test_a_hint_is_for_the_same_memory(context: CliContext, command: str) -> None:
    assert context.command("keys create NAME") == command


def test_a_key_says_whose_it_is(filled: Path, tmp_path: Path) -> None:
    said = cli(filled, "keys", "create", "bot")
    assert f"for {filled}:" in said.stderr and "is new" not in said.stderr
    assert json.loads(cli(filled, "keys", "create", "b", "--json").stdout)["data"] == str(filled)
    said = cli(tmp_path / "typo", "keys", "create", "bot")
    assert f"{tmp_path / 'typo'} was not there and is new" in said.stderr


def test_a_key_revoked_by_its_name_is_offered_by_its_ids(filled: Path) -> None:
    ids = [json.loads(cli(filled, "keys", "create", "bot", "--json").stdout)["key"]["id"]
           for _ in range(3)]  # fmt: skip
    assert cli(filled, "keys", "revoke", ids[0]).exit_code == 0
    said = cli(filled, "keys", "revoke", "bot")
    assert said.exit_code == 2 and ids[1] in said.stderr and ids[2] in said.stderr
    assert ids[0] not in said.stderr
    said = cli(filled, "keys", "revoke", "nobody")
    assert said.exit_code == 2 and "there is no key 'nobody'" in said.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_refused_start_leaves_no_folder_behind(tmp_path: Path, workers: str) -> None:
    folder = tmp_path / "data3"
    command = "from taishi.cli import main; main()"
    options = ["--data", str(folder), "serve", "--host", "0.0.0.0", "--port", "0", "--log", "json"]
    done = subprocess.run(
        [sys.executable, "-c", command, *options, "--workers", workers],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and not folder.exists()
    (line,) = (json.loads(line) for line in done.stderr.splitlines())
    assert line["level"] == "error" and f"--data {folder} keys create NAME" in line["message"]


def _lines_until_it_serves(process: subprocess.Popen[str]) -> list[str]:
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "Ctrl-C" in line:
            break
    return lines


def test_every_line_of_a_log_for_people_has_its_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from taishi.cli import main; main()"]
    with subprocess.Popen(
        [*command, "--data", str(tmp_path / "data"), "serve", "--port", "0"],
        stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TAISHI__MODELS__EMBEDDING__KIND": "none"},
    ) as process:  # fmt: skip
        lines = _lines_until_it_serves(process)
        process.terminate()
        lines += process.communicate(timeout=60)[1].splitlines()
    assert any("serving on http" in line for line in lines)
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", line) for line in lines), lines
    assert not any("session manager" in line for line in lines)


def test_every_line_of_a_server_and_a_worker_is_json(tmp_path: Path) -> None:
    code = "from taishi.cli import main; main()"
    env = {**os.environ, "TAISHI__MODELS__EMBEDDING__KIND": "none"}
    commands = (["serve", "--port", "0"], ["serve", "--port", "0", "--workers", "2"], ["work"])
    for number, words in enumerate(commands):
        folder = tmp_path / f"data{number}"
        command = [sys.executable, "-c", code, "--data", str(folder), *words]
        with subprocess.Popen(
            [*command, "--log", "json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
        ) as process:  # fmt: skip
            lines = _lines_until_it_serves(process)
            process.terminate()
            out, rest = process.communicate(timeout=60)
        assert process.returncode == 0, (lines, rest)
        told = [json.loads(line) for line in (*lines, *rest.splitlines())]
        assert all({"time", "level", "message"} <= set(line) for line in told)
        assert out == ""
        made = [line for line in told if "new memory created" in line["message"]]
        assert [str(folder) in line["message"] for line in made] == [True], "told once"
        if words == ["work"]:
            figures = {"done": 0, "retried": 0, "failed": 0, "waiting": 0, "unembedded": 0}
            assert told[-1] == told[-1] | figures, "numbers are fields"
            assert told[-1]["message"] == "jobs of this worker"


@pytest.mark.parametrize(
    ("host", "port", "said"),
    [("10.9.9.9", 0, "--host"), ("no.such.host.invalid", 0, "--host"), ("::9", 0, "--host")],
)
def test_a_wrong_host_is_not_blamed_on_the_port(host: str, port: int, said: str) -> None:
    with pytest.raises(StorageError) as raised:
        listen(host, port)
    assert said in str(raised.value) and "--port" not in str(raised.value)


def test_a_port_in_use_is_the_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(StorageError, match="another --port") as raised:
            listen("127.0.0.1", taken.getsockname()[1])
        assert "--host" not in str(raised.value)


def test_the_option_is_named_as_it_is_typed(filled: Path, tmp_path: Path) -> None:
    exported = tmp_path / "all.jsonl"
    assert cli(filled, "export", str(exported)).exit_code == 0
    lines = exported.read_text("utf-8").splitlines()
    exported.write_text(
        "\n".join([*lines[:-1], '{"type": "no such type"}', lines[-1], ""]), "utf-8"
    )
    said = cli(tmp_path / "other", "import", str(exported))
    assert said.exit_code == 2 and "--skip-bad" in said.output
