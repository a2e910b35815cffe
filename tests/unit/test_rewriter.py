"""The rule rewriter: names, dates and places instead of words that point."""

from __future__ import annotations

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from taishi.language.rewriter import RewriteContext, names_somebody, rewrite

FRIDAY = datetime(2026, 2, 20, 14, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
ANN = RewriteContext(FRIDAY, "Ann", "Bob")
AN = RewriteContext(FRIDAY, "安", "小明", group_name="徒步群", location="奥斯陆")
ALONE = RewriteContext(FRIDAY, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am happy", "Ann is happy"),
        ("I'm happy", "Ann is happy"),
        ("I’m happy", "Ann is happy"),
        ("i'm happy", "Ann is happy"),
        ("I've been to Oslo", "Ann has been to Oslo"),
        ("I was ill", "Ann was ill"),
        ("I have a cat", "Ann has a cat"),
        ("I had a cat", "Ann had a cat"),
        ("I do yoga", "Ann does yoga"),
        ("I don't like tea", "Ann doesn't like tea"),
        ("I haven't paid", "Ann hasn't paid"),
        ("I go to school", "Ann goes to school"),
        ("I study law", "Ann studies law"),
        ("I play chess", "Ann plays chess"),
        ("I teach maths", "Ann teaches maths"),
        ("I really like tea", "Ann really likes tea"),
        ("I went to Rome", "Ann went to Rome"),
        ("I can swim", "Ann can swim"),
        ("I'll call Bob", "Ann will call Bob"),
        ("I'd like tea", "Ann would like tea"),
        ("I live in Oslo and work at Acme", "Ann lives in Oslo and works at Acme"),
        ("I like to eat and sleep", "Ann likes to eat and sleep"),
        ("my cat loves me", "Ann's cat loves Ann"),
        ("That desk is mine", "That desk is Ann's"),
        ("I taught myself Go", "Ann taught Ann Go"),
        ("Bob and I have a plan", "Bob and Ann have a plan"),
        ("Bob runs, and I swim", "Bob runs, and Ann swims"),
        ("you're late", "Bob is late"),
        ("You like tea", "Bob likes tea"),
        ("Do you like tea?", "Does Bob like tea?"),
        ("Are you ok?", "Is Bob ok?"),
        ("I can help you do the work", "Ann can help Bob do the work"),
        ("your idea is good", "Bob's idea is good"),
        ("We are friends", "Ann and Bob are friends"),
        ("our company moved", "Ann's company moved"),
    ],
)
def test_H4_english_persons(text: str, expected: str) -> None:
    done = rewrite(text, ANN)
    assert (done.text, done.is_absolute, done.faults) == (expected, True, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢爬山", "安喜欢爬山"),
        ("我的猫叫豆豆", "安的猫叫豆豆"),
        ("我自己做的", "安自己做的"),
        ("我妈妈会做饭", "安的妈妈会做饭"),
        ("俺也去", "安也去"),
        ("本人会编程", "安会编程"),
        ("咱家的猫", "安家的猫"),
        ("你好像很忙", "小明好像很忙"),
        ("您的快递到了", "小明的快递到了"),
        ("我们公司上市", "安的公司上市"),
        ("我们群聚餐", "徒步群聚餐"),
        ("我女朋友会唱歌", "安的女朋友会唱歌"),
        ("小明天天弹吉他", "小明天天弹吉他"),
        ("《我爱我家》我看过", "《我爱我家》安看过"),
        ("問題出現在登錄頁，我知道", "問題出現在登錄頁，安知道"),
    ],
)
def test_H4_chinese_persons(text: str, expected: str) -> None:
    done = rewrite(text, AN)
    assert (done.text, done.is_absolute, done.faults) == (expected, True, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann went to Oslo yesterday", "Ann went to Oslo on 2026-02-19"),
        ("Yesterday Ann left", "On 2026-02-19 Ann left"),
        ("Ann was ill last week", "Ann was ill in the week of 2026-02-09"),
        ("Ann left 3 days ago", "Ann left on 2026-02-17"),
        ("Today is a holiday", "2026-02-20 is a holiday"),
        ("Ann paid for tomorrow", "Ann paid for 2026-02-21"),
        ("The exam is tomorrow at 9 a.m.", "The exam is at 2026-02-21 09:00."),
        ("Ann is now a doctor", "Ann is now (as of 2026-02-20) a doctor"),
        ("Ann recently moved", "Ann recently (as of 2026-02-20) moved"),
        ("Ann will call later", "Ann will call after 2026-02-20 14:30"),
        ("Ann moved last year", "Ann moved in 2025"),
        ("Ann will call on Monday", "Ann will call on 2026-02-23"),
        ("Every Monday Ann swims", "Every Monday Ann swims"),
        ("安昨天去了北京", "安2026年2月19日去了北京"),
        ("安上个月辞职", "安2026年1月辞职"),
        ("安三天前到的", "安2026年2月17日到的"),
        ("安最近很忙", "安最近（截至2026年2月20日）很忙"),
        ("现在下雨", "现在（截至2026年2月20日）下雨"),
        ("安刚到家", "安刚（截至2026年2月20日）到家"),
        ("稍后联系小明", "2026年2月20日 14:30之后联系小明"),
        ("前几天安发烧", "2026年2月20日之前不久安发烧"),
        ("每周五安游泳", "每周五安游泳"),
        ("安看了《后天》", "安看了《后天》"),
    ],
)
def test_H4_relative_times_become_dates(text: str, expected: str) -> None:
    done = rewrite(text, ALONE)
    assert (done.text, done.is_absolute) == (expected, True)


