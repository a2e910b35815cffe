"""Where the links of a page lead on the site.

The pages are written for a repository: a page in Chinese is `x.zh-CN.md` beside `x.md`, and links
go to files, also outside docs/. On the site each language has its own folder, and other files are
not there. Paths are relative to the root of the repository, with slashes.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

ENGLISH, CHINESE = "en", "zh-CN"
# Files outside docs/ that are pages of the site, or whose place is taken by one.
AS_PAGE = {
    "CHANGELOG.md": "docs/changelog.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "README.md": "docs/index.md",
    "README.zh-CN.md": f"docs/index.{CHINESE}.md",
}
FENCE = re.compile(r"(^[ \t]*(?:```|~~~).*?^[ \t]*(?:```|~~~)[ \t]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[((?:!\[[^\]\n]*\]\([^)\s]*\)|[^\[\]\n])*)\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#|//")
SUFFIX = f".{CHINESE}.md"


@dataclass(frozen=True)
class Place:
    """A page as it is shown: its file, and the language of the site that shows it."""

    path: str
    language: str

    @property
    def is_translated(self) -> bool:
        return self.path.endswith(SUFFIX)

    @property
    def english(self) -> str:
        """The file of the page in English, which names it in every language."""
        return english(self.path)


@dataclass(frozen=True)
class Site:
    """What links depend on: where the repository is, if that is known, and what is in Chinese."""

    repository: str = ""
    translated: frozenset[str] = frozenset()  # English files with a Chinese one beside them


def english(path: str) -> str:
    return path.removesuffix(SUFFIX) + ".md" if path.endswith(SUFFIX) else path


def address(path: str, language: str) -> str:
    """Where the site has a page, from the root of the site."""
    page = english(AS_PAGE.get(path, path)).removeprefix("docs/").removesuffix(".md")
    folder, name = posixpath.split(page)
    page = posixpath.join(folder, "index" if name == "README" else name)
    return f"{page}.html" if language == ENGLISH else f"{language}/{page}.html"


def rewrite(text: str, place: Place, site: Site) -> str:
    """The text of a page with links for the site; blocks of code stay as they are.

    A file that is not on the site is linked in the repository; if nobody said where that is, only
    the words of the link are kept.
    """
    parts = FENCE.split(text)
    for number in range(0, len(parts), 2):
        parts[number] = LINK.sub(lambda link: _link(link, place, site), parts[number])
    return "".join(parts)


def _link(link: re.Match[str], place: Place, site: Site) -> str:
    words, target = link[0][1 : -len(link[2]) - 3], link[2]
    if ELSEWHERE.match(target):
        return link[0]
    file, hash_sign, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(place.path), file))
    path = AS_PAGE.get(path, path)
    if not path.startswith("docs/"):
        return f"[{words}]({site.repository}/blob/main/{path})" if site.repository else words
    if not path.endswith(".md"):
        return f"[{words}]({_relative(path, _source(place))}{hash_sign}{anchor})"
    language = _language(path, place)
    if anchor and not place.is_translated and english(path) in site.translated:
        language = ENGLISH  # where the heading has this name
    if language == place.language:
        return f"[{words}]({_relative(english(path), _source(place))}{hash_sign}{anchor})"
    there = _relative(address(path, language), address(place.path, place.language))
    return f'<a href="{there}{hash_sign}{anchor}" hreflang="{language}">{words}</a>'


def _language(path: str, place: Place) -> str:
    """Readers stay in their language, unless a link says Chinese, or leads to the same page."""
    if path.endswith(SUFFIX):
        return CHINESE
    return ENGLISH if english(path) == place.english else place.language


def _source(place: Place) -> str:
    """Where MkDocs thinks that the file of the page is."""
    return AS_PAGE.get(place.path, place.path)


def _relative(path: str, page: str) -> str:
    return posixpath.relpath(path, posixpath.dirname(page) or ".")
