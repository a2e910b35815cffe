"""Which partitions a scope may read (S2). Every read goes through here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..ports import Store
from ..types import Partition, Scope, VisiblePartition


def visible_partitions(scope: Scope, store: Store) -> tuple[VisiblePartition, ...]:
    """The scope's own partition and the workspace's; that of an agent which works for a user in
    private; more only if the user linked them."""
    home, *others = unlinked_partitions(scope)
    linked = [] if scope.shared else _linked(scope, store)
    return (home, *others[:-1], *linked, *others[-1:])


def unlinked_partitions(scope: Scope) -> tuple[VisiblePartition, ...]:
    """Those that it may read whatever was linked: what is known without the store."""
    home = VisiblePartition(scope.home)
    if scope.shared:
        return (home,)
    return (home, *_agent(scope), VisiblePartition(scope.commons))


def _agent(scope: Scope) -> list[VisiblePartition]:
    """Not in a group: others are there, who may know nothing of what the agent keeps (S2)."""
    if scope.agent is None or scope.home.kind != "private":
        return []
    return [VisiblePartition(Partition(scope.workspace, "agent", scope.agent))]


def _linked(scope: Scope, store: Store) -> list[VisiblePartition]:
    user = scope.user
    if user is None or not store.linked(scope.workspace, user):
        return []
    if scope.home.kind == "private":
        return [VisiblePartition(g, only_user=user) for g in store.groups_of(scope.workspace, user)]
    return [VisiblePartition(Partition(scope.workspace, "private", user))]


def narrow(
    visible: Callable[[], tuple[VisiblePartition, ...]], user: str | None, group: str | None
) -> tuple[VisiblePartition, ...]:
    """The same partitions or fewer: only this user's records, only this group."""
    kept = visible()
    if user is not None:
        kept = tuple(replace(s, only_user=user) for s in kept if s.only_user in (None, user))
    if group is not None:
        kept = tuple(s for s in kept if (s.place.kind, s.place.id) == ("group", group))
    return kept
