"""A fact that a person states of themselves → a question that somebody else may ask about it."""

from __future__ import annotations

import re
from random import Random

NAMES = """
Anna Ben Carla Daniel Elena Felix Grace Hannah Ivan Julia Kevin Laura Marcus Nadia Oscar Paula
Quinn Rosa Simon Tara Victor Wendy Yusuf Zoe Maya Liam Priya Diego Ingrid Tom
""".split()
# Verbs that after "I" can be asked about with "does".
PRESENT_VERBS = set(
    """
have like love enjoy live work play go hate want own drive eat drink read write watch teach study
collect speak grow cook bake run ride listen hope prefer wear travel sing dance paint draw walk
swim volunteer make know need spend attend sell train raise believe dislike
""".split()
)
THIRD_PERSON = (
    (r"\bmy\b", "their"),
    (r"\bmyself\b", "themselves"),
    (r"\bmine\b", "theirs"),
    (r"\bme\b", "them"),
    (r"\bi am\b|\bi'm\b", "they are"),
    (r"\bi\b", "they"),
)
# A question, and 1 if many other facts would answer it, too.
Asked = tuple[str, int]


def third_person(text: str) -> str:
    for pattern, replacement in THIRD_PERSON:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


def singular(verb: str) -> str:
    """The verb as it follows "who"."""
    if verb == "have":
        return "has"
    if re.search("(s|sh|ch|x|z|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search("[^aeiou]y$", verb) else verb + "s"


def ask(fact: str, random: Random) -> Asked | None:
    """A question about the fact, by the first pattern that fits; None if none does."""
    fact = fact.strip().rstrip(".!").strip()
    name = random.choice(NAMES)
    patterns = (_ask_favourite, _ask_verb, _ask_being, _ask_possession, _ask_past)
    return next((asked for form in patterns if (asked := form(fact, name, random))), None)


def _ask_favourite(fact: str, name: str, random: Random) -> Asked | None:
    match = re.match(r"(?i)my favou?rite ([\w ]{2,30}?) (?:is|are) (.+)", fact)
    if not match:
        return None
    thing = match[1]
    questions = [
        f"What is {name}'s favorite {thing}?",
        f"Which {thing} does {name} like most?",
        f"What's my favorite {thing}?",
    ]
    return random.choice(questions), 1


def _ask_verb(fact: str, name: str, random: Random) -> Asked | None:
    match = re.match(
        r"(?i)(?:in my free time,? )?"
        r"i (also |really |currently |usually |often |still |just )?(\w+) (.+)",
        fact,
    )
    if not match or match[2].lower() not in PRESENT_VERBS:
        return None
    if re.match(r"(?i)(been|never|always|only|\w+ed)\b", match[3]):
        return None
    verb, rest = match[2].lower(), third_person(match[3])
    general = _ask_generally(verb, name, random)
    if general:
        return general, 1
    questions = [
        f"Does {name} {verb} {rest}?",
        f"Who {singular(verb)} {rest}?",
        f"Does {name} {verb} {rest}?",
        f"Did I mention that I {verb} {match[3]}?",
        f"When did {name} say that they {verb} {rest}?",
    ]
    return random.choice(questions), 0


def _ask_generally(verb: str, name: str, random: Random) -> str | None:
    """A question that does not give the answer away; not every time."""
    chance = random.random()
    if verb == "live" and chance < 0.5:
        return random.choice(
            [f"Where does {name} live?", f"What kind of place is home for {name}?"]
        )
    if verb == "work" and chance < 0.5:
        return random.choice(
            [
                f"What does {name} do for a living?",
                f"Where does {name} work?",
                f"What is {name}'s job?",
            ]
        )
    if verb in ("like", "love", "enjoy") and chance < 0.25:
        return random.choice(
            [
                f"What does {name} like to do?",
                f"What are {name}'s hobbies?",
                f"What does {name} enjoy?",
            ]
        )
    if verb == "want" and chance < 0.4:
        return f"What does {name} want to do?"
    return None


def _ask_being(fact: str, name: str, random: Random) -> Asked | None:
    match = re.match(r"(?i)(?:i am|i'm) (.+)", fact)
    if not match:
        return None
    state = third_person(match[1])
    if re.match(r"\d+ years old", state):
        return random.choice([f"How old is {name}?", f"What is {name}'s age?"]), 1
    if re.match(r"an? \w+( \w+)?$", state) and random.random() < 0.35:
        return random.choice([f"What does {name} do?", f"What do we know about {name}?"]), 1
    questions = [
        f"Is {name} {state}?",
        f"Who is {state}?",
        f"When did {name} tell me they are {state}?",
    ]
    return random.choice(questions), 0


def _ask_possession(fact: str, name: str, random: Random) -> Asked | None:
    match = re.match(r"(?i)my ([\w-]+(?: [\w-]+)?) (is|are|was|were) (.+)", fact)
    if not match:
        return None
    thing, verb, state = match[1], match[2], third_person(match[3])
    questions = [
        f"What did {name} say about their {thing}?",
        f"{verb.capitalize()} {name}'s {thing} {state}?",
        f"Whose {thing} {verb} {state}?",
    ]
    return random.choice(questions), 0


def _ask_past(fact: str, name: str, random: Random) -> Asked | None:
    match = re.match(
        r"(?i)i (used to|have been|went|grew up|was|just got|moved|got|lost|bought|met) (.+)", fact
    )
    if not match:
        return None
    verb, rest = match[1].lower(), third_person(match[2])
    questions = [f"Did {name} say they {verb} {rest}?", f"Who {verb} {rest}?"]
    return random.choice(questions), 0
