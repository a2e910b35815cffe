"""A model's own tokenizer: given by the program, named in the settings, missing, broken (Q1)."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Scope
from taishi.errors import MissingExtraError, ModelError, ModelMissingError
from taishi.language.token_bound import checked_counter, token_bound
from taishi.models import token_counter
from taishi.models.token_counter import GIVEN, OWN_BOUND, TokenCounters, named_counter

ANN = Scope(user="ann")
TEXTS = [f"Ann left umbrella {n} at the harbour library and went home by tram" for n in range(12)]


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    """A small byte-pair tokenizer, trained here."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=200, special_tokens=["?"])
    made.train_from_iterator(TEXTS, trainer)
    made.enable_truncation(5)  # as files of embedders have it; a count must not stop there
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return path


def test_a_tokenizer_file_counts(tokenizer_file: Path) -> None:
    count = named_counter(str(tokenizer_file))
    assert count(TEXTS[0]) > 5
    assert count(TEXTS[0] * 10) > 9 * count(TEXTS[0])
    assert count("") == 0 and count("half \ud83d character") > 0


def test_a_file_that_is_none_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"o200k_base, cl100k_base or the path"):
        named_counter(str(tmp_path / "none.json"))
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    with pytest.raises(ModelError, match="cannot be read"):
        named_counter(str(broken))


def fake_tiktoken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the package; notes the encodings that it would load, or fetch."""
    asked: list[str] = []

    def get_encoding(name: str) -> Any:
        asked.append(name)
        return types.SimpleNamespace(encode=lambda text, disallowed_special: text.split())

    module = types.ModuleType("tiktoken")
    module.get_encoding = get_encoding  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    return asked


def test_nothing_is_fetched_for_an_encoding(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = fake_tiktoken(monkeypatch)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(ModelMissingError, match="TIKTOKEN_CACHE_DIR"):
        named_counter("o200k_base")
    name = "fb374d419588a4632f3f557e76b4b70aebbca790"  # as tiktoken names that file
    (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(ModelMissingError):
        named_counter("o200k_base")
    assert asked == [], "tiktoken downloads what it lacks, so it is not asked"
    vocabulary = token_counter.VOCABULARIES["o200k_base"]
    own = "fa9d0ffc4d61a6f7b4f5e6a0b0e6d7a7"
    monkeypatch.setitem(
        token_counter.VOCABULARIES, "o200k_base",
        vocabulary._replace(sha256=token_counter.hashlib.sha256(own.encode()).hexdigest()),
    )  # fmt: skip
    (tmp_path / name).write_text(own)
    assert named_counter("o200k_base")("three short words") == 3
    assert asked == ["o200k_base"]


def cached_vocabulary(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A file that is taken for the vocabulary of o200k_base, where tiktoken would keep it."""
    vocabulary = token_counter.VOCABULARIES["o200k_base"]
    own = token_counter.hashlib.sha256(b"words").hexdigest()
    monkeypatch.setitem(token_counter.VOCABULARIES, "o200k_base", vocabulary._replace(sha256=own))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"words")


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_cache_that_is_switched_off_is_not_taken_for_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    """With a variable that is set to nothing, tiktoken has no cache and downloads each time."""
    asked = fake_tiktoken(monkeypatch)
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(token_counter.tempfile, "gettempdir", lambda: str(tmp_path))
    cached_vocabulary(monkeypatch, tmp_path / "data-gym-cache")
    assert named_counter("o200k_base")("two words") == 2 and asked == ["o200k_base"]
    monkeypatch.setenv(variable, "")
    if variable == "TIKTOKEN_CACHE_DIR":  # which goes first
        monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path / "data-gym-cache"))
    with pytest.raises(ModelMissingError, match=f"{variable} is set to nothing"):
        named_counter("o200k_base")
    assert asked == ["o200k_base"]


@pytest.mark.parametrize("error", [ValueError("no such encoding"), OSError("gone"), KeyError("x")])
def test_Q3_an_encoding_that_cannot_be_loaded_leaves_the_bound_to_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception
) -> None:
    fake_tiktoken(monkeypatch)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    cached_vocabulary(monkeypatch, tmp_path)
    assert TokenCounters().note("o200k_base") == "o200k_base"

    def failing(name: str) -> Any:
        raise error

    monkeypatch.setattr(sys.modules["tiktoken"], "get_encoding", failing)
    with pytest.raises(ModelError, match="o200k_base"):
        named_counter("o200k_base")
    assert TokenCounters().chosen("o200k_base") is token_bound


