from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taishi.disk.installation import model_line
from taishi.errors import MissingExtraError, ModelError, ModelMissingError
from taishi.models.local import model_package
from taishi.models.local.embedder import LocalEmbedder
from taishi.models.local.model_package import InstalledModel, find_package, installed_model

taishi_model = pytest.importorskip("taishi_model", reason="run `make setup`")


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    yield embedder
    embedder.close()


@dataclass(frozen=True)
class CopiedPackage:
    """The files of the installed package in another folder, where one may be damaged."""

    place: Path
    NAME: str = taishi_model.NAME
    DIMENSIONS: int = taishi_model.DIMENSIONS
    MAX_TOKENS: int = taishi_model.MAX_TOKENS
    FILE_NAMES: tuple[str, ...] = taishi_model.FILE_NAMES

    def folder(self) -> Path:
        return self.place

    def english(self) -> Any:
        return self._of(taishi_model.english())

    def chinese(self) -> Any:
        return self._of(taishi_model.chinese())

    def _of(self, files: Any) -> Any:
        return taishi_model.EncoderFiles(
            self.place / files.graph.name, self.place / files.tokenizer.name
        )

    def simplified(self) -> Path:
        return self.place / taishi_model.simplified().name

    def check(self) -> None:
        taishi_model.check(self.place)


def damaged(folder: Path, name: str) -> CopiedPackage:
    """One file has the right size and wrong bytes."""
    for file in (*taishi_model.FILE_NAMES, taishi_model.CHECKSUMS):
        (folder / file).symlink_to(taishi_model.folder() / file)
    size = (folder / name).stat().st_size
    (folder / name).unlink()
    (folder / name).write_bytes(b"\x00" * size)
    return CopiedPackage(folder)


def register(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    monkeypatch.setattr(model_package, "entry_points", lambda **_: entries)


def test_without_the_package_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    with pytest.raises(ModelMissingError, match=r"install .*taishi-model"):
        LocalEmbedder()
    assert model_line() in installed_model().problem


def test_a_package_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, EntryPoint("local", "no_such_package_here", model_package.GROUP))
    with pytest.raises(ModelMissingError, match=r"no_such_package_here.*force-reinstall"):
        LocalEmbedder()


def test_a_package_without_its_files_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Entry:
        value = "taishi_model"

        def load(self) -> CopiedPackage:
            return CopiedPackage(tmp_path)

    monkeypatch.setattr(model_package, "entry_points", lambda **_: [Entry()])
    with pytest.raises(ModelMissingError, match=r"lacks english-384\.onnx.*force-reinstall"):
        LocalEmbedder()


def test_the_installed_package_is_intact() -> None:
    size = sum((taishi_model.folder() / n).stat().st_size for n in taishi_model.FILE_NAMES)
    folder = str(taishi_model.folder())
    assert installed_model() == InstalledModel("taishi-local-2", 384, folder, size, "")


@pytest.mark.model
def test_a_graph_of_the_right_size_with_wrong_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = damaged(tmp_path, "english-384.onnx")
    with pytest.raises(ModelMissingError, match="force-reinstall"):
        LocalEmbedder(package=package).embed(["tea"], "query")
    monkeypatch.setattr(model_package, "find_package", lambda: package)
    assert "english-384.onnx is damaged" in installed_model().problem


@pytest.mark.model
def test_a_damaged_table_of_characters_is_told_to_who_has_chinese_text(tmp_path: Path) -> None:
    embedder = LocalEmbedder(package=damaged(tmp_path, "simplified.txt"))
    assert embedder.embed(["tea"], "query").any()
    with pytest.raises(ModelMissingError, match="force-reinstall"):
        embedder.embed(["茶"], "query")
    embedder.close()


@pytest.mark.model
def test_both_languages_have_the_same_384_numbers(embedder: LocalEmbedder) -> None:
    assert embedder.embed(["a black cat", "一只黑猫"], "document").shape == (2, 384)
    assert embedder.name == find_package().NAME


@pytest.mark.model
def test_the_two_languages_meet(embedder: LocalEmbedder) -> None:
    cat, server, chinese_cat = embedder.embed(
        ["She keeps a black cat.", "The server is down.", "她养了一只黑猫。"], "document"
    )
    assert chinese_cat @ cat > chinese_cat @ server + 0.2


@pytest.mark.model
def test_traditional_and_simplified_are_one(embedder: LocalEmbedder) -> None:
    traditional, simplified = embedder.embed(["她養了一隻黑貓。", "她养了一只黑猫。"], "document")
    assert traditional @ simplified > 0.999


