"""`config check` and `doctor` name the settings file; one in the data folder that is not read is a
warning."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from taishi.cli import taishi

QUIET = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US"}


def run(*words: object, **env: str) -> Result:
    return CliRunner().invoke(taishi, [str(word) for word in words], env=QUIET | env)


def settings_finding(*words: object) -> dict[str, Any]:
    told = json.loads(run(*words, "doctor", "--json").stdout)
    (row,) = [one for one in told["findings"] if one["check"] == "settings"]
    return dict(row)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a memory's folder in it that has a settings file."""
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "memory"
    data.mkdir()
    (data / "taishi.toml").write_text("[query]\nrecall_top_k = 3\n")
    return data


def test_a_file_in_the_data_folder_is_said_to_be_ignored(folder: Path) -> None:
    file = folder / "taishi.toml"
    told = run("--data", folder, "config", "check")
    assert told.exit_code == 0
    assert "no taishi.toml in this folder" in told.stdout
    assert told.stderr == f"{file} is not read; to use it: --config {file}\n"
    told = run("--data", folder, "--lang", "zh", "config", "check")
    assert "当前目录没有 taishi.toml" in told.stdout and f"{file} 没有被读取" in told.stderr
    answer = json.loads(run("--data", folder, "config", "check", "--json").stdout)
    assert answer["file"] is None and answer["ignored_file"] == str(file)
    finding = settings_finding("--data", folder)
    assert finding["level"] == "warning" and f"{file} is not read" in finding["message"]
    assert finding["advice"] == f"to use it: --config {file}"


@pytest.mark.parametrize("named", ["--config", "TAISHI_CONFIG", "here"])
def test_a_file_that_is_read_is_named(
    folder: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "taishi.toml"
    options: tuple[object, ...] = ("--data", folder)
    if named == "--config":
        options += ("--config", file)
    elif named == "TAISHI_CONFIG":
        monkeypatch.setenv("TAISHI_CONFIG", str(file))
    else:
        monkeypatch.chdir(folder)
    told = run(*options, "config", "check")
    assert f"file {file}, " in told.stdout and not told.stderr
    finding = settings_finding(*options)
    assert finding["level"] == "ok" and str(file) in finding["message"]


def test_other_commands_log_it_unless_a_file_is_named(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        run("--data", folder, "keys", "create", "bot")
    (record,) = caplog.records
    assert "is not read; to use it: --config" in record.getMessage()
    caplog.clear()
    other = tmp_path / "other.toml"
    other.write_text("")
    with caplog.at_level(logging.WARNING):
        run("--data", folder, "--config", other, "keys", "create", "bot")
    assert not caplog.records
    assert "is not read" in run("--data", folder, "--config", other, "config", "check").stderr


def test_a_hook_reads_the_file_of_the_data_folder(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = json.dumps({"hook_event_name": "SessionStart", "session_id": "s", "cwd": "."})
    with caplog.at_level(logging.WARNING):
        told = CliRunner().invoke(taishi, ["--data", str(folder), "hook"], given, env=QUIET)
    assert told.exit_code == 0 and "is not read" not in told.stderr and not caplog.records
