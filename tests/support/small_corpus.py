"""Short generated texts about everyday things, the same in every run."""

from __future__ import annotations

import random

PEOPLE = ("Ann", "Bob", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana")
DOES = ("bought", "painted", "sold", "repaired", "lost", "found", "borrowed", "photographed")
WHAT = (
    "boat bicycle piano guitar kettle lantern camera tent carpet mirror clock basket ladder "
    "violin telescope saddle suitcase typewriter compass umbrella"
).split()
COLOURS = ("red", "green", "blue", "yellow", "white", "black", "orange", "purple")
WHERE = (
    "Oslo Bergen Lisbon Porto Kyoto Osaka Lima Quito Cairo Tunis Riga Vilnius Dublin Cork "
    "Geneva Basel Prague Brno"
).split()


def texts(count: int, seed: int = 1) -> list[str]:
    random_ = random.Random(seed)
    pick = random_.choice
    return [
        f"{pick(PEOPLE)} {pick(DOES)} a {pick(COLOURS)} {pick(WHAT)} in {pick(WHERE)} "
        f"and wrote to {pick(PEOPLE)} about it, number {at}"
        for at in range(count)
    ]


def questions(count: int, seed: int = 2) -> list[str]:
    random_ = random.Random(seed)
    pick = random_.choice
    return [
        f"Who {pick(DOES)} the {pick(COLOURS)} {pick(WHAT)}? Was it in {pick(WHERE)}?"
        if at % 3 == 0
        else f"{pick(COLOURS)} {pick(WHAT)} {pick(WHERE)}"
        for at in range(count)
    ]
