"""What somebody says of himself belongs to him, whatever his nickname is (P1, P4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope

GROUP = Scope(group="g1", user="k6")


def told(memory: Memory, nickname: str, said: str) -> tuple[str, str | None, str]:
    """The person's page, the group's page and the prompt block after one message in a group."""
    memory.end_turn(
        GROUP,
        new_info=said,
        messages=[{"speaker": nickname, "speaker_id": "k6", "text": said}],
        sender_name=nickname,
        group_name="摸鱼",
        time="2026-06-01 10:00",
    )
    memory.drain(30)
    user, group = (memory.get_profile(GROUP, *page) for page in (("user", "k6"), ("group", "g1")))
    block = memory.context(GROUP, "成都 Chengdu")
    return (user.body if user else ""), (group.body if group else None), block


@pytest.mark.parametrize("nickname", ["。", "~", "\u3164", "…", "明天", "我", "you", "\u200b"])
@pytest.mark.parametrize(
    ("said", "page"),
    [("我住在成都", "用户k6住在成都"), ("I live in Chengdu", "user k6 lives in Chengdu")],
)
def test_P1_a_nickname_that_names_nobody_gives_way_to_the_id(
    open_memory: Callable[..., Memory], nickname: str, said: str, page: str
) -> None:
    user, group, block = told(open_memory(), nickname, said)
    assert page in user
    assert group is None
    assert f"{nickname}：" not in block and "\\u3164" not in block


@pytest.mark.parametrize("nickname", ["~小雨🌸", "小雨~", "😀", "Kevin", "★阿杰★", "A", "- Bo -"])
def test_P1_any_other_nickname_stands_as_it_is(
    open_memory: Callable[..., Memory], nickname: str
) -> None:
    user, group, _block = told(open_memory(), nickname, "我住在成都，我对花生过敏")
    assert f"{nickname}住在成都" in user and f"{nickname}对花生过敏" in user
    assert group is None


@pytest.mark.parametrize(
    ("nickname", "said", "header"),
    [
        ("Kevin", "我住在成都", "（k6，Kevin）"),
        ("凯文", "我住在成都", "（k6，凯文）"),
        ("Kevin", "I live in Chengdu", "（k6，Kevin）"),
        ("Kev", "我住在成都", "（k6，Kev）"),
    ],
)
def test_I2_the_block_of_a_group_says_whose_page_it_is(
    open_memory: Callable[..., Memory], nickname: str, said: str, header: str
) -> None:
    assert header in told(open_memory(), nickname, said)[2]


def test_S4_a_name_inside_another_word_is_not_shown() -> None:
    from taishi.domain.profile_records import _is_said

    assert _is_said("Kev", " kev养 了 猫 ") and _is_said("Kev", " kev lives ")
    assert not _is_said("Kev", " kevin养 了 猫 ") and not _is_said("Kev", " mckev lives ")
