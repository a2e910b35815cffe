"""Models for the clients that connected by OAuth."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ..oauth.state import Connection
from .common import ResponseModel, to_utc


class ConnectionOut(ResponseModel):
    """A connected client, without its tokens."""

    id: str
    client: str = Field(description="What the client calls itself.")
    key: str = Field(description="The id of the key that allowed it.")
    user: str | None = Field(description="Whose memory, if the key does not say.")
    access: str = Field(description="read, or write.")
    created: datetime | None
    renewed: datetime | None = Field(description="When it last got new tokens.")

    @classmethod
    def of(cls, connection: Connection) -> ConnectionOut:
        approval = connection.approval
        return cls(
            id=connection.id,
            client=approval.client_name,
            key=approval.key,
            user=approval.user,
            access=approval.access,
            created=to_utc(connection.created),
            renewed=to_utc(connection.renewed),
        )


class ConnectionsOut(ResponseModel):
    connections: list[ConnectionOut]
