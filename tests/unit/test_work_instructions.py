"""Standing instructions about work, and what only looks like one (H8)."""

from __future__ import annotations

import time

import pytest

from taishi.historian.fact_patterns.instructions import instruction_in
from taishi.historian.fact_patterns.work_instructions import is_work_instruction


@pytest.mark.parametrize(
    "text",
    [
        "Always lint the code before you push.",
        "Please never deploy on a Friday",
        "Never merge without my approval.",
        "Don't delete files without asking me.",
        "Do not publish anything unless I say so.",
        "You must always run the migrations first.",
        "Before every release, update the changelog.",
        "Run the linter before every commit.",
        "Check with me before you install anything.",
        "Ask me first before deleting a branch.",
        "Never edit the files under vendor.",
        "合并之前一定要跑一遍测试",
        "每次发布前都要更新日志",
        "删除文件之前先问我",
        "没经过我同意不要部署",
        "不要擅自升级依赖",
        "以后提交之前必须先格式化",
        "务必先跑测试再合并",
        "任何时候都不要强推",
    ],
)
def test_it_is_one(text: str) -> None:
    found = instruction_in(text)
    assert found is not None
    assert not found.is_withdrawn


@pytest.mark.parametrize(
    "text",
    [
        "Run the tests.",
        "Don't push yet.",
        "Don't push this branch without asking Tom",
        "Run the tests before we leave.",
        "I always run the tests before I commit.",
        "We never deploy on Fridays.",
        "The pipeline always runs the tests before merging.",
        "Never change a running system.",
        "Never change!",
        "Always open to ideas.",
        "He never asks me before he pushes.",
        "Did you run the tests before every commit?",
        "I forgot to ask before pushing.",
        "先跑测试",
        "现在不要推",
        "我提交前都会跑一遍测试",
        "我们合并之前一定要评审",
        "提交前会跑测试",
        "他没问过我就推到 main 了",
        "部署之前发生了什么？",
        "别动",
        "删除之前的版本",
    ],
)
def test_it_is_none(text: str) -> None:
    assert not is_work_instruction(text.lower().strip(" .。!！?？"))


@pytest.mark.parametrize("text", ["don't push " * 200, "please and so " * 200, "每次提交前" * 200])
def test_long_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    is_work_instruction(text * 10)
    assert time.perf_counter() - started < 0.5
