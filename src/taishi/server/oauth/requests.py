"""What a client asks for when it sends somebody here to allow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import OAuthError
from .pkce import is_challenge
from .redirects import is_registered
from .state import Access, Client

SCOPES: dict[str, Access] = {"memory:read": "read", "memory:write": "write"}
MAX_STATE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """Checked; it may be answered at `redirect_uri`."""

    client: str
    redirect_uri: str
    challenge: str
    access: Access
    state: str | None = None


class UnsafeRequestError(OAuthError):
    """One that must not be answered by a redirect: where to is not known to be the client's."""


def redirect_uri_of(client: Client | None, given: Mapping[str, str]) -> str:
    """Where the answer goes, before anything else of the request is believed."""
    if client is None:
        raise UnsafeRequestError("invalid_client", "this client is not registered here")
    uri = given.get("redirect_uri", "")
    if not is_registered(uri, client.redirect_uris):
        raise UnsafeRequestError(
            "invalid_request", "redirect_uri is not one that the client registered"
        )
    return uri


def checked(client: Client, given: Mapping[str, str], resource: str) -> AuthorizationRequest:
    """The request, or an error for the client. `resource`: the only one there are tokens for."""
    if given.get("response_type") != "code":
        raise OAuthError("unsupported_response_type", "response_type must be code")
    challenge = given.get("code_challenge", "")
    if given.get("code_challenge_method") != "S256" or not is_challenge(challenge):
        message = "PKCE is needed: code_challenge, with code_challenge_method=S256"
        raise OAuthError("invalid_request", message)
    check_resource(given.get("resource"), resource)
    state = given.get("state")
    if state is not None and len(state) > MAX_STATE_CHARS:
        raise OAuthError("invalid_request", "state is too long")
    access = access_of(given.get("scope", ""))
    return AuthorizationRequest(client.id, given["redirect_uri"], challenge, access, state)


def check_resource(given: str | None, resource: str) -> None:
    """RFC 8707. A client that names none means the only one there is."""
    if given is not None and given.rstrip("/") != resource:
        raise OAuthError("invalid_target", f"there are tokens for {resource} only")


def access_of(scope: str) -> Access:
    """What the scopes ask for: all there is, if none is named. Those of other servers are ignored,
    unless there are only such."""
    names = scope.split()
    known = [SCOPES[name] for name in names if name in SCOPES]
    if names and not known:
        raise OAuthError("invalid_scope", f"scope may hold {' and '.join(SCOPES)}")
    return "read" if known and "write" not in known else "write"


def scope_of(access: Access) -> str:
    return " ".join(SCOPES) if access == "write" else "memory:read"
