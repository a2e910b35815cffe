"""Settings that change under a running engine: what is taken over, what waits, what is refused."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, Settings, load
from taishi.errors import SettingsError
from taishi.settings import HOT, Report, Watch, changed, merge

ANN = Scope(user="ann")
ENOUGH = 20.0


def wait_until(is_so: Callable[[], bool], seconds: float = ENOUGH) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "taishi.toml"
    write(path, "[models.embedding]\nkind = 'none'\n[query]\nrecall_timeout = 5.0\n")
    return path


@pytest.fixture
def memory(file: Path, tmp_path: Path) -> Memory:  # type: ignore[misc]
    with Memory.open(tmp_path / "data", load(file, {}), embedder=HashEmbedder()) as opened:
        yield opened


def more(file: Path, text: str) -> None:
    """The file as the fixture wrote it, and this."""
    write(file, "[models.embedding]\nkind = 'none'\n" + text)


# -- what may change --------------------------------------------------------------------------


def test_C2_hot_keys_are_taken_over_and_the_others_are_named() -> None:
    old = load(environ={})
    new = load(
        environ={
            "TAISHI__QUERY__RECALL_TOP_K": "9",
            "TAISHI__HISTORIAN__POLL_INTERVAL_SECONDS": "7",
            "TAISHI__HISTORIAN__JOB_MAX_RETRIES": "8",
            "TAISHI__HISTORIAN__WORKERS": "4",
            "TAISHI__MODELS__CHAT__API_URL": "http://somewhere",
            "TAISHI__MODELS__CHAT__MERGE__MODEL_NAME": "m",
        }
    )
    merged, report = merge(old, old, new)
    assert report.applied == (
        "historian.job_max_retries", "historian.poll_interval_seconds", "query.recall_top_k",
    )  # fmt: skip
    assert "historian.workers" in report.need_restart
    assert "models.chat.api_url" in report.need_restart
    assert "models.chat.merge.model_name" in report.need_restart
    assert (merged.query.recall_top_k, merged.historian.workers) == (9, 1)
    assert merged.models == old.models
    assert all(key.startswith(HOT) for key in changed(old, merged))


def test_C2_off_is_taken_over_and_on_waits_for_a_restart() -> None:
    on, off = load(environ={}), load(environ={"TAISHI__MEMORY__ENABLED": "false"})
    merged, report = merge(on, on, off)
    assert (merged.memory.enabled, report.applied) == (False, ("memory.enabled",))
    again, report = merge(merged, off, on)
    assert again.memory.enabled is False
    assert report == Report((), ("memory.enabled",))


def test_what_the_program_set_itself_is_left_alone() -> None:
    read = load(environ={})
    current = replace(read, historian=replace(read.historian, job_max_retries=1))
    new = load(environ={"TAISHI__QUERY__RECALL_TOP_K": "9"})
    merged, report = merge(current, read, new)
    assert (merged.historian.job_max_retries, merged.query.recall_top_k) == (1, 9)
    assert report.applied == ("query.recall_top_k",)


# -- the file ---------------------------------------------------------------------------------


class Watched:
    """A watch that is looked through by hand, and what it handed on."""

    def __init__(self, file: Path) -> None:
        self.taken: list[Settings] = []
        self.watch = Watch(load(file, {}), self.take)

    def take(self, new: Settings) -> Report:
        self.taken.append(new)
        return Report(need_restart=("historian.workers",) if new.historian.workers > 1 else ())

    def look(self) -> list[Settings]:
        """As a second of watching does."""
        self.taken = []
        self.watch.look()
        self.watch.look()
        self.watch.look()
        return self.taken


def test_C2_a_file_is_read_once_for_every_change(file: Path) -> None:
    seen = Watched(file)
    assert len(seen.look()) == 1
    assert seen.look() == []
    more(file, "[query]\nrecall_top_k = 9\n")
    assert [found.query.recall_top_k for found in seen.look()] == [9]
    assert seen.look() == []


def test_C2_a_file_that_is_still_being_written_is_not_read(file: Path) -> None:
    """Half of a file may be good TOML."""
    seen = Watched(file)
    seen.look()
    seen.taken = []
    text = "[query]\nrecall_top_k = 9\nauto_top_k = 7\n"
    for length in (0, 8, 25, len(text)):
        write(file, text[:length])
        seen.watch.look()
    assert seen.taken == []
    assert [found.query.auto_top_k for found in seen.look()] == [7]


def test_C2_a_file_replaced_by_rename_is_seen(file: Path, tmp_path: Path) -> None:
    seen = Watched(file)
    seen.look()
    other = tmp_path / "new.toml"
    more(other, "[query]\nrecall_top_k = 8\n")
    other.replace(file)
    assert [found.query.recall_top_k for found in seen.look()] == [8]


def test_C2_a_bad_edit_is_told_once_and_changes_nothing(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Watched(file)
    seen.look()
    bad = "[query]\nrecall_topk = 9\n"
    with caplog.at_level(logging.INFO, "taishi.settings"):
        for _ in range(3):
            write(file, bad)  # a new time, the same content
            assert seen.look() == []
    assert len(caplog.records) == 1
    line = caplog.records[0].getMessage()
    assert "stay as they are" in line and "recall_topk" in line and "recall_top_k" in line
    caplog.clear()
    write(file, "[query\n")
    assert seen.look() == []
    assert len(caplog.records) == 1
    more(file, "[query]\nrecall_top_k = 9\n")
    assert [found.query.recall_top_k for found in seen.look()] == [9]


def test_C2_a_file_that_is_gone_keeps_the_settings(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Watched(file)
    seen.look()
    file.unlink()
    assert seen.look() == []
    assert seen.look() == []
    assert [r.getMessage() for r in caplog.records if "is gone" in r.getMessage()] != []
    assert len(caplog.records) == 1
    more(file, "[query]\nrecall_top_k = 9\n")
    assert len(seen.look()) == 1


def noting(taken: list[Settings]) -> Callable[[Settings], Report]:
    def take(new: Settings) -> Report:
        taken.append(new)
        return Report()

    return take


def test_C2_no_file_yet_is_no_reason_to_complain(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[Settings] = []
    watch = Watch(load(environ={}), noting(taken))
    for _ in range(3):
        watch.look()
    assert (taken, caplog.records) == ([], [])
    write(tmp_path / "taishi.toml", "[query]\nrecall_top_k = 9\n")
    for _ in range(3):
        watch.look()
    assert [found.query.recall_top_k for found in taken] == [9]


def test_C2_what_needs_a_restart_is_one_line(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    seen = Watched(file)
    seen.look()
    more(file, "[historian]\nworkers = 2\n")
    seen.look()
    seen.look()
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["historian.workers changed: takes effect after a restart"]


def test_the_environment_and_the_overrides_still_win(file: Path) -> None:
    taken: list[Settings] = []
    settings = load(file, {"TAISHI__QUERY__RECALL_TOP_K": "3"}, {"query.auto_top_k": 2})
    watch = Watch(settings, noting(taken))
    more(file, "[query]\nrecall_top_k = 9\nauto_top_k = 9\nprofile_top_k = 9\n")
    watch.look()
    watch.look()
    query = taken[0].query
    assert (query.recall_top_k, query.auto_top_k, query.profile_top_k) == (3, 2, 9)


def test_settings_that_came_from_no_file_cannot_be_watched() -> None:
    with pytest.raises(SettingsError, match="pass the path"):
        Watch(Settings(), lambda _: Report())


# -- the engine -------------------------------------------------------------------------------


def test_C2_the_engine_follows_its_file(memory: Memory, file: Path) -> None:
    memory.start_worker()
    memory.remember_many(ANN, [{"text": f"the {n}th letter about the ferry"} for n in range(9)])
    more(file, "[query]\nrecall_top_k = 2\nrecall_timeout = 5.0\nmin_similarity = 0\n")
    wait_until(lambda: memory.settings.query.recall_top_k == 2)
    assert memory.settings.query.recall_timeout == 5.0


def test_C2_a_bad_edit_leaves_a_running_engine_as_it_was(
    memory: Memory, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory.configuration.watch()
    before = memory.settings
    write(file, "[query]\nrecall_top_k = 'many'\n")
    wait_until(lambda: any("recall_top_k" in r.getMessage() for r in caplog.records))
    assert memory.settings == before
    time.sleep(1.5)
    assert len([r for r in caplog.records if "stay as they are" in r.getMessage()]) == 1


def test_C2_the_poll_interval_is_felt_at_once(memory: Memory) -> None:
    slow = replace(memory.settings.historian, poll_interval_seconds=3600.0)
    memory.configuration.apply(replace(memory.settings, historian=slow))
    memory.start_worker()
    steps: list[float] = []
    step = memory._services.worker.step

    def counted() -> bool:
        steps.append(time.monotonic())
        return step()

    memory._services.worker.step = counted  # type: ignore[method-assign]
    time.sleep(0.1)
    count = len(steps)
    quick = replace(slow, poll_interval_seconds=0.01)
    assert memory.configuration.apply(replace(memory.settings, historian=quick)).applied == (
        "historian.poll_interval_seconds",
    )
    wait_until(lambda: len(steps) > count + 5)


def test_C2_the_tries_of_a_job_are_felt_at_once(memory: Memory) -> None:
    fewer = replace(memory.settings.historian, job_max_retries=0, rewrite_max_retry=7)
    memory.configuration.apply(replace(memory.settings, historian=fewer))
    memory.end_turn(ANN, "Ann paid the fine.")

    def broken(job: object) -> None:
        raise RuntimeError("the historian is ill")

    memory._services.worker._historian.write = broken  # type: ignore[assignment, method-assign]
    assert memory._services.worker.step()
    assert memory.status()["queue"]["failed"] == 1
    assert memory.settings.historian.rewrite_max_retry == 7


def test_C2_off_at_once_and_the_jobs_stay(
    memory: Memory, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory.end_turn(ANN, "Ann moved to Oslo.")
    memory.drain()
    memory.start_worker()
    more(file, "[memory]\nenabled = false\n")
    wait_until(lambda: not memory.settings.memory.enabled)
    assert memory.recall(ANN, "Oslo").paths == {"memory": "off"}
    assert memory.context(ANN, "Oslo") == ""
    assert memory.end_turn(ANN, "Ann moved to Rome.") is None
    assert memory.status()["queue"]["pending"] == 0
    wait_until(lambda: memory._services.threads._threads == [])
    assert "memory is switched off" in caplog.text
    more(file, "[memory]\nenabled = true\n")
    time.sleep(1.5)
    assert not memory.settings.memory.enabled  # after a restart


def test_C2_an_engine_that_is_off_can_watch_too(tmp_path: Path, file: Path) -> None:
    more(file, "[memory]\nenabled = false\n")
    with Memory.open(tmp_path / "off", load(file, {})) as memory:
        memory.start_worker()
        more(file, "[memory]\nenabled = false\nlegacy_end_summaries = true\n")
        wait_until(lambda: memory.settings.memory.legacy_end_summaries)


def test_C2_another_file_can_be_followed(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    write(other, "[query]\nrecall_top_k = 8\n")
    memory.configuration.watch(other)
    assert memory.settings.query.recall_top_k == 8
    write(other, "[query]\nrecall_top_k = 9\n")
    wait_until(lambda: memory.settings.query.recall_top_k == 9)


def test_C2_no_call_sees_two_settings_at_once(memory: Memory) -> None:
    """Threads ask while the settings swap: every answer fits one of the two, never a mix."""
    memory.remember_many(ANN, [{"text": f"letter {n} about the ferry"} for n in range(20)])
    memory.drain()
    base = memory.settings
    one = replace(base, query=replace(base.query, recall_top_k=1, max_context_tokens=800))
    two = replace(base, query=replace(base.query, recall_top_k=4, max_context_tokens=60))
    seen: set[tuple[int, float]] = set()
    recall = memory._services.recall
    answer = recall._answer

    def noted(settings: Settings, scope: Scope, wish: object, seconds: float | None) -> object:
        seen.add((wish.top_k, settings.query.max_context_tokens))  # type: ignore[attr-defined]
        return answer(settings, scope, wish, seconds)  # type: ignore[arg-type]

    recall._answer = noted  # type: ignore[assignment, method-assign]
    memory.configuration.apply(one)
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            memory.recall(ANN, "ferry")
            memory.context(ANN, "ferry")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        memory.configuration.apply(two)
        memory.configuration.apply(one)
    stop.set()
    for thread in threads:
        thread.join()
    assert seen == {(1, 800), (4, 60)}


def test_C2_a_broken_edit_under_load_changes_nothing(
    memory: Memory, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory.remember_many(ANN, [{"text": f"letter {n} about the ferry"} for n in range(20)])
    memory.start_worker()
    good = file.read_bytes()
    before, stop, failures = memory.settings, threading.Event(), list[BaseException]()

    def load_it(number: int) -> None:
        try:
            while not stop.is_set():
                assert memory.recall(ANN, "ferry").hits
                assert memory.end_turn(ANN, f"thread {number} was here")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=load_it, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    write(file, "[query]\nrecall_top_k = 'many'\n")
    wait_until(lambda: "stay as they are" in caplog.text)
    time.sleep(1.2)
    file.write_bytes(good)
    time.sleep(1.2)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert memory.settings == before
    assert len([r for r in caplog.records if r.name == "taishi.settings"]) == 1


@pytest.mark.usefixtures("usual_deadline")
def test_what_the_program_applies_does_not_change_where_the_file_is(
    memory: Memory, file: Path
) -> None:
    assert memory.configuration.apply(Settings()).applied == ("query.recall_timeout",)
    memory.configuration.change({"query.recall_top_k": 7})
    assert load(file, {}).query.recall_top_k == memory.settings.query.recall_top_k == 7
    assert memory.settings.query.recall_timeout == Settings().query.recall_timeout


def test_closing_stops_the_watch(file: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data", load(file, {}), embedder=HashEmbedder()) as memory:
        memory.configuration.watch()
    names = {thread.name for thread in threading.enumerate()}
    assert "taishi-settings" not in names
