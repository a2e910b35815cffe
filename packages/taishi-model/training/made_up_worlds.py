"""Made-up people and events, told in Chinese and English, with questions: nobody's data.

Each pair is a dict: `q` and `pos` (a question and a text that answers it), `negs` (hard negatives:
the same person or the same attribute), `ql` and `dl` (language of the question and of the texts,
"z" or "e"), `src`, and `g`: 1 where the question is so general that another pair's text may
answer it, too.

The order of the draws is part of the recipe: the same seed must give the same pairs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import world_tables as tables
from world_tables import Both, SelfAttribute

Pair = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody the speaker knows: how they are related, and their name in each language."""

    relation_zh: str
    relation_en: str
    name_zh: str
    name_en: str


# Compared by identity: two facts may read the same.
@dataclass(slots=True, eq=False)
class Fact:
    """One thing that the speaker tells once in each language."""

    person: Person | None  # None: the speaker
    kind: str
    value: Both = ("", "")
    self_attribute: SelfAttribute | None = None
    activity: Both = ("", "")
    place: Both = ("", "")
    time: Both = ("", "")
    person_told: Both = ("", "")
    zh: str = ""
    en: str = ""

    def text(self, language: str) -> str:
        return self.zh if language == "z" else self.en


def make_world(random: Random) -> tuple[list[Person], list[Fact]]:
    """People with facts; every fact is told once in both languages."""
    people = _make_people(random)
    facts = [fact for person in people for fact in _make_facts(random, person)]
    for own in random.sample(tables.SELF_ATTRIBUTES, random.randint(2, 5)):
        value = random.choice(own.values)
        facts.append(Fact(None, f"self:{own.name}", value, self_attribute=own))
    for fact in facts:
        _tell(random, fact)
    return people, facts


def _make_people(random: Random) -> list[Person]:
    people: list[Person] = []
    names: set[str] = set()
    for _ in range(random.randint(6, 11)):
        relation_zh, relation_en = random.choice(tables.RELATIONS)
        name_zh = random.choice(tables.SURNAMES) + random.choice(tables.GIVEN_NAMES)
        name_en = random.choice(tables.ENGLISH_NAMES)
        if name_zh in names or name_en in names:
            continue
        names |= {name_zh, name_en}
        people.append(Person(relation_zh, relation_en, name_zh, name_en))
    return people


def _make_facts(random: Random, person: Person) -> list[Fact]:
    facts = [
        Fact(person, kind, _make_value(random, kind))
        for kind in random.sample(list(tables.ATTRIBUTES), random.randint(3, 6))
    ]
    for _ in range(random.randint(0, 2)):
        activity, place = random.choice(tables.ACTIVITIES), random.choice(tables.PLACES)
        time = random.choice(tables.TIMES)
        facts.append(Fact(person, "event", activity=activity, place=place, time=time))
    return facts


def _make_value(random: Random, kind: str) -> Both:
    if kind in tables.VALUES:
        return random.choice(tables.VALUES[kind])
    if kind == "birthday":
        month, day = random.randint(1, 12), random.randint(1, 28)
        return f"{month}月{day}{random.choice('日号')}", f"{tables.MONTHS[month - 1]} {day}"
    if kind == "age":
        number = str(random.randint(4, 80))
    elif kind == "height":
        number = str(random.randint(150, 195))
    else:
        number = "1" + "".join(random.choice("0123456789") for _ in range(10))
    return number, number


def _tell(random: Random, fact: Fact) -> None:
    """Put the fact into words."""
    if fact.person:
        fact.person_told = _name_person(random, fact.person)
    chinese, english = _wordings_told(fact)
    told = [
        random.choice(wordings).format(
            p=fact.person_told[side],
            v=fact.value[side],
            t=fact.time[side],
            l=fact.place[side],
            a=fact.activity[side],
        )
        for side, wordings in enumerate((chinese, english))
    ]
    english_text = random.choice(tables.OPENINGS_EN) + told[1] + random.choice(tables.ENDINGS_EN)
    fact.zh = random.choice(tables.OPENINGS_ZH) + told[0] + random.choice(tables.ENDINGS_ZH)
    capital = random.random() < 0.8
    fact.en = english_text[0].upper() + english_text[1:] if capital else english_text


def _name_person(random: Random, person: Person) -> Both:
    relation_zh, name_zh = person.relation_zh, person.name_zh
    relation_en, name_en = person.relation_en, person.name_en
    chinese = random.choice(
        [
            f"我{relation_zh}{name_zh}",
            f"{relation_zh}{name_zh}",
            f"我{relation_zh}",
            name_zh,
            f"我的{relation_zh}{name_zh}",
        ]
    )
    english = random.choice(
        [
            f"my {relation_en} {name_en}",
            name_en,
            f"{name_en}, my {relation_en},",
            f"my {relation_en}",
        ]
    )
    return chinese, english


