"""A settings file in the data folder that is not the one in force: many look for it there, and it
would be ignored without a word."""

from __future__ import annotations

from pathlib import Path

from .schema import Settings

FILE_NAME = "taishi.toml"


def ignored_file(settings: Settings) -> Path | None:
    """`taishi.toml` in the data folder, if other settings are in force."""
    address, in_force = settings.memory.data, settings.origin.file
    if "://" in address:
        return None
    try:
        file = (Path(address).expanduser() / FILE_NAME).absolute()
        if not file.is_file():
            return None
        is_in_force = in_force is not None and in_force.exists() and in_force.samefile(file)
    except (OSError, ValueError, RuntimeError):  # no such user, a name too long, no permission
        return None
    return None if is_in_force else file
