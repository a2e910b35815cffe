"""Pairs as token ids, drawn in batches of one source each."""

from __future__ import annotations

import random
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from made_up_worlds import Pair
from sources import read_lines

MAX_TOKENS = 256
# A large source is drawn more often, but less than in proportion.
SIZE_EXPONENT = 0.7
Ids = np.ndarray


class Tokenizers:
    """The tokenizer of each language, "e" and "z"."""

    def __init__(self, folder: Path) -> None:
        self._by_language = {
            "e": Tokenizer.from_file(str(folder / "english-tokenizer.json")),
            "z": Tokenizer.from_file(str(folder / "chinese-tokenizer.json")),
        }
        for tokenizer in self._by_language.values():
            tokenizer.no_padding()
            tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str], language: str) -> list[Ids]:
        tokenizer = self._by_language[language]
        # Older releases of the library have only the slow one.
        run = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)
        return [np.array(encoding.ids, np.int32) for encoding in run(list(texts))]


def cut(ids: Ids, length: int) -> Ids:
    """At most `length` tokens; the last one, which ends a text, stays."""
    return ids if len(ids) <= length else np.concatenate([ids[: length - 1], ids[-1:]])


def load_pairs(path: Path, options: Namespace) -> list[Pair]:
    """The pairs that the task needs."""
    pairs = read_lines(path)
    if options.limit:
        pairs = pairs[: options.limit]
    dropped = options.drop.split("+")

    def is_wanted(pair: Pair) -> bool:
        languages = (pair["ql"], pair["dl"])
        fits = "z" in languages if options.task == "zh" else languages == ("e", "e")
        tier_fits = pair["src"][:2] != "t2" or "2" in options.tiers
        return fits and tier_fits and pair["src"] not in dropped

    return [pair for pair in pairs if is_wanted(pair)]


def add_ids(pairs: Sequence[Pair], tokenizers: Tokenizers, max_length: int) -> None:
    """Add "q_ids", "pos_ids" and "negs_ids" to every pair."""
    for pair in pairs:
        pair.setdefault("g", 0)
        pair["negs_ids"] = []
    for language in "ez":
        for side, key in (("q", "ql"), ("pos", "dl")):
            chosen = [pair for pair in pairs if pair[key] == language]
            encoded = tokenizers.encode([pair[side] for pair in chosen], language)
            for pair, ids in zip(chosen, encoded, strict=True):
                pair[f"{side}_ids"] = cut(ids, max_length)
        owned = [(pair, text) for pair in pairs if pair["dl"] == language for text in pair["negs"]]
        encoded = tokenizers.encode([text for _, text in owned], language)
        for (pair, _), ids in zip(owned, encoded, strict=True):
            pair["negs_ids"].append(cut(ids, max_length))


class Batches:
    """Draws a source by its share, then pairs of it: all of a batch have the same languages."""

    def __init__(self, pairs: Sequence[Pair], made_up_share: float) -> None:
        self.sources: dict[str, list[Pair]] = {}
        for pair in pairs:
            source = pair["src"].split("-")[-1] + ":" + pair["ql"] + pair["dl"]
            self.sources.setdefault(source, []).append(pair)
        sizes = {source: len(rows) ** SIZE_EXPONENT for source, rows in self.sources.items()}
        made_up = sum(size for source, size in sizes.items() if source.startswith("gen"))
        other = sum(size for source, size in sizes.items() if not source.startswith("gen"))
        self.shares = {
            source: size / made_up * made_up_share
            if source.startswith("gen")
            else size / other * (1 - made_up_share)
            for source, size in sizes.items()
        }

    def draw(self, size: int) -> tuple[list[Pair], str]:
        """Pairs, and the source that they are from."""
        source = random.choices(list(self.shares), list(self.shares.values()))[0]
        rows = self.sources[source]
        return random.sample(rows, min(size, len(rows))), source

    def describe(self) -> dict[str, tuple[int, float]]:
        return {s: (len(self.sources[s]), round(share, 3)) for s, share in self.shares.items()}


def lengthen(ids: Ids, fillers: Sequence[Ids]) -> Ids:
    """The text among one to five others: a message says other things, too."""
    parts = [ids[1:-1]]
    parts += [random.choice(fillers)[1:-1] for _ in range(random.randint(1, 5))]
    random.shuffle(parts)
    return cut(np.concatenate([ids[:1], *parts, ids[-1:]]), 200)
