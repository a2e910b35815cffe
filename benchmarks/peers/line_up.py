"""Who takes part: what is installed for each, and how it is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# For a Python whose own sqlite3 was built without extensions.
SQLITE = "pysqlite3-binary==0.5.4.post2"
NUMPY = "numpy==2.4.6"


@dataclass(frozen=True, slots=True)
class Contender:
    """`home` is the venv it lives in ("" is the project's own, with nothing installed)."""

    name: str
    driver: str
    home: str = ""
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    ways: tuple[str, ...] = ("filtered",)
    writes: tuple[str, ...] = ("one",)
    environment: Mapping[str, str] = field(default_factory=dict)
    largest: int | None = None  # records that it can be filled with in bearable time


BOTH = ("filtered", "unfiltered")
OURS = "taishi"
OURS_ONE_SCOPE = "taishi, one scope"
CHROMA = ("chromadb==1.5.9", NUMPY)
LANGGRAPH = ("langgraph-checkpoint==4.3.1", "langgraph-checkpoint-sqlite==3.1.2", NUMPY, SQLITE)
MEM0 = ("mem0ai==2.2.1", "chromadb==1.5.9", "qdrant-client==1.20.0", NUMPY)

LINE_UP = (
    Contender(OURS, "taishi", ways=("filtered", "vectors"), writes=("one", "one, vector too")),
    Contender(
        OURS_ONE_SCOPE,
        "taishi",
        options=("one-scope",),
        ways=("unfiltered", "unfiltered vectors"),
        writes=(),
    ),
    Contender("chromadb", "chromadb", "chromadb", CHROMA, ways=BOTH),
    Contender("lancedb", "lancedb", "lancedb", ("lancedb==0.40.0", NUMPY), ways=BOTH),
    Contender("mem0", "mem0", "mem0", MEM0, ("qdrant",)),
    Contender("mem0 on chromadb", "mem0", "mem0", MEM0, ("chroma",), largest=20_000),
    Contender("langgraph sqlite", "langgraph", "langgraph", LANGGRAPH, ("sqlite",)),
    Contender("langgraph memory", "langgraph", "langgraph", LANGGRAPH, ("memory",), writes=()),
    Contender(
        "sqlite-vec", "sqlite_vec", "sqlite-vec", ("sqlite-vec==0.1.9", NUMPY, SQLITE), ways=BOTH
    ),
    # Its second thread waits for a busy core longer than the product takes on one.
    Contender("numpy float32", "numpy", ways=BOTH, environment={"OPENBLAS_NUM_THREADS": "1"}),
    Contender("raw FTS5", "fts5"),
)


def chosen(only: str | None) -> tuple[Contender, ...]:
    """Those whose name begins with one of a comma-separated list; ours always take part."""
    if not only:
        return LINE_UP
    wanted = tuple(name.strip().lower() for name in only.split(","))
    found = tuple(
        contender
        for contender in LINE_UP
        if contender.driver == OURS or contender.name.lower().startswith(wanted)
    )
    for name in wanted:
        if not any(contender.name.lower().startswith(name) for contender in LINE_UP):
            names = ", ".join(contender.name for contender in LINE_UP)
            raise SystemExit(f"--only: nobody is called {name!r}; use some of {names}")
    return found
