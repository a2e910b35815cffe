"""API keys: who may come in by a server's door, and how far.

A secret is 256 random bits, not a password that a person chose, so nobody can guess it from its
hash: one SHA-256 is enough at rest, where a slow hash would only make every request slow.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from .disk.key_file import FILE as FILE
from .disk.key_file import KeyFile
from .errors import CorruptError, InputError, StorageError
from .settings.addresses import scheme_of
from .types import Partition, clean_id

if TYPE_CHECKING:  # the ports load numpy, which a command that lists keys does not need
    from .ports import KeyDocument

PREFIX = "tsk"
MAX_NAME_CHARS = 100
Rights = Literal["read", "write", "admin"]
RIGHTS: tuple[Rights, ...] = get_args(Rights)  # each includes the ones before it
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Key:
    """What a key opens. The secret itself is nowhere: only its hash is in the file.

    `workspace` None: every workspace. `user`, `group` and `agent` narrow it further. `as_person`:
    what is written with it is a person's word; without it, a model's.
    """

    id: str
    name: str
    workspace: str | None
    rights: Rights
    user: str | None = None
    group: str | None = None
    agent: str | None = None
    created: float = 0.0
    expires: float | None = None
    revoked: float | None = None
    as_person: bool = True  # keys made before there was this right could do what it allows

    @property
    def is_narrow(self) -> bool:
        """Bound to less than a workspace."""
        return bool(self.user or self.group or self.agent)

    def is_live(self, now: float) -> bool:
        return self.revoked is None and (self.expires is None or now < self.expires)


@dataclass(frozen=True, slots=True)
class _Entry:
    key: Key
    digest: str


class Keys:
    """The keys of one memory, by its address. Any number of processes may share them: they are
    read again when they change, so a key that was revoked elsewhere stops working here at once, or
    within a second if they are in a database."""

    def __init__(self, address: str | Path, clock: Callable[[], float] = time.time) -> None:
        self._document = _document_at(address)
        weakref.finalize(self, self._document.close)
        self._clock = clock
        self._lock = threading.Lock()
        self._stamp: Hashable | None = None
        self._entries: dict[str, _Entry] = {}
        self._were_set_up = False

    @property
    def path(self) -> Path:
        """Where they are, for messages."""
        return Path(self._document.where)

    @property
    def sessions(self) -> KeyDocument:
        """Where the secret that signs page sessions is: beside the keys, for the same servers."""
        return self._document.beside("sessions")

    @property
    def connections(self) -> KeyDocument:
        """Where the clients are that connected with one of the keys by OAuth."""
        return self._document.beside("oauth")

    @property
    def set_up(self) -> bool:
        """Whether there ever was a file of keys, whole or not. Losing it locks the door, not opens
        it: who deletes a damaged one has to make new keys before anybody is let in."""
        self._read()
        return self._were_set_up

    @property
    def any_live(self) -> bool:
        """Whether one is good now. Without any, a door that is locked opens to nobody."""
        now = self._clock()
        return any(entry.key.is_live(now) for entry in self._read().values())

    def lock(self) -> None:
        """From now on one is needed here, whether or not there is any."""
        self._were_set_up = True

    def create(
        self,
        name: str,
        workspace: str | None = "default",
        rights: Rights = "write",
        *,
        user: str | None = None,
        group: str | None = None,
        agent: str | None = None,
        expires: float | None = None,
        as_person: bool | None = None,
    ) -> tuple[Key, str]:
        """A new key and its secret, which cannot be shown again. `expires` is an epoch.

        `as_person`, the right to write and decide as a person: None gives it to `admin` alone.
        """
        if rights not in RIGHTS:
            raise InputError(f"unknown rights {rights!r:.40}; use one of {', '.join(RIGHTS)}")
        now = self._clock()
        if expires is not None and expires <= now:
            raise InputError("expires is in the past; give a later time")
        id, random = secrets.token_hex(6), secrets.token_urlsafe(32)
        secret = f"{PREFIX}_{id}_{random}"
        key = Key(
            id=id,
            name=_name(name),
            workspace=None if workspace is None else _given(workspace, "workspace"),
            rights=rights,
            created=now,
            expires=expires,
            user=None if user is None else _given(user, "user"),
            group=None if group is None else _given(group, "group"),
            agent=None if agent is None else _given(agent, "agent"),
            as_person=rights == "admin" if as_person is None else bool(as_person),
        )
        self._change(lambda entries: entries.update({id: _Entry(key, _digest(secret))}))
        return key, secret

    def list(self) -> list[Key]:
        """Every key, the revoked ones too, oldest first."""
        return sorted((e.key for e in self._read().values()), key=lambda key: key.created)

    def revoke(self, id: str) -> Key:
        """From now on this key opens nothing. It stays on the list."""

        def change(entries: dict[str, _Entry]) -> None:
            entry = entries.get(id)
            if entry is None:
                raise InputError(f"there is no key {id[:80]!r}; `taishi keys list` shows them")
            if entry.key.revoked is None:
                entries[id] = replace(entry, key=replace(entry.key, revoked=self._clock()))

        return self._change(change)[id].key

    def forget(self, place: Partition) -> int:
        """Remove the keys that are bound to a user, a group or an agent that was forgotten: their
        ids are named there. How many went."""
        gone: list[str] = []
        bound = {"private": "user", "group": "group", "agent": "agent"}.get(place.kind)

        def change(entries: dict[str, _Entry]) -> None:
            for id, entry in list(entries.items()):
                same = bound is not None and getattr(entry.key, bound) == place.id
                if same and entry.key.workspace == place.workspace:
                    gone.append(id)
                    del entries[id]

        if self.set_up:
            self._change(change)
        return len(gone)

    def take_over(self, other: Keys) -> int:
        """Add the keys of another folder, revoked ones too, with the hashes of their secrets: who
        had a key there has it here. How many there are now; nothing happens if there are none."""
        if not other.set_up:
            return 0
        entries = other._read()
        return len(self._change(lambda known: known.update(entries)))

    def live(self, id: str) -> Key | None:
        """The key with this id, if it is still good."""
        entry = self._read().get(id)
        return entry.key if entry is not None and entry.key.is_live(self._clock()) else None

    def find(self, secret: str) -> Key | None:
        """The key that a secret belongs to, if it is still good. The id in the secret finds the
        entry; the hashes are compared in constant time."""
        prefix, _, rest = secret.partition("_")
        id = rest.partition("_")[0]
        entry = self._read().get(id)
        given = _digest(secret)
        same = hmac.compare_digest(given, entry.digest if entry else "0" * len(given))
        if entry is None or prefix != PREFIX or not same or not entry.key.is_live(self._clock()):
            return None
        return entry.key

    def _read(self) -> dict[str, _Entry]:
        stamp = self._stamp_now()
        if stamp == self._stamp:
            return self._entries
        with self._lock:
            # Before it is read: one that cannot be read was there all the same.
            self._were_set_up = self._were_set_up or stamp is not None
            # The stamp is older than what is read: a change in between is seen next time.
            self._entries, self._stamp = self._load() if stamp else {}, stamp
            return self._entries

    def _stamp_now(self) -> Hashable | None:
        try:
            return self._document.stamp()
        except StorageError:
            if not self._document.is_permanent:  # it may be there, and gone when one can look again
                self._were_set_up = True
            raise

    def _load(self) -> dict[str, _Entry]:
        data = self._document.read()
        try:
            return dict(map(_entry, json.loads(data)["keys"]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise CorruptError(
                f"{self._document.where} is damaged ({error!r:.80}); all requests are refused "
                "until it is restored from a backup, or deleted and new keys are created"
            ) from error

    def _change(self, change: Callable[[dict[str, _Entry]], None]) -> dict[str, _Entry]:
        with self._document.locked():
            entries = dict(self._read())
            change(entries)
            rows = [{**asdict(e.key), "sha256": e.digest} for e in entries.values()]
            text = json.dumps({"version": 1, "keys": rows}, ensure_ascii=False, indent=1)
            self._document.write(text.encode())
        self._were_set_up = True
        return entries


def _document_at(address: str | Path) -> KeyDocument:
    if not scheme_of(address):
        return KeyFile(address)
    from .assembly import key_document

    return key_document(str(address))


def _entry(row: dict[str, Any]) -> tuple[str, _Entry]:
    """A row of the file, or an error for what is not exactly one: a key that was read as
    something else could open more than it should."""
    key = Key(
        **{field.name: row[field.name] for field in fields(Key) if field.name != "as_person"},
        as_person=row.get("as_person", True) is True,
    )
    texts = (key.workspace, key.user, key.group, key.agent)
    times = (key.expires, key.revoked)
    whole = (
        isinstance(key.id, str)
        and isinstance(key.name, str)
        and key.rights in RIGHTS
        and all(text is None or (isinstance(text, str) and text) for text in texts)
        and all(time is None or _is_number(time) for time in times)
        and _is_number(key.created)
        and isinstance(row["sha256"], str)
        and _SHA256.fullmatch(row["sha256"])
    )
    if not whole:
        raise ValueError(f"key {key.id!r:.40} is not whole")
    return key.id, _Entry(key, row["sha256"])


def _is_number(value: object) -> bool:
    """Finite, and no larger than a time can be: JSON may hold a whole number of any length."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _name(name: str) -> str:
    text = clean_id(name, "name")
    if text is None or len(text) > MAX_NAME_CHARS:
        raise InputError(f"give the key a name of 1 to {MAX_NAME_CHARS} characters")
    return text


def _given(value: str, what: str) -> str:
    """An empty binding would bind to nothing, and open everything."""
    text = clean_id(value, what)
    if text is None:
        raise InputError(f"{what} is empty; leave it out, or give the id")
    return text
