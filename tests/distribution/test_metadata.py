"""What a package index is told: addresses, classifiers, and what the extras require."""

from __future__ import annotations

import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.metadata import Metadata
from packaging.requirements import Requirement
from trove_classifiers import classifiers, deprecated_classifiers

from support.built_wheel import MODEL, OF_THE_WHEEL, ROOT, build, copy_sources, extract_all

REPOSITORY = "https://code.example/owner/taishi"
URLS = {
    "Homepage": REPOSITORY,
    "Documentation": f"{REPOSITORY}/blob/main/docs/index.md",
    "Source": REPOSITORY,
    "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
    "Issues": f"{REPOSITORY}/issues",
}


def project(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def metadata_of(wheel: Path) -> Metadata:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Metadata.from_email(archive.read(name), validate=True)


def lowered(urls: dict[str, str] | None) -> dict[str, str]:
    return {name.lower(): url for name, url in (urls or {}).items()}


def test_the_addresses_of_a_release_survive_the_source_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel that somebody builds from it is described like the published one."""
    tree = copy_sources(tmp_path / "tree", *OF_THE_WHEEL)
    archive, _ = build(tree, tmp_path / "source", "sdist", TAISHI_REPOSITORY_URL=f"{REPOSITORY}/")
    with tarfile.open(archive) as opened:
        extract_all(opened, tmp_path / "unpacked")
    (root,) = (tmp_path / "unpacked").iterdir()
    monkeypatch.delenv("TAISHI_REPOSITORY_URL", raising=False)
    metadata = metadata_of(build(root, tmp_path / "wheel")[0])
    assert lowered(metadata.project_urls) == lowered(URLS)
    assert metadata.description and f"]({REPOSITORY}/blob/main/docs/tutorial.md)" in (
        metadata.description
    )
    assert f"]({REPOSITORY}/raw/main/docs/images/memory.png)" in metadata.description


@pytest.mark.thorough
def test_the_models_package_has_the_same_addresses(tmp_path: Path) -> None:
    wheel, _ = build(MODEL, tmp_path, TAISHI_REPOSITORY_URL=REPOSITORY)
    assert lowered(metadata_of(wheel).project_urls) == lowered(URLS)


def test_there_are_no_addresses_without_a_repository(hatch_build: Any) -> None:
    assert hatch_build.repository_url({}) == ""
    assert hatch_build.project_urls("") == {}


@pytest.mark.parametrize("url", ["code.example/taishi", "http://a.example/b", "https://x y/z", "-"])
def test_an_address_that_is_none_is_refused(hatch_build: Any, url: str) -> None:
    with pytest.raises(ValueError, match="TAISHI_REPOSITORY_URL must be like"):
        hatch_build.repository_url({"TAISHI_REPOSITORY_URL": url})


@pytest.mark.parametrize("folder", [ROOT, MODEL], ids=["taishi", "taishi-model"])
def test_every_classifier_is_known_to_the_index(folder: Path) -> None:
    given = project(folder)["classifiers"]
    assert given and set(given) <= classifiers
    assert not set(given) & set(deprecated_classifiers)
    assert len(given) == len(set(given))


def test_the_local_extra_brings_the_model_of_this_tree() -> None:
    wanted = [Requirement(one) for one in project(ROOT)["optional-dependencies"]["local"]]
    (model,) = [one for one in wanted if one.name == "taishi-model"]
    assert project(MODEL)["version"] in model.specifier
    assert model.url is None, "an index refuses a requirement with an address"
    for extra, lines in project(ROOT)["optional-dependencies"].items():
        assert not [line for line in lines if "@" in line], extra
