"""Plain dense recall on development files, to watch a run."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from encoder_model import DEVICE, WIDTH, Encoder, encode_all
from training_pairs import Tokenizers

HAN = re.compile("[\u4e00-\u9fff]")
MAX_CHARACTERS = 600
TOP = 10


def print_recall(
    paths: Sequence[Path],
    chinese: Encoder | None,
    english: Encoder,
    tokenizers: Tokenizers,
    label: str,
) -> None:
    """R@10 of each file: {"name", "corpora": {id: [{"id", "text"}]}, "queries": [...]}.

    A query has "query", "corpus" and "gold", the ids of the texts that answer it. Without a
    Chinese encoder, Chinese texts count as not found.
    """

    def encode_texts(texts: Sequence[str]) -> Tensor:
        vectors = torch.zeros(len(texts), WIDTH, device=DEVICE)
        for language, model in (("z", chinese), ("e", english)):
            places = [i for i, t in enumerate(texts) if bool(HAN.search(t)) == (language == "z")]
            if places and model is not None:
                cut = [texts[place][:MAX_CHARACTERS] for place in places]
                encoded = encode_all(model, tokenizers.encode(cut, language))
                vectors[torch.tensor(places, device=DEVICE)] = encoded
        return vectors

    for path in paths:
        data = json.loads(path.read_text("utf-8"))
        by_corpus: dict[str, list[dict]] = {}
        for query in data["queries"]:
            by_corpus.setdefault(query["corpus"], []).append(query)
        recalls = []
        for corpus, queries in by_corpus.items():
            documents = data["corpora"][corpus]
            texts = encode_texts([document["text"] or "…" for document in documents])
            scores = encode_texts([query["query"] for query in queries]) @ texts.T
            best = scores.topk(min(TOP, scores.shape[1]), 1).indices.tolist()
            for query, places in zip(queries, best, strict=True):
                found = {documents[place]["id"] for place in places}
                gold = set(query["gold"])
                recalls.append(len(gold & found) / len(gold))
        print(f"   eval {label} {data['name']} dense R@10 {100 * np.mean(recalls):.2f}", flush=True)
