"""A FastAPI app with one route that reads and writes JSON and does nothing else: the floor."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from taishi.server.access_log import ServerMetrics
from taishi.server.run import address_of, listen, serve
from taishi.settings import ServerSettings


class Question(BaseModel):
    scope: dict[str, Any]
    query: str


class Hit(BaseModel):
    id: str
    text: str
    score: float


class Answer(BaseModel):
    hits: list[Hit]
    level: str


def bare_app() -> FastAPI:
    app = FastAPI()
    app.state.metrics = ServerMetrics()  # the connection limits count there

    @app.post("/bare")
    async def bare(body: Question) -> Answer:
        hits = [Hit(id=str(number), text=body.query, score=0.5) for number in range(5)]
        return Answer(hits=hits, level="hybrid")

    return app


if __name__ == "__main__":
    with listen("127.0.0.1", 0) as made:
        serve(bare_app(), made, ServerSettings(), lambda: print(address_of(made), flush=True))
