"""The English pairs that english-384 was trained on → pairs.xz.

The English pairs of `public_pairs` without Molweni and FriendsQA, and three more kinds: questions
of XQuAD (its English part is a part of SQuAD 1.1 dev) with the sentence that answers them; facts
of Synthetic-Persona-Chat turned into questions; slots of Schema-Guided Dialogue asked for later.

The order of the draws is part of the recipe: the same seed must give the same pairs.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from made_up_worlds import Pair
from persona_questions import ask
from sources import Clones, read_lines, write_lines

LEFT_OUT = ("t1-molweni", "t1-friendsqa")
DIALOGUES = "google-research-datasets+dstc8-schema-guided-dialogue"
SENTENCE_END = re.compile(r'(?<=[a-z0-9)"\]%])[.!?]["”)]?\s+(?=[A-Z"“(])')
MAX_SLOT_PAIRS = 2500
# Slots that say nothing about what the user wants.
EMPTY_SLOTS = {"intent", "count", ""}
SERVICE_WORDS = {
    "ridesharing": "ride",
    "rentalcar": "rental car",
    "media": "movie",
    "service": "appointment",
    "bank": "bank account",
    "home": "apartment",
}


def make_pair(
    question: str, text: str, negatives: Sequence[str], source: str, general: int = 0
) -> Iterator[Pair]:
    """One pair, or none if a side is too short."""
    if len(question) > 5 and len(text) > 5:
        yield {
            "q": question[:300],
            "pos": text[:400],
            "negs": [negative[:400] for negative in negatives[:5]],
            "ql": "e",
            "dl": "e",
            "src": source,
            "g": general,
        }


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))


def passage_pairs(clones: Clones) -> Iterator[Pair]:
    """A question → the sentence with its answer; negatives share most words with the question."""
    for article in clones.read_json("google-deepmind+xquad", "xquad.en.json")["data"]:
        for paragraph in article["paragraphs"]:
            sentences = _split(paragraph["context"])
            for entry in paragraph["qas"]:
                yield from _passage_pair(entry["question"], entry["answers"][0], sentences)


def _split(context: str) -> list[tuple[int, int, str]]:
    """(start, end, sentence) of every sentence."""
    ends = [match.end() for match in SENTENCE_END.finditer(context)]
    cuts = [0, *ends, len(context)]
    return [(start, end, context[start:end].strip()) for start, end in pairwise(cuts)]


def _passage_pair(
    question: str, answer: Any, sentences: Sequence[tuple[int, int, str]]
) -> Iterator[Pair]:
    place = answer["answer_start"]
    holding = [sentence for start, end, sentence in sentences if start <= place < end]
    if not holding:
        return
    asked = _words(question)
    others = [s for _, _, s in sentences if answer["text"] not in s and len(s) > 15]
    others.sort(key=lambda sentence: -len(_words(sentence) & asked))
    yield from make_pair(question, holding[0], others, "t1-xquad")


def persona_pairs(pairs: Sequence[Pair], random: Random) -> Iterator[Pair]:
    """A person's fact, asked about by another."""
    for pair in pairs:
        if pair["src"] != "t1-spc" or ("?" in pair["pos"] and len(pair["pos"]) < 45):
            continue
        asked = ask(pair["q"], random)
        if asked:
            question, general = asked
            yield from make_pair(question, pair["pos"], pair["negs"], "t1-spcq", general)


def slot_pairs(clones: Clones, random: Random) -> Iterator[Pair]:
    """What a user told an assistant, asked for later."""
    rows = [
        row
        for number in range(1, 40)
        for dialogue in _read_dialogues(clones, number * 3 + 1)
        for row in _slot_questions(dialogue, random)
    ]
    random.shuffle(rows)
    seen: set[str] = set()
    for question, utterance, others in rows:
        if utterance in seen or not others:
            continue
        seen.add(utterance)
        random.shuffle(others)
        yield from make_pair(question, utterance, others, "t1-sgd", 1)
        if len(seen) >= MAX_SLOT_PAIRS:
            break


def _read_dialogues(clones: Clones, number: int) -> list[Any]:
    try:
        dialogues: list[Any] = clones.read_json(DIALOGUES, f"train/dialogues_{number:03d}.json")
    except ValueError:
        return []  # the clone does not hold this part
    return dialogues


def _slot_questions(dialogue: Any, random: Random) -> Iterator[tuple[str, str, list[str]]]:
    """(question, the utterance that answers it, utterances that do not)."""
    by_user = [turn for turn in dialogue["turns"] if turn["speaker"] == "USER"]
    utterances = [turn["utterance"] for turn in by_user if len(turn["utterance"]) > 25]
    for turn in by_user:
        utterance = turn["utterance"]
        if len(utterance) < 30:
            continue
        for frame in turn["frames"]:
            informs = [action for action in frame["actions"] if _informs(action, utterance)]
            if not informs:
                continue
            chosen = random.choice(informs)
            question = _slot_question(chosen["slot"], frame["service"], informs, random)
            value = chosen["values"][0].lower()
            others = [u for u in utterances if u != utterance and value not in u.lower()]
            yield question, utterance, others


def _informs(action: Any, utterance: str) -> bool:
    return bool(
        action["act"] == "INFORM"
        and action["slot"] not in EMPTY_SLOTS
        and action["values"]
        and action["values"][0].lower() in utterance.lower()
    )


def _slot_question(slot: str, service: str, informs: Sequence[Any], random: Random) -> str:
    slot = slot.replace("_", " ")
    service = re.sub(r"_\d+", "", service).lower().rstrip("s")
    service = SERVICE_WORDS.get(service, service)
    value = informs[0]["values"][0]
    return random.choice(
        [
            f"What {slot} did I ask for?",
            f"Which {slot} did I want for the {service}?",
            f"What {slot} did I give for the {service}?",
            f"What did I say about {value}?",
            f"When did I mention {value}?",
        ]
    )


def print_samples(pairs: Sequence[Pair], random: Random) -> None:
    """A few of each new kind, to be read."""
    for source in ("t1-xquad", "t1-spcq", "t1-sgd"):
        for pair in random.sample([pair for pair in pairs if pair["src"] == source], 12):
            negative = (pair["negs"] or [""])[0][:60]
            print(source, pair["g"], pair["q"], "|", pair["pos"][:110], "|", negative)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clones", type=Path, required=True, help="folder of OWNER+NAME/repo")
    parser.add_argument("--pairs", type=Path, required=True, help="pairs.xz of public_pairs")
    parser.add_argument("--out", type=Path, required=True, help="the new pairs.xz")
    options = parser.parse_args()

    random = Random(5)
    clones = Clones(options.clones)
    base = [
        pair
        for pair in read_lines(options.pairs)
        if pair["ql"] == pair["dl"] == "e" and pair["src"] not in LEFT_OUT
    ]
    new = [*passage_pairs(clones), *persona_pairs(base, random), *slot_pairs(clones, random)]
    print(Counter(pair["src"] for pair in base + new))
    print_samples(new, random)  # these draws precede the shuffle: leave them in
    pairs = base + new
    random.shuffle(pairs)
    write_lines(options.out, pairs, preset=6)


if __name__ == "__main__":
    main()
