"""The package `taishi-model`: its files are whole, and damage is named."""

from __future__ import annotations

import importlib
import shutil
import tomllib
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PACKAGE = Path(__file__).parents[2] / "packages" / "taishi-model"
DATA = PACKAGE / "src" / "taishi_model"
TRANSLATIONS = [
    ("Ann moved to Lisbon in May.", "安五月搬到了里斯本。"),
    ("My daughter is allergic to peanuts.", "我女儿对花生过敏。"),
    ("The meeting is on Friday at three.", "会议在星期五三点。"),
    ("He bought a new camera yesterday.", "他昨天买了一台新相机。"),
    ("I cannot sleep at night.", "我晚上睡不着觉。"),
]
installed = pytest.mark.skipif(
    find_spec("taishi_model") is None, reason="taishi-model is not installed: run `make setup`"
)


@pytest.fixture
def model() -> Any:
    return importlib.import_module("taishi_model")


@pytest.fixture
def copied(model: Any, tmp_path: Path) -> Path:
    """The files again, where they may be damaged. The graphs are links: they are large."""
    for name in model.FILE_NAMES:
        (tmp_path / name).symlink_to(model.folder() / name)
    shutil.copy(model.folder() / model.CHECKSUMS, tmp_path)
    return tmp_path


@installed
def test_every_file_is_what_was_released(model: Any) -> None:
    model.check()


@installed
def test_each_encoder_has_a_graph_and_a_tokenizer_on_disk(model: Any) -> None:
    for files in (model.english(), model.chinese()):
        assert files.graph.suffix == ".onnx"
        assert files.graph.stat().st_size > 10_000_000
        assert files.tokenizer.stat().st_size > 100_000
    traditional, simplified = model.simplified().read_text("utf-8").split("\n")
    assert len(traditional) == len(simplified) > 1000
    assert model.DIMENSIONS == 384


@installed
def test_the_engine_can_find_it_by_its_entry_point(model: Any) -> None:
    (entry,) = entry_points(group="taishi.models", name="local")
    assert entry.load() is model


@installed
def test_a_damaged_file_is_named(model: Any, copied: Path) -> None:
    model.check(copied)  # the control: a whole copy passes
    damaged = bytearray((copied / "simplified.txt").read_bytes())
    damaged[100] ^= 1
    (copied / "simplified.txt").unlink()
    (copied / "simplified.txt").write_bytes(damaged)
    with pytest.raises(model.ModelFilesError, match=r"simplified\.txt is damaged.*pip install"):
        model.check(copied)


@installed
def test_every_missing_file_is_named(model: Any, copied: Path) -> None:
    (copied / "english-384.onnx").unlink()
    (copied / "chinese-384-tokenizer.json").unlink()
    with pytest.raises(model.ModelFilesError) as caught:
        model.check(copied)
    assert "english-384.onnx is missing" in str(caught.value)
    assert "chinese-384-tokenizer.json is missing" in str(caught.value)
    assert "simplified.txt" not in str(caught.value)


@installed
@pytest.mark.parametrize("content", [None, b"one-word-only\n", b"\xff\xfe"])
def test_checksums_that_cannot_be_read_are_an_error(
    model: Any, copied: Path, content: bytes | None
) -> None:
    (copied / model.CHECKSUMS).unlink()
    if content is not None:
        (copied / model.CHECKSUMS).write_bytes(content)
    with pytest.raises(model.ModelFilesError, match=r"checksums\.txt cannot be read"):
        model.check(copied)


@installed
def test_a_file_without_a_checksum_is_an_error(model: Any, copied: Path) -> None:
    lines = (copied / model.CHECKSUMS).read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if "english-384.onnx" not in line]
    (copied / model.CHECKSUMS).write_text("".join(kept), "utf-8")
    with pytest.raises(model.ModelFilesError, match=r"english-384\.onnx has no entry"):
        model.check(copied)


@installed
def test_a_sentence_and_its_translation_are_near_each_other(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two graphs share one space, with the input and output names that the package states."""
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "1")
    onnxruntime = pytest.importorskip("onnxruntime", reason="the extra `local`: run `make setup`")
    tokenizers = pytest.importorskip("tokenizers", reason="the extra `local`: run `make setup`")

    def vectors(files: Any, texts: list[str]) -> np.ndarray:
        session = onnxruntime.InferenceSession(files.graph, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(model.MAX_TOKENS)
        ids = [np.array([tokenizer.encode(text).ids], np.int64) for text in texts]
        rows = [session.run(["sentence"], {"ids": row})[0][0] for row in ids]
        return np.array([row / np.linalg.norm(row) for row in rows])

    english = vectors(model.english(), [pair[0] for pair in TRANSLATIONS])
    chinese = vectors(model.chinese(), [pair[1] for pair in TRANSLATIONS])
    assert english.shape == chinese.shape == (len(TRANSLATIONS), model.DIMENSIONS)
    cosines = english @ chinese.T
    same = np.eye(len(TRANSLATIONS), dtype=bool)
    assert cosines[same].min() > 0.4
    assert cosines[~same].max() < 0.25


def test_the_package_needs_no_other_and_carries_its_licences() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["dependencies"] == []
    notice = (PACKAGE / "NOTICE").read_text("utf-8")
    for path in DATA.iterdir():
        if path.suffix in {".onnx", ".json"} or path.name == "simplified.txt":
            assert path.name in notice
    assert "Apache License" in (PACKAGE / "LICENSE").read_text("utf-8")
    assert list((PACKAGE / "LICENSES").iterdir())


def test_the_training_scripts_compile() -> None:
    scripts = sorted((PACKAGE / "training").glob("*.py"))
    assert len(scripts) >= 7
    for script in scripts:
        compile(script.read_text("utf-8"), script.name, "exec")
