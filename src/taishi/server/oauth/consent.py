"""The two steps of a consent: sign in with a key, then allow or deny."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...api_keys import Key, Keys
from ...errors import InputError, TaishiError, UnknownKeyError
from ...http_origins import parsed_origin
from ...language.accept_language import language_of
from ...types import clean_id
from ..problems import Problem
from .consent_page import Asking, consent_page, error_page, sign_in_page
from .errors import OAuthError
from .form_body import form_of, single
from .metadata import AUTHORIZE, PublicAddress
from .redirects import with_parameters
from .requests import AuthorizationRequest, UnsafeRequestError, checked, redirect_uri_of
from .seal import Seal, browser_mark
from .state import Access, Approval, Client
from .store import OAuthStore

if TYPE_CHECKING:
    from ...memory import Memory
    from ..auth import Authenticator

COOKIE = "taishi_consent"
COOKIE_SECONDS = 3600
MOST_USERS = 200  # that are offered


class Consent:
    """The pages at /authorize. Nothing is decided by a cookie alone: a key is typed in, and
    the form that follows is signed for that browser."""

    def __init__(self, store: OAuthStore, keys: Keys, seal: Seal, address: PublicAddress) -> None:
        self._store = store
        self._keys = keys
        self._seal = seal
        self._address = address

    async def begin(self, request: Request) -> Response:
        """GET: what the client asks for, and the sign-in form."""
        language = language_of(request.headers)
        try:
            given = single(list(request.query_params.multi_items()))
            client = self._store.client(given.get("client_id", ""))
            uri = redirect_uri_of(client, given)
        except UnsafeRequestError as error:
            return error_page(error.code, language)
        except OAuthError:
            return error_page("invalid_request", language)
        assert client is not None
        try:
            asked = checked(client, given, self._address.resource)
        except OAuthError as error:
            state = given.get("state", "")[:2000] or None
            return self._redirect(uri, state, error=error.code, error_description=str(error))
        browser = browser_mark(request.cookies.get(COOKIE, ""))
        sealed = await asyncio.to_thread(self._seal.close, asdict(asked), browser)
        answer = sign_in_page(_asking(client, asked), sealed, language)
        self._set_cookie(answer, browser)
        return answer

    async def go_on(self, request: Request) -> Response:
        """POST: the key, or the decision."""
        language = language_of(request.headers)
        try:
            form = await form_of(request)
        except OAuthError as error:
            return error_page("start_again", language, error.status)
        browser = request.cookies.get(COOKIE, "")
        content = self._seal.open(form.get("form", ""), browser)
        if content is None or not self._is_own_form(request):
            return error_page("start_again", language, 403)
        key_id = content.pop("key", None)
        asked = AuthorizationRequest(**content)
        client = self._store.client(asked.client)
        if client is None:
            return error_page("invalid_client", language)
        if form.get("step") == "decide" and key_id is not None:
            return await self._decided(request, client, asked, key_id, form, language)
        return await self._signed_in(request, client, asked, form, language)

    async def _signed_in(
        self,
        request: Request,
        client: Client,
        asked: AuthorizationRequest,
        form: dict[str, str],
        language: str,
    ) -> Response:
        authenticator: Authenticator = request.app.state.authenticator
        asking, browser = _asking(client, asked), request.cookies.get(COOKIE, "")
        try:
            # As every other door does it: wrong keys are slowed down.
            secret = form.get("key", "").strip().encode("ascii", "replace").decode()
            caller = await authenticator.admit({"authorization": f"Bearer {secret}"})
        except UnknownKeyError:
            return sign_in_page(asking, form["form"], language, "wrong_key")
        except Problem as problem:
            return error_page("too_many" if problem.status == 429 else "failed", language, 503)
        if caller.key is None:
            return error_page("no_keys", language, 403)
        content = {**asdict(asked), "key": caller.key.id}
        sealed = await asyncio.to_thread(self._seal.close, content, browser)
        users = await self._users(request, caller.key)
        return consent_page(asking, caller.key, sealed, language, users=users)

    async def _users(self, request: Request, key: Key) -> dict[str, str]:
        """Whose memory a key for a whole workspace may share, by id: the most recent first."""
        if key.is_narrow:
            return {}
        memory: Memory = request.app.state.memory
        try:
            found = await asyncio.to_thread(memory.partitions, key.workspace or "default")
        except TaishiError:  # then the id is typed
            return {}
        chats = [one for one in found if one.partition.kind == "private"]
        newest = sorted(chats, key=lambda one: one.last_time or 0.0, reverse=True)
        return {one.partition.id: one.name for one in newest[:MOST_USERS]}

    async def _decided(
        self,
        request: Request,
        client: Client,
        asked: AuthorizationRequest,
        key_id: str,
        form: dict[str, str],
        language: str,
    ) -> Response:
        if form.get("decision") != "allow":
            return self._redirect(asked.redirect_uri, asked.state, error="access_denied")
        key = self._keys.live(key_id)
        if key is None:
            return error_page("start_again", language, 403)
        try:
            user = None if key.is_narrow else clean_id(form.get("user", ""), "user")
        except InputError:
            user = None
        if not key.is_narrow and user is None:
            asking = _asking(client, asked)
            users = await self._users(request, key)
            return consent_page(asking, key, form["form"], language, "whose_needed", users)
        access = _access(key, asked, form)
        resource = self._address.resource
        approval = Approval(client.id, client.name, key.id, access, resource, user)
        code = await asyncio.to_thread(
            self._store.approve, approval, asked.redirect_uri, asked.challenge
        )
        return self._redirect(asked.redirect_uri, asked.state, code=code)

    def _is_own_form(self, request: Request) -> bool:
        """A browser says where a form came from; it has to be a page of this address."""
        site = request.headers.get("sec-fetch-site")
        if site is not None and site.strip().lower() != "same-origin":
            return False
        origin = request.headers.get("origin")
        return origin is None or parsed_origin(origin) == parsed_origin(self._address.url)

    def _redirect(self, uri: str, state: str | None, **parameters: Any) -> Response:
        """With `iss` (RFC 9207), so that a client knows which server answered."""
        given = {**parameters, "state": state, "iss": self._address.url}
        headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
        return RedirectResponse(with_parameters(uri, given), 303, headers=headers)

    def _set_cookie(self, answer: Response, browser: str) -> None:
        answer.set_cookie(
            COOKIE,
            browser,
            max_age=COOKIE_SECONDS,
            path=AUTHORIZE,
            httponly=True,
            samesite="lax",
            secure=self._address.url.startswith("https:"),
        )


def _asking(client: Client, asked: AuthorizationRequest) -> Asking:
    return Asking(client.name, asked.redirect_uri, asked.access)


def _access(key: Key, asked: AuthorizationRequest, form: dict[str, str]) -> Access:
    """No more than was asked for, than the key may, and than the person allows."""
    is_narrowed = asked.access == "read" or key.rights == "read" or "read_only" in form
    return "read" if is_narrowed else "write"
