"""Retrieval from documents: `memory.knowledge.search` beside plain chunks and LangChain.

`python -m benchmarks knowledge` asks the questions of `knowledge_questions.jsonl`, half of them in
English and half in Chinese, of this project's own pages, in one run and with one embedder. They
were written from the pages in words of their own, before anything was measured. A question is
answered if one of its `evidence` sentences is in what the first three results show; only letters
and digits are compared. Results differ in length, and a longer one holds more: the characters that
the three show are in the table.

Plain chunks are windows of 700 characters that overlap by 80, ranked by cosine, and once by cosine
fused with BM25. LangChain is no dependency: `pip install langchain-core langchain-text-splitters`.
"""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import Results
from taishi import Memory, Scope, load
from taishi.assembly.models import choose_embedder
from taishi.errors import ModelMissingError
from taishi.evaluation.baselines import Bm25, fuse
from taishi.ports import Embedder

ROOT = Path(__file__).parent.parent
QUESTIONS = Path(__file__).with_name("knowledge_questions.jsonl")
# Pages of figures change with every run of a benchmark.
LEFT_OUT = ("benchmarks.md", "benchmark-history.md")
FEWEST_QUESTIONS = 150
SHOWN = 3
SIZE, OVERLAP = 700, 80  # characters: about what our chunks have
BATCH = 64
PIP = "pip install langchain-core langchain-text-splitters"

