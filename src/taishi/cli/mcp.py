"""`taishi mcp` and `taishi tools`: serve an MCP client over stdio, print tool schemas."""

from __future__ import annotations

import shutil
import sys
import uuid
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ..disk.installation import extra_line
from ..errors import MissingExtraError
from ..settings.addresses import MASK, is_server, without_password
from ..types import Partition, Scope
from .context import (
    CliContext,
    common_options,
    json_option,
    pass_app,
    repeat_global_option,
    scope_options,
)
from .output import note, say_json
from .personal import is_personal, named_project, use_project

# Options may also come from the environment, as MCP clients set it easily: TAISHI_MCP_USER etc.
ENVIRONMENT = {"auto_envvar_prefix": "TAISHI_MCP"}


@click.command(context_settings=ENVIRONMENT)
@click.option(
    "--project",
    metavar="FOLDER",
    is_eager=True,
    expose_value=False,
    callback=use_project,
    help="The project's memory, as `taishi hook` keeps it.",
)
@click.option("--sender-name", metavar="NAME", help="The user's name.")
@click.option("--read-only", is_flag=True, help="Offer only tools that read.")
@click.option("--no-worker", is_flag=True, help="Do not run the historian in this process.")
@common_options
@pass_app
@scope_options
def mcp(
    app: CliContext,
    sender_name: str | None,
    read_only: bool,
    no_worker: bool,
    as_json: bool,
    scope: Scope,
) -> None:
    """Serve this scope to an MCP client over stdio; --json prints the client's entry."""
    if as_json:
        if find_spec("mcp") is None:
            note(app.message("mcp_no_extra", line=extra_line("mcp")))
        say_json({"mcpServers": {"taishi": _entry(app, scope, sender_name, read_only, no_worker)}})
        return
    try:
        from ..mcp_server import McpCaller, serve_stdio
    except ModuleNotFoundError as error:
        raise MissingExtraError("the MCP server", "mcp") from error
    if scope.session is None:  # one client's process is one session (F4)
        scope = replace(scope, session=f"mcp-{uuid.uuid4().hex[:12]}")
    forgotten = partial(_forget_access, app.settings.memory.data)
    caller = McpCaller(scope, may_write=not read_only, name=sender_name, forgotten=forgotten)
    with app.memory(create=True) as memory:
        if not no_worker:
            memory.start_worker()
        note(app.message("mcp_ready", place=scope.home))
        serve_stdio(memory, caller, app.language)


def _forget_access(address: str, place: Partition) -> int:
    """As with `taishi forget`; a server sees to its own keys."""
    if is_server(address):
        return 0
    from ..api_keys import Keys
    from ..server.forgotten_access import forget_access

    return forget_access(Keys(address), place).total


def _entry(
    app: CliContext, scope: Scope, sender_name: str | None, read_only: bool, no_worker: bool
) -> dict[str, Any]:
    """The client's configuration entry for this server, with absolute paths."""
    data = without_password(app.settings.memory.data).replace(f":{MASK}@", "@")
    arguments = [] if app.lang == "auto" else ["--lang", app.lang]
    arguments += ["--data", data if "://" in data else str(Path(data).expanduser().absolute())]
    project = named_project(click.get_current_context())
    if project is not None:  # the settings are looked for at each start, as the hook does
        config = [] if is_personal(app) else ["--config", _absolute(app.config)]
        arguments += [*config, "mcp", "--project", _absolute(project)]
    else:
        arguments += ["--config", _absolute(app.config)] if app.config else []
        arguments.append("mcp")
    options = {
        "user": scope.user,
        "group": scope.group,
        "agent": scope.agent,
        "session": scope.session,
        "sender-name": sender_name,
    }
    if scope.workspace != "default":
        options["workspace"] = scope.workspace
    arguments += [part for name, id in options.items() if id for part in (f"--{name}", id)]
    flags = {"shared": scope.shared, "read-only": read_only, "no-worker": no_worker}
    arguments += [f"--{name}" for name, is_set in flags.items() if is_set]
    return {"command": _command(), "args": arguments}


def _absolute(path: str | None) -> str:
    return str(Path(path or "").expanduser().absolute())


def _command() -> str:
    """The absolute path of `taishi`: clients do not know our virtual environment."""
    in_same_folder = Path(sys.executable).with_name("taishi")
    return str(in_same_folder) if in_same_folder.exists() else shutil.which("taishi") or "taishi"


@click.command()
@click.option(
    "--form",
    type=click.Choice(("openai", "anthropic")),
    default="openai",
    show_default=True,
    help="Whose form of schema.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also what only MCP offers: recall, context, forget.",
)
@json_option
@repeat_global_option("config")
@repeat_global_option("data")
@repeat_global_option("lang")
@pass_app
def tools(app: CliContext, form: str, everything: bool, as_json: bool) -> None:
    """Print the JSON schemas of the agent tools, described in --lang."""
    from .. import tools as agent_tools

    names = agent_tools.ALL_TOOLS if everything else agent_tools.AGENT_TOOLS
    schema_form: Any = form
    say_json(agent_tools.tool_schemas(schema_form, app.language, names))
