"""Environment variables that look like ours and that nothing reads: most have an underscore too few
or a letter too many, and would be ignored without a word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import NamedTuple

from .schema import Settings
from .spec import Spec, walk

OURS = ("TAISHI_DATA", "TAISHI_CONFIG", "TAISHI_LANG", "TAISHI_API_KEY")
# Read by what stands beside the command: the image, Compose, builds, the plugins, the examples.
BESIDE = frozenset(
    f"TAISHI_{name}"
    for name in (
        "ADDRESS",
        "BOT_NAME",
        "CHUNKS",
        "COMMAND",
        "KEY",
        "OTHER",
        "RECORD",
        "REPOSITORY_URL",
        "SECRETS",
        "SETTINGS",
        "SITE_URL",
        "TEST_ENGINE",
        "VECTORS",
    )
)
OPTIONS = ("TAISHI_MCP_", "TAISHI_HOOK_")  # options of these commands
# What Kubernetes tells every pod about a Service called `taishi`, or `taishi-…`.
_SERVICE = re.compile(r"TAISHI_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)")
_SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://")
LEAST_LIKENESS = 0.6


class Unread(NamedTuple):
    """A variable that nothing reads, and the name that may have been meant ("" if none is near)."""

    name: str
    nearest: str

    def __str__(self) -> str:
        hint = f"; did you mean {self.nearest}?" if self.nearest else ""
        return f"nothing reads the environment variable {self.name}{hint}"


def unread_variables(environ: Mapping[str, str]) -> list[Unread]:
    """TAISHI__SECTION__KEY is checked where settings are read; here is the rest of TAISHI_…."""
    found = sorted(name for name, value in environ.items() if not _is_known(name, value))
    if not found:
        return []
    keys = (key for key, spec in walk(Settings) if isinstance(spec, Spec))
    names = ["TAISHI__" + "__".join(key).upper() for key in keys]
    return [Unread(name[:100], _nearest(name[:100], [*OURS, *names])) for name in found]


def _is_known(name: str, value: str) -> bool:
    if not name.startswith("TAISHI_") or name.startswith(("TAISHI__", *OPTIONS)):
        return True
    is_service = name.endswith("_PORT") and _SERVICE_ADDRESS.match(value)
    return name in OURS or name in BESIDE or bool(is_service or _SERVICE.fullmatch(name))


def _nearest(name: str, names: list[str]) -> str:
    return next(iter(difflib.get_close_matches(name.upper(), names, 1, LEAST_LIKENESS)), "")