@pytest.mark.parametrize("path", ["~nobody-of-this-name/t.json", "a" * 5000, "a\0b"])
def test_Q3_a_path_that_is_none_leaves_the_bound_to_count(path: str) -> None:
    pytest.importorskip("tokenizers")
    with pytest.raises(ModelError, match=r"query\.tokenizer"):
        named_counter(path)
    assert TokenCounters().chosen(path) is token_bound


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match=r"install .*\[tokens\]"):
        named_counter("cl100k_base")


def test_who_counts(caplog: pytest.LogCaptureFixture, tokenizer_file: Path) -> None:
    assert TokenCounters(len).chosen("o200k_base") is len
    assert TokenCounters(len).note("") == GIVEN
    counters = TokenCounters()
    assert (counters.chosen(""), counters.note("")) == (token_bound, OWN_BOUND)
    assert counters.note(str(tokenizer_file)) == str(tokenizer_file)
    for _ in range(3):
        assert counters.chosen("/no/such/tokenizer.json") is token_bound
    assert len(caplog.records) == 1, "said once"
    assert "is no file" in counters.note("/no/such/tokenizer.json")


@pytest.mark.parametrize("wrong", [lambda _: -1, lambda _: "7", lambda _: True, lambda _: 1 / 0])
def test_a_counter_may_do_anything(wrong: Callable[[str], Any]) -> None:
    with pytest.raises(ModelError, match="count_tokens"):
        checked_counter(wrong)("text")
    assert checked_counter(len)("text") == 4


def told(memory: Memory) -> Memory:
    memory.remember_many(ANN, [{"text": text, "kind": "note"} for text in TEXTS])
    memory.profiles.set(ANN, "\n".join(f"- Ann owns umbrella {n}" for n in range(60)), name="Ann")
    memory.drain()
    return memory


QUESTION = "Where is umbrella 3?"


@pytest.mark.parametrize("budget", [60, 200, 700])
def test_Q1_the_block_keeps_to_the_budget_by_the_models_own_count(
    open_memory: Callable[..., Memory], tokenizer_file: Path, budget: int
) -> None:
    changes = {"query.tokenizer": str(tokenizer_file), "query.recall_timeout": 5.0}
    memory = told(open_memory(changes, embedder=None))
    count = named_counter(str(tokenizer_file))
    assert count(memory.context(ANN, QUESTION, max_tokens=budget)) <= budget
    for own in (len, lambda text: len(text.encode()), lambda text: len(text.split())):
        block = memory.context(ANN, QUESTION, max_tokens=budget, count_tokens=own)
        assert own(block) <= budget
    assert "umbrella 3" in memory.context(ANN, QUESTION, max_tokens=700)
    assert memory.status()["tokenizer"] == str(tokenizer_file)


def test_Q1_a_counter_given_at_the_opening_counts(tmp_path: Path, make_settings: Any) -> None:
    settings = make_settings({"query.recall_timeout": 5.0})
    with Memory.open(tmp_path / "own", settings, count_tokens=len) as memory:
        told(memory)
        assert 500 < len(memory.context(ANN, QUESTION, max_tokens=700)) <= 700
        assert memory.status()["tokenizer"] == GIVEN


def test_Q3_a_counter_that_fails_does_not_cost_the_reply_its_memory(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    told(memory)

    def failing(text: str) -> int:
        raise RuntimeError("no model")

    block = memory.context(ANN, QUESTION, max_tokens=300, count_tokens=failing)
    assert "umbrella 3" in block and token_bound(block) <= 300
    assert "no model" in caplog.text


def test_I1_an_empty_block_says_why(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    assert memory.brief(ANN, QUESTION).reason == "nothing"
    told(memory)
    assert memory.brief(ANN, QUESTION).reason == ""
    small = memory.brief(ANN, QUESTION, max_tokens=10)
    assert (small.text, small.reason) == ("", "budget")
    off = open_memory({"memory.enabled": False}, folder=Path("off"))
    assert off.brief(ANN, QUESTION).reason == "off"
