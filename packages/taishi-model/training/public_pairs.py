"""Public data sets and made-up worlds → pairs.xz, mono.xz and en.xz in one folder.

- pairs.xz: question (or paraphrase) → text, with hard negatives; see `made_up_worlds` for the keys.
- mono.xz: [tier, Chinese text, its English gloss], what chinese-384 is first distilled on.
- en.xz: English utterances.

Sources are in two tiers, "t1-…" and "t2-…", so that `train --tiers 1` can leave out tier 2
(AFQMC, LCQMC, ATEC, BQ, OPPO). MODEL.md lists what the released encoders were trained on.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import world_tables
from glosses import load_glosses
from made_up_worlds import Pair, make_pairs
from sources import Clones, write_lines

HAN = re.compile("[\u4e00-\u9fff]")
PARAPHRASES = "zejunwang1+CSTS"
BANK_QUESTIONS = "IceFlameWorm+NLP_Datasets"
MAX_TEXTS_PER_TIER = 90_000
MAX_ENGLISH = 60_000
# Too frequent to show that an utterance states a fact.
STOP_WORDS = set(
    "i my a the to is am and of in have for you it that with me on do are be like love was".split()
)
Row = Sequence[str]


@dataclass(slots=True)
class Collection:
    """Pairs, and Chinese texts, as the sources are read one after the other."""

    pairs: list[Pair] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)

    def add(
        self, question: str, text: str, negatives: Sequence[str], languages: str, source: str
    ) -> None:
        """`languages`: that of the question and that of the text, such as "ze"."""
        question, text = question.strip(), text.strip()
        if len(question) <= 1 or len(text) <= 1 or question == text:
            return
        pair = {
            "q": question[:300],
            "pos": text[:400],
            "negs": [negative[:400] for negative in negatives[:5]],
            "ql": languages[0],
            "dl": languages[1],
            "src": source,
        }
        self.pairs.append(pair)

    def add_paraphrases(self, rows: Iterable[Row], source: str) -> None:
        """Rows of (one text, another, whether they mean the same)."""
        negatives: dict[str, list[str]] = {}
        same: list[tuple[str, str]] = []
        for first, second, label in rows:
            first, second = first.strip("\ufeff "), second.strip()
            self.texts.update((first, second))
            if label in ("1", "entailment"):
                same.append((first, second))
            elif label in ("0", "contradiction"):
                negatives.setdefault(first, []).append(second)
                negatives.setdefault(second, []).append(first)
        for first, second in same:
            self.add(first, second, negatives.get(first, [])[:3], "zz", source)


def rows_of(text: str, columns: int = 3) -> list[list[str]]:
    """Tab-separated rows that have the right number of columns."""
    rows = (line.rstrip("\r").split("\t") for line in text.split("\n"))
    return [row for row in rows if len(row) == columns]


def add_tier_two(into: Collection, clones: Clones) -> set[str]:
    """Pairs of tier 2 into the collection; its texts are returned, apart from tier 1's."""

    def rows(path: str, columns: int = 3) -> list[list[str]]:
        return rows_of(clones.read_text(PARAPHRASES, path, "utf-8-sig"), columns)

    own = Collection(pairs=into.pairs)
    own.add_paraphrases(rows("AFQMC/train.txt") + rows("AFQMC/dev.txt"), "t2-afqmc")
    own.add_paraphrases(rows("LCQMC/dev.txt") + rows("LCQMC/test.txt"), "t2-lcqmc")
    atec = clones.read_text(BANK_QUESTIONS, "ATEC/atec_nlp_sim_train.csv", "utf-8-sig")
    own.add_paraphrases([row[1:] for row in rows_of(atec, 4)], "t2-atec")
    for part in ("dev", "test"):
        table = clones.read_text(BANK_QUESTIONS, f"BQ_corpus/{part}.csv", "utf-8-sig")
        bank = [row for row in csv.reader(io.StringIO(table)) if len(row) == 3]
        own.add_paraphrases(bank, "t2-bq")
    for row in rows("OPPO-xiaobu/test.txt", 2):
        own.texts.update(row)
    return own.texts


def add_inference(into: Collection, clones: Clones) -> None:
    """Chinese-SNLI, Chinese-MNLI and PAWS-X."""
    for part in ("dev", "test"):
        for name, source in (("Chinese-SNLI", "t1-snli"), ("Chinese-MNLI", "t1-mnli")):
            text = clones.read_text(PARAPHRASES, f"{name}/{part}.txt", "utf-8-sig")
            into.add_paraphrases(rows_of(text), source)
        text = clones.read_text(PARAPHRASES, f"PAWS-X/{part}_2k.tsv", "utf-8-sig")
        into.add_paraphrases([row[-3:] for row in rows_of(text, 4)], "t1-paws")


