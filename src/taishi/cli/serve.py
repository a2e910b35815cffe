"""`taishi serve`: REST, MCP, the OpenAI proxy, metrics and the web pages on one address."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..errors import MissingExtraError, TaishiError
from ..settings.live import tell as tell_changes
from .context import CliContext, common_options, pass_app
from .log_form import Tell, log_option, told_as
from .output import note, say_json

if TYPE_CHECKING:
    from ..api_keys import Keys
    from ..memory import Memory
    from ..server.worker_board import WorkerPlace
    from ..types import Partition

log = logging.getLogger("taishi.server")
CREATE_KEY = "keys create NAME"


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen; server.host.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port, 0 for any; server.port.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many processes share the port.",
)
@click.option(
    "--historians",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many of these run the historian.",
)
@click.option("--no-worker", is_flag=True, help="Leave the historian to `taishi work`.")
@log_option
@common_options
@pass_app
def serve(
    app: CliContext,
    host: str | None,
    port: int | None,
    workers: int,
    historians: int,
    no_worker: bool,
    log_form: str,
    as_json: bool,
) -> None:
    """Serve REST, MCP, the OpenAI-compatible proxy, /metrics and web pages."""
    app.need_engine()
    bind_host = host or app.settings.server.host
    with told_as(log_form) as tell:
        if workers == 1:
            run_server(app, bind_host, port, not no_worker, tell, as_json)
            return
        from .serve_workers import Plan, run_workers

        plan = Plan(app, bind_host, port, workers, 0 if no_worker else historians, log_form)
        is_new = app.has_empty_folder() and not as_json

        def say_ready(address: str, state: Mapping[str, Any]) -> None:
            if is_new:
                tell(app.new_memory())
            announce(app, address, state, as_json, tell)

        code = run_workers(plan, say_ready)
        if code == 0:
            tell(app.message("serve_closing"))
    click.get_current_context().exit(code)


def run_server(
    app: CliContext,
    bind_host: str,
    port: int | None,
    has_worker: bool,
    tell: Tell,
    as_json: bool,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until Ctrl-C; `ready` is told the address once requests are accepted."""
    app.need_engine()
    check_extra()
    from ..server import run

    settings = app.settings.server
    # Before the memory is opened: a start that is refused leaves no new folder behind.
    keys = open_keys(app, bind_host)
    with (
        run.listen(bind_host, settings.port if port is None else port) as listener,
        app.memory(create=True, role="serve", tell=tell) as memory,
    ):
        application = new_application(memory, keys, bind_host, app.language)
        start_background(memory, has_worker)
        address = run.address_of(listener)

        def say_ready() -> None:
            announce(app, address, key_state(app, keys), as_json, tell)
            ready(address)

        run.serve(application, listener, settings, say_ready, partial(_reload, app, memory))
    tell(app.message("serve_closing"))


def _reload(app: CliContext, memory: Memory) -> None:
    """SIGHUP: the settings file is read now. The process goes on in any case."""
    try:
        settings = replace(app.load(), machine=memory.settings.machine)
        report = memory.configuration.apply(settings)
    except TaishiError as error:
        log.error("the settings stay as they are: %s", error)
        return
    tell_changes(report)
    if report.need_restart:
        log.warning("to restart without a gap on SIGHUP, serve with --workers 2")


def check_extra() -> None:
    try:
        from .. import mcp_server  # noqa: F401  (its package is part of the same extra)
        from ..server import run  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError("the server", "server") from error


def open_keys(app: CliContext, bind_host: str) -> Keys:
    from ..api_keys import Keys
    from ..server import run

    keys = Keys(app.settings.memory.data)
    run.check_keys(bind_host, keys, app.command(CREATE_KEY))
    return keys


def start_background(memory: Memory, has_worker: bool) -> None:
    """The historian, or at least the settings file."""
    if has_worker:
        memory.start_worker()
    elif memory.settings.origin.file is not None:
        memory.configuration.watch()


def key_state(app: CliContext, keys: Keys) -> dict[str, Any]:
    """Whether keys are needed, and whether any is good; with `problem`, why they cannot be read."""
    try:
        return {"keys": keys.set_up, "live": keys.any_live}
    except TaishiError as error:  # the server answers 503 until the file is repaired
        from ..doctor.key_checks import explain_unreadable

        return {"keys": True, "problem": explain_unreadable(error, keys.path).in_(app.language)}


def announce(
    app: CliContext, address: str, ready: Mapping[str, Any], as_json: bool, tell: Tell = note
) -> None:
    if "problem" in ready:
        tell(app.message("serve_no_keys", why=ready["problem"]))
    elif ready["keys"] and not ready["live"]:
        tell(app.message("no_live_key", command=app.command(CREATE_KEY)))
    if as_json:
        workers = {"workers": ready["workers"]} if "workers" in ready else {}
        say_json({"address": address, "keys": ready["keys"], **workers})
        return
    if "workers" in ready:
        tell(app.message("serve_workers_ready", address=address, workers=ready["workers"]))
    else:
        tell(app.message("serve_ready", address=address))
    if not ready["keys"]:
        tell(app.message("serve_open", command=app.command(CREATE_KEY)))


def new_application(
    memory: Memory, keys: Keys, host: str, language: str, place: WorkerPlace | None = None
) -> Any:
    """The HTTP app with MCP mounted: `server` and `mcp_server` do not import each other."""
    from ..mcp_server import McpCaller, streamable_http_app
    from ..scope_headers import moment_in, named_in, speaker_in
    from ..server.app import create_app, split
    from ..server.auth import Authenticator
    from ..server.forgotten_access import forget_access
    from ..server.oauth.access import TokenKeys

    hosts = [*split(memory.settings.server.hosts), host]

    def caller_of(headers: Mapping[str, str]) -> McpCaller:
        caller = authenticator.authenticate(headers, tokens)
        caller.need("read")
        named: dict[str, Any] = named_in(headers)
        scope = caller.scope(**{field: id for field, id in named.items() if id is not None})
        is_known = caller.key is None or caller.key.agent == scope.agent
        writes, speaker = caller.may("write"), speaker_in(headers)
        now = moment_in(headers, memory.settings.zone())
        return McpCaller(scope, writes, speaker, is_known, now, forgotten)

    def forgotten(place: Partition) -> int:
        return forget_access(keys, place).total

    def challenge() -> str:
        return tokens.challenge if tokens is not None else "Bearer"

    mcp = streamable_http_app(memory, caller_of, host="", language=language, challenge=challenge)
    application = create_app(memory, keys=keys, mounts={"/mcp": mcp}, hosts=hosts, place=place)
    authenticator: Authenticator = application.state.authenticator
    tokens: TokenKeys | None = application.state.token_keys
    return application
