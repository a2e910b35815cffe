"""What MkDocs is told beyond mkdocs.yml, while it builds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import gfm
import links
import nav
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = {links.ENGLISH: "English", links.CHINESE: "简体中文"}
# Files of the repository's root that are pages, by their name on the site.
ROOT_PAGES = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}


def on_config(config: Any) -> Any:
    """Where the site and the repository are is known to whoever publishes them: two variables."""
    config.site_url = os.environ.get("TAISHI_SITE_URL") or config.site_url
    config.repo_url = os.environ.get("TAISHI_REPOSITORY_URL") or None
    if "MIKE_DOCS_VERSION" in os.environ:  # one version of several: the theme offers the others
        config.extra["version"] = {"provider": "mike", "default": "latest"}
    config.mdx_configs["toc"]["slugify"] = gfm.heading_id
    config.nav = nav.expand(config.nav, Path(config.docs_dir))
    return config


@event_priority(-110)  # after the plugin i18n, which loses files that are not in docs/
def on_files(files: Any, config: Any) -> Any:
    language = config.plugins["i18n"].current_language
    for name, source in ROOT_PAGES.items():
        file = File.generated(config, name, abs_src_path=str(ROOT / source))
        file.dest_uri = links.address(f"docs/{name}", language)
        file.locale, file.locale_alternate_of, file.alternates = links.ENGLISH, language, {}
        files.append(file)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    chinese = (ROOT / "docs").rglob(f"*{links.SUFFIX}")
    translated = frozenset(links.english(path.relative_to(ROOT).as_posix()) for path in chinese)
    site = links.Site((config.repo_url or "").rstrip("/"), translated)
    return links.rewrite(gfm.adapt(markdown), _place(page), site)


def on_page_context(context: Any, page: Any, config: Any, **_: Any) -> Any:
    """The switch of languages leads to the same page, wherever the site lies.

    An attribute, like the one of the plugin, which hides a key of this name.
    """
    config.extra.alternate = [
        {"name": name, "lang": language, "link": links.address(_place(page).path, language)}
        for language, name in LANGUAGES.items()
    ]
    return context


def _place(page: Any) -> links.Place:
    path = ROOT_PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return links.Place(path, page.file.locale_alternate_of)
