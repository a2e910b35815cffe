"""Where a browser may be sent with a code: exactly to an address that the client registered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import SplitResult, urlencode, urlsplit

from .errors import OAuthError

MAX_URI_CHARS = 2000
MAX_URIS = 10
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# A browser runs or reads these itself; a private scheme is opened by the program that has it.
REFUSED_SCHEMES = frozenset(
    "about blob chrome data file filesystem ftp intent javascript mailto resource sms tel "
    "vbscript view-source ws wss".split()
)
_PLAIN = re.compile(r"[\x21-\x7e]+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]{1,60}")


def checked_uris(given: object) -> tuple[str, ...]:
    """The redirect addresses of a registration, or invalid_redirect_uri."""
    if not isinstance(given, list) or not 1 <= len(given) <= MAX_URIS:
        raise _refused(f"redirect_uris must be a list of 1 to {MAX_URIS} addresses")
    return tuple(_checked(uri) for uri in given)


def _checked(uri: object) -> str:
    parts = _split(uri)
    if not isinstance(uri, str) or parts is None:
        raise _refused("a redirect address must be absolute, in ASCII, without fragment or user")
    is_loopback = parts.scheme == "http" and parts.hostname in LOOPBACK
    is_private = parts.scheme not in ("http", "https") and parts.scheme not in REFUSED_SCHEMES
    if parts.scheme == "https" or is_loopback or (is_private and _SCHEME.fullmatch(parts.scheme)):
        return uri
    raise _refused("a redirect address must be https, http on this machine, or an app's own scheme")


def _split(uri: object) -> SplitResult | None:
    if not isinstance(uri, str) or len(uri) > MAX_URI_CHARS or not _PLAIN.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    needs_host = parts.scheme in ("http", "https")
    if not parts.scheme or "#" in uri or "@" in parts.netloc or "\\" in uri:
        return None
    return None if needs_host and not parts.hostname else parts


def is_registered(uri: str, registered: Iterable[str]) -> bool:
    """The same address to the letter; on this machine any port will do, as a program takes the one
    that is free (RFC 8252)."""
    return any(uri == one or _same_on_loopback(uri, one) for one in registered)


def _same_on_loopback(uri: str, registered: str) -> bool:
    given, known = _split(uri), _split(registered)
    if given is None or known is None or known.scheme != "http" or known.hostname not in LOOPBACK:
        return False
    return (given.scheme, given.hostname, given.path, given.query) == (
        known.scheme,
        known.hostname,
        known.path,
        known.query,
    )


def with_parameters(uri: str, parameters: Mapping[str, str | None]) -> str:
    given = urlencode({name: value for name, value in parameters.items() if value is not None})
    return f"{uri}{'&' if '?' in uri else '?'}{given}"


def form_target(uri: str) -> str:
    """The origin or scheme that a form may lead to, for a Content-Security-Policy."""
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https"):
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}"


def shown_target(uri: str) -> str:
    """Where the person will be sent, short enough to be read."""
    parts = urlsplit(uri)
    return parts.netloc if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def _refused(why: str) -> OAuthError:
    return OAuthError("invalid_redirect_uri", why)
