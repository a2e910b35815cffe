"""What is in the wheel and in the source distribution, and what they say of themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from email import message_from_bytes
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from markdown_it import MarkdownIt
from packaging.metadata import Metadata

from support.built_wheel import (
    MODEL,
    OF_THE_PAGES,
    OF_THE_WHEEL,
    ROOT,
    build,
    copy_sources,
    extract_all,
)
from support.engines import missing
from taishi.server.pages import STATIC

KINDS = {".py", ".typed", ".sql", ".md", ".tsv", ".toml", ".txt", ".html", ".js", ".css", ".svg"}
PAGES = "taishi/server/pages/static/"
TARGET = re.compile(r"\]\(([^)\s]+)\)")


def names_in(file: Path) -> list[str]:
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    with tarfile.open(file) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]


def check_metadata(wheel: Path) -> Metadata:
    """What an index refuses is refused here: fields, their forms, a description it can show."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        raw = archive.read(name)
    fields = [key.lower() for key in message_from_bytes(raw)]
    once = ("name", "version", "summary", "description-content-type", "license-expression")
    assert all(fields.count(key) == 1 for key in once), fields
    metadata = Metadata.from_email(raw, validate=True)
    assert metadata.description_content_type == "text/markdown"
    assert metadata.license_expression == "Apache-2.0" and metadata.license_files
    assert metadata.description and MarkdownIt().render(metadata.description)
    relative = [to for to in TARGET.findall(metadata.description) if "://" not in to]
    assert relative == [], "links that lead nowhere on an index"
    return metadata


@pytest.fixture
def built_pages() -> None:
    if not (STATIC / "index.html").exists():
        missing("the pages are not built: make pages")


@pytest.fixture(scope="module", autouse=True)
def unpublished() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TAISHI_REPOSITORY_URL", raising=False)
        yield


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("wheel"))[0]


def test_the_wheel_has_the_package_its_licence_and_nothing_else(wheel: Path) -> None:
    names = names_in(wheel)
    assert {PurePosixPath(name).parts[0] for name in names} == {"taishi", "taishi-0.1.0.dist-info"}
    ours = [PurePosixPath(name) for name in names if name.startswith("taishi/")]
    assert len(ours) > 500 and PurePosixPath("taishi/py.typed") in ours
    odd = [one for one in ours if one.suffix not in KINDS and one.name != ".sources"]
    assert odd == []
    assert "taishi-0.1.0.dist-info/licenses/LICENSE" in names
    assert len(names) == len(set(names)), "a file is in it twice"


def test_the_wheel_tells_nothing_of_the_machine_that_built_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            assert str(ROOT).encode() not in content and str(Path.home()).encode() + b"/" not in (
                content
            ), name


@pytest.mark.usefixtures("built_pages")
def test_the_wheel_has_the_pages(wheel: Path) -> None:
    names = names_in(wheel)
    kinds = {PurePosixPath(name).suffix for name in names if name.startswith(f"{PAGES}assets/")}
    assert f"{PAGES}index.html" in names and kinds == {".js", ".css", ".svg"}


def test_the_wheel_describes_itself_as_an_index_wants(wheel: Path) -> None:
    metadata = check_metadata(wheel)
    assert metadata.name == "taishi" and metadata.requires_python
    assert metadata.project_urls in (None, {}), "nobody said where it is published"
    assert metadata.description and metadata.description.startswith("# Taishi")
    assert "Twenty lines" in metadata.description


@pytest.mark.usefixtures("built_pages")
def test_a_source_distribution_is_whole_and_needs_no_node(
    tmp_path: Path, only_on_path: Callable[..., Path]
) -> None:
    archive, _ = build(ROOT, tmp_path / "source", "sdist")
    names = set(names_in(archive))
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    tracked = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    missing = {name for name in tracked - names if not name.startswith("packages/")}
    assert missing == set()
    assert not [name for name in names if "node_modules" in name or "/.venv" in name]
    with tarfile.open(archive) as opened:
        extract_all(opened, tmp_path / "unpacked")
    (root,) = (tmp_path / "unpacked").iterdir()
    only_on_path()
    wheel, said = build(root, tmp_path / "wheel")
    assert f"{PAGES}index.html" in names_in(wheel), said
    assert "pages" not in said


@pytest.mark.thorough
def test_the_models_wheel_has_its_files_and_describes_itself(tmp_path: Path) -> None:
    wheel, _ = build(MODEL, tmp_path)
    assert check_metadata(wheel).name == "taishi-model"
    names = names_in(wheel)
    kinds = sorted(PurePosixPath(name).suffix for name in names if name.startswith("taishi_model/"))
    assert kinds.count(".onnx") == 2 and kinds.count(".typed") == 1
    licences = [name for name in names if "/licenses/" in name]
    assert len(licences) == 3, licences


def test_the_readme_on_an_index_links_into_the_repository(hatch_build: Any) -> None:
    text = "[![a](docs/a.png)](docs/a.md) [b](b.md#c) [d](https://d.example/e) [f](#g)\n"
    assert hatch_build.described_elsewhere(text, "https://code.example/taishi/") == (
        "[![a](https://code.example/taishi/raw/main/docs/a.png)]"
        "(https://code.example/taishi/blob/main/docs/a.md) "
        "[b](https://code.example/taishi/blob/main/b.md#c) [d](https://d.example/e) [f](#g)\n"
    )


def test_without_an_address_the_readme_keeps_the_words_of_its_links(hatch_build: Any) -> None:
    text = "[![a](docs/a.png)](docs/a.md)\n\n[b](b.md#c) and [d](https://d.example/e)\n"
    assert hatch_build.described_elsewhere(text, "") == "b and [d](https://d.example/e)\n"


@pytest.mark.usefixtures("built_pages")
@pytest.mark.parametrize(
    ("folder", "sources"),
    [("as-in-the-image", OF_THE_WHEEL), ("build/taishi", (*OF_THE_WHEEL, *OF_THE_PAGES))],
)
def test_built_pages_are_in_the_wheel_once_wherever_the_sources_lie(
    tmp_path: Path, folder: str, sources: tuple[str, ...]
) -> None:
    """Without the sources of the pages; and in a folder that Git would ignore."""
    tree = copy_sources(tmp_path / folder, *sources)
    shutil.copytree(STATIC, tree / "src" / "taishi" / "server" / "pages" / "static")
    names = names_in(build(tree, tmp_path / "wheel")[0])
    assert names.count(f"{PAGES}index.html") == 1
