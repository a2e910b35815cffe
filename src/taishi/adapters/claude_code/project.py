"""Whose memory a session belongs to: a user, and the project that the session works in."""

from __future__ import annotations

import getpass
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ...types import Scope, clean_id

Sharing = Literal["project", "user"]
SHARINGS: tuple[Sharing, ...] = get_args(Sharing)
SOMEBODY = "me"
MAX_SLUG_CHARS = 40
_OTHER = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Owner:
    """What flags and the environment say; what they leave out follows from the folder.

    `sharing`: "project" keeps each project's memory to itself, "user" has one for all of them.
    """

    user: str | None = None
    project: str | None = None
    sharing: Sharing = "project"

    def scope(self, folder: str, session: str = "") -> Scope:
        user = clean_id(self.user, "user") or login_name()
        group = None
        if self.sharing == "project":
            group = clean_id(self.project, "project") or project_id(Path(folder or "."))
        return Scope(user=user, group=group, session=clean_id(session, "session"))


def owner_in(environ: Mapping[str, str]) -> Owner:
    """From TAISHI_HOOK_USER, TAISHI_HOOK_PROJECT and TAISHI_HOOK_SCOPE."""
    sharing: Sharing = "user" if environ.get("TAISHI_HOOK_SCOPE") == "user" else "project"
    return Owner(environ.get("TAISHI_HOOK_USER"), environ.get("TAISHI_HOOK_PROJECT"), sharing)


def login_name() -> str:
    try:
        return clean_id(getpass.getuser(), "user") or SOMEBODY
    except (OSError, KeyError, ImportError):  # a container without a user database
        return SOMEBODY


def project_id(folder: Path) -> str:
    """The same for every folder of a repository and for its worktrees; the name is for people, the
    hash keeps two projects of one name apart."""
    root = project_root(folder)
    digest = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    slug = _OTHER.sub("-", root.name.encode("utf-8", "replace").decode())[:MAX_SLUG_CHARS]
    return f"project-{slug.strip('-') or 'root'}-{digest}"


def project_root(folder: Path) -> Path:
    """The repository that a folder is in, or the folder itself."""
    here = folder.expanduser().resolve()
    for path in (here, *here.parents):
        mark = path / ".git"
        if mark.is_dir():
            return path
        if mark.is_file():
            return _main_worktree(mark) or path
    return here


def _main_worktree(mark: Path) -> Path | None:
    """A worktree's `.git` is a file that names `REPOSITORY/.git/worktrees/NAME`. A submodule's
    names another place: it is a project of its own."""
    try:
        text = mark.read_text("utf-8", "replace")[:4096]
    except OSError:
        return None
    found = re.match(r"gitdir: (.+)", text)
    if found is None:
        return None
    git = (mark.parent / found[1].strip()).resolve()
    is_worktree = git.parent.name == "worktrees" and git.parent.parent.name == ".git"
    return git.parents[2] if is_worktree else None
