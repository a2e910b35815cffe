"""Errors of the OAuth endpoints, by the codes of their RFCs."""

from __future__ import annotations

from ...errors import TaishiError


class OAuthError(TaishiError):
    """`code` is for the program (RFC 6749, 7591, 8707), `description` for whoever reads its log."""

    def __init__(self, code: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.code, self.description, self.status = code, description, status
