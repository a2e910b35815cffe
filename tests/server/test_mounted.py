"""An app that is mounted at a path, such as /mcp: its address and its name in the log."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from server.conftest import Served
from taishi.cli.serve import new_application

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
NAMED = {"Accept": "application/json, text/event-stream", "X-Taishi-User": "u7"}


@pytest.mark.parametrize(
    "path, status, route",
    [
        ("/mcp", 200, "/mcp"),
        ("/mcp/", 200, "/mcp"),
        ("/mcp//", 404, "(none)"),
        ("/mcp/x", 404, "(none)"),
        ("/mcpx", 404, "(none)"),
    ],
)
def test_mcp_answers_with_and_without_a_slash_and_is_named_in_the_log(
    serve: Callable[..., Served], path: str, status: int, route: str
) -> None:
    served = serve()
    app = new_application(served.memory, served.keys, "127.0.0.1", "en")
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.post(path, json=CALL, headers=NAMED).status_code == status
    assert ("POST", route, str(status)) in app.state.metrics.requests.read()
