"""`taishi work`: the historian in a process of its own."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import MissingExtraError, ReadOnlyError, StorageError
from ..observe.repeated_trouble import RepeatedTrouble
from ..settings.addresses import without_password
from .context import CliContext, common_options, pass_app
from .log_form import Tell, log_option, told_as
from .output import note, say, say_json
from .replaceable_worker import ReplaceableWorker
from .turns import DRAIN_SECONDS
from .worker_heartbeat import beating

if TYPE_CHECKING:
    from ..memory import Memory

log = logging.getLogger("taishi.work")
Progress = Callable[[dict[str, int]], None]


@click.command()
@click.option("--once", is_flag=True, help="Work until nothing waits, then exit.")
@click.option(
    "--every",
    type=click.FloatRange(0.1, 3600),
    default=5.0,
    show_default=True,
    help="Seconds between two lines.",
)
@click.option(
    "--heartbeat",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Touch FILE every few seconds while it makes progress.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Serve metrics for Prometheus on this port.",
)
@click.option(
    "--metrics-host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="The address for --metrics-port; no key is asked for.",
)
@log_option
@common_options
@pass_app
def work(
    app: CliContext,
    once: bool,
    every: float,
    heartbeat: Path | None,
    metrics_port: int | None,
    metrics_host: str,
    log_form: str,
    as_json: bool,
) -> None:
    """Run the historian until Ctrl-C or SIGTERM; the current job is finished."""
    if once:
        _work_once(app, as_json)
        return
    with told_as(log_form) as tell:
        worker = ReplaceableWorker(app, partial(_opened, tell))
        try:
            progress = _progress(app, log_form)
            served = _metrics(lambda: worker.memory, metrics_host, metrics_port)
            with _signals() as told, beating(lambda: worker.memory, heartbeat), served:
                if not as_json:
                    tell(app.message("working"))
                _work_until(told, worker, every, None if as_json else progress)
            counts = _counts(worker.memory)
        finally:
            worker.close()
        if as_json:
            say_json(counts)
        else:
            progress(counts)


def _metrics(
    current: Callable[[], Memory], host: str, port: int | None
) -> AbstractContextManager[None]:
    if port is None:
        return nullcontext()
    try:
        from ..server.worker_metrics import serving_metrics
    except ModuleNotFoundError as error:
        raise MissingExtraError("metrics of a worker", "server") from error
    return serving_metrics(current, host, port)


def _progress(app: CliContext, log_form: str) -> Progress:
    """A line on stdout, or one of the log with a field for each number."""
    if log_form == "json":
        return lambda counts: log.info("jobs of this worker", extra=counts)
    return lambda counts: say(app.message("work_line", **counts))


def _work_once(app: CliContext, as_json: bool) -> None:
    with app.memory(create=True, role="work") as memory:
        _check_can_work(app, memory)
        memory.drain(DRAIN_SECONDS)
        counts = _counts(memory)
    if as_json:
        say_json(counts)
    else:
        say(app.message("work_line", **counts))
    if counts["waiting"] or counts["unembedded"]:
        note(app.message("left_over", **counts, seconds=round(DRAIN_SECONDS)))
        click.get_current_context().exit(1)


@contextmanager
def _opened(tell: Tell, app: CliContext) -> Iterator[Memory]:
    with app.memory(create=True, role="work", tell=tell) as memory:
        _check_can_work(app, memory)
        yield memory


def _check_can_work(app: CliContext, memory: Memory) -> None:
    if not memory.settings.memory.enabled:
        raise StorageError(app.message("off"))
    if memory.status(records=False)["read_only"]:
        where = without_password(memory.settings.memory.data)
        raise ReadOnlyError(app.message("work_read_only", folder=where))


class _Told:
    """What signals asked for. `wake` is set by each of them."""

    def __init__(self) -> None:
        self.wake = threading.Event()
        self.to_stop = False
        self.to_reload = False

    def stop(self, *_: object) -> None:
        self.to_stop = True
        self.wake.set()

    def reload(self, *_: object) -> None:
        self.to_reload = True
        self.wake.set()


def _work_until(
    told: _Told, worker: ReplaceableWorker, every: float, progress: Progress | None
) -> None:
    trouble = RepeatedTrouble(log)
    worker.start()
    last = None
    while True:
        told.wake.wait(every)
        told.wake.clear()
        if told.to_stop:
            break
        if told.to_reload:
            told.to_reload = False
            worker.replace()
        try:
            counts = _counts(worker.memory)
        except StorageError as error:  # a database may be away; the workers wait for it, too
            trouble.met("how many jobs wait is not known: %s", error)
            continue
        trouble.over("how many jobs wait is known again")
        if counts != last and progress is not None:
            progress(counts)
        last = counts
    worker.memory.stop_worker()


@contextmanager
def _signals() -> Iterator[_Told]:
    """Ctrl-C or SIGTERM stops, SIGHUP reloads; restores the previous handlers afterwards."""
    told = _Told()
    handlers: dict[int, Callable[..., None]] = {
        signal.SIGINT: told.stop,
        signal.SIGTERM: told.stop,
    }
    if sys.platform != "win32":
        handlers[signal.SIGHUP] = told.reload
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield told
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _counts(memory: Memory) -> dict[str, int]:
    status = memory.status()
    jobs, queue = status["processes"][0]["jobs"], status["queue"]  # the counters of this process
    unembedded = status["records"].get("unembedded", 0) if status["embedder"]["on"] else 0
    return {
        "done": jobs["done"],
        "retried": jobs["retried"],
        "failed": jobs["failed"],
        "waiting": queue["pending"] + queue["processing"],
        "unembedded": unembedded,
    }
