"""Options whose value is a JSON object."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..errors import InputError

F = TypeVar("F", bound=Callable[..., Any])
EXAMPLE = {"--filter": '{"kind": "fact"}', "--metadata": '{"project": "apollo"}'}


def filter_option(command: F) -> F:
    return click.option(
        "--filter",
        "filters",
        metavar="JSON",
        callback=_object,
        help='Only matching records, e.g. \'{"metadata.project": "apollo"}\'.',
    )(command)


def metadata_option(command: F) -> F:
    return click.option("--metadata", metavar="JSON", callback=_object, help="Your own data.")(
        command
    )


def _object(ctx: click.Context, param: click.Parameter, text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    name = param.opts[0]
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InputError(f"{name} must be a JSON object such as '{EXAMPLE[name]}'")
    return given
