"""`taishi ui`: the web pages of a data folder, in a browser on this machine."""

from __future__ import annotations

import threading
import webbrowser

import click

from .context import CliContext, common_options, pass_app
from .log_form import told_as
from .output import note
from .serve import run_server

LOOPBACK = "127.0.0.1"


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port, 0 for any; server.port.")
@click.option("--no-open", is_flag=True, help="Only print the address.")
@common_options
@pass_app
def ui(app: CliContext, port: int | None, no_open: bool, as_json: bool) -> None:
    """See, search and correct a memory in the browser."""

    def ready(address: str) -> None:
        if not as_json:
            note(app.message("ui_ready", address=f"{address}/"))
        if not no_open:
            # In a thread: some browsers return only when their window is closed.
            threading.Thread(target=webbrowser.open, args=(f"{address}/",), daemon=True).start()

    with told_as("text") as tell:
        run_server(app, LOOPBACK, port, True, tell, as_json, ready)
