"""Settings: defaults, file, environment, and errors that say what to do (C1, C2, R2)."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory
from taishi.errors import SettingsError
from taishi.settings import (
    Settings,
    changed,
    example_toml,
    load,
    reference_markdown,
    reference_markdown_zh,
    to_dict,
)
from taishi.settings.spec import walk

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sk-do-not-print-me-0123456789"

APPENDIX_1: dict[str, dict[str, Any]] = tomllib.loads("""
[memory]
enabled = true
data = "./data"
timezone = "auto"
language = "auto"
legacy_end_summaries = false
[query]
auto_top_k = 3
tool_default_top_k = 12
profile_top_k = 8
recall_top_k = 5
recall_timeout = 0.15
max_context_tokens = 800
vector_weight = 0.6
keyword_weight = 0.4
rerank_candidate_multiplier = 3
min_similarity = 0.2
half_life_days_auto = 14
half_life_days_tool = 60
mmr_lambda = 0.7
[historian]
rewrite_max_retry = 2
poll_interval_seconds = 1.0
stale_job_timeout_seconds = 300
job_max_retries = 3
workers = 1
recent_messages = 12
source_message_chars = 800
[profile]
revision_keep = 5
path = "profiles"
[queue]
path = "queues"
failed_max_age_days = 30
failed_max_files = 500
failed_cleanup_interval = 100
[observation]
queue_max = 1000
preview_chars = 500
max_age_days = 30
[summary]
interval_seconds = 300
min_messages = 4
[short_term]
preference_days = 7
decision_days = 7
follow_up_days = 3
mood_days = 1
promote_after_sessions = 3
[cache]
embedding_hours = 24
results_minutes = 5
[redaction]
secrets = true
email = false
phone = false
[index]
memory_mb = 2048
""")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A taishi.toml in the working folder must not reach these tests."""
    monkeypatch.chdir(tmp_path)


def from_text(tmp_path: Path, text: str, **environ: str) -> Settings:
    file = tmp_path / "my.toml"
    file.write_text(text, encoding="utf-8")
    return load(file, environ)


def refusal(tmp_path: Path, text: str, **environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        from_text(tmp_path, text, **environ)
    return str(caught.value)


@pytest.mark.usefixtures("usual_deadline")
@pytest.mark.parametrize("section", APPENDIX_1)
def test_C1_defaults_are_those_promised(section: str) -> None:
    part = getattr(load(environ={}), section)
    assert {key: getattr(part, key) for key in APPENDIX_1[section]} == APPENDIX_1[section]


def test_C1_every_model_section_has_the_promised_keys() -> None:
    promised = {
        "api_url", "api_key", "model_name", "timeout_seconds", "concurrency",
        "queue_interval_seconds", "dimensions", "query_instruction", "document_instruction",
    }  # fmt: skip
    models = load(environ={}).models
    for part in (models.embedding, models.chat, models.rerank, models.chat.for_task("rewrite")):
        assert promised <= {one.name for one in fields(part)}


def test_C1_environment_wins_over_file_and_overrides_over_both(tmp_path: Path) -> None:
    text = "[query]\nauto_top_k = 4\nprofile_top_k = 9\nrecall_top_k = 6\n"
    file = tmp_path / "my.toml"
    file.write_text(text)
    environ = {"TAISHI__QUERY__PROFILE_TOP_K": "10", "TAISHI__QUERY__RECALL_TOP_K": "7"}
    found = load(file, environ, {"query.recall_top_k": 8, "memory": {"data": tmp_path}}).query
    assert (found.auto_top_k, found.profile_top_k, found.recall_top_k) == (4, 10, 8)


def test_C1_overrides_take_paths_and_skip_none(tmp_path: Path) -> None:
    found = load(environ={}, overrides={"memory.data": tmp_path, "memory.timezone": None})
    assert found.memory.data == str(tmp_path)
    assert found.memory.timezone == "auto"


def test_C1_variables_for_file_and_data(tmp_path: Path) -> None:
    file = tmp_path / "named.toml"
    file.write_text("[query]\nauto_top_k = 4\n")
    found = load(environ={"TAISHI_CONFIG": str(file), "TAISHI_DATA": "/d"})
    assert (found.query.auto_top_k, found.memory.data) == (4, "/d")


def test_C1_file_in_the_working_folder_is_read_if_it_is_there(tmp_path: Path) -> None:
    assert load(environ={}).query.auto_top_k == 3
    (tmp_path / "taishi.toml").write_text("[query]\nauto_top_k = 4\n")
    assert load(environ={}).query.auto_top_k == 4


@pytest.mark.parametrize(
    ("name", "text", "dotted", "value"),
    [
        ("TAISHI__MEMORY__ENABLED", "false", "memory.enabled", False),
        ("TAISHI__QUERY__RECALL_TIMEOUT", "1", "query.recall_timeout", 1.0),
        ("TAISHI__QUERY__RECALL_TIMEOUT", "0.5", "query.recall_timeout", 0.5),
        ("TAISHI__MEMORY__DATA", "plain words", "memory.data", "plain words"),
        ("TAISHI__MEMORY__DATA", '"quoted"', "memory.data", "quoted"),
        ("TAISHI__MEMORY__DATA", "C:\\data", "memory.data", "C:\\data"),
        ("TAISHI__MEMORY__DATA", "数据", "memory.data", "数据"),
        ("TAISHI__MODELS__CHAT__API_KEY", "12345", "models.chat.api_key", "12345"),
        ("TAISHI__MODELS__CHAT__API_KEY", "true", "models.chat.api_key", "true"),
        ("TAISHI__MODELS__CHAT__MODEL_NAME", "2024-01-01", "models.chat.model_name", "2024-01-01"),
        ("TAISHI__MODELS__CHAT__MODEL_NAME", "", "models.chat.model_name", ""),
    ],
)
def test_C1_environment_values_are_toml_or_plain_text(
    name: str, text: str, dotted: str, value: object
) -> None:
    found: Any = load(environ={name: text})
    for part in dotted.split("."):
        found = getattr(found, part)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("[query]\nauto_topk = 3\n", "query.auto_topk", "query.auto_top_k"),
        ("[quary]\n", "quary", "query"),
        ("[quary]\nauto_top_k = 3\n", "quary.auto_top_k", "query.auto_top_k"),
        ("[models.chat.rewirte]\nmodel_name = 'x'\n", "rewirte", "models.chat.rewrite.model_name"),
        ("[models.chat]\nkind = 'local'\n", "models.chat.kind", "models.chat"),
    ],
)
def test_C1_unknown_key_names_file_key_and_nearest(
    tmp_path: Path, text: str, key: str, nearest: str
) -> None:
    message = refusal(tmp_path, text)
    assert "my.toml" in message
    assert key in message
    assert nearest in message