def add_reading(into: Collection, clones: Clones, simplified: dict[int, int]) -> None:
    """CMRC 2018 and DRCD: a question, and the sentence of the passage that answers it."""
    for part in ("dev", "trial"):
        document = clones.read_json("ymcui+cmrc2018", f"squad-style-data/cmrc2018_{part}.json")
        add_passages(into, document["data"], "t1-cmrc", simplified)
    for part in ("dev", "test"):
        document = clones.read_json("DRCKnowledgeTeam+DRCD", f"DRCD_{part}.json")
        add_passages(into, document["data"], "t1-drcd", simplified)


def add_passages(
    into: Collection, articles: Iterable[Any], source: str, simplified: dict[int, int]
) -> None:
    for article in articles:
        for paragraph in article["paragraphs"]:
            context = paragraph["context"].translate(simplified)
            sentences = [s for s in re.split("(?<=[。！？；])", context) if s.strip()]
            into.texts.update(s[:200] for s in sentences if len(s) < 120)
            for entry in paragraph["qas"]:
                asked = entry["question"]
                first_answer = (entry["answers"] or [{}])[0]
                answer = first_answer.get("text", "").translate(simplified)
                holding = [s for s in sentences if answer and answer in s]
                if not holding:
                    continue
                question = asked.translate(simplified)
                into.add(
                    question,
                    _most_shared(holding, asked),
                    [s for s in sentences if answer not in s],
                    "zz",
                    source,
                )
                into.texts.add(question)


def _most_shared(sentences: Sequence[str], question: str) -> str:
    """The sentence with most of the question's characters."""
    characters = set(question)
    return max(sentences, key=lambda s: sum(s.count(character) for character in characters))


def add_chinese_dialogues(into: Collection, clones: Clones) -> None:
    """KdConv: a fact asked for → the utterance that states it. CrossWOZ: texts only."""
    for domain in ("film", "music", "travel"):
        for part in ("dev", "test"):
            for dialogue in clones.read_json("thu-coai+KdConv", f"data/{domain}/{part}.json"):
                _add_facts(into, dialogue["messages"])
    for part in ("val", "test"):
        packed = clones.read_bytes("thu-coai+CrossWOZ", f"data/crosswoz/{part}.json.zip")
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            dialogues = json.loads(archive.read(archive.namelist()[0]))
        for dialogue in dialogues.values():
            into.texts.update(message["content"] for message in dialogue["messages"])


def _add_facts(into: Collection, messages: Sequence[Any]) -> None:
    said = [message["message"] for message in messages]
    into.texts.update(said)
    for message in messages:
        text = message["message"]
        for fact in message.get("attrs", []):
            value = fact["attrvalue"]
            name = re.sub("（.*?）", "", fact["name"])
            if fact["attrname"] == "Information" or not value or len(value) >= 30:
                continue
            if value[:4] in text:
                question = f"{name}的{fact['attrname']}是什么？"
                into.add(question, text, [s for s in said if s != text], "zz", "t1-kdconv")


def add_translations(into: Collection, clones: Clones, simplified: dict[int, int]) -> None:
    """Tatoeba, Chinese → English."""
    table = clones.read_text("DaoChaShao+py-st-dl-translater-2.0", "data/cmn.txt", "utf-8-sig")
    for line in table.split("\n"):
        columns = line.split("\t")
        if len(columns) >= 2:
            chinese = columns[1].translate(simplified)
            into.add(chinese, columns[0], [], "ze", "t1-tatoeba")
            into.texts.add(chinese)


def add_english_dialogues(into: Collection, clones: Clones) -> None:
    """FriendsQA and Molweni. english-384 was trained without them, see `english_pairs`."""
    for part in ("dev", "tst"):
        document = clones.read_json("emorynlp+FriendsQA", f"dat/friendsqa_{part}.json")
        for episode in document["data"]:
            for scene in episode["paragraphs"]:
                _add_scene(into, scene)
    document = clones.read_json("HIT-SCIR+Molweni", "MRC(withDiscourse)/test.json")
    for dialogue in document["data"]["dialogues"]:
        texts = [unit["text"] for unit in dialogue["edus"]]
        for entry in dialogue.get("qas", []):
            for answer in (entry.get("answers") or [])[:1]:
                wanted = answer.get("text", "§").lower()
                holding = [text for text in texts if wanted in text.lower()]
                if holding and not entry.get("is_impossible"):
                    others = [text for text in texts if text not in holding]
                    into.add(entry["question"], holding[0], others, "ee", "t1-molweni")


def _add_scene(into: Collection, scene: Any) -> None:
    utterances = {unit["uid"]: unit["utterance"] for unit in scene["utterances:"]}
    for entry in scene["qas"]:
        for answer in entry["answers"][:1]:
            place = answer.get("utterance_id")
            utterance = utterances.get(place, "")
            if len(utterance.split()) > 3:
                others = [u for uid, u in utterances.items() if uid != place and len(u) > 12]
                into.add(entry["question"], utterance, others, "ee", "t1-friendsqa")