@pytest.mark.model
def test_a_person_is_found_by_name_in_the_other_script(embedder: LocalEmbedder) -> None:
    question, right, wrong = embedder.embed(
        ["Who is Zhang Wei?", "张伟是销售部的经理。", "李娜是销售部的经理。"], "query"
    )
    assert question @ right > question @ wrong


@pytest.mark.model
def test_a_question_in_both_languages_is_read_as_a_memory_is(embedder: LocalEmbedder) -> None:
    texts = ["Ann 的 laptop 放在哪里？", "安 moved to 里斯本", "只有中文", "English alone"]
    np.testing.assert_array_equal(embedder.embed(texts, "query"), embedder.embed(texts, "document"))


@pytest.mark.model
def test_neighbours_do_not_change_a_vector(embedder: LocalEmbedder) -> None:
    texts = ["short", "a much longer sentence about the weather in Oslo " * 9, "天气很好", ""]
    together = embedder.embed(texts, "document")
    alone = np.concatenate([embedder.embed([text], "document") for text in texts])
    np.testing.assert_array_equal(together, alone)


@pytest.mark.model
def test_a_megabyte_is_cut_not_read(embedder: LocalEmbedder) -> None:
    hostile = ["x" * 1_000_000, "猫" * 1_000_000, "\x00" * 1_000_000, "( [" * 300_000]
    started = time.thread_time()
    vectors = embedder.embed(hostile, "document")
    assert time.thread_time() - started < 5
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.model
def test_more_threads_give_the_same_vectors(embedder: LocalEmbedder) -> None:
    texts = [f"sentence number {number} 第{number}句" for number in range(12)]
    several = LocalEmbedder(threads=3)
    try:
        np.testing.assert_array_equal(
            several.embed(texts, "document"), embedder.embed(texts, "document")
        )
    finally:
        several.close()


@pytest.mark.model
def test_first_chinese_text_from_many_threads_at_once(embedder: LocalEmbedder) -> None:
    fresh = LocalEmbedder()
    expected = embedder.embed(["她对花生过敏"], "query")
    results: list[bool] = []

    def work() -> None:
        results.append(np.array_equal(fresh.embed(["她对花生过敏"], "query"), expected))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 6


@pytest.mark.model
def test_closed_is_closed(embedder: LocalEmbedder) -> None:
    closing = LocalEmbedder(threads=2)
    closing.close()
    with pytest.raises(ModelError, match="closed"):
        closing.embed(["x"], "query")


@pytest.mark.model
def test_without_the_runtime_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"install .*\[local\]"):
        LocalEmbedder()


def test_importing_loads_no_runtime() -> None:
    code = (
        "import sys, taishi.models.local.embedder, taishi.models.fastembed_embedder;"
        "heavy = {'onnxruntime', 'tokenizers', 'fastembed', 'taishi_model'};"
        "print(*heavy & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.strip() == "", answer.stderr
    assert answer.returncode == 0


@pytest.mark.model
def test_the_chinese_encoder_is_loaded_before_anybody_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("taishi.models.local.embedder.CHINESE_AFTER", 0.01)
    embedder = LocalEmbedder()
    embedder._loader.join(60)
    assert embedder._english.is_loaded and embedder._chinese.is_loaded
    embedder.close()


@pytest.mark.model
def test_a_short_command_does_not_load_the_chinese_encoder() -> None:
    embedder = LocalEmbedder()
    embedder.embed(["tea"], "query")
    start = time.perf_counter()
    embedder.close()
    assert time.perf_counter() - start < 1.0, "the timer is not waited for"
    assert embedder._english.is_loaded and not embedder._chinese.is_loaded


@pytest.mark.model
def test_a_chinese_question_does_not_wait_for_the_english_encoder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end = threading.Event()
    monkeypatch.setattr(LocalEmbedder, "_load_soon", lambda self: may_end.wait(60))
    embedder = LocalEmbedder()
    assert embedder.embed(["茶"], "query").any()
    assert not embedder._english.is_loaded
    may_end.set()
    embedder.close()


@pytest.mark.model
def test_a_damaged_chinese_encoder_is_told_to_who_has_chinese_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.models.local.embedder.CHINESE_AFTER", 0.01)
    embedder = LocalEmbedder(package=damaged(tmp_path, "chinese-384.onnx"))
    embedder._loader.join(60)
    assert np.linalg.norm(embedder.embed(["tea"], "query")) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ModelMissingError, match="force-reinstall"):
        embedder.embed(["茶"], "query")
    embedder.close()
