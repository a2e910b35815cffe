"""Changing the settings file: one line differs, the rest stays, and nothing bad is written."""

from __future__ import annotations

import difflib
import os
import stat
import threading
import tomllib
from pathlib import Path

import pytest

from taishi import Memory, load
from taishi.errors import SettingsError
from taishi.settings import example_toml
from taishi.settings.loader import locate
from taishi.settings.writer import change, edited, overridden

SECRET = "sk-do-not-print-me-0123456789"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.toml"


def set_in(file: Path, changes: dict[str, object], **environ: str) -> str:
    change(locate(file, environ), changes)
    return file.read_text(encoding="utf-8")


def difference(old: str, new: str) -> list[str]:
    lines = difflib.ndiff(old.splitlines(), new.splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_C2_a_key_goes_beside_the_comment_that_explains_it(file: Path) -> None:
    file.write_text(example_toml(), encoding="utf-8")
    text = set_in(file, {"query.recall_top_k": 7})
    assert difference(example_toml(), text) == ["+ recall_top_k = 7"]
    lines = text.splitlines()
    assert lines[lines.index("recall_top_k = 7") - 1] == "#recall_top_k = 5"
    assert load(file, {}).query.recall_top_k == 7


def test_C2_every_setting_of_the_example_can_be_set_and_taken_out_again(file: Path) -> None:
    file.write_text(example_toml(), encoding="utf-8")
    changes = {"memory.language": "zh", "models.chat.model_name": "模型 “一”",
               "models.chat.merge.model_name": "small", "query.recall_timeout": 0.5,
               "historian.workers": 3, "memory.enabled": False}  # fmt: skip
    text = set_in(file, changes)
    assert len(difference(example_toml(), text)) == len(changes)
    found = load(file, {})
    assert found.models.chat.model_name == "模型 “一”"
    assert found.models.chat.for_task("merge").model_name == "small"
    assert found.query.recall_timeout == 0.5
    assert set_in(file, dict.fromkeys(changes)) == example_toml()


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("", {"query.recall_top_k": 7}, "[query]\nrecall_top_k = 7\n"),
        ("# mine", {"query.recall_top_k": 7}, "# mine\n\n[query]\nrecall_top_k = 7\n"),
        ("[query] # q", {"query.recall_top_k": 7}, "[query] # q\nrecall_top_k = 7\n"),
        (
            "[query]\nrecall_top_k = 3  # few\nauto_top_k = 1\n",
            {"query.recall_top_k": 7},
            "[query]\nrecall_top_k = 7  # few\nauto_top_k = 1\n",
        ),
        ("query.recall_top_k = 3\n", {"query.recall_top_k": 7}, "query.recall_top_k = 7\n"),
        ("query = {recall_top_k = 3}\n", {"query.recall_top_k": 7}, "query = {recall_top_k = 7}\n"),
        (
            "[query]\r\nrecall_top_k = 3\r\n",
            {"query.auto_top_k": 7},
            "[query]\r\nauto_top_k = 7\r\nrecall_top_k = 3\r\n",
        ),
        ("[query]\nrecall_top_k = 3\n", {"query.recall_top_k": None}, "[query]\n"),
        (
            "[query]\nrecall_top_k = 3\n",
            {"query": {"recall_top_k": 3}},
            "[query]\nrecall_top_k = 3\n",
        ),
        ("[query]\n", {"query.recall_top_k": None}, "[query]\n"),
    ],
)
def test_C2_the_rest_of_the_file_stays(
    file: Path, before: str, changes: dict[str, object], after: str
) -> None:
    file.write_bytes(before.encode())
    change(locate(file, {}), changes)
    assert file.read_bytes().decode() == after


def test_a_dotted_section_takes_a_new_key_where_toml_allows_it(file: Path) -> None:
    file.write_text("query.recall_top_k = 3\n[memory]\nenabled = true\n", encoding="utf-8")
    set_in(file, {"query.auto_top_k": 7})
    assert (load(file, {}).query.auto_top_k, load(file, {}).query.recall_top_k) == (7, 3)


def test_a_text_that_looks_like_a_section_does_not_mislead(file: Path) -> None:
    text = '[memory]\ndata = """a\n[query]\n#recall_top_k = 5\n"""\n'
    file.write_text(text, encoding="utf-8")
    set_in(file, {"query.recall_top_k": 7})
    found = load(file, {})
    assert found.query.recall_top_k == 7
    assert found.memory.data == "a\n[query]\n#recall_top_k = 5\n"


