"""K1: whatever the blocks are, the chunks hold all of their text, in order, within the limit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.language.chunking import Chunk, chunks
from taishi.language.token_bound import token_bound
from taishi.ports.documents import Block, BlockKind

LIMIT, OVERLAP = 48, 20

WORDS = st.sampled_from(
    "the quick brown memory engine reads documents. Is it 3.5 GB? yes! 记忆 引擎会读文件。 "
    "分成小块， 每块有标题；太史令 "
    "def f(): return x_1 a|b | c \n \n\n \t antidisestablishmentarianism "
    "👩‍👩‍👧 "
    "naïve e\u0301 שלום مرحبا 0123456789012345678901234567890123456789 ---- ## …".split(" ")
)
TEXTS = st.one_of(
    st.lists(WORDS, max_size=150).map(" ".join),
    st.lists(WORDS, max_size=60).map("\n".join),
    st.lists(WORDS, max_size=60).map("".join),
    st.text(max_size=300).filter(lambda text: "\ud800" not in text),
)
KINDS: st.SearchStrategy[BlockKind] = st.sampled_from(("text", "list", "code", "table"))
BLOCKS = st.lists(
    st.builds(
        Block,
        TEXTS,
        st.sampled_from(((), ("One",), ("One", "二"))),
        st.sampled_from((None, 1, 2)),
        KINDS,
    ),
    max_size=6,
)


def squeezed(text: str) -> str:
    return "".join(text.split())


def spell(all_chunks: list[Chunk], expected: str) -> bool:
    """Whether the chunks, one after the other, spell `expected`, where each may begin with the
    end of what came before it. Words repeat, so that several readings are followed."""
    reached = {0}
    for chunk in all_chunks:
        text = squeezed(chunk.text)
        reached = {
            done - overlap + len(text)
            for done in reached
            for overlap in range(min(len(text), done, OVERLAP) + 1)
            if expected.startswith(text, done - overlap)
        }
    return len(expected) in reached


@settings(max_examples=80, deadline=None)
@given(BLOCKS)
def test_K1_chunks_hold_all_text_in_order_within_the_limit(blocks: list[Block]) -> None:
    prose = [
        Block(
            block.text, block.section, block.page, "text" if block.kind == "table" else block.kind
        )
        for block in blocks
    ]
    found = list(chunks(prose, LIMIT, OVERLAP))
    assert all(token_bound(chunk.text) <= LIMIT for chunk in found)
    assert all(chunk.text.strip() for chunk in found)
    assert spell(found, squeezed("".join(block.text for block in prose)))


@settings(max_examples=80, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(TEXTS, max_size=30))
def test_K1_tables_keep_their_rows_within_the_limit(header: list[str], rows: list[str]) -> None:
    head = " ".join(" ".join(header).split()) or "head"
    lines = [" ".join(row.split()) for row in rows]
    table = "\n".join([head, *(line for line in lines if line)])
    found = list(chunks([Block(table, kind="table")], LIMIT, OVERLAP))
    assert all(token_bound(chunk.text) <= LIMIT for chunk in found)
    whole = squeezed("".join(chunk.text.removeprefix(head) for chunk in found))
    assert whole == squeezed("".join(lines)) or squeezed(
        "".join(chunk.text for chunk in found)
    ) == squeezed(head + "".join(lines))
