"""The name of a group is in the header of each of its events: it does not decide which of them are
found (Q3), and a change of an appointment is seen with it (P5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.support.hash_embedder import HashEmbedder

from taishi import Memory, Message, Scope

Day = Sequence[tuple[int, str, str]]
ZH_FIRST: Day = [
    (1, "郑棠", "约好了，下周四晚上七点在体育馆打羽毛球"),
    (2, "阿拾", "以后都叫我拾哥"),
    (3, "圆圆", "我不吃香菜"),
    (2, "阿拾", "我最喜欢的水果是杨梅"),
]
ZH_SECOND: Day = [
    (1, "郑棠", "羽毛球改到周五了，还是七点，场地换成洪塘"),
    (2, "阿拾", "别再叫我拾哥了，叫我小拾就行"),
    (3, "圆圆", "我生日是6月19号"),
    (2, "阿拾", "我上周搬到鄞州了"),
]
EN_FIRST: Day = [
    (1, "Tom", "Our badminton match is next Thursday at seven in the sports hall"),
    (2, "Ash", "Call me Captain from now on"),
    (3, "Mia", "I don't eat coriander"),
    (2, "Ash", "My favourite fruit is the plum"),
]
EN_SECOND: Day = [
    (1, "Tom", "The badminton match was moved to Friday, still at seven, but in Hongtang"),
    (2, "Ash", "Don't call me Captain any more, Ash is fine"),
    (3, "Mia", "My birthday is on 19 June"),
    (2, "Ash", "I moved to Yinzhou last week"),
]
MIA = Scope(user="3", group="a")


def tell(memory: Memory, group: str, *days: Day) -> None:
    for day, told in enumerate(days, start=14):
        for minute, (user, name, text) in enumerate(told):
            time = f"2026-03-{day} 20:0{minute}"
            said = Message(text, speaker=name, speaker_id=str(user), time=time)
            scope = Scope(user=str(user), group="a")
            memory.consider(scope, [said], sender_name=name, group_name=group, time=time)
        memory.drain(30)


def block(memory: Memory, question: str) -> str:
    return memory.context(MIA, question, now="2026-03-16 09:00", deadline=5)


@pytest.fixture(params=["words", pytest.param("local", marks=pytest.mark.model)])
def memory(request: pytest.FixtureRequest, open_memory: Callable[..., Memory]) -> Memory:
    if request.param == "words":
        return open_memory({"memory.timezone": "Asia/Shanghai"}, embedder=None)
    from taishi.models.local.embedder import LocalEmbedder

    return open_memory({"memory.timezone": "Asia/Shanghai"}, embedder=LocalEmbedder())


@pytest.mark.parametrize("group", ["羽毛球约战", "甬江闲聊"])
@pytest.mark.parametrize("question", ["羽毛球几点", "羽毛球什么时候在哪打", "周几打羽毛球？"])
def test_Q3_the_name_of_the_group_does_not_push_out_the_change(
    memory: Memory, group: str, question: str
) -> None:
    tell(memory, group, ZH_FIRST, ZH_SECOND)
    shown = block(memory, question)
    assert "洪塘" in shown
    assert "体育馆" not in shown or shown.index("洪塘") < shown.index("体育馆")


@pytest.mark.parametrize("group", ["Badminton Club", "Riverside"])
@pytest.mark.parametrize("question", ["when is badminton?", "where do we play badminton?"])
def test_Q3_in_english_too(memory: Memory, group: str, question: str) -> None:
    tell(memory, group, EN_FIRST, EN_SECOND)
    shown = block(memory, question)
    assert "Hongtang" in shown
    assert "sports hall" not in shown or shown.index("Hongtang") < shown.index("sports hall")


@pytest.mark.parametrize(
    ("group", "days", "question"),
    [
        ("羽毛球约战", (ZH_FIRST, ZH_SECOND), "羽毛球约战群里发生了什么"),
        ("Badminton Club", (EN_FIRST, EN_SECOND), "what happened in the Badminton Club group?"),
    ],
)
def test_Q3_a_question_about_the_group_finds_its_events_there_and_from_elsewhere(
    memory: Memory, group: str, days: tuple[Day, Day], question: str
) -> None:
    tell(memory, group, *days)
    assert len(memory.recall(MIA, question, kinds=["event"], deadline=5).hits) >= 4
    memory.set_link(Scope(user="3"), True)
    elsewhere = memory.recall(Scope(user="3"), question, kinds=["event"], deadline=5).hits
    assert len(elsewhere) == 2


def test_Q3_a_word_that_every_event_says_is_still_found(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder=None)
    for n in (3, 5, 7, 9, 11):
        told = f"The tandem has {n} new spokes"
        memory.end_turn(MIA, new_info=told, sender_name="Mia", group_name="Riverside")
    memory.drain(30)
    assert len(memory.recall(MIA, "tandem", kinds=["event"], deadline=5).hits) == 5
    [first, *_] = memory.recall(MIA, "which tandem got 7 spokes?", kinds=["event"], deadline=5).hits
    assert " 7 " in first.text


class Noted(HashEmbedder):
    """Keeps the texts that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], kind: str) -> object:
        self.texts += texts
        return super().embed(texts, kind)  # type: ignore[arg-type]


def test_Q3_an_event_is_embedded_without_the_name_of_its_group(
    open_memory: Callable[..., Memory],
) -> None:
    noted = Noted()
    memory = open_memory(embedder=noted)
    tell(memory, "羽毛球约战", ZH_FIRST)
    tell(memory, "Badminton Club", [(1, "Tom", "I bought a tandem")])
    memory.drain(30)
    events = [text for text in noted.texts if text.startswith("2026")]
    assert any("杨梅" in text for text in events) and any("tandem" in text for text in events)
    assert not [text for text in events if "约战" in text or "Club" in text]


MOVED = [
    ("The choir meets on 5 March 2026 at 19:00", "The choir was moved to 6 March 2026"),
    ("合唱团2026年3月5日19:00排练", "合唱团改到2026年3月6日了"),
]
OTHERS = [
    ("The choir meets on 5 March 2026 at 19:00", "The market was moved to 6 March 2026"),
    ("合唱团2026年3月5日19:00排练", "集市改到2026年3月6日了"),
    ("The choir meets on 5 March 2026 at 19:00", "What if the choir was moved to 6 March 2026?"),
    ("合唱团2026年3月5日19:00排练", "合唱团能不能改到2026年3月6日？"),
]


@pytest.mark.parametrize(("agreed", "change"), [*MOVED, *OTHERS])
def test_P5_a_moved_appointment_is_seen_with_what_moved_it(
    open_memory: Callable[..., Memory], agreed: str, change: str
) -> None:
    memory = open_memory({"query.auto_top_k": 1}, embedder=None)
    memory.end_turn(MIA, new_info=agreed, sender_name="Mia", time="2026-03-01 10:00")
    memory.end_turn(MIA, new_info=change, sender_name="Mia", time="2026-03-02 10:00")
    memory.drain(30)
    asked = "choir 2026-03-05 19:00 meets" if agreed.isascii() else "合唱团3月5日19:00排练"
    shown = memory.context(MIA, asked, now="2026-03-03 09:00", deadline=5)
    assert "19:00" in shown
    assert ("2026-03-06" in shown or "6 March" in shown or "3月6日" in shown) == (
        (agreed, change) in MOVED
    )