def test_C1_unknown_variable_is_named_with_its_nearest_key() -> None:
    with pytest.raises(SettingsError, match=r"TAISHI__QUERY__AUTO_TOPK.*query\.auto_top_k"):
        load(environ={"TAISHI__QUERY__AUTO_TOPK": "3"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[query]\nauto_top_k = 'three'\n", ["query.auto_top_k", "'three'", "whole number"]),
        ("[query]\nauto_top_k = 3.5\n", ["query.auto_top_k", "3.5", "whole number"]),
        ("[query]\nauto_top_k = true\n", ["query.auto_top_k", "True", "whole number"]),
        ("[query]\nauto_top_k = -1\n", ["query.auto_top_k", "-1", "from 0"]),
        ("[query]\nmmr_lambda = 1.5\n", ["query.mmr_lambda", "1.5", "from 0 to 1"]),
        ("[query]\nmmr_lambda = nan\n", ["query.mmr_lambda", "nan"]),
        ("[query]\nhalf_life_days_auto = inf\n", ["half_life_days_auto", "inf"]),
        ("[query]\nhalf_life_days_auto = 0x" + "f" * 9000 + "\n", ["very large", "a number"]),
        ("[query]\nauto_top_k = [1, 2]\n", ["query.auto_top_k", "list"]),
        ("[memory]\nenabled = 1\n", ["memory.enabled", "1", "true or false"]),
        ("[memory]\ndata = ' '\n", ["memory.data", "not empty"]),
        ('[memory]\ndata = "a\\u0000b"\n', ["memory.data", "NUL"]),
        ("[memory]\nlanguage = 'fr'\n", ["memory.language", "'fr'", "auto, en, zh"]),
        ("[memory]\ntimezone = 'Mars/Base'\n", ["memory.timezone", "'Mars/Base'", "IANA"]),
        ("[memory]\ntimezone = '../../etc/passwd'\n", ["memory.timezone", "IANA"]),
        ("[models.embedding]\nkind = 'magic'\n", ["kind", "'magic'", "local, openai"]),
        ("[models.chat]\napi_url = 'localhost'\n", ["models.chat.api_url", "http://"]),
        ("[redaction]\nsecrets = false\n", ["redaction.secrets", "always"]),
        ("query = 3\n", ["query", "section"]),
    ],
)
def test_C2_bad_value_says_key_what_was_given_and_what_is_expected(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    message = refusal(tmp_path, text)
    for word in words:
        assert word in message
    assert len(message) < 400


OLD = "[attic]\ntrim_at = 0.8\n[cellar]\nneighbours = 'two'\n[query]\nrecall_top_k = 9\n"


def test_C1_a_setting_of_an_earlier_version_is_a_warning_not_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.settings.loader.REMOVED", frozenset({("attic",), ("cellar",)}))
    found = from_text(tmp_path, OLD, TAISHI__ATTIC__KEEP_RECENT="3")
    assert found.query.recall_top_k == 9
    assert not [key for key in found.origin.given if key.startswith(("attic", "cellar"))]
    lines = [record.getMessage() for record in caplog.records]
    file = tmp_path / "my.toml"
    assert lines == [
        f"{file}: attic.trim_at is no longer read; remove it",
        f"{file}: cellar.neighbours is no longer read; remove it",
        "environment variable TAISHI__ATTIC__KEEP_RECENT: attic.keep_recent is no longer read; "
        "remove it",
    ]


def test_a_file_without_old_settings_is_read_without_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from_text(tmp_path, "[query]\nrecall_top_k = 9\n")
    assert caplog.records == []


@pytest.mark.parametrize("name", ["TAISHI__QUERY", "TAISHI__", "TAISHI__QUERY__"])
def test_variable_that_names_no_key_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load(environ={name: "3"})


@pytest.mark.parametrize("text", ["1\n[x]", "[" * 5000, "1" * 9000, "\udcff", "x" * 1_000_000])
def test_hostile_variable_is_refused_not_a_crash(text: str) -> None:
    with pytest.raises(SettingsError, match=r"query\.auto_top_k"):
        load(environ={"TAISHI__QUERY__AUTO_TOP_K": text})


def test_text_with_broken_characters_is_refused() -> None:
    with pytest.raises(SettingsError, match="broken characters"):
        load(environ={"TAISHI__MEMORY__DATA": "a\udcff"})


def test_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    message = refusal(tmp_path, "[query]\nauto_top_k = 3\nthis is not toml\n")
    assert "my.toml" in message
    assert "line 3" in message


@pytest.mark.parametrize(
    "content", [b"\xff\xfe[\x00", b"a = " + b"[" * 50_000, b"a = " + b"9" * 9999]
)
def test_file_of_rubbish_is_a_settings_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"bad\.toml"):
        load(file, {})