NORA = {"speaker": "Nora", "addressee": "Pilot", "group_name": "Harbour Lights"}


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        (
            "2026-03-02 10:00",
            "I noted that Sam will inspect the engine on Saturday",
            "Nora noted that Sam will inspect the engine on 2026-03-07",
        ),
        (
            "2026-03-02 10:00",
            "I can look at the engine on Saturday",
            "Nora can look at the engine on 2026-03-07",
        ),
        ("2026-03-02 10:00", "I met Sam on Saturday", "Nora met Sam on 2026-02-28"),
        ("2026-03-02 10:00", "On Saturday, I met Sam", "On 2026-02-28, Nora met Sam"),
        ("2026-03-02 10:00", "I usually swim on Saturday", "Nora usually swims on Saturday"),
        ("2026-03-02 10:00", "周五要交报告", "2026年3月6日要交报告"),
        ("2026-03-02 10:00", "周五Nora去了医院", "2026年2月27日Nora去了医院"),
        (
            "2026-03-05 10:00",
            "我昨晚收到了录用信，七月去报到",
            "Nora 2026年3月4日晚上收到了录用信，2026年7月去报到",
        ),
        ("2026-03-11 10:00", "演出改到了三月二十九日晚上八点", "演出改到了2026年3月29日 20:00"),
        ("2026-03-11 10:00", "演出改到二十九号晚上八点", "演出改到2026年3月29日 20:00"),
        ("2026-03-21 10:00", "I stay until the 28th", "Nora stays until 2026-03-28"),
        (
            "2026-03-06 23:15",
            "I asked for a reminder at six in the evening",
            "Nora asked for a reminder at 2026-03-07 18:00",
        ),
        ("2026-03-06 23:15", "I got home at six in the evening",
         "Nora got home at 2026-03-06 18:00"),
        ("2026-03-06 10:00", "Tea at six in the evening", "Tea at six in the evening"),
        ("2026-03-06 10:00", "I was born on May 5", "Nora was born on May 5"),
        ("2026-03-06 10:00", "I met Sam on May 5th", "Nora met Sam on 2025-05-05"),
        ("2026-03-06 10:00", "The concert is on May 5th", "The concert is on 2026-05-05"),
        ("2026-03-06 10:00", "Here is the key", "Here is the key"),
        ("2026-03-06 10:00", "I owe Sam 40 euros", "Nora owes Sam 40 euros"),
    ],
)  # fmt: skip
def test_H4_a_day_without_a_week_or_year_goes_the_way_its_clause_says(
    said: str, text: str, expected: str
) -> None:
    moment = datetime.fromisoformat(said).replace(tzinfo=ZoneInfo("Europe/Oslo"))
    done = rewrite(text, RewriteContext(moment, **NORA, addressee_is_bot=True))  # type: ignore[arg-type]
    assert (done.text, done.is_absolute) == (expected, True)


