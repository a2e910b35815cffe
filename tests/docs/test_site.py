"""The site of the documentation: what it lists, where its links lead, and that it can be built."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest
import yaml
from markdown_it import MarkdownIt

from support.built_wheel import copy_sources
from support.docs_site import ROOT, SITE_PYTHON, SITE_VENV, build_site, need_mkdocs

DOCS = ROOT / "docs"
CONFIG = yaml.safe_load((ROOT / "docs_site" / "mkdocs.yml").read_text("utf-8"))
FROM_THE_ROOT = {"changelog.md", "contributing.md"}
PARTS = re.compile(r"<(li|ol|ul|table|tr|pre|h[1-6]|img)[ >]")


def english_pages() -> set[str]:
    found = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    return {name for name in found if not name.endswith(".zh-CN.md")}


def test_the_navigation_lists_every_page_once(nav: ModuleType) -> None:
    counts = Counter(nav.files(nav.expand(CONFIG["nav"], DOCS)))
    assert [name for name, count in counts.items() if count > 1] == [], "listed twice"
    assert english_pages() | FROM_THE_ROOT == set(counts)


def test_a_pattern_stands_for_pages_without_an_entry(nav: ModuleType, tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "a.zh-CN.md", "c.md"):
        (tmp_path / name).touch()
    assert nav.expand([{"All": ["*.md", {"One": "c.md"}]}], tmp_path) == [
        {"All": ["a.md", "b.md", {"One": "c.md"}]}
    ]


def test_every_page_in_chinese_is_one_in_english_too() -> None:
    chinese = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.zh-CN.md")}
    assert {name.replace(".zh-CN.md", ".md") for name in chinese} <= english_pages()


def test_every_section_of_the_navigation_has_a_chinese_title() -> None:
    def titles(entries: list[object]) -> list[str]:
        inner = [item for one in entries if isinstance(one, dict) for item in one.items()]
        return [t for title, part in inner for t in (title, *titles(part))]  # type: ignore[misc]

    (i18n,) = [one["i18n"] for one in CONFIG["plugins"] if isinstance(one, dict) and "i18n" in one]
    assert set(titles(CONFIG["nav"])) == set(i18n["languages"][1]["nav_translations"])


@pytest.mark.parametrize(
    ("page", "language", "link", "expected"),
    [
        ("docs/how-to/a.md", "en", "[x](../tutorial.md#y)", "[x](../tutorial.md#y)"),
        ("docs/how-to/a.md", "en", "[x](https://e.example/a.md)", "[x](https://e.example/a.md)"),
        ("docs/how-to/a.md", "en", "[x](a.zh-CN.md)",
         '<a href="../zh-CN/how-to/a.html" hreflang="zh-CN">x</a>'),
        ("docs/how-to/a.zh-CN.md", "zh-CN", "[x](a.md)",
         '<a href="../../how-to/a.html" hreflang="en">x</a>'),
        ("docs/how-to/a.zh-CN.md", "zh-CN", "[x](b.zh-CN.md#z)", "[x](b.md#z)"),
        ("docs/how-to/a.zh-CN.md", "zh-CN", "[x](b.md)", "[x](b.md)"),
        ("docs/a.md", "zh-CN", "[x](t.md#there)", '<a href="../t.html#there" hreflang="en">x</a>'),
        ("docs/a.md", "zh-CN", "[x](u.md#there)", "[x](u.md#there)"),
        ("docs/adr/README.md", "en", "[x](../index.zh-CN.md)",
         '<a href="../zh-CN/index.html" hreflang="zh-CN">x</a>'),
        ("docs/index.md", "en", "[x](../CHANGELOG.md)", "[x](changelog.md)"),
        ("CHANGELOG.md", "en", "[x](docs/how-to/a.md)", "[x](how-to/a.md)"),
        ("docs/how-to/a.md", "en", "[![p](../i.png)](b.md)", "[![p](../i.png)](b.md)"),
        ("docs/how-to/a.md", "en", "![p](../i.png)", "![p](../i.png)"),
        ("docs/how-to/a.md", "en", "[x `y`](../../src/z.py) on", "x `y` on"),
        ("docs/how-to/a.md", "en", "```md\n[x](../../src/z.py)\n```\n", None),
    ],
)  # fmt: skip
def test_links_of_the_repository_lead_on_within_the_site(
    links: ModuleType, page: str, language: str, link: str, expected: str | None
) -> None:
    site = links.Site(translated=frozenset({"docs/t.md"}))
    assert links.rewrite(link, links.Place(page, language), site) == (expected or link)


def test_files_that_are_not_on_the_site_are_linked_in_a_repository_that_is_known(
    links: ModuleType,
) -> None:
    site = links.Site(repository="https://code.example/o/t")
    text = links.rewrite("[x](../deploy/Dockerfile)", links.Place("docs/a.md", "en"), site)
    assert text == "[x](https://code.example/o/t/blob/main/deploy/Dockerfile)"


def test_what_github_reads_as_a_list_is_one_on_the_site(gfm: ModuleType) -> None:
    assert gfm.adapt("Three:\n- a\n- b\n") == "Three:\n\n- a\n- b\n"
    assert gfm.adapt("- a\n  goes on\n- b\n") == "- a\n  goes on\n- b\n"
    assert gfm.adapt("1. a\n\n   ```sh\n   b\n   ```\n\n2. c") == (
        "1. a\n\n    ```sh\n    b\n    ```\n\n2. c"
    )
    assert gfm.adapt("1. a\n\n   b\n2. c") == "1. a\n\n    b\n\n2. c"
    assert gfm.adapt("```\nx:\n- y\n```\n") == "```\nx:\n- y\n```\n"


class Page(HTMLParser):
    """The links and the ids of a built page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.ids.add(values.get("id") or "")
        is_loaded = tag != "a" and values.get("rel") != "canonical"
        for target in filter(None, (values.get("href"), values.get("src"))):
            assert not (is_loaded and "//" in target), f"{target} is fetched from elsewhere"
            self.targets.append(target)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.mark.thorough
