"""Writes down what a user sees: an export of the demo's story, explained answers, all help.

`python tests/golden/build.py` writes the files anew; `test_golden.py` compares. A change that is
meant to leave behaviour alone leaves these files alone.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from click.testing import CliRunner

TESTS = Path(__file__).parent.parent
sys.path.insert(0, str(TESTS))

from support.hash_embedder import HashEmbedder  # noqa: E402
from taishi import Memory, Message, load  # noqa: E402
from taishi.cli import taishi as root_command  # noqa: E402
from taishi.demo.story import Story, load_story  # noqa: E402
from taishi.server.app import bare_app  # noqa: E402

HERE = Path(__file__).parent
RECENT_MESSAGES = 4
QUESTIONS = 20
EXPLAINED = 6
IDENTIFIER = re.compile(r"\b[0-9a-f]{32}\b|\b\d{8}T\d{6}\.\d+Z")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+\+00:00|\b\d{10}(?:\.\d+)?\b")
DAY = 86_400
CLOCK = 1_774_000_000.0


def told(folder: Path, story: Story) -> Memory:
    settings = load(None, overrides={"memory.timezone": story.timezone})
    memory = Memory.open(folder, settings, embedder=HashEmbedder(), clock=lambda: CLOCK)
    for number, turn in enumerate(story.turns):
        memory.end_turn(
            story.scope(turn.chat, turn.who),
            action_summary=turn.did,
            new_info=turn.said,
            messages=[
                Message(one.said, one.who, one.at, f"m-{one.at}")
                for one in story.recent_turns(number, RECENT_MESSAGES)
            ],
            request_id=f"golden-{number}",
            time=turn.at,
            sender_name=turn.who,
            group_name=turn.chat.name or None,
            bot_name=turn.chat.bot,
        )
        memory.drain()
    return memory


def named_in_order(text: str) -> str:
    """Identifiers differ from run to run: each becomes the number of its first appearance."""
    names: dict[str, str] = {}
    text = MOMENT.sub(lambda m: "now" if _is_now(m.group()) else m.group(), text)
    return IDENTIFIER.sub(lambda m: names.setdefault(m.group(), f"id-{len(names)}"), text)


def _is_now(moment: str) -> bool:
    """Pages carry the times of their files."""
    at = datetime.fromisoformat(moment).timestamp() if "T" in moment else float(moment)
    return abs(at - time.time()) < DAY


def exported(memory: Memory) -> str:
    return named_in_order("".join(line.rstrip() + "\n" for line in memory.transfer.export()))


def explained(memory: Memory, story: Story) -> str:
    asked = [(q.chat, q.who, q.ask) for q in story.questions]
    asked += [(turn.chat, turn.who, turn.said) for turn in story.turns]
    answers = []
    for chat, who, ask in asked[:QUESTIONS]:
        found = memory.recall(
            story.scope(chat, who), ask, now=story.now, explain=True, deadline=30.0
        )
        answers.append(
            {
                "ask": ask,
                "level": found.level,
                "hits": [[hit.kind, hit.text, round(hit.score, 4)] for hit in found.hits],
                "explained": [_rounded(vars_of(one)) for one in found.explain[:EXPLAINED]],
            }
        )
    return named_in_order(json.dumps(answers, ensure_ascii=False, indent=1))


def vars_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value if isinstance(value, str | int | bool | None) else str(value)


def helps(language: str, command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """As the command line prints them: a command's own options come from its group's settings."""
    asked = ["--lang", language, *path, "--help"]
    shown = CliRunner().invoke(root_command, asked, terminal_width=100)
    yield f"$ {' '.join(('taishi', *path))} --help\n{shown.output.rstrip()}"
    for name, child in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from helps(language, child, (*path, name))


def build() -> dict[str, str]:
    """By file name: what it is to hold."""
    story = load_story()
    with TemporaryDirectory() as place:
        folder = Path(place)
        with told(folder / "memory", story) as memory:
            return {
                "export.jsonl": exported(memory),
                "recall.json": explained(memory, story) + "\n",
                "openapi.json": json.dumps(bare_app().openapi(), ensure_ascii=False, indent=1)
                + "\n",
                "help.txt": "\n\n".join(helps("en", root_command)) + "\n",
                "help.zh.txt": "\n\n".join(helps("zh", root_command)) + "\n",
            }


if __name__ == "__main__":
    for name, text in build().items():
        (HERE / name).write_text(text, encoding="utf-8")
