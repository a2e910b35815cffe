"""One worker process of `taishi serve --workers`, started by `serve_workers` with a plan."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import TaishiError
from ..language.error_texts import error_in
from .context import CliContext
from .log_form import exit_code, told_as
from .serve import check_extra, key_state, new_application, open_keys, start_background
from .usage_errors import Failure, system_error

if TYPE_CHECKING:
    from ..api_keys import Keys
    from ..memory import Memory


def main() -> None:
    """The process: its one argument is the plan as JSON."""
    plan = json.loads(sys.argv[1])
    language = plan["context"]["lang"]
    with told_as(plan["log"]):
        try:
            run_worker(plan)
        except TaishiError as error:
            if plan["log"] == "json":
                raise
            Failure(error_in(str(error), language), language).show()
            sys.exit(exit_code(error))
        except OSError as error:
            if plan["log"] == "json":
                raise
            Failure(system_error(error, language), language).show()
            sys.exit(1)


def run_worker(plan: dict[str, Any]) -> None:
    """Serve until the parent says otherwise, or is gone."""
    check_extra()
    from ..server.listener import inherited
    from ..server.supervised import ParentLink, serve_supervised
    from ..server.worker_board import WorkerPlace

    app = CliContext(**plan["context"])
    place = WorkerPlace(plan["number"], plan["workers"], Path(plan["folder"]))
    with (
        inherited(plan["listener"]) as listener,
        socket.socket(fileno=plan["control"]) as control,
        _opened(app, plan["host"]) as (memory, keys),
    ):
        application = new_application(memory, keys, plan["host"], app.language, place)
        start_background(memory, plan["historian"])
        parent = ParentLink(control)
        serve_supervised(
            application, listener, app.settings.server, place, parent, key_state(app, keys)
        )


@contextmanager
def _opened(app: CliContext, host: str) -> Iterator[tuple[Memory, Keys]]:
    """The keys first: a start that is refused leaves no new folder behind."""
    keys = open_keys(app, host)
    with app.memory(create=True, role="serve", tell=lambda _: None) as memory:  # the parent tells
        yield memory, keys