def test_every_link_of_the_built_site_leads_somewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) == 2 * len(english_pages() | FROM_THE_ROOT)
    for path, page in pages.items():
        for target in page.targets:
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            there = (path.parent / file.partition("?")[0]).resolve() if file else path
            where = f"{target} on {path.relative_to(site)}"
            assert there.exists() and there.is_relative_to(site), where
            if anchor and there in pages and not anchor.startswith("__"):
                assert anchor in pages[there].ids, where


@pytest.mark.thorough
def test_a_built_page_has_the_parts_that_github_shows(site: Path) -> None:
    markdown = MarkdownIt("gfm-like", {"linkify": False})
    for path in DOCS.rglob("*.md"):
        name = path.relative_to(DOCS).as_posix().removesuffix(".md").replace("README", "index")
        folder = site / "zh-CN" if name.endswith(".zh-CN") else site
        html = (folder / f"{name.removesuffix('.zh-CN')}.html").read_text("utf-8")
        article = html[html.index('<article class="md-content__inner') : html.index("</article>")]
        wanted = Counter(PARTS.findall(markdown.render(path.read_text("utf-8"))))
        assert Counter(PARTS.findall(article)) == wanted, name


@pytest.mark.thorough
def test_versions_of_the_site_stand_side_by_side(tmp_path: Path) -> None:
    """As the release workflow publishes them: two releases, one of them the default."""
    need_mkdocs()
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ |= {"PATH": f"{SITE_PYTHON.parent}{os.pathsep}{environ['PATH']}"}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    copy_sources(tmp_path, "docs", "docs_site", "Makefile", "CHANGELOG.md", "CONTRIBUTING.md")
    run("git", "init", "--quiet")
    run("git", "config", "user.email", "docs@example.org")
    run("git", "config", "user.name", "docs")
    run("git", "commit", "--quiet", "--allow-empty", "--message", "A project")
    for version in ("0.1", "0.2"):
        run("make", "publish-site", f"SITE_VERSION={version}", f"SITE_VENV={SITE_VENV}")
    files = run("git", "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert {"0.1/index.html", "0.2/zh-CN/tutorial.html", "latest"} <= set(files)
    assert yaml.safe_load(run("git", "show", "gh-pages:versions.json"))[0]["aliases"] == ["latest"]
