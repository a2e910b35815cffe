"""An ASGI app behind a real socket on loopback, in a thread of this process."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any

import uvicorn


class RunningApp:
    """`with RunningApp(app) as server: httpx.get(server.url)`."""

    def __init__(self, app: Any) -> None:
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, ws="none")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, name="running-app", daemon=True)

    @property
    def url(self) -> str:
        (server,) = self._server.servers
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

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