def test_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "notepad.toml"
    file.write_bytes(b"\xef\xbb\xbf[query]\r\nauto_top_k = 4\r\n")
    assert load(file, {}).query.auto_top_k == 4


def test_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml"):
        load(tmp_path / "none.toml", {})
    with pytest.raises(SettingsError, match=r"none\.toml"):
        load(environ={"TAISHI_CONFIG": str(tmp_path / "none.toml")})
    with pytest.raises(SettingsError):
        load(tmp_path, {})
    with pytest.raises(SettingsError):
        load(Path("a\0b"), {})


def test_secrets_are_in_no_repr_dump_or_message(tmp_path: Path) -> None:
    found = load(
        environ={
            "TAISHI__MODELS__CHAT__API_KEY": SECRET,
            "TAISHI__MODELS__CHAT__MERGE__MODEL_NAME": "m",
        }
    )
    assert found.models.chat.for_task("merge").api_key == SECRET
    assert SECRET not in repr(found)
    assert SECRET not in str(to_dict(found))
    assert to_dict(found)["models"]["chat"]["api_key"] == "***"
    assert to_dict(found)["models"]["rerank"]["api_key"] == ""
    bad = [
        f"[models.chat]\napi_key = ['{SECRET}']\n",
        f'[models.chat]\napi_key = "{SECRET}\\n"\n',
        f"[models.chat]\napi_kee = '{SECRET}'\n",
        f"[models.chat]\napi_key = '{SECRET}\n",
        f"[models.chat]\napi_url = 'https://user:{SECRET}@host/v1'\n",
        f"[models.chat]\napi_url = 'ftp://user:{SECRET}@host/v1'\n",
    ]
    for text in bad:
        assert SECRET not in refusal(tmp_path, text)


