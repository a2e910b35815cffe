"""A correction reaches everything that the bot is told (P5), by every door, in both languages.

The same story each time: two things are learned from turns; a person puts one right and says that
the other is not so. From then on block, page, facts and search agree, after a restart, too.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from mcp import Client

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load, tools
from taishi.api_keys import Keys
from taishi.context_block.block import statement
from taishi.mcp_server import McpCaller
from taishi.mcp_server.handlers import Handlers
from taishi.server.app import create_app
from taishi.types import Edit, Record


@dataclass(frozen=True)
class Words:
    """The story in one language."""

    name: str
    wrong: str
    gone: str
    right: str
    said: tuple[str, str]
    wrong_word: str
    gone_word: str
    right_word: str
    corrected: str
    withdrawn: str
    query: str


ENGLISH = Words(
    "Ann", "Ann likes kiwi", "Ann likes olives", "Ann likes mango",
    ("I like kiwi", "I like olives"), "kiwi", "olives", "mango",
    "(since corrected: Ann likes mango)", "(since withdrawn)",
    "which fruit does Ann like?",
)  # fmt: skip
CHINESE = Words(
    "小安", "小安喜欢猕猴桃", "小安喜欢橄榄", "小安喜欢芒果",
    ("我喜欢猕猴桃", "我喜欢橄榄"), "猕猴桃", "橄榄", "芒果",
    "（后更正：小安喜欢芒果）", "（后撤回）", "小安喜欢吃什么？",
)  # fmt: skip
ANN = Scope(user="ann")


class Story:
    """One memory that can be closed and opened again."""

    def __init__(self, folder: Path, words: Words) -> None:
        self.folder = folder
        self.words = words
        self.memory = self._open()

    def _open(self) -> Memory:
        overrides = {"query.recall_timeout": 10.0, "memory.timezone": "Asia/Shanghai"}
        return Memory.open(
            self.folder, load(environ={}, overrides=overrides), embedder=HashEmbedder()
        )

    def restart(self) -> None:
        self.memory.close()
        self.memory = self._open()

    @property
    def page(self) -> Path:
        return self.folder / "profiles" / "users" / "ann.md"

    def learn(self) -> None:
        for said in self.words.said:
            messages = [{"text": said, "speaker": self.words.name, "speaker_id": "ann"}]
            self.memory.end_turn(
                ANN, new_info=said, messages=messages, sender_id="ann", sender_name=self.words.name
            )
        self.memory.drain()
        assert self.known() == {self.words.wrong, self.words.gone}
        assert self.words.wrong in self.page.read_text("utf-8")

    def known(self) -> set[str]:
        return {one.text for one in self.memory.facts.list(ANN, ["approved"])}

    def id_of(self, text: str) -> str:
        return next(one.id for one in self.memory.facts.list(ANN) if one.text == text)

    def by_hand(self, old: str, new: str) -> None:
        time.sleep(0.005)
        text = self.page.read_text("utf-8")
        assert old in text
        self.page.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["en", "zh"])
def story(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Story]:
    told = Story(tmp_path / "data", request.param)
    told.learn()
    yield told
    told.memory.close()


def agree(story: Story, right: bool = True, gone: bool = True) -> None:
    """All that the bot may be told says the same, now and after a restart."""
    for _ in range(2):
        _agree(story, right, gone)
        story.memory.drain()
        story.restart()


def _agree(story: Story, right: bool, gone: bool) -> None:
    words, memory = story.words, story.memory
    expected = {words.right if right else words.wrong, *(() if gone else (words.gone,))}
    never = [words.wrong_word] if right else []
    never += [words.gone_word] if gone else []
    query = f"{words.query} {words.wrong_word} {words.gone_word}"
    block = memory.context(ANN, query)  # also takes over what a person did on disk
    assert story.known() == expected
    page = memory.get_profile(ANN, "user", "ann")
    assert page
    lines = {line.lstrip("- ") for line in page.body.splitlines()}
    assert lines == expected
    assert not any(word in story.page.read_text("utf-8") for word in never)
    (found,) = memory.search_profiles(ANN, query).hits
    assert set(found.text.splitlines()) == set(page.body.splitlines())
    as_current(block, words, right, gone)
    for hit in memory.recall(ANN, query, top_k=20).hits:
        told_truly(hit.text, words, right, gone, is_history=hit.kind == "event")
    told = [hit.text for hit in memory.search_events(ANN, query).hits]
    assert len(told) == 2, "what was said stays in history"
    for text in told:
        told_truly(text, words, right, gone, is_history=True)


def as_current(block: str, words: Words, right: bool, gone: bool) -> None:
    now = words.right_word if right else words.wrong_word
    assert block.count(now) == 1 + block.count(words.corrected), block
    is_history = False
    for line in block.splitlines():
        if not line.startswith("- "):
            is_history = line in ("Matching events:", "相关事件：")
        told_truly(line, words, right, gone, is_history)


def told_truly(text: str, words: Words, right: bool, gone: bool, is_history: bool) -> None:
    """What is no longer so is told only as history, and with what became of it."""
    if right and words.wrong_word in text:
        assert is_history, text
        assert words.corrected in text
    if gone and words.gone_word in text:
        assert is_history, text
        assert words.withdrawn in text


def test_P5_by_python(story: Story) -> None:
    new = story.memory.facts.correct(ANN, story.id_of(story.words.wrong), story.words.right)
    assert new == story.id_of(story.words.right)
    agree(story, gone=False)
    story.memory.facts.reject(ANN, story.id_of(story.words.gone))
    agree(story)


def test_P5_by_rest(story: Story) -> None:
    words = story.words
    with TestClient(create_app(story.memory, keys=Keys(story.folder))) as client:

        def post(path: str, **body: Any) -> Any:
            answer = client.post(f"/v1{path}", json={"scope": {"user": "ann"}, **body})
            assert answer.is_success, answer.text
            return answer.json()

        post(f"/facts/{story.id_of(words.wrong)}/correct", text=words.right)
        post(f"/facts/{story.id_of(words.gone)}/reject")
        page = client.get("/v1/profiles/user/ann").json()
        assert words.right in page["body"]
        assert words.wrong_word not in page["body"] and words.gone_word not in page["body"]
        hits = post("/recall", query=f"{words.wrong_word} {words.gone_word}")["hits"]
        for hit in hits:
            told_truly(hit["text"], words, True, True, hit["kind"] == "event")
    agree(story)


def test_P5_by_mcp(story: Story) -> None:
    words = story.words
    language = "zh" if words is CHINESE else "en"

    async def tell() -> str:
        door = Handlers(story.memory, lambda context: McpCaller(ANN), language)
        async with Client(door.server()) as client:

            async def ask(tool: str, **arguments: Any) -> str:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                return result.content[0].text

            listed = await ask("recall", query=words.query, top_k=20)
            for id, text in (
                (id_in(listed, words.wrong), words.right),
                (id_in(listed, words.gone), ""),
            ):
                await ask("correct", id=id, text=text)
            return await ask("context", query=words.query)

    as_current(asyncio.run(tell()), words, True, True)
    agree(story)


def id_in(listed: str, fact: str) -> str:
    """The id that a list of memories gives for a fact."""
    for line in listed.splitlines():
        found = re.search(r"\b(fact-[0-9a-f]+)", line)
        if found and fact in line:
            return found[1]
    raise AssertionError(f"{fact!r} is not listed with its id in:\n{listed}")


def test_P5_by_tools_of_an_agent(story: Story) -> None:
    words = story.words
    for text, new in ((words.wrong, words.right), (words.gone, "")):
        given = {"id": story.id_of(text), "text": new}
        assert tools.call(story.memory, "correct", given, ANN, names=tools.ALL_TOOLS).ok
    agree(story)


def test_P5_by_hand_on_disk(story: Story) -> None:
    words = story.words
    story.by_hand(f"- {words.wrong}", f"* {words.right}。")
    story.by_hand(f"* {words.right}。", f"- {words.right}")
    agree(story, gone=False)
    story.by_hand(f"- {words.gone}\n", "")
    agree(story)
    (old,) = (one for one in story.memory.facts.list(ANN) if one.text == words.wrong)
    assert old.data["superseded_by"] == story.id_of(words.right), "it is known as a correction"


def test_P5_by_the_verb_that_edits_pages(story: Story) -> None:
    before = story.memory.profiles.source(ANN)
    story.memory.profiles.edit(ANN, f"- {story.words.right}", before)
    agree(story)


def test_P5_a_roll_back_is_a_persons_word_too(story: Story) -> None:
    words = story.words
    story.memory.facts.correct(ANN, story.id_of(words.wrong), words.right)
    revision = story.memory.profiles.revisions(ANN)[0]
    story.memory.profiles.rollback(ANN, revision)
    agree(story, right=False, gone=False)


def test_P5_a_line_added_by_hand_is_known(story: Story) -> None:
    words = story.words
    story.by_hand(f"- {words.gone}\n", f"- {words.gone}\n- {words.right}\n")
    story.memory.context(ANN, words.query)
    assert story.known() == {words.wrong, words.gone, words.right}
    found = story.memory.recall(ANN, words.right, kinds=["fact"]).hits
    assert words.right in [hit.text for hit in found]


@pytest.mark.parametrize(
    "form",
    [
        "{}。",
        "* {}",
        "1. {}",
        "  - {}!",
        "- {} (95 %, 3 sources)",
        "- {}（95 %，3 个来源）",
        "\ufeff- {}",
    ],
)
def test_P5_a_tombstone_is_known_by_what_it_says(story: Story, form: str) -> None:
    """However it is written, what a person took out is not put on the page again."""
    words = story.words
    story.by_hand(f"- {words.gone}\n", "")
    story.memory.context(ANN, words.query)
    line = form.format(words.gone)
    story.memory._services.pages.merge(
        story.memory.profiles._entity(ANN), lambda page: replace(page, body=f"{page.body}\n{line}")
    )
    assert words.gone_word not in story.page.read_text("utf-8")


def test_P5_a_second_correction_takes_the_place_of_the_first(story: Story) -> None:
    words, memory = story.words, story.memory
    memory.facts.correct(ANN, story.id_of(words.wrong), f"{words.wrong} X")
    memory.facts.correct(ANN, story.id_of(f"{words.wrong} X"), words.right)
    memory.facts.reject(ANN, story.id_of(words.gone))
    agree(story)


def test_P5_what_a_turn_supersedes_leaves_the_page(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory({"query.recall_timeout": 10.0})
    for text in ("I live in Oslo", "I moved to Bergen"):
        messages = [{"text": text, "speaker": "Ann", "speaker_id": "ann"}]
        memory.end_turn(ANN, new_info=text, messages=messages, sender_name="Ann", sender_id="ann")
        memory.drain()
    page = memory.get_profile(ANN, "user", "ann")
    assert page
    assert "Bergen" in page.body and "Oslo" not in page.body
    assert page.name == "Ann"
    assert "residence" in page.tags


def test_P5_one_event_may_be_corrected_twice_at_once(tmp_path: Path) -> None:
    story = Story(tmp_path, ENGLISH)
    said = list(ENGLISH.said)
    messages = [{"text": ". ".join(said), "speaker": "Ann", "speaker_id": "ann"}]
    story.memory.end_turn(ANN, new_info=said, messages=messages, sender_id="ann", sender_name="Ann")
    story.memory.drain()
    before = story.memory.profiles.source(ANN)
    story.memory.profiles.edit(ANN, f"- {ENGLISH.right}", before)
    (event,) = story.memory.search_events(ANN, "kiwi olives").hits
    assert ENGLISH.right in event.text.partition("since corrected: ")[2]
    assert ENGLISH.gone in event.text.partition("since withdrawn: ")[2]
    story.memory.close()


def test_P5_a_page_of_hundreds_of_lines_is_taken_over_in_a_moment(tmp_path: Path) -> None:
    story = Story(tmp_path, ENGLISH)
    memory = story.memory
    memory.remember_many(ANN, [
        {"text": f"Ann spoke of thing number {n}", "kind": "event"} for n in range(500)
    ])  # fmt: skip
    lines = [f"- Ann knows thing {n}" for n in range(400)]
    memory.profiles.set(ANN, "\n".join(lines), "Ann")
    assert len(memory.facts.list(ANN, ["approved"])) == 400
    start = time.process_time()
    story.by_hand("\n".join(lines[:300]) + "\n", "")
    memory.context(ANN, "thing")
    assert len(memory.facts.list(ANN, ["approved"])) == 100
    assert time.process_time() - start < 5
    memory.close()


@pytest.mark.parametrize("kind", ["summary", "turn", "event"])
@pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_P5_a_correction_is_told_once_whatever_carries_it(
    tmp_path: Path, kind: str, words: Words
) -> None:
    memory = Story(tmp_path, words).memory
    noted = [{"said": words.wrong, "now": words.right, "why": ""}]
    told = Record("one", ANN.home, kind, words.wrong, time=5.0, data={"corrections": noted})
    memory._services.runtime.parts.store.apply([Edit("put", told)])
    (found,) = memory.recall(ANN, words.wrong, deadline=5.0).hits
    for text in (found.text, statement(found), memory.context(ANN, words.wrong, deadline=5.0)):
        assert text.count(words.corrected) == 1, text
    memory.close()


@pytest.mark.parametrize("instead", ["Diego lives in Xiamen", ""])
def test_P5_an_event_says_what_holds_now_however_often_that_changes(
    memory: Memory, instead: str
) -> None:
    """He moved, and a person corrects where to: also what he said before the move knows it."""
    diego = Scope(user="diego")
    for day, said in (("2026-03-04", "I live in Gulei"), ("2026-03-29", "I live in Haicang now")):
        memory.end_turn(diego, new_info=said, sender_name="Diego", time=f"{day} 12:00")
        memory.drain()
    (fact,) = [one for one in memory.facts.list(diego) if one.text == "Diego lives in Haicang"]
    if instead:
        memory.facts.correct(diego, fact.id, instead)
    else:
        memory.facts.reject(diego, fact.id)
    block = memory.context(diego, "Where does Diego live?")
    assert "since then: Diego lives in Haicang" not in block
    first = next(line for line in block.splitlines() if "Gulei" in line)
    assert (f"since then: {instead}" if instead else "no longer so") in first
