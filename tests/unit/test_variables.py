"""Environment variables that nothing reads: said, with the name that may have been meant."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from taishi.cli import taishi
from taishi.settings import unread_variables

SOURCE = Path(__file__).resolve().parents[2] / "src" / "taishi"
QUIET = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US"}
WRONG = {"TAISHI_MEMORY__TIMEZONE": "Asia/Shanghai"}


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("TAISHI_MEMORY__TIMEZONE", "TAISHI__MEMORY__TIMEZONE"),
        ("TAISHI_MEMORY_TIMEZONE", "TAISHI__MEMORY__TIMEZONE"),
        ("TAISHI_SERVER__PORT", "TAISHI__SERVER__PORT"),
        ("TAISHI_DTA", "TAISHI_DATA"),
        ("TAISHI_APIKEY", "TAISHI_API_KEY"),
        ("TAISHI_XXXXXXXXXXXXXXXXXXXXX", ""),
    ],
)
def test_the_nearest_name_is_offered(name: str, nearest: str) -> None:
    assert unread_variables({name: "1"}) == [(name, nearest)]


@pytest.mark.parametrize(
    "name",
    [
        "TAISHI_DATA", "TAISHI_CONFIG", "TAISHI_API_KEY", "TAISHI__QUERY__RECALL_TOP_K",
        "TAISHI_MCP_USER", "TAISHI_HOOK_KEY", "TAISHI_SECRETS", "TAISHI_SERVICE_HOST",
        "TAISHI_SERVICE_PORT_HTTP", "TAISHI_PORT", "TAISHI_PORT_80_TCP_ADDR", "HOME",
    ],
)  # fmt: skip
def test_what_is_read_is_known(name: str) -> None:
    assert not unread_variables({name: "tcp://10.0.0.1:80"})


def test_every_variable_that_the_source_names_is_known() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    named = set(re.findall(r"\"(TAISHI_(?!_)[A-Z_]*[A-Z])\"", text))
    named -= {"TAISHI_MCP", "TAISHI_HOOK"}  # beginnings of names
    assert "TAISHI_API_KEY" in named and not unread_variables(dict.fromkeys(named, ""))


def test_doctor_and_config_check_show_it_once(caplog: pytest.LogCaptureFixture) -> None:
    told = CliRunner().invoke(taishi, ["doctor", "--json"], env=QUIET | WRONG)
    (row,) = [one for one in json.loads(told.stdout)["findings"] if one["check"] == "environment"]
    assert row["level"] == "warning" and "TAISHI_MEMORY__TIMEZONE" in row["message"]
    assert "TAISHI__MEMORY__TIMEZONE" in row["advice"]
    told = CliRunner().invoke(taishi, ["config", "check"], env=QUIET | WRONG)
    assert told.exit_code == 0 and "did you mean TAISHI__MEMORY__TIMEZONE?" in told.stderr
    told = CliRunner().invoke(taishi, ["config", "check", "--json"], env=QUIET | WRONG)
    assert json.loads(told.stdout)["unread"] == ["TAISHI_MEMORY__TIMEZONE"]
    told = CliRunner().invoke(taishi, ["--lang", "zh", "config", "check"], env=QUIET | WRONG)
    assert "不起作用" in told.stderr and not caplog.records


def test_other_commands_log_it_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        CliRunner().invoke(taishi, ["keys", "create", "bot"], env=QUIET | WRONG)
    (record,) = caplog.records
    assert "did you mean TAISHI__MEMORY__TIMEZONE?" in record.getMessage()
