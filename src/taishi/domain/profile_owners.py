"""Decides whose page a statement belongs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..language.id_labels import user_labels
from ..types import Job, Partition, Record, Scope
from .entities import ENTITY_PLACE as ENTITY_PLACE
from .entities import EntityType as EntityType
from .own_facts import ABOUT_USER
from .text_identity import same

LEARNED = "semantic"  # the type of what was learned from a turn


class ProfileOwner(NamedTuple):
    """The person or group that a page is about."""

    workspace: str
    entity_type: EntityType
    entity_id: str

    @property
    def place(self) -> Partition:
        return Partition(self.workspace, ENTITY_PLACE[self.entity_type], self.entity_id)

    @property
    def scope(self) -> Scope:
        """The scope of a private chat with the person, or of the group."""
        user, group = (
            (self.entity_id, None) if self.entity_type == "user" else (None, self.entity_id)
        )
        return Scope(user=user, group=group, workspace=self.workspace)

    @property
    def record_id(self) -> str:
        return f"{self.entity_type}:{self.entity_id}"


def entity_of(scope: Scope) -> ProfileOwner | None:
    """Whom or what this scope is about: the user in private, the group in a group."""
    home = scope.home
    if home.kind == "private":
        return ProfileOwner(scope.workspace, "user", home.id)
    return ProfileOwner(scope.workspace, "group", home.id) if home.kind == "group" else None


def user_of(scope: Scope) -> ProfileOwner | None:
    """The speaker, wherever they speak."""
    return ProfileOwner(scope.workspace, "user", scope.user) if scope.user else None


def pages_of(fact: Record) -> list[ProfileOwner]:
    """The pages that may have a line of this fact: of whom said it, and of the group."""
    place = fact.place
    if place.kind == "private":
        return [ProfileOwner(place.workspace, "user", place.id)]
    if place.kind != "group":
        return []
    speaker = [ProfileOwner(place.workspace, "user", fact.user)] if fact.user else []
    return [ProfileOwner(place.workspace, "group", place.id), *speaker]


def may_stand_on(fact: Record, entity: ProfileOwner, names: Sequence[str]) -> bool:
    """Whether a fact belongs on this page, as `statements_by_page` would have it; `names` are
    those of the person of a user's page. What a group knows of one of its people is on no page of
    another, and what somebody says of himself is on his own."""
    place, is_own = fact.place, fact.data.get(ABOUT_USER) is True
    if place.workspace != entity.workspace or place.kind not in ("private", "group"):
        return False
    if entity.entity_type == "group":
        return place == entity.place and not is_own
    if place.kind == "private":
        return place == entity.place
    if fact.user != entity.entity_id:
        return False
    subject = str(fact.data.get("subject") or "").strip()
    if is_own or any(same(subject, name) for name in names if name):
        return True
    # What is kept as it is tells no subject, and may be about anybody.
    return not subject and fact.data.get("type") == LEARNED


def statements_by_page(job: Job, learned: Sequence[Record]) -> dict[ProfileOwner, list[Record]]:
    """What belongs on whose page: the sender's, or the group's if it is not about the sender. An
    id tells people apart, a name does not: two may have the same."""
    sender = job.sender_id or job.user_id
    names = (job.sender_name, sender, *user_labels(sender)) if sender else (job.sender_name,)
    pages: dict[ProfileOwner, list[Record]] = {}
    for fact in learned:
        subject = str(fact.data.get("subject") or "").strip()
        if fact.data.get(ABOUT_USER) is True and fact.user is not None:
            about_sender = fact.user == sender
        else:
            about_sender = not subject or any(same(subject, name) for name in names if name)
        if sender and (about_sender or not job.group_id):
            entity = ProfileOwner(job.workspace, "user", sender)
        elif job.group_id:
            entity = ProfileOwner(job.workspace, "group", job.group_id)
        else:
            continue
        pages.setdefault(entity, []).append(fact)
    return pages