def test_a_byte_order_mark_stays(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf[query]\n")
    change(locate(file, {}), {"query.recall_top_k": 7})
    assert file.read_bytes() == b"\xef\xbb\xbf[query]\nrecall_top_k = 7\n"


REMOVED = "taishi.settings.loader.REMOVED"


def test_an_old_setting_can_be_taken_out(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REMOVED, frozenset({("attic",)}))
    file.write_text("[attic]\ntrim_at = 0.8\n[query]\nrecall_top_k = 3\n", encoding="utf-8")
    change(locate(file, {}), {"attic.trim_at": None})
    assert tomllib.loads(file.read_text(encoding="utf-8"))["attic"] == {}
    assert load(file, {}).query.recall_top_k == 3
    assert caplog.records == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"query.recall_topk": 7}, "did you mean 'query.recall_top_k'"),
        ({"query": 7}, "section"),
        ({"query.recall_top_k": "many"}, "whole number"),
        ({"query.recall_top_k": 0}, "from 1"),
        ({"query.recall_top_k": [1]}, "whole number"),
        ({"memory.data": "a\0b"}, "NUL"),
        ({"memory.data": "a\ud800"}, "broken"),
        ({"redaction.secrets": False}, "always"),
        ({"attic.trim_at": 0.95}, "no longer read"),
        ({"": 1}, "no setting"),
        ({"query.recall_top_k": object()}, "whole number"),
    ],
)
def test_C2_what_would_be_wrong_is_refused_before_the_write(
    file: Path, changes: dict[str, object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REMOVED, frozenset({("attic",)}))
    file.write_text("[query]\nrecall_top_k = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=words):
        change(locate(file, {}), changes)
    assert file.read_text(encoding="utf-8") == "[query]\nrecall_top_k = 3\n"
    assert [path.name for path in file.parent.iterdir()] == ["my.toml"]


def test_C2_a_wrong_file_can_be_put_right_by_a_change(file: Path) -> None:
    file.write_text("[query]\nrecall_top_k = 'many'\n", encoding="utf-8")
    set_in(file, {"query.recall_top_k": 7})
    assert load(file, {}).query.recall_top_k == 7


@pytest.mark.parametrize("content", [b"[query\n", b"\xff\xfe", b"a = " + b"[" * 50_000])
def test_a_file_that_is_no_toml_is_left_alone(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"my\.toml"):
        change(locate(file, {}), {"query.recall_top_k": 7})
    assert file.read_bytes() == content


def test_secrets_are_in_no_message_and_the_mask_changes_nothing(file: Path) -> None:
    text = set_in(file, {"models.chat.api_key": SECRET})
    assert SECRET in text
    assert set_in(file, {"models.chat.api_key": "***"}) == text
    with pytest.raises(SettingsError) as caught:
        change(locate(file, {}), {"models.chat.api_key": f"{SECRET} \n"})
    assert SECRET not in str(caught.value)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_mode_of_the_file_and_a_link_stay(file: Path, tmp_path: Path) -> None:
    file.write_text("", encoding="utf-8")
    file.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    change(locate(link, {}), {"query.recall_top_k": 7})
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert load(file, {}).query.recall_top_k == 7


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_says_so(file: Path) -> None:
    file.write_text("", encoding="utf-8")
    file.parent.chmod(0o500)
    try:
        with pytest.raises(SettingsError, match="writable"):
            change(locate(file, {}), {"query.recall_top_k": 7})
    finally:
        file.parent.chmod(0o700)


def test_a_key_that_the_environment_sets_is_named(file: Path) -> None:
    environ = {"TAISHI__QUERY__RECALL_TOP_K": "3"}
    found = change(locate(file, environ), {"query.recall_top_k": 7, "query.auto_top_k": 7})
    assert found.query.recall_top_k == 3
    assert overridden(found, ["query.recall_top_k", "query.auto_top_k"]) == {
        "query.recall_top_k": "environment variable TAISHI__QUERY__RECALL_TOP_K"
    }


def test_a_large_file_of_comments_is_quick() -> None:
    text = ("# a line of comment that says nothing\n" * 20_000).encode()
    assert edited(text, {("query", "recall_top_k"): 7}, "x").endswith(b"recall_top_k = 7\n")


# -- through the engine -----------------------------------------------------------------------


def test_C2_the_engine_writes_and_takes_over(file: Path, tmp_path: Path) -> None:
    file.write_text("# mine\n[models.embedding]\nkind = 'none'\n", encoding="utf-8")
    environ = {"TAISHI__QUERY__AUTO_TOP_K": "2"}
    with Memory.open(tmp_path / "data", load(file, environ)) as memory:
        done = memory.configuration.change(
            {"query": {"recall_top_k": 7, "auto_top_k": 9}, "historian.workers": 2}
        )
        assert done.applied == ("query.recall_top_k",)
        assert done.need_restart == ("historian.workers",)
        assert list(done.overridden or ()) == ["query.auto_top_k"]
        assert memory.settings.query.recall_top_k == 7
        assert memory.settings.historian.workers == 1
        with pytest.raises(SettingsError):
            memory.configuration.change({"query.recall_top_k": 0})
        assert memory.settings.query.recall_top_k == 7
    assert file.read_text(encoding="utf-8").startswith("# mine\n")


def test_C2_changes_from_many_threads_are_all_there(file: Path, tmp_path: Path) -> None:
    file.write_text("[models.embedding]\nkind = 'none'\n", encoding="utf-8")
    keys = ("auto_top_k", "recall_top_k", "profile_top_k", "tool_default_top_k")
    with Memory.open(tmp_path / "data", load(file, {})) as memory:
        memory.configuration.watch()
        threads = [
            threading.Thread(
                target=lambda key=key: [
                    memory.configuration.change({f"query.{key}": n}) for n in range(2, 12)
                ]
            )
            for key in keys
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {getattr(memory.settings.query, key) for key in keys} == {11}
    assert {getattr(load(file, {}).query, key) for key in keys} == {11}
