"""The pages on which a person signs in and allows a client, as plain HTML without scripts.

What a client says of itself is a stranger's text: it is escaped, and shown on one line.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

from starlette.responses import HTMLResponse

from ...api_keys import Key
from ...context_block.block import sanitize_line
from .messages import words
from .redirects import form_target, shown_target

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;"
    "color:#1d1d1f;background:#fff}h1{font-size:1.4rem}label{display:block;margin:1rem 0 .3rem}"
    "input[type=password],input[type=text]{width:100%;padding:.5rem;font:inherit;"
    "box-sizing:border-box}button{font:inherit;padding:.5rem 1.2rem;margin:1.2rem .6rem 0 0}"
    ".name{font-weight:600;overflow-wrap:anywhere}.error{color:#b00020}.faint{color:#5f6368}"
    "@media(prefers-color-scheme:dark){body{color:#e8eaed;background:#202124}"
    ".error{color:#f28b82}.faint{color:#9aa0a6}}"
)
MAX_NAME_CHARS = 100
NOBODY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, for what, and where the answer goes."""

    client_name: str
    redirect_uri: str
    access: str


def sign_in_page(asking: Asking, sealed: str, language: str, error: str = "") -> HTMLResponse:
    body = f"""{_introduction(asking, language)}{_error(error, language)}
<form method="post" action="/authorize" autocomplete="off">
<input type="hidden" name="step" value="sign-in">
<input type="hidden" name="form" value="{escape(sealed)}">
<label for="key">{words(language, "key")}</label>
<input type="password" id="key" name="key" required maxlength="200" autofocus>
<button type="submit">{words(language, "continue")}</button>
</form>"""
    title = words(language, "sign_in")
    return _page(title, body, language, "'self'", 200 if not error else 403)


def consent_page(
    asking: Asking,
    key: Key,
    sealed: str,
    language: str,
    error: str = "",
    users: Mapping[str, str] = NOBODY,
) -> HTMLResponse:
    """`users` are offered where the key opens the memory of many: names by id."""
    can_write = key.rights != "read" and asking.access == "write"
    may = words(language, "may_write" if can_write else "may_read")
    body = f"""{_introduction(asking, language)}{_error(error, language)}
<p>{words(language, "would")} <strong>{may}</strong></p>
<p>{words(language, "where")} <strong>{escape(_opens(key, language))}</strong></p>
<form method="post" action="/authorize" autocomplete="off">
<input type="hidden" name="step" value="decide">
<input type="hidden" name="form" value="{escape(sealed)}">
{_choices(key, asking, language, users)}
<button type="submit" name="decision" value="allow">{words(language, "allow")}</button>
<button type="submit" name="decision" value="deny" formnovalidate>{words(language, "deny")}</button>
</form>
<p class="faint">{words(language, "until")}</p>"""
    # A browser holds the redirect that answers a form to this policy, too.
    target = f"'self' {form_target(asking.redirect_uri)}"
    return _page(words(language, "title"), body, language, target, 200 if not error else 400)


def error_page(message: str, language: str, status: int = 400) -> HTMLResponse:
    body = f'<p class="error">{escape(words(language, message))}</p>'
    return _page(words(language, "failed"), body, language, "'none'", status)


def _introduction(asking: Asking, language: str) -> str:
    name = sanitize_line(asking.client_name)[:MAX_NAME_CHARS] or words(language, "unnamed")
    where = shown_target(asking.redirect_uri)
    return (
        f'<p><span class="name">{escape(name)}</span> {words(language, "asks")}</p>'
        f'<p class="faint">{words(language, "self_named")} <code>{escape(where)}</code></p>'
    )


def _choices(key: Key, asking: Asking, language: str, users: Mapping[str, str]) -> str:
    parts = []
    if not key.is_narrow:
        options = (
            f'<option value="{escape(id)}">{escape(sanitize_line(name)[:MAX_NAME_CHARS])}</option>'
            for id, name in users.items()
        )
        parts.append(
            f'<label for="user">{words(language, "whose")}</label>'
            '<input type="text" id="user" name="user" required maxlength="250" list="users">'
            f'<datalist id="users">{"".join(options)}</datalist>'
        )
    if key.rights == "read":
        parts.append(f'<p class="faint">{words(language, "key_reads")}</p>')
    elif asking.access == "write":
        label = words(language, "read_only")
        parts.append(f'<label><input type="checkbox" name="read_only" value="1"> {label}</label>')
    return "\n".join(parts)


def _opens(key: Key, language: str) -> str:
    """What the key opens, as far as the client will get of it."""
    named = {"workspace": key.workspace or "default", "user": key.user, "group": key.group}
    named["agent"] = key.agent
    return ", ".join(words(language, what, id=id) for what, id in named.items() if id)


def _error(key: str, language: str) -> str:
    return f'<p class="error" role="alert">{escape(words(language, key))}</p>' if key else ""


def _page(title: str, body: str, language: str, target: str, status: int) -> HTMLResponse:
    lang = "zh-CN" if language == "zh" else "en"
    text = (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title} · Taishi 太史</title><style>{STYLE}</style></head>"
        f"<body><h1>{title}</h1>{body}</body></html>"
    )
    return HTMLResponse(text, status, headers=_headers(target))


def _headers(target: str) -> dict[str, str]:
    """`Referrer-Policy: same-origin`, not none: without a referrer browsers send `Origin: null`,
    and the next step could not tell our form from another's."""
    style = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{style}'; form-action {target}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