def test_task_takes_what_it_lacks_from_chat(tmp_path: Path) -> None:
    chat = from_text(
        tmp_path,
        "[models.chat]\napi_url = 'http://a'\nmodel_name = 'big'\ntimeout_seconds = 5\n"
        "[models.chat.merge]\nmodel_name = 'small'\n[models.chat.intent]\n",
        TAISHI__MODELS__CHAT__DECIDE__CONCURRENCY="9",
    ).models.chat
    merge = chat.for_task("merge")
    assert (merge.model_name, merge.api_url, merge.timeout_seconds) == ("small", "http://a", 5.0)
    assert (chat.for_task("decide").concurrency, chat.for_task("decide").model_name) == (9, "big")
    assert chat.for_task("rewrite") is chat
    assert chat.for_task("intent") is chat
    assert chat.for_task("api_key") is chat


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "local"),
        ("api_url = 'http://a'", "openai"),
        ("api_url = 'http://a'\nkind = 'none'", "none"),
        ("kind = 'fastembed'", "fastembed"),
    ],
)
def test_embedding_kind_follows_the_address(tmp_path: Path, text: str, kind: str) -> None:
    assert from_text(tmp_path, f"[models.embedding]\n{text}\n").models.embedding.kind == kind


def test_zone_named_in_the_file(tmp_path: Path) -> None:
    found = from_text(tmp_path, "[memory]\ntimezone = 'Asia/Shanghai'\n", TZ="Europe/Oslo")
    assert found.zone().key == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("tz", "link", "key"),
    [
        ("Asia/Shanghai", "/nowhere", "Asia/Shanghai"),
        (":Europe/Oslo", "/nowhere", "Europe/Oslo"),
        ("/usr/share/zoneinfo/Asia/Tokyo", "/nowhere", "Asia/Tokyo"),
        ("", "/var/db/timezone/zoneinfo/Asia/Shanghai", "Asia/Shanghai"),
        ("Not/AZone", "/usr/share/zoneinfo/Europe/Oslo", "Europe/Oslo"),
        ("a\0b", "/etc/localtime", "UTC"),
        ("", "/etc/localtime", "UTC"),
    ],
)
def test_zone_auto_is_the_machines(
    tz: str, link: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "realpath", lambda _: link)
    assert load(environ={"TZ": tz}).zone().key == key


def test_zone_set_in_code_is_checked_when_asked_for() -> None:
    base = Settings()
    odd = replace(base, memory=replace(base.memory, timezone="Mars/Base"))
    with pytest.raises(SettingsError, match="Mars/Base"):
        odd.zone()


def test_C2_changed_lists_dotted_keys() -> None:
    old = load(environ={})
    new = load(environ={"TAISHI__QUERY__AUTO_TOP_K": "4", "TAISHI__MODELS__CHAT__API_KEY": SECRET})
    assert changed(old, old) == []
    assert changed(old, new) == ["models.chat.api_key", "query.auto_top_k"]
    task = load(environ={"TAISHI__MODELS__CHAT__MERGE__MODEL_NAME": "m"})
    assert "models.chat.merge.model_name" in changed(old, task)
    assert "models.chat.merge.model_name" in changed(task, old)


def test_settings_are_frozen_and_equal_by_value() -> None:
    found = load(environ={"TZ": "Asia/Tokyo"})
    assert found == Settings()
    with pytest.raises(FrozenInstanceError):
        found.query.auto_top_k = 9  # type: ignore[misc]


@pytest.mark.usefixtures("usual_deadline")
def test_C1_example_with_every_line_uncommented_gives_the_defaults(tmp_path: Path) -> None:
    text = re.sub(r"^#(?=\w+ = )", "", example_toml(), flags=re.MULTILINE)
    assert len(re.findall(r"^\w+ = ", text, re.MULTILINE)) > 80
    assert from_text(tmp_path, text) == Settings()
    assert from_text(tmp_path, example_toml()) == Settings()


def test_C1_generated_files_are_current() -> None:
    how = "write them again: python -m taishi.settings"
    assert (ROOT / "taishi.example.toml").read_text("utf-8") == example_toml(), how
    reference = ROOT / "docs" / "reference"
    assert (reference / "settings.md").read_text("utf-8") == reference_markdown(), how
    assert (reference / "settings.zh-CN.md").read_text("utf-8") == reference_markdown_zh(), how


def test_C1_every_setting_is_documented_in_both_languages() -> None:
    chinese = re.compile("[\u4e00-\u9fff]")
    for key, spec in walk(Settings):
        assert spec.en.endswith(".") and not chinese.search(spec.en), key
        assert spec.zh.endswith("。") and chinese.search(spec.zh), key


def test_C1_a_dict_is_no_settings_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"load\(overrides="):
        Memory.open(tmp_path / "data", {"memory.timezone": "UTC"})  # type: ignore[arg-type]
    assert not (tmp_path / "data").exists()
