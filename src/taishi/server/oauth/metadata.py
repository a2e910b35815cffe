"""What clients read first: who protects this resource (RFC 9728), and how to ask (RFC 8414)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .requests import SCOPES

MCP_PATH = "/mcp"
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
SERVER_METADATA = "/.well-known/oauth-authorization-server"
# The paths that clients fall back to when they renew a token and have not read the metadata again.
AUTHORIZE, TOKEN, REGISTER, REVOKE = "/authorize", "/token", "/register", "/revoke"


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The address that clients know this server by, without a slash at its end."""

    url: str

    @property
    def resource(self) -> str:
        return f"{self.url}{MCP_PATH}"

    @property
    def challenge(self) -> str:
        """For a 401: where a client finds out how to sign in."""
        metadata = f"{self.url}{RESOURCE_METADATA}{MCP_PATH}"
        return f'Bearer resource_metadata="{metadata}", scope="{" ".join(SCOPES)}"'

    def resource_metadata(self) -> dict[str, Any]:
        return {
            "resource": self.resource,
            "resource_name": "Taishi",
            "authorization_servers": [self.url],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
        }

    def server_metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}{AUTHORIZE}",
            "token_endpoint": f"{self.url}{TOKEN}",
            "registration_endpoint": f"{self.url}{REGISTER}",
            "revocation_endpoint": f"{self.url}{REVOKE}",
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
