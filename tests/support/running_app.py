"""An ASGI app behind a real socket on loopback, in a thread of this process."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any

import uvicorn

from taishi.server.run import config_of
from taishi.settings import ServerSettings


class RunningApp:
    """`with RunningApp(app) as server: httpx.get(server.url)`.

    With `settings` (`load().server`), served as `taishi serve` does.
    """

    def __init__(self, app: Any, settings: ServerSettings | None = None) -> None:
        if settings is None:
            config = uvicorn.Config(app, log_config=None, ws="none")
        else:
            config = config_of(app, settings)
        config.host, config.port = "127.0.0.1", 0
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, name="running-app", daemon=True)

    @property
    def url(self) -> str:
        (server,) = self._server.servers
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    @property
    def address(self) -> tuple[str, int]:
        (server,) = self._server.servers
        host, port = server.sockets[0].getsockname()[:2]
        return host, port

    def __enter__(self) -> RunningApp:
        self._thread.start()
        end = time.monotonic() + 20
        while not self._server.started:
            if time.monotonic() > end or not self._thread.is_alive():
                raise RuntimeError("the app did not start; its log says why")
            time.sleep(0.01)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._thread.join(30)
