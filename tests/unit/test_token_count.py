"""Token estimates, against counts taken once from the o200k vocabulary."""

from __future__ import annotations

import time

import pytest

from taishi.language.token_count import ELLIPSIS, estimate_tokens, fit

COUNTED = {
    (
        "Yesterday I went to a new café with my friends. The coffee was excellent, "
        "and I'd love to go back before the meeting on Thursday, if there's time."
    ): 32,
    (
        "Honestly I can't believe she moved to Oslo already! Did you hear about the"
        " apartment? It's tiny but the neighbourhood looks great lol"
    ): 25,
    (
        "昨天我和朋友一起去了一家新开的咖啡馆，咖啡很好喝，下次还想再去。下周的会议"
        "资料还没有准备好，不过时间还来得及。"
    ): 43,
    (
        "在吗？晚上一起吃火锅吧，我刚下班，好饿啊。你上次说的那个耳机多少钱买的？我"
        "也想买一个，路上太吵了。"
    ): 43,
    (
        "我在用 Python 写一个 memory engine，主要用 SQLite 存数据，下周要部署到服务"
        "器上，记得看一下我的 PR #42，谢谢！"
    ): 33,
    (
        "昨日は友達と一緒に新しいカフェに行きました。コーヒーがとてもおいしくて、ま"
        "た行きたいと思います。来週の会議の資料を準備しなければなりません。"
    ): 54,
    (
        "어제 친구와 함께 새로운 카페에 갔습니다. 커피가 정말 맛있어서 다시 가고 싶"
        "습니다. 다음 주 회의 자료를 준비해야 합니다."
    ): 36,
    (
        "Вчера я ходил с друзьями в новое кафе. Кофе был очень вкусным, и я хочу по"
        "йти туда снова на следующей неделе."
    ): 33,
    (
        "Gestern war ich mit Freunden in einem neuen Café. Der Kaffee war ausgezeic"
        "hnet, und ich möchte unbedingt wiederkommen."
    ): 23,
    (
        "def total(items: list[int]) -> int:\n    result = 0\n    for item in items"
        ":\n        if item > 0:\n            result += item\n    return result\n"
    ): 38,
    (
        "https://docs.python.org/3/library/re.html#re.compile and https://github.co"
        "m/example/project/blob/main/README.md"
    ): 25,
    (
        '{"id": 17, "name": "user_17", "tags": ["a", "b"], "active": true, "score":'
        ' 25.5, "created": "2024-05-01T12:30:45Z"}'
    ): 54,
    ("Great job 🎉🎉 love it 🔥 see you at the party 😂 thanks a lot 🙏 you are the best 😊"): 26,
    "2024-05-01 12:30:45, 1708213363, 4521, 3.14159, 100,000, 192.168.1.100": 42,
}

HOSTILE = [
    "",
    "\0",
    "\ud800",
    "\u202eabc",
    "é" * 50,
    "\r\n" * 20,
    "👨‍👩‍👧" * 30,
    "🇳🇴" * 30,
    "a" * 5000,
]


@pytest.mark.parametrize(("text", "counted"), COUNTED.items(), ids=range(len(COUNTED)))
def test_estimates_stay_near_what_a_vocabulary_counts(text: str, counted: int) -> None:
    assert estimate_tokens(text) == pytest.approx(counted, rel=0.15)


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0
    assert fit("", 5) == ""


def test_a_text_that_fits_is_untouched() -> None:
    text = "  Ann moved to Oslo.\n"
    assert fit(text, estimate_tokens(text)) == text


@pytest.mark.parametrize("budget", [1, 2, 5, 17, 40])
@pytest.mark.parametrize("text", [*COUNTED, *HOSTILE])
def test_what_is_fitted_fits(text: str, budget: int) -> None:
    kept = fit(text, budget)
    assert estimate_tokens(kept) <= budget
    assert kept == text or kept.endswith(ELLIPSIS)
    assert text.startswith(kept.removesuffix(ELLIPSIS))


def test_most_of_the_budget_is_used() -> None:
    for text in ("The cat sat on the mat. " * 100, "今天的天气很好我们去公园走走吧" * 100):
        assert estimate_tokens(fit(text, 100)) >= 80


def test_words_are_kept_whole() -> None:
    assert (
        fit("alpha beta gamma delta epsilon zeta", 4).removesuffix(ELLIPSIS) == "alpha beta gamma"
    )


@pytest.mark.parametrize(
    "cluster", ["e\u0301", "👍🏽", "👨\u200d👩\u200d👧", "❤\ufe0f", "🇳🇴", "की", "\ud83d\ude00"]
)
@pytest.mark.parametrize("budget", range(2, 30, 3))
def test_no_visible_character_is_cut(cluster: str, budget: int) -> None:
    kept = fit(cluster * 200, budget).removesuffix(ELLIPSIS)
    assert len(kept) % len(cluster) == 0


def test_no_budget_gives_nothing() -> None:
    assert fit("some words", 0) == ""
    assert fit("some words", -3) == ""


@pytest.mark.parametrize(
    "unit", ["hello world ", "你好，世界。", "1 ", "=-", "\ud800", "a", " ", "é "]
)
def test_a_megabyte_is_linear(unit: str) -> None:
    def took(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()
        estimate_tokens(text)
        fit(text, 100)
        return time.thread_time() - started

    took(10_000)
    assert took(1_000_000) < 8
