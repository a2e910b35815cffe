"""Finds the package that holds the encoders' files (`taishi-model`) by its entry point."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, cast

from ...disk.installation import model_line
from ...errors import ModelMissingError

GROUP, NAME = "taishi.models", "local"


class EncoderFiles(Protocol):
    """One encoder: its ONNX graph and its tokenizer."""

    @property
    def graph(self) -> Path: ...

    @property
    def tokenizer(self) -> Path: ...


class ModelPackage(Protocol):
    """What such a package offers; `NAME` is stamped on every vector."""

    NAME: str
    DIMENSIONS: int
    MAX_TOKENS: int
    FILE_NAMES: tuple[str, ...]

    def folder(self) -> Path: ...
    def english(self) -> EncoderFiles: ...
    def chinese(self) -> EncoderFiles: ...
    def simplified(self) -> Path: ...

    def check(self) -> None:
        """Compare every file with its checksum."""


def install_hint() -> str:
    return f"run `{model_line()}` (or configure another embedder)"


def repair_hint() -> str:
    line = model_line("--force-reinstall", "--no-deps")
    return f"run `{line}` (or configure another embedder)"


def find_package() -> ModelPackage:
    entries = list(entry_points(group=GROUP, name=NAME))
    if not entries:
        raise ModelMissingError(f"The local embedder's files are not installed: {install_hint()}")
    try:
        package = cast(ModelPackage, entries[0].load())
        missing = [name for name in package.FILE_NAMES if not (package.folder() / name).is_file()]
    except Exception as error:  # whatever importing somebody's package may raise
        raise ModelMissingError(
            f"{entries[0].value} cannot be used ({error}): {repair_hint()}"
        ) from error
    if missing:
        raise ModelMissingError(
            f"The local embedder in {package.folder()} lacks {', '.join(missing)}: {repair_hint()}"
        )
    return package


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """The package as it was found; `problem` says what is wrong and what to do, "" if nothing."""

    name: str = ""
    dimensions: int = 0
    folder: str = ""
    size: int = 0
    problem: str = ""


def installed_model() -> InstalledModel:
    """Every file is compared with its checksum, which takes a moment."""
    try:
        package = find_package()
    except ModelMissingError as error:
        return InstalledModel(problem=str(error))
    problem = ""
    try:
        package.check()
    except Exception as error:  # the package has an error class of its own
        problem = str(error)
    folder = package.folder()
    size = sum((folder / name).stat().st_size for name in package.FILE_NAMES)
    return InstalledModel(package.NAME, package.DIMENSIONS, str(folder), size, problem)