Search = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Question:
    language: str
    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How many questions a way of searching answers, and how much it shows for that."""

    name: str
    hits: dict[str, float]  # by language, percent
    first: float  # answered by the first result, percent
    characters: int


def run(quick: bool) -> Results:
    pages = _pages()
    questions = _questions(pages)
    embedder, note = choose_embedder(load(), None)
    if embedder is None:
        raise ModelMissingError(f"This benchmark needs an embedder: {note}")
    if quick:
        questions = questions[::5]
    scores = list(_scores(pages, questions, embedder))
    _show(scores, len(questions), len(pages), embedder.name)
    return {
        "questions": len(questions),
        "embedder": embedder.name,
        "scores": [asdict(score) for score in scores],
    }


def _scores(
    pages: dict[str, str], questions: Sequence[Question], embedder: Embedder
) -> Iterator[Score]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _ours(Path(folder), pages, questions)
    fixed = [piece for text in pages.values() for piece in _fixed(text)]
    plain = _Plain(fixed, embedder)
    yield _measured("plain chunks (700)", plain.by_meaning, questions)
    yield _measured("plain chunks, hybrid", plain.hybrid, questions)
    for name, size, overlap in (
        ("LangChain (700)", SIZE, OVERLAP),
        ("LangChain, default (4,000)", 4000, 200),
    ):
        search = _langchain(list(pages.values()), embedder, size, overlap)
        if search is None:
            Console().print(f"LangChain is not installed, so it is left out: {PIP}")
            return
        yield _measured(name, search, questions)


def _ours(folder: Path, pages: dict[str, str], questions: Sequence[Question]) -> Iterator[Score]:
    for name in pages:
        (folder / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "pages" / name)
    here = Scope(group="docs")
    with Memory.open(folder / "data", load()) as memory:
        memory.knowledge.sync(here, folder / "pages")
        memory.drain()

        def search(neighbours: int) -> Search:
            return lambda question: [
                hit.text
                for hit in memory.knowledge.search(
                    here, question, top_k=SHOWN, neighbours=neighbours, deadline=30.0
                ).hits
            ]

        search(1)("warm up")
        yield _measured("ours", search(1), questions)
        yield _measured("ours, no neighbours", search(0), questions)


class _Plain:
    """All chunks by cosine, and that fused with BM25."""

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._texts = texts
        self._embedder = embedder
        rows = [
            embedder.embed(texts[start : start + BATCH], "document")
            for start in range(0, len(texts), BATCH)
        ]
        self._matrix = np.concatenate(rows)
        self._bm25 = Bm25(texts)

    def by_meaning(self, question: str) -> list[str]:
        return [self._texts[row] for row in self._ranked(question)[:SHOWN]]

    def hybrid(self, question: str) -> list[str]:
        fused = fuse([self._ranked(question), self._bm25.rank(question)])
        return [self._texts[row] for row in fused[:SHOWN]]

    def _ranked(self, question: str) -> list[int]:
        scores = self._matrix @ self._embedder.embed([question], "query")[0]
        return [int(row) for row in np.argsort(-scores)]


def _langchain(texts: list[str], embedder: Embedder, size: int, overlap: int) -> Search | None:
    try:
        from langchain_core.embeddings import Embeddings
        from langchain_core.vectorstores import InMemoryVectorStore
        from langchain_text_splitters import RecursiveCharacterTextSplitter
    except ImportError:
        return None

    class Adapter(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = []
            for start in range(0, len(texts), BATCH):
                found += embedder.embed(texts[start : start + BATCH], "document").tolist()
            return found

        def embed_query(self, text: str) -> list[float]:
            return embedder.embed([text], "query")[0].tolist()

    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)
    store = InMemoryVectorStore(Adapter())
    store.add_documents(splitter.create_documents(texts))
    return lambda question: [
        found.page_content for found in store.similarity_search(question, k=SHOWN)
    ]


def _fixed(text: str) -> list[str]:
    step = SIZE - OVERLAP
    return [text[start : start + SIZE] for start in range(0, max(1, len(text) - OVERLAP), step)]


def _measured(name: str, search: Search, questions: Sequence[Question]) -> Score:
    answered: dict[str, list[bool]] = {}
    first, characters = [], []
    for question in questions:
        found = search(question.text)
        answered.setdefault(question.language, []).append(_answers(found, question))
        first.append(_answers(found[:1], question))
        characters.append(sum(map(len, found)))
    everything = [hit for hits in answered.values() for hit in hits]
    hits = {language: _percent(found) for language, found in answered.items()}
    return Score(
        name,
        {**hits, "all": _percent(everything)},
        _percent(first),
        round(statistics.mean(characters)),
    )


def _percent(found: Sequence[bool]) -> float:
    return round(100 * sum(found) / max(1, len(found)), 1)


def _answers(texts: Sequence[str], question: Question) -> bool:
    return any(evidence in _key(text) for text in texts for evidence in question.evidence)


def _key(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _pages() -> dict[str, str]:
    names = [ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md"]
    names += sorted((ROOT / "docs").rglob("*.md"))
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in names
        if path.name not in LEFT_OUT
    }


def _questions(pages: dict[str, str]) -> list[Question]:
    """Those whose answer is still on the pages."""
    keys = [_key(text) for text in pages.values()]
    found = []
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        evidence = tuple(_key(text) for text in item["evidence"])
        if any(one in key for one in evidence for key in keys):
            found.append(Question(item["language"], item["question"], evidence))
    if len(found) < FEWEST_QUESTIONS:
        raise SystemExit(
            f"Only {len(found)} questions have an answer on the pages; the least is "
            f"{FEWEST_QUESTIONS}. Write new ones in {QUESTIONS.name}."
        )
    return found


def _show(scores: Sequence[Score], questions: int, pages: int, embedder: str) -> None:
    title = f"Documents: {questions} questions on {pages} pages, embedder {embedder}"
    table = Table(title=title, title_justify="left")
    for column in ("", "hit@3 en", "hit@3 zh", "hit@3 all", "hit@1 all", "characters"):
        table.add_column(column, justify="right" if column else "left")
    for score in scores:
        hits = (f"{score.hits.get(key, 0.0):.1f}" for key in ("en", "zh", "all"))
        rest = (f"{score.first:.1f}", f"{score.characters:,}")
        table.add_row(score.name, *hits, *rest)
    Console(width=110).print(table)
