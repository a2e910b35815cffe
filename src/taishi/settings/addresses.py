"""Addresses of memories, databases and other engines: checked, and as they may be shown, which is
without their passwords."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import InputError

MASK = "***"
SHORT_PASSWORD = 6  # masking a shorter one wherever it occurs would tell what it is
POSTGRES_SCHEMES = ("postgresql", "postgres")
SERVER_SCHEMES = ("https", "http")
# A Path has lost one of the slashes: better refused as an address than made as a folder.
_SERVER = re.compile(r"\s*https?:/", re.IGNORECASE)
# "C:1" is a drive's. A name of the network has two characters at least, or is in brackets.
_HOST_AND_PORT = re.compile(r"\s*(?:\[[0-9a-f:.]+\]|[\w-][\w.-]+):[0-9]{1,5}(?:/|\s*$)", re.I)
# Not quoted in an error, as it may have a password.
_ONE_SLASH = re.compile(r"\s*postgres(?:ql)?:/(?!/)", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
# The password ends at the last @ before the path: one that was not escaped may contain others.
_USER = re.compile(r"(?P<before>[a-z][a-z0-9+.-]+:/{1,2}[^:/?#\s]*:)[^/?#\s]*(?=@)", re.IGNORECASE)
_LOOSE = re.compile(r"(?P<before>[a-z][a-z0-9+.-]+:/{1,2}[^:/?#\s@]*:)[^\s]*(?=@)", re.IGNORECASE)
_OPTION = re.compile(r"(?P<before>[?&;](?:ssl)?pass(?:word|wd|phrase)?=)[^&;#\s]*", re.IGNORECASE)
_PORT_AND_OPTIONS = re.compile(r"\d{1,5}/[^@]*\?")
_BARE = re.compile(r"[/@]|%(?![0-9a-f]{2})", re.IGNORECASE)


def scheme_of(address: str | Path) -> str:
    """In lower case; "" for the path of a folder."""
    found = _SCHEME.match(str(address))
    return found[1].lower() if found else ""


def is_postgres(address: str | Path) -> bool:
    return scheme_of(address) in POSTGRES_SCHEMES


def is_server(address: str | Path) -> bool:
    """Whether it is that of a running `taishi serve`."""
    return _SERVER.match(str(address)) is not None


def checked_address(address: object) -> str | Path:
    """Where a memory is, as a caller gave it. Anything else would become a folder that is named
    after its repr."""
    if isinstance(address, str):
        return address
    path = os.fspath(address) if isinstance(address, os.PathLike) else None
    if not isinstance(path, str):
        raise InputError(
            f"the address of a memory must be a text or a path, not {type(address).__name__}: give "
            "a folder such as './data', postgresql://… or http(s)://…; settings go into settings=…"
        )
    return Path(path)


def complaint_about(address: str | Path) -> str | None:
    """What is wrong with `localhost:8321`, which lacks its scheme, or `postgresql:/HOST/DATABASE`,
    which lacks a slash. A `Path` of the first name is a folder."""
    if _ONE_SLASH.match(str(address)):
        return (
            "the address begins with postgresql:/ and one slash; write two, as in "
            "postgresql://USER@HOST/DATABASE"
        )
    if not isinstance(address, str) or not _HOST_AND_PORT.match(address):
        return None
    named = address.strip()[:200]
    return (
        f"{named!r} looks like the address of a server: did you mean http://{named}? For a folder "
        f"of that name, write ./{named}"
    )


def without_password(address: str | Path) -> str:
    """An address for logs, errors and screens. A path is left as it is."""
    text = str(address)
    if not (scheme_of(text) or _ONE_SLASH.match(text)):
        return text
    masked = rf"\g<before>{MASK}"
    return _OPTION.sub(masked, _LOOSE.sub(masked, _USER.sub(masked, text, count=1), count=1))


def without_any_password(text: str, address: str | Path) -> str:
    """A text that may quote an address, or a part of it, without the address's password. A short
    one is masked in its place alone: `P***stgreSQL` says that it is `o`."""
    shown = text.replace(str(address), without_password(address))
    for secret in passwords_of(address):
        shown = shown.replace(f":{secret}@", f":{MASK}@")
        if len(secret) >= SHORT_PASSWORD:
            shown = shown.replace(secret, MASK)
    return shown


def has_bare_password(address: str | Path) -> bool:
    """Whether the password has a character that ends it too early: it has to be percent-encoded."""
    found = _LOOSE.match(str(address))
    if found is None:
        return False
    password = str(address)[found.end("before") : found.end()]
    if _PORT_AND_OPTIONS.match(password):  # no password at all, but an @ in an option
        return False
    return _BARE.search(password) is not None


def passwords_of(address: str | Path) -> list[str]:
    """The passwords in an address, as they are written there and as they are meant."""
    from urllib.parse import unquote

    text = str(address)
    found = [
        text[match.end("before") : match.end()]
        for pattern in (_USER, _LOOSE, _OPTION)
        for match in pattern.finditer(text)
    ]
    return list(dict.fromkeys(form for one in found if one for form in (one, unquote(one))))
