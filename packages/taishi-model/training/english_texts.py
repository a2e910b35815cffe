"""English texts to hold on to → en.xz: english-384 should place them as MiniLM does.

Long ones from the documentation on this machine and from joined dialogues, short ones from
Synthetic-Persona-Chat (en.xz of `public_pairs`) and Schema-Guided Dialogue (CC BY-SA 4.0). What
the documentation is depends on the machine, so this file cannot be made again to the letter.
"""

from __future__ import annotations

import argparse
import glob
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from sources import Clones, read_lines, write_lines

DIALOGUES = "google-research-datasets+dstc8-schema-guided-dialogue"
PROSE_ENDINGS = (".md", "METADATA", ".txt", ".rst", "copyright")
MAX_READ = 400_000
MIN_LONG, MAX_LONG = 300, 1200
MAX_DOCUMENTS = 16_000
MAX_CHATS = 45_000
MAX_REQUESTS = 25_000
MAX_SITE_MODULES = 6000


def documentation_files(site_packages: str) -> list[str]:
    """Prose and Python modules of the system and of one virtual environment."""

    def found(pattern: str) -> list[str]:
        return glob.glob(pattern, recursive=True)  # noqa: PTH207 (takes hidden files, too)

    return (
        found("/usr/share/doc/**/*")
        + found(f"{site_packages}/**/METADATA")
        + found("/usr/lib/node_modules/**/*.md")
        + found("/usr/lib/python3*/**/*.py")
        + found(f"{site_packages}/**/*.py")[:MAX_SITE_MODULES]
    )


def long_passages(path: str) -> Iterator[str]:
    """Docstrings of a module, or sections of a page, on one line each."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(MAX_READ)
    except (OSError, ValueError):
        return
    if path.endswith(".py"):
        for docstring in re.findall(r'"""(.{300,2000}?)"""', text, re.DOTALL)[:6]:
            yield re.sub(r"\s+", " ", docstring)[:MAX_LONG]
    elif path.endswith(PROSE_ENDINGS) or "README" in path:
        for section in re.split(r"\n\s*\n\s*\n|\n#+ ", text)[:40]:
            passage = re.sub(r"\s+", " ", section)
            if len(passage) > MIN_LONG:
                yield passage[:MAX_LONG]


def is_mostly_letters(text: str) -> bool:
    return sum(character.isalpha() for character in text) > 0.6 * len(text)


def read_dialogues(clones: Clones, random: Random) -> tuple[list[str], list[str]]:
    """Utterances, and half of the dialogues as one long text each."""
    utterances: list[str] = []
    joined: list[str] = []
    for number in range(1, 26):
        try:
            dialogues = clones.read_json(DIALOGUES, f"train/dialogues_{number * 3:03d}.json")
        except ValueError:
            continue  # the clone does not hold this part
        for dialogue in dialogues:
            turns = [turn["utterance"] for turn in dialogue["turns"]]
            utterances += [turn for turn in turns if len(turn) > 15]
            if random.random() < 0.5:
                joined.append(" ".join(turns)[:MAX_LONG])
    return utterances, joined


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clones", type=Path, required=True, help="folder of OWNER+NAME/repo")
    parser.add_argument("--site-packages", default=".venv/lib/python3*/site-packages")
    parser.add_argument("--chats", type=Path, required=True, help="en.xz of public_pairs")
    parser.add_argument("--out", type=Path, required=True, help="the new en.xz")
    options = parser.parse_args()

    random = Random(3)
    passages = {
        passage
        for path in documentation_files(options.site_packages)
        for passage in long_passages(path)
    }
    long_texts = sorted(filter(is_mostly_letters, passages))
    random.shuffle(long_texts)
    long_texts = long_texts[:MAX_DOCUMENTS]
    requests, joined = read_dialogues(Clones(options.clones), random)
    long_texts += joined
    chats = [text for text in read_lines(options.chats) if len(text) < 300][:MAX_CHATS]
    long_texts += [" ".join(chats[start : start + 6]) for start in range(0, 9000, 6)]
    requests = list(dict.fromkeys(requests))
    random.shuffle(requests)
    texts = chats + requests[:MAX_REQUESTS] + long_texts
    random.shuffle(texts)
    print(len(chats), len(requests), len(long_texts), sum(map(len, texts)))
    write_lines(options.out, texts)


if __name__ == "__main__":
    main()