@pytest.mark.parametrize(
    "text",
    [
        "Nora rented the hut until the 28th",
        "Sam inspects the engine on Saturday",
        "周五交报告",
        "Sam hates Monday",
    ],
)
def test_H4_a_day_that_its_clause_does_not_decide_is_left_and_marked(text: str) -> None:
    done = rewrite(text, RewriteContext(FRIDAY, None))
    assert (done.text, done.is_absolute) == (text, False)


def test_H4_what_is_ours_is_left_and_marked() -> None:
    done = rewrite("The boat is ours", RewriteContext(FRIDAY, "Nora", group_name="Harbour Lights"))
    assert (done.text, done.is_absolute) == ("The boat is ours", False)


def test_H4_one_moves_to_a_place_and_lives_in_it() -> None:
    oslo = RewriteContext(FRIDAY, "Nora", location="Oslo")
    assert rewrite("I moved here from Berlin", oslo).text == "Nora moved to Oslo from Berlin"
    assert rewrite("I came back here", oslo).text == "Nora came back to Oslo"
    assert rewrite("I live here", oslo).text == "Nora lives in Oslo"


def test_H4_dates_are_those_of_the_zone_of_the_turn() -> None:
    late = datetime(2026, 2, 20, 23, 30, tzinfo=ZoneInfo("UTC"))
    assert rewrite("Ann left today", RewriteContext(late, None)).text == "Ann left on 2026-02-20"
    there = late.astimezone(ZoneInfo("Asia/Shanghai"))
    assert rewrite("Ann left today", RewriteContext(there, None)).text == "Ann left on 2026-02-21"


@pytest.mark.parametrize(
    ("text", "setting", "expected"),
    [
        ("这里很冷", AN, "奥斯陆很冷"),
        ("本群禁止广告", AN, "徒步群禁止广告"),
        ("安是本地人", AN, "安是奥斯陆人"),
        ("Ann moved here", RewriteContext(FRIDAY, None, location="Oslo"), "Ann moved to Oslo"),
        ("Ann left from here", RewriteContext(FRIDAY, None, location="Oslo"), "Ann left from Oslo"),
        (
            "Ann runs this group",
            RewriteContext(FRIDAY, None, group_name="Hikers"),
            "Ann runs Hikers",
        ),
    ],
)
def test_H4_places(text: str, setting: RewriteContext, expected: str) -> None:
    done = rewrite(text, setting)
    assert (done.text, done.is_absolute) == (expected, True)


@pytest.mark.parametrize(
    ("text", "setting", "expected"),
    [
        ("I saw Bob; he was sad. He waved.", ANN, "Ann saw Bob; Bob was sad. Bob waved."),
        ("Bob lost his keys", ANN, "Bob lost Bob's keys"),
        ("I told Bob I'd help him move", ANN, "Ann told Bob Ann would help Bob move"),
        ("Bob thinks his car is old", ANN, "Bob thinks Bob's car is old"),
        ("Bob saw Eve because she called him", ANN, "Bob saw Eve because Eve called Bob"),
        ("我见了小明，他很高兴", AN, "安见了小明，小明很高兴"),
    ],
)
def test_H4_third_person_with_one_person_in_sight(
    text: str, setting: RewriteContext, expected: str
) -> None:
    assert rewrite(text, setting).text == expected


