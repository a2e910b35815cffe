"""`taishi serve`: REST, MCP, the OpenAI proxy, metrics and the web pages on one address."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..errors import MissingExtraError, TaishiError
from .context import CliContext, common_options, pass_app
from .output import note, say_json

if TYPE_CHECKING:
    from ..api_keys import Keys
    from ..memory import Memory

LOG_FORMS = ("text", "json")


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen; server.host. 监听地址。")
@click.option("--port", type=click.IntRange(0, 65535), help="Port, 0 for any; server.port. 端口。")
@click.option(
    "--no-worker", is_flag=True, help="Leave the historian to `taishi work`. 不在此运行史官。"
)
@click.option(
    "--log",
    "log_form",
    type=click.Choice(LOG_FORMS),
    default="text",
    show_default=True,
    help="Form of the log lines. 日志格式。",
)
@common_options
@pass_app
def serve(
    app: CliContext,
    host: str | None,
    port: int | None,
    no_worker: bool,
    log_form: str,
    as_json: bool,
) -> None:
    """Serve REST, MCP, the OpenAI-compatible proxy, /metrics and web pages. 启动服务。"""
    run_server(app, host or app.settings.server.host, port, not no_worker, log_form, as_json)


def run_server(
    app: CliContext,
    bind_host: str,
    port: int | None,
    has_worker: bool,
    log_form: str,
    as_json: bool,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until Ctrl-C; `ready` is told the address once requests are accepted."""
    try:
        from .. import mcp_server  # noqa: F401  (its package is part of the same extra)
        from ..server import run
        from ..server.logging_setup import configure_logging
    except ModuleNotFoundError as error:
        raise MissingExtraError("the server", "server") from error
    from ..api_keys import Keys

    settings = app.settings.server
    with app.memory(create=True) as memory:
        keys = Keys(memory.status()["folder"])
        run.check_keys(bind_host, keys)
        listener = run.listen(bind_host, settings.port if port is None else port)
        with listener:
            application = _application(memory, keys, bind_host, app.language)
            if has_worker:
                memory.start_worker()
            elif memory.settings.origin.file is not None:
                memory.configuration.watch()
            logging.getLogger("taishi").handlers.clear()  # or every line would be logged twice
            configure_logging(log_form)
            address = run.address_of(listener)

            def announce() -> None:
                _announce(app, address, keys, as_json)
                ready(address)

            run.serve(application, listener, settings, announce)
    note(app.message("serve_closing"))


def _announce(app: CliContext, address: str, keys: Keys, as_json: bool) -> None:
    try:
        needs_keys = keys.set_up
    except TaishiError as error:  # the server answers 503 until the file is repaired
        from ..doctor.key_checks import explain_unreadable

        why = explain_unreadable(error, keys.path).in_(app.language)
        note(app.message("serve_no_keys", why=why))
        needs_keys = True
    if as_json:
        say_json({"address": address, "keys": needs_keys})
        return
    note(app.message("serve_ready", address=address))
    if not needs_keys:
        note(app.message("serve_open"))


def _application(memory: Memory, keys: Keys, host: str, language: str) -> Any:
    """The HTTP app with MCP mounted: `server` and `mcp_server` do not import each other."""
    from ..mcp_server import McpCaller, streamable_http_app
    from ..scope_headers import named_in, speaker_in
    from ..server.app import create_app, split
    from ..server.auth import Authenticator

    hosts = [*split(memory.settings.server.hosts), host]

    def caller_of(headers: Mapping[str, str]) -> McpCaller:
        caller = authenticator.authenticate(headers)
        caller.need("read")
        named: dict[str, Any] = named_in(headers)
        scope = caller.scope(**{field: id for field, id in named.items() if id is not None})
        is_known = caller.key is None or caller.key.agent == scope.agent
        writes, speaker = caller.may("write"), speaker_in(headers)
        return McpCaller(scope, may_write=writes, name=speaker, may_decide=is_known)

    mcp = streamable_http_app(memory, caller_of, host="", language=language)
    application = create_app(memory, keys=keys, mounts={"/mcp": mcp}, hosts=hosts)
    authenticator: Authenticator = application.state.authenticator
    return application
