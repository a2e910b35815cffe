"""The web pages at `/`: built files from `web/`, and signing in with a key.

The files are no secret; what they show comes from /v1, with the rights of whoever asks. They are
made by the wheel's build and by `make setup`; without them the page says how to make them.
"""

from __future__ import annotations

import asyncio
import mimetypes
from functools import partial
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from ..auth import caller_of
from ..problems import not_found
from ..sessions import COOKIE, LIFE_SECONDS
from .unbuilt import UNBUILT

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FOREVER = "public, max-age=31536000, immutable"  # the names of assets carry a hash of the content
UNBUILT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def pages_router(static: Path = STATIC) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def index() -> Response:
        content = _content(static, "index.html")
        if content is None:
            return HTMLResponse(UNBUILT, headers={"Content-Security-Policy": UNBUILT_POLICY})
        return HTMLResponse(content, headers={**HEADERS, "Cache-Control": "no-cache"})

    @router.get("/ui/assets/{name}")
    async def asset(name: str) -> Response:
        content = _content(static / "assets", name)
        if content is None:
            raise not_found("there is no such file; load the page again")
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        headers = {**HEADERS, "Cache-Control": FOREVER}
        return Response(content, media_type=media_type, headers=headers)

    @router.post("/ui/session")
    async def sign_in(request: Request) -> Response:
        """The key is in `Authorization`, as everywhere: wrong ones are slowed down as elsewhere."""
        caller = await caller_of(request)
        answer = Response(status_code=204, headers={"Cache-Control": "no-store"})
        if caller.key is not None:
            sessions = request.app.state.authenticator.sessions
            token = await asyncio.to_thread(sessions.begin, caller.key.id)
            _cookie(request, answer)(token, max_age=LIFE_SECONDS)
        return answer

    @router.delete("/ui/session")
    async def sign_out(request: Request) -> Response:
        await caller_of(request)
        sessions = request.app.state.authenticator.sessions
        await asyncio.to_thread(sessions.end, request.headers)
        answer = Response(status_code=204, headers={"Cache-Control": "no-store"})
        _cookie(request, answer)("", max_age=0)
        return answer

    return router


def _cookie(request: Request, answer: Response) -> partial[None]:
    secure = request.url.scheme == "https"
    return partial(
        answer.set_cookie, COOKIE, httponly=True, samesite="strict", path="/", secure=secure
    )


def _content(folder: Path, name: str) -> bytes | None:
    """A file that lies in the folder itself: a name with a path in it is no name."""
    if Path(name).name != name or name.startswith("."):
        return None
    try:
        return (folder / name).read_bytes()
    except (OSError, ValueError):
        return None