def _wordings_told(fact: Fact) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if fact.kind == "event":
        return tables.EVENT_TOLD_ZH, tables.EVENT_TOLD_EN
    attribute = fact.self_attribute or tables.ATTRIBUTES[fact.kind]
    return attribute.told_zh, attribute.told_en


def make_pairs(seed: int, count: int) -> list[Pair]:
    """Pairs from as many worlds as it takes."""
    random = Random(seed)
    pairs: list[Pair] = []
    while len(pairs) < count:
        people, facts = make_world(random)
        for fact in facts:
            pairs += _pairs_of(random, fact, facts, people)
    return pairs[:count]


def _pairs_of(
    random: Random, fact: Fact, facts: list[Fact], people: Sequence[Person]
) -> list[Pair]:
    """A question about one fact with its answer; sometimes the fact in both languages, too."""
    form = random.random()
    person_asked: Both = ("", "")
    if fact.person:
        asked = _ask_for_person(random, fact.person, fact.person_told, people)
        if asked is None:
            return []
        person_asked = asked
    question, answers = _ask(random, fact, facts, person_asked, form)
    others = [other for other in facts if other not in answers]
    hard = [other for other in others if other.person is fact.person or other.kind == fact.kind]
    random.shuffle(hard)
    hard = (hard + random.sample(others, min(3, len(others))))[:5]
    asked_in = random.choice("zzzee")
    told_in = asked_in if random.random() < 0.85 else ("e" if asked_in == "z" else "z")
    named = (
        fact.person is not None
        and fact.kind != "event"
        and form < 0.62
        and (
            person_asked[0][0] != "我" if asked_in == "z" else not person_asked[1].startswith("my ")
        )
    )
    pair = {
        "q": question[0 if asked_in == "z" else 1],
        "pos": random.choice(answers).text(told_in),
        "negs": [other.text(told_in) for other in hard],
        "ql": asked_in,
        "dl": told_in,
        "src": "gen",
        "g": int(not named),
    }
    if random.random() >= 0.25:
        return [pair]
    negatives = [other.en for other in hard[:3]]
    translation = {"q": fact.zh, "pos": fact.en, "negs": negatives, "ql": "z", "dl": "e"}
    return [pair, translation | {"src": "genx"}]


def _ask_for_person(
    random: Random, person: Person, told: Both, people: Sequence[Person]
) -> Both | None:
    """The person by a handle that the message carries; None if it fits several people."""
    handle_zh = random.choice([x for x in (person.name_zh, person.relation_zh) if x in told[0]])
    handle_en = random.choice([x for x in (person.name_en, person.relation_en) if x in told[1]])
    by_relation_zh = handle_zh == person.relation_zh
    by_relation_en = handle_en == person.relation_en
    if by_relation_zh and sum(other.relation_zh == handle_zh for other in people) > 1:
        return None
    if by_relation_en and sum(other.relation_en == handle_en for other in people) > 1:
        return None
    return (
        f"我{handle_zh}" if by_relation_zh else handle_zh,
        f"my {handle_en}" if by_relation_en else handle_en,
    )


def _ask(
    random: Random, fact: Fact, facts: list[Fact], person_asked: Both, form: float
) -> tuple[Both, list[Fact]]:
    """A question in both languages, and every fact that answers it."""
    answers = [fact]
    if fact.kind == "event":
        chinese, english = tables.EVENT_ASKED_ZH, tables.EVENT_ASKED_EN
    elif fact.self_attribute:
        chinese, english = fact.self_attribute.asked_zh, fact.self_attribute.asked_en
    else:
        attribute = tables.ATTRIBUTES[fact.kind]
        same_kind = [other for other in facts if other.kind == fact.kind]
        if form < 0.62:
            chinese, english = attribute.asked_zh, attribute.asked_en
        elif form < 0.78:
            chinese, english = attribute.who_zh, attribute.who_en
            answers = [other for other in same_kind if other.value == fact.value]
        else:
            chinese, english = attribute.all_zh, attribute.all_en
            answers = same_kind
    question = [
        random.choice(wordings).format(
            P=person_asked[side],
            v=fact.value[side],
            t=fact.time[side],
            l=fact.place[side],
            a=fact.activity[side],
        )
        for side, wordings in enumerate((chinese, english))
    ]
    return (question[0], question[1]), answers


def main() -> None:
    parser = argparse.ArgumentParser(description="Print made-up training pairs, one JSON a line.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=14)
    options = parser.parse_args()
    for pair in make_pairs(options.seed, options.count):
        print(json.dumps(pair, ensure_ascii=False))


if __name__ == "__main__":
    main()
