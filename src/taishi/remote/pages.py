"""Profile pages of a server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..domain import arguments
from ..errors import ScopeError
from ..ports import PageRevision
from ..types import Profile, Scope
from .answers import Diff, Revisions
from .noun import Noun, unsupported
from .server import DEFAULT_WORKSPACE, NO_SCOPE, Route

PAGE = "/profiles/{}/{}"
SOURCE = Route("GET", f"{PAGE}/source", Profile)
SET = Route("PUT", PAGE, Profile, repeatable=True)
EDIT = Route("PATCH", PAGE, Profile)
REVISIONS = Route("GET", f"{PAGE}/revisions", Revisions)
DIFF = Route("GET", f"{PAGE}/revisions/{{}}/diff", Diff)
ROLLBACK = Route("POST", f"{PAGE}/revisions/{{}}/rollback", Profile, once=True)


class RemoteProfiles(Noun):
    """A page is named by whom it is about, so the scope is not sent: its workspace is."""

    def set(
        self,
        scope: Scope,
        body: str,
        name: str = "",
        tags: Iterable[str] = (),
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        whose = self._whose(scope)
        fields: dict[str, Any] = {
            "body": body,
            "name": name,
            "tags": list(arguments.each(tags, "tags")),
        }
        fields |= self._workspace(scope)
        return self._server.call(SET, NO_SCOPE, *whose, actor=actor, body=fields)

    def source(self, scope: Scope) -> Profile | None:
        whose = self._whose(scope)
        return self._server.find(SOURCE, NO_SCOPE, *whose, **self._workspace(scope))

    def edit(
        self,
        scope: Scope,
        body: str,
        before: Profile | None,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        """Refused (BusyError) if the page is not `before` any more."""
        whose, before = self._whose(scope), arguments.page(before)
        fields = {"body": body, "updated_at": before.updated_at if before else ""}
        fields |= self._workspace(scope)
        return self._server.call(EDIT, NO_SCOPE, *whose, actor=actor, body=fields)

    def revisions(self, scope: Scope) -> tuple[str, ...]:
        return self._history(scope).revisions

    def history(self, scope: Scope) -> tuple[PageRevision, ...]:
        return self._history(scope).history

    def diff(self, scope: Scope, revision: str, to: str | None = None) -> str:
        whose = self._whose(scope)
        return self._server.call(
            DIFF, NO_SCOPE, *whose, revision, to=to, **self._workspace(scope)
        ).diff

    def rollback(
        self, scope: Scope, revision: str, *, actor: str = "person", door: str = "python"
    ) -> Profile:
        whose, fields = self._whose(scope), self._workspace(scope)
        return self._server.call(ROLLBACK, NO_SCOPE, *whose, revision, actor=actor, body=fields)

    faults = unsupported("profiles.faults", "run `taishi doctor` where the server runs")

    def _history(self, scope: Scope) -> Revisions:
        return self._server.call(REVISIONS, NO_SCOPE, *self._whose(scope), **self._workspace(scope))

    def _whose(self, scope: Scope) -> tuple[str, str]:
        self._server.check(scope)
        kinds = {"private": "user", "group": "group"}
        if scope.home.kind not in kinds:
            raise ScopeError("a profile belongs to a user or a group; pass Scope(user=…)")
        return kinds[scope.home.kind], scope.home.id

    def _workspace(self, scope: Scope) -> dict[str, Any]:
        return {} if scope.workspace == DEFAULT_WORKSPACE else {"workspace": scope.workspace}
