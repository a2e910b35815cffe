"""Proof Key for Code Exchange (RFC 7636), with SHA-256 only."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")


def is_challenge(text: str) -> bool:
    return _CHALLENGE.fullmatch(text) is not None


def fits(verifier: str, challenge: str) -> bool:
    """Whether a challenge was made of this verifier."""
    if _VERIFIER.fullmatch(verifier) is None:
        return False
    hashed = hashlib.sha256(verifier.encode("ascii")).digest()
    made = base64.urlsafe_b64encode(hashed).decode("ascii").rstrip("=")
    return hmac.compare_digest(made, challenge)
