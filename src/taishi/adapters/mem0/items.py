"""Our records and recalled hits in the form in which mem0 returns memories."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from ...exported import Version
from ...ports import PartitionInfo
from ...types import Explained, Hit, Partition, Record
from .entities import ENTITIES, LABELS, entity_of, public_id

Item = dict[str, Any]
_SHOWN_LABELS = ("agent_id", "app_id", "actor_id", "role", "memory_type")


class Times(NamedTuple):
    created: datetime | None
    updated: datetime | None
    time: datetime | None
    expires: datetime | None


def record_item(record: Record) -> Item:
    owner = {"user": record.user, "session": record.session}
    written = record.updated or record.created
    moments = (_moment(one) for one in (record.created, written, record.time, record.expires))
    times = Times(*moments)
    return _item(record.place, record.id, record.text, record.kind, record.data, owner, times)


def hit_item(home: Partition, hit: Hit, why: Explained | None) -> Item:
    owner = {name: hit.metadata.get(name) for name in ("user", "session")}
    times = Times(hit.created, hit.updated, hit.time, hit.expires)
    item = _item(home, hit.id, hit.text, hit.kind, hit.metadata, owner, times)
    item["score"] = hit.score
    if why is not None:
        item["score_details"] = _score_details(why)
    return item


def _item(
    home: Partition,
    id: str,
    text: str,
    kind: str,
    data: Mapping[str, Any],
    owner: Mapping[str, str | None],
    times: Times,
) -> Item:
    labels = labels_of(data)
    entity, name = entity_of(home)
    named = {"user_id": owner["user"], "run_id": owner["session"], f"{entity}_id": name}
    named |= {label: labels.get(label) for label in _SHOWN_LABELS if label not in named}
    if times.expires is not None:  # a memory is there until its last day is over
        last = times.expires.astimezone(UTC) - timedelta(seconds=1)
        named["expiration_date"] = last.date().isoformat()
    return {
        "id": public_id(home, id),
        "memory": text,
        "hash": hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest(),
        "metadata": metadata_of(data) or None,
        "categories": _categories(data, text),
        "kind": kind,
        "created_at": _iso(times.created),
        "updated_at": _iso(times.updated),
        "timestamp": _iso(times.time),
        **{label: value for label, value in named.items() if value is not None},
    }


def _categories(data: Mapping[str, Any], text: str) -> list[str]:
    """What a memory is about. A tag that a fact's text has is a word to find it by, such as the
    town where somebody lives; the tags of what has no category are a program's own."""
    category, tags = data.get("category"), data.get("tags")
    named = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, (list, tuple)) else []
    if not isinstance(category, str) or not category:
        return named
    return list(dict.fromkeys([category, *(tag for tag in named if not _has_word(text, tag))]))


def _has_word(text: str, word: str) -> bool:
    found = rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])"
    return re.search(found, text, re.IGNORECASE) is not None


def labels_of(data: Mapping[str, Any]) -> dict[str, Any]:
    labels = data.get(LABELS)
    return dict(labels) if isinstance(labels, Mapping) else {}


def metadata_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that a caller of mem0 gave to a memory."""
    metadata = labels_of(data).get("metadata")
    return dict(metadata) if isinstance(metadata, Mapping) else {}


def added_item(record: Record) -> Item:
    """What `add` says of each memory that it made."""
    item = record_item(record)
    return {"id": item["id"], "memory": item["memory"], "event": "ADD", "kind": item["kind"]}


def history_items(
    id: str, record: Record, versions: Sequence[Version], records: Mapping[str, Record]
) -> list[Item]:
    """Oldest first: an ADD, then an UPDATE for each text that took another's place. `records` are
    those of the versions, by id: a fact and those that it replaced, of which two may say the
    same."""
    rows: list[Item] = []
    versions = [next(same) for _, same in groupby(versions, key=lambda one: one.text)]
    began = [one.created for one in records.values()]
    created, before = _iso(_moment(min(began, default=record.created))), None
    changed, last = created, None
    for number, version in enumerate(reversed(versions)):
        if number and version.id != last and version.id in records:
            changed = _iso(_moment(records[version.id].created))
        last = version.id
        rows.append(
            {
                "id": f"{id}#{number}",
                "memory_id": id,
                "old_memory": before,
                "new_memory": version.text,
                "event": "UPDATE" if number else "ADD",
                "created_at": created,
                "updated_at": changed,
                "is_deleted": False,
                "actor_id": labels_of(record.data).get("actor_id"),
                "role": labels_of(record.data).get("role"),
            }
        )
        before = version.text
        changed = _iso(_moment(version.until)) or changed
    return rows


def entity_items(partitions: Iterable[PartitionInfo]) -> list[Item]:
    """Users, agents and runs that have memories; groups and what is shared are none of mem0's."""
    items = []
    for info in partitions:
        entity, name = entity_of(info.partition)
        if entity in ENTITIES:
            items.append(
                {
                    "id": f"{entity}:{name}",
                    "name": name,
                    "type": entity,
                    "total_memories": info.records,
                    "updated_at": _iso(_moment(info.last_time)),
                }
            )
    return items


def _score_details(why: Explained) -> Item:
    return {
        "paths": dict(why.paths),
        "cosine": why.cosine,
        "coverage": why.coverage,
        "age_factor": why.age_factor,
        "kind_factor": why.kind_factor,
        "trust_factor": why.trust_factor,
    }


def _moment(epoch: float | None) -> datetime | None:
    return None if epoch is None else datetime.fromtimestamp(epoch, UTC)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat()
