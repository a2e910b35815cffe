"""Merging a profile with a model: what is kept, what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from taishi.errors import ModelError
from taishi.historian.profile_merge import merge_profile
from taishi.historian.prompt_loader import Prompts
from taishi.ports import Tool
from taishi.types import Profile

PROMPTS = Prompts.load()
BODY = "- Lives in Berlin\n- Likes green tea\n- Is allergic to peanuts\n- Works as a nurse"
ANN = Profile("user", "u7", "Ann", ("tea",), BODY, "2026-01-01T00:00:00+00:00", "r0:1")


class Stub:
    def __init__(self, *answers: Mapping[str, Any]) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    def structured(
        self, task: str, messages: Sequence[Mapping[str, str]], tool: Tool
    ) -> dict[str, Any]:
        assert (task, tool.name) == ("merge", "update_profile")
        block = messages[-1]["content"].split("```json\n")[1].split("\n```")[0]
        self.asked.append(json.loads(block))
        return dict(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    def close(self) -> None: ...


def answer(summary: Any = "", name: Any = "", tags: Any = ()) -> dict[str, Any]:
    return {"name": name, "tags": list(tags) if isinstance(tags, tuple) else tags,
            "summary": summary}  # fmt: skip


def merged(model: Stub, profile: Profile = ANN, *statements: str) -> Profile | None:
    return merge_profile(model, PROMPTS, "en", profile, statements or ("Ann lives in Oslo",))


def test_P2_new_information_wins() -> None:
    page = BODY.replace("Berlin", "Oslo")
    model = Stub(answer(page, "Annie", ("tea", "#Oslo", "tea")))
    found = merged(model)
    assert found == replace(ANN, body=page, name="Annie", tags=("tea", "Oslo"))
    assert model.asked[0]["profile"] == {"name": "Ann", "tags": ["tea"], "summary": BODY}
    assert model.asked[0]["statements"] == ["Ann lives in Oslo"]


@pytest.mark.parametrize(
    "said",
    [answer(), answer(BODY, "Ann", ("tea",)), answer(f"\n{BODY}\n"), {}, answer(None, 7.5 * 0, 3)],
)
def test_P2_nothing_to_change_is_an_answer(said: dict[str, Any]) -> None:
    found = merged(Stub(said))
    assert found is None or found.body == BODY


def test_P2_nothing_new_asks_no_model() -> None:
    model = Stub(answer("x"))
    assert merge_profile(model, PROMPTS, "en", ANN, ()) is None
    assert model.asked == []


@pytest.mark.parametrize(
    "wrapped",
    [
        "---\nentity_id: 'u8'\nname: Eve\n---\n{page}",
        "```markdown\n{page}\n```",
        "entity_type: user\nname: Eve\n{page}",
        "```\n---\nentity_id: u8\n---\n{page}\n```",
        "---\n{page}",
    ],
)
def test_P2_the_model_never_writes_front_matter(wrapped: str) -> None:
    page = BODY.replace("Berlin", "Oslo")
    found = merged(Stub(answer(wrapped.replace("{page}", page))))
    assert found == replace(ANN, body=page)


def test_P2_a_page_that_loses_its_lines_is_refused_once_then_an_error() -> None:
    page = BODY.replace("Berlin", "Oslo")
    model = Stub(answer("- Lives in Oslo"), answer(page))
    found = merged(model)
    assert found is not None and found.body == page
    assert "3 of 4 lines" in model.asked[1]["remark"]
    with pytest.raises(ModelError, match="not merged: 3 of 4 lines"):
        merged(Stub(answer("- Lives in Oslo")))


def test_P2_a_short_page_may_change_as_a_whole() -> None:
    short = replace(ANN, body="Vegetarian")
    found = merged(Stub(answer("Eats meat")), short, "Ann eats meat")
    assert found is not None and found.body == "Eats meat"


def test_H3_figures_that_nobody_gave_are_refused() -> None:
    model = Stub(answer(f"{BODY}\n- Has 3 cats"), answer())
    assert merged(model) is None
    assert "'3' is neither" in model.asked[1]["remark"]
    assert merged(Stub(answer(f"{BODY}\n- Has 3 cats")), ANN, "Ann has three cats") is not None


def test_P2_sizes_are_bounded() -> None:
    with pytest.raises(ModelError, match="6000 characters"):
        merged(Stub(answer(BODY + "\n- so it goes" * 1000)))
    tags = tuple(f"tag{letter}" * 30 for letter in "abcdefghijklmnopqrstuvwxyz")
    found = merged(Stub(answer("", "N" * 500, tags)))
    assert found is not None and len(found.tags) == 12 and len(found.name) <= 80
    assert max(map(len, found.tags)) <= 40
    model = Stub(answer())
    merged(model, replace(ANN, body="- a line\n" * 50_000), *["word " * 5000] * 500)
    assert len(json.dumps(model.asked[0])) < 30_000


def test_P2_a_page_longer_than_the_prompt_keeps_its_tail() -> None:
    letters = "abcdefghijklmnopqrst"
    lines = [f"- trait {one}{other} of many words" for one in letters for other in letters]
    long = replace(ANN, body="\n".join(lines))
    model = Stub(answer())
    merged(model, long)
    shown = model.asked[0]["profile"]["summary"]
    found = merged(Stub(answer(shown + "- Lives in Oslo")), long)
    assert found is not None
    assert found.body.endswith(long.body[len(shown) :]) and "Lives in Oslo" in found.body
    again = merged(Stub(answer(f"{shown}* Trait TT, of many words!")), long)
    assert again is not None and again.body.lower().count("trait tt") == 1, "said once"


def test_P2_in_chinese() -> None:
    page = "- 住在柏林\n- 喜欢绿茶\n- 对花生过敏"
    an = Profile("user", "u8", "安", (), page)
    model = Stub(answer(page.replace("柏林", "奥斯陆"), "安"))
    found = merge_profile(model, PROMPTS, "zh", an, ["安搬到了奥斯陆"])
    assert found is not None and "住在奥斯陆" in found.body
