"""The words of the web pages are there in both languages; the lock file names no registry."""

from __future__ import annotations

import json
import re
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"
ENTRY = re.compile(r'^  (\w+): (\[".*"\]),$', re.MULTILINE)
PLACEHOLDER = re.compile(r"\{\w+\}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# "Token"; the name of the other language; a punctuation mark
NOT_TRANSLATED = {"tokens", "other_language", "mark_between"}


def messages() -> dict[str, tuple[str, str]]:
    text = (WEB / "ui" / "src" / "messages.ts").read_text("utf-8")
    return {key: tuple(json.loads(pair)) for key, pair in ENTRY.findall(text)}


def test_every_word_of_the_pages_is_in_both_languages() -> None:
    words = messages()
    assert len(words) > 200, "the control: the words are found"
    text = (WEB / "ui" / "src" / "messages.ts").read_text("utf-8")
    assert len(words) == len(re.findall(r"^  \w+: \[", text, re.MULTILINE)), "one is not a line"
    for key, (english, chinese) in words.items():
        forms = {frozenset(PLACEHOLDER.findall(form)) for form in english.split(" | ")[-1:]}
        assert forms == {frozenset(PLACEHOLDER.findall(chinese))}, key
        assert CHINESE.search(chinese) or key in NOT_TRANSLATED, key


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads((WEB / "package-lock.json").read_text("utf-8"))["packages"]
    assert len(packages) > 40, "the control: packages are found"
    found = {name: one["resolved"] for name, one in packages.items() if "resolved" in one}
    assert all(not place.startswith("http") for place in found.values()), found
    fetched = [one for name, one in packages.items() if name.startswith("node_modules/")]
    assert all("integrity" in one or one.get("link") for one in fetched), "a hash is missing"
