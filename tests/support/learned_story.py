"""A person of whom much is known: a page and facts, some events, one standing instruction.

What a question is after is one line among the many, so that a block which shows only the top of
the page, or only the page, does not hold it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

from taishi import Memory, Scope
from taishi.domain.fact_lifecycle import INSTRUCTION, new_fact
from taishi.domain.profile_owners import ProfileOwner
from taishi.types import Edit, Profile, Record

ANN = Scope(user="ann")
NOW = 1_771_500_000.0
DAY = 86_400.0


@dataclass(frozen=True)
class Story:
    """What is told, in one language, and the questions with what their blocks must hold."""

    subject: str
    learned: tuple[str, ...]
    line: str
    instruction: str
    event: str
    other_events: tuple[str, ...]
    questions: dict[str, tuple[str, str]]


def _statements(pattern: str, first: str, second: str) -> tuple[str, ...]:
    pairs = itertools.product(first.split(), second.split())
    return tuple(pattern.format(a, b) for a, b in pairs)


ENGLISH = Story(
    subject="Ann",
    learned=_statements(
        "Ann likes {} {}",
        "red blue green old new small large wooden plastic iron silver golden round square soft "
        "hard heavy light striped plain cheap rare modern antique painted carved folding woven "
        "knitted printed Danish Swiss Polish French Italian Spanish Turkish Indian Thai Korean "
        "Nordic Baltic Alpine coastal urban rustic formal casual winter summer",
        "chairs lamps tables clocks shelves mirrors carpets baskets vases bowls spoons kettles "
        "jackets scarves boots gloves hats bags belts ties bicycles kites drums flutes guitars "
        "posters stamps coins maps globes puzzles dolls robots trains candles ribbons pens "
        "notebooks folders boxes",
    ),
    line="Ann is allergic to walnuts",
    instruction="Always answer Ann in short sentences",
    event="Ann left the umbrella at the harbour library",
    other_events=tuple(f"Ann went for walk number {n} along the river" for n in range(20)),
    questions={
        "event": ("Where did Ann leave the umbrella?", "harbour library"),
        "profile line": ("What is Ann allergic to?", "walnuts"),
        "instruction": ("What is the capital of Peru?", "short sentences"),
    },
)
CHINESE = Story(
    subject="小安",
    learned=_statements(
        "小安喜欢{}{}",
        "红色 蓝色 绿色 老式 新款 小巧 大号 木制 塑料 铁制 银色 金色 圆形 方形 柔软 坚硬 沉重 轻便 "
        "条纹 素色 便宜 稀有 现代 古董 手绘 雕花 折叠 编织 针织 印花 丹麦 瑞士 波兰 法国 "
        "意大利 西班牙 土耳其 印度 泰国 韩国 北欧 海边 城市 乡村 正式 休闲 冬季 夏季 复古 简约",
        "椅子 台灯 桌子 时钟 书架 镜子 地毯 篮子 花瓶 饭碗 汤匙 水壶 夹克 围巾 靴子 手套 帽子 背包 "
        "皮带 领带 单车 风筝 大鼓 长笛 吉他 海报 邮票 硬币 地图 拼图 玩偶 火车 蜡烛 丝带 钢笔 本子 "
        "盒子 相框 屏风 茶盘",
    ),
    line="小安对核桃过敏",
    instruction="以后都用简短的句子回答小安",
    event="小安把雨伞忘在港口图书馆了",
    other_events=tuple(f"小安沿着河边散步第{n}次" for n in range(20)),
    questions={
        "event": ("小安把雨伞忘在哪里了？", "港口图书馆"),
        "profile line": ("小安对什么过敏？", "核桃"),
        "instruction": ("秘鲁的首都是哪里？", "简短的句子"),
    },
)  # fmt: skip
STORIES: dict[Literal["en", "zh"], Story] = {"en": ENGLISH, "zh": CHINESE}


def tell(memory: Memory, story: Story, count: int, scope: Scope = ANN) -> None:
    """Put so many learned statements on the page and into the facts, and the rest around them.

    It is put where the historian puts it; told turn by turn, thousands would take minutes.
    """
    place = scope.home
    learned = list(story.learned[: count - 1])
    learned.insert(len(learned) // 2, story.line)
    facts = [
        new_fact(text, place, f"e{n}", NOW - DAY * (count - n) / count, scope.user,
                 subject=story.subject)
        for n, text in enumerate(learned)
    ]  # fmt: skip
    asked = new_fact(story.instruction, place, "rule", NOW - 3 * DAY, scope.user,
                     category=INSTRUCTION, subject=story.subject)  # fmt: skip
    events = [
        Record(f"r{n}:1", place, "event", text, time=NOW - DAY * (2 + n), user=scope.user,
               data={"new_info": [text]})
        for n, text in enumerate((*story.other_events[:10], story.event, *story.other_events[10:]))
    ]  # fmt: skip
    memory._services.runtime.parts.store.apply(
        [Edit("put", one) for one in (*facts, asked, *events)]
    )
    entity = ProfileOwner(scope.workspace, "user", str(scope.user))
    body = "\n".join(f"- {text}" for text in learned)
    page = Profile("user", str(scope.user), story.subject, body=body)
    memory._services.pages._index(entity, memory._services.runtime.parts.profiles.write(page))