def add_persona_chats(into: Collection, clones: Clones) -> list[str]:
    """Synthetic-Persona-Chat: a person's fact → the utterance that shares most of its words.

    Returns every utterance.
    """
    every: list[str] = []
    for part in ("valid", "test"):
        table = clones.read_text(
            "google-research-datasets+Synthetic-Persona-Chat",
            f"data/Synthetic-Persona-Chat_{part}.csv",
            "utf-8-sig",
        )
        for row in list(csv.reader(io.StringIO(table)))[1:]:
            lines = row[2].split("\n")
            utterances = [u.split(":", 1)[-1].strip() for u in lines if ":" in u]
            every += utterances
            for fact in f"{row[0]}\n{row[1]}".split("\n"):
                _add_persona_fact(into, fact, utterances)
    return every


def _add_persona_fact(into: Collection, fact: str, utterances: Sequence[str]) -> None:
    words = _content_words(fact)
    if len(words) < 2:
        return

    def share(utterance: str) -> float:
        return len(words & _content_words(utterance)) / len(words)

    best = max(utterances, key=share, default="")
    if best and share(best) >= 0.6:
        others = [u for u in utterances if u != best and share(u) == 0 and len(u) > 15]
        into.add(fact, best, others, "ee", "t1-spc")


def _content_words(text: str) -> set[str]:
    return {word for word in re.findall("[a-z]+", text.lower()) if word not in STOP_WORDS}


def add_made_up_worlds(into: Collection, count: int, random: Random) -> None:
    for pair in make_pairs(2026, count):
        if pair["ql"] != pair["dl"] and _names_somebody(pair):
            continue
        into.pairs.append(pair)
        if pair["dl"] == "z" and random.random() < 0.2:
            into.texts.add(pair["pos"])


def _names_somebody(pair: Pair) -> bool:
    """A person has unrelated names in the two languages: such a pair would teach nonsense."""
    english = pair["q"] if pair["ql"] == "e" else pair["pos"]
    if pair["src"] == "genx":
        return _has_english_name(english)
    given_names = (name for name in world_tables.GIVEN_NAMES if len(name) > 1)
    return _has_english_name(pair["q"]) or (
        pair["ql"] == "z" and any(name in pair["q"] for name in given_names)
    )


def _has_english_name(text: str) -> bool:
    return not set(world_tables.ENGLISH_NAMES).isdisjoint(re.findall("[A-Za-z]+", text))


def gloss_texts(
    tiers: Sequence[set[str]], tables: tuple[Path, Path], random: Random
) -> list[tuple[int, str, str]]:
    """(tier, text, gloss) of Chinese texts of ordinary length."""
    glosses = load_glosses(*tables)
    glossed: list[tuple[int, str, str]] = []
    for tier, texts in enumerate(tiers, start=1):
        usable = [text for text in sorted(texts) if HAN.search(text) and 3 < len(text) < 160]
        random.shuffle(usable)
        glossed += [(tier, text, glosses.translate(text)) for text in usable[:MAX_TEXTS_PER_TIER]]
    return glossed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clones", type=Path, required=True, help="folder of OWNER+NAME/repo")
    parser.add_argument("--glosses", type=Path, required=True, help="glosses.tsv of gloss_tables")
    parser.add_argument("--simplified", type=Path, required=True, help="simplified.txt")
    parser.add_argument("--made-up", type=int, default=120_000, help="number of made-up pairs")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    random = Random(11)
    clones = Clones(options.clones)
    simplified = str.maketrans(*options.simplified.read_text("utf-8").split("\n"))
    collection = Collection()
    second_tier = add_tier_two(collection, clones)
    add_inference(collection, clones)
    add_reading(collection, clones, simplified)
    add_chinese_dialogues(collection, clones)
    add_translations(collection, clones, simplified)
    add_english_dialogues(collection, clones)
    english = add_persona_chats(collection, clones)
    add_made_up_worlds(collection, options.made_up, random)
    pairs, texts = collection.pairs, collection.texts
    counts = Counter(pair["src"] for pair in pairs)
    print(counts, len(texts), len(second_tier), len(english))

    started = time.time()
    tiers = (texts, second_tier - texts)
    glossed = gloss_texts(tiers, (options.glosses, options.simplified), random)
    print("glossed", len(glossed), time.time() - started)

    random.shuffle(pairs)
    write_lines(options.out / "pairs.xz", pairs)
    write_lines(options.out / "mono.xz", glossed)
    random.shuffle(english)
    write_lines(options.out / "en.xz", english[:MAX_ENGLISH])


if __name__ == "__main__":
    main()