@pytest.mark.parametrize(
    ("text", "setting", "left"),
    [
        ("he left", ANN, "he"),
        ("I told Bob about Carl and he laughed", ANN, "he"),
        ("Bob's sister said she is ill", ANN, "she"),
        ("Bob saw Carl because he called him", ANN, "he him"),
        ("I told Bob I'd help her move", ANN, "her"),
        ("Post news here", RewriteContext(FRIDAY, None, group_name="Hikers"), "here"),
        ("这里禁止广告", RewriteContext(FRIDAY, "安", group_name="徒步群"), "这里"),
        ("我们去爬山", AN, "我们"),
        ("We met", RewriteContext(FRIDAY, "Nora", "Pilot", group_name="Harbour Lights"), "We"),
        ("He waved and Bob left", ANN, "He"),
        ("Bob and Eve said they left", ANN, "they"),
        ("It is cold there", ANN, "It there"),
        ("we left", RewriteContext(FRIDAY, "Ann"), "we"),
        ("we left", RewriteContext(FRIDAY, "Ann", "Mochi", addressee_is_bot=True), "we"),
        ("you left", RewriteContext(FRIDAY, "Ann"), "you"),
        ("I left", ALONE, "I"),
        ("Ann moved here", ALONE, "here"),
        ("Ann left long ago", ALONE, "ago"),
        ("Ann moved here", RewriteContext(FRIDAY, None, group_name="Hikers"), "here"),
        ("安搬到了这里", RewriteContext(FRIDAY, None, group_name="徒步群"), "这里"),
        ("他走了", AN, "他"),
        ("小明的朋友说他病了", AN, "他"),
        ("小明和小红说他们到了", AN, "他们"),
        ("那边很吵", AN, "那边"),
        ("你们来吗", AN, "你们"),
    ],
)
def test_H4_what_is_not_certain_is_left_and_marked(
    text: str, setting: RewriteContext, left: str
) -> None:
    done = rewrite(text, setting)
    assert not done.is_absolute
    assert " ".join(fault.word for fault in done.faults) == left
    for word in left.split():
        assert word in done.text


def test_H4_quotes_are_not_touched() -> None:
    text = 'I read "I am Legend" and “今天”'
    assert rewrite(text, ANN).text == 'Ann read "I am Legend" and “今天”'


def test_H4_names_with_gate_words_in_them_pass() -> None:
    setting = RewriteContext(FRIDAY, "今天不加班", group_name="我们的家")
    done = rewrite("我在本群发了公告", setting)
    assert (done.text, done.is_absolute) == ("今天不加班在我们的家发了公告", True)


def test_H4_a_nickname_that_names_nobody_is_not_used() -> None:
    assert not names_somebody("我") and not names_somebody("You") and not names_somebody(" ")
    assert names_somebody("Ann") and names_somebody("我行我素")
    assert not rewrite("我来了", RewriteContext(FRIDAY, "我")).is_absolute


def test_H4_spans_tell_what_was_read() -> None:
    spans = rewrite("I left yesterday", ANN).spans
    assert [span.text for span in spans] == ["yesterday"]
    assert spans[0].begin == datetime(2026, 2, 19, tzinfo=ZoneInfo("Asia/Shanghai"))


def test_H4_rewriting_twice_changes_nothing() -> None:
    once = rewrite("我昨天和小明去了这里，我们很开心", AN)
    assert rewrite(once.text, AN).text == once.text


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800我", "我\0", "\u202eI am", "'", "《", "I", "我"]
)
def test_rewrite_survives_odd_text(text: str) -> None:
    assert isinstance(rewrite(text, ANN).text, str)
    rewrite("I met you yesterday", RewriteContext(FRIDAY, text, text, text, text, (text,)))


@pytest.mark.parametrize("unit", ["I saw him here yesterday. ", "小明昨天在这里弹吉他。", "我 "])
def test_rewrite_takes_a_megabyte(unit: str) -> None:
    text = unit * (1_000_000 // len(unit.encode()))
    begin = time.thread_time()
    done = rewrite(text, AN)
    assert time.thread_time() - begin < 10  # 1 to 2 s on a quiet machine; not minutes
    assert done.text[-20:] == text[-20:]


@pytest.mark.parametrize(
    ("speaker", "said", "told"),
    [
        ("圆圆", "圆圆我对青霉素过敏", "圆圆对青霉素过敏"),
        ("于是", "于是我做了一锅果酱", "于是于是做了一锅果酱"),
        ("喜欢", "喜欢我的人很多", "喜欢喜欢的人很多"),
        ("严肃", "我严肃地说一句", "严肃严肃地说一句"),
    ],
)
def test_H4_a_name_before_the_own_pronoun_stands_once_if_it_is_no_other_word(
    speaker: str, said: str, told: str
) -> None:
    moment = datetime(2026, 3, 14, 20, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
    assert rewrite(said, RewriteContext(moment, speaker)).text == told
