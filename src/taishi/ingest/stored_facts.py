"""Facts that were stored as they are (`remember`, a person's own hand), read as the rules would
have learned them.

Their records keep the words and the metadata of whoever stored them and say nothing of a subject or
a category. The reading is for comparing alone: decisions are about the record as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC

from ..domain.drafts import FactDraft
from ..domain.fact_lifecycle import SHARED, having, iso
from ..domain.own_facts import ABOUT_USER, Teller
from ..domain.pending_edits import PendingEdits
from ..historian.categories import INSTRUCTION
from ..historian.fact_patterns import facts_by_rule
from ..historian.participants import teller_of
from ..language.lazy_regex import lazy_compile
from ..language.person_names import PersonNames
from ..types import Job, Record

MOST_FACTS = 4000
MOST_CHARS = 400  # a longer text is no single statement
_UNSORTED = ("", "other")
_JOINT = lazy_compile(
    r"[,;:，；：。]|[.!?！？](?=\s*\S)|(?i:\b(?:and|but|so|while)\b)|而且|并且?|但是?|还有"
)
NamesOf = Callable[[str], Sequence[str]]


def is_stored(record: Record) -> bool:
    """Whether a record is a fact that was not learned from a turn."""
    data = record.data
    if record.kind != "fact" or SHARED in data or data.get("category") == INSTRUCTION:
        return False
    return data.get("type") != "semantic" or (data.get("category") or "") in _UNSORTED


class StoredFacts:
    """Reads them as of one turn: who tells it, by what names they are known, and the others that
    it is about. `names_of` are the names under which another user spoke of himself."""

    def __init__(
        self,
        teller: Teller,
        names: Iterable[str],
        others: Iterable[str] = (),
        names_of: NamesOf = lambda user: (),
    ) -> None:
        self._teller = teller
        self._names = tuple(filter(None, dict.fromkeys((teller.name, *names))))
        self._others = tuple(one for one in others if one and one not in self._names)
        self._names_of = names_of
        self._read: dict[str, Record] = {}

    def reading(self, record: Record) -> Record:
        """The fact as it would have been learned, under the teller's present name; as it is if it
        was learned, or if the rules do not read one statement in it."""
        if self._is_own_instruction(record):
            return having(record, subject=self._teller.name)
        if not is_stored(record) or not 0 < len(record.text) <= MOST_CHARS:
            return record
        if record.id not in self._read:
            self._read[record.id] = self._as_learned(record)
        return self._read[record.id]

    def _is_own_instruction(self, record: Record) -> bool:
        """One that was remembered has the id of the user as its subject."""
        teller = self._teller
        is_own = teller.user is not None and record.user == teller.user and teller.name is not None
        return (
            is_own
            and record.data.get("category") == INSTRUCTION
            and record.data.get("subject") == teller.user
        )

    def _as_learned(self, record: Record) -> Record:
        text, subject = self.named(record)
        draft = statement(record, text, subject) if subject else None
        if draft is None or draft.subject != subject or _says_more(text, draft.content):
            return record
        data = {"category": draft.category, "subject": subject, "tags": list(draft.tags)}
        since = record.data.get("last_confirmed") or iso(record.time, UTC)
        return replace(having(record, **data, last_confirmed=since), text=draft.content)

    def named(self, record: Record) -> tuple[str, str]:
        """The text under the present name of whom it is about, and that name; "" if neither the
        teller nor one of the others is in front."""
        text, teller = record.text.strip(), self._teller
        mine = teller.user is not None and record.user == teller.user
        if teller.name:
            names = [*self._names, *([teller.user] if mine and teller.user else [])]
            person = PersonNames(teller.name, tuple(sorted(names, key=len, reverse=True)))
            is_own = mine and person.fully_named(text) != text  # "I", "the user"
            is_named = any(_begins_with(text, name) for name in names)
            if is_own or (is_named and (mine or not self._is_of_namesake(record, teller.name))):
                return person.named(text), teller.name
        return text, next((one for one in self._others if _begins_with(text, one)), "")

    def _is_of_namesake(self, record: Record, name: str) -> bool:
        """Whether another user, for whom it was stored, goes by the teller's name."""
        return record.user is not None and name in self._names_of(record.user)


def stored_facts_of(job: Job, names_of: NamesOf, others: Iterable[str] = ()) -> StoredFacts:
    """As of the turn of a job."""
    teller = teller_of(job)
    names = names_of(teller.user) if teller.user is not None else ()
    return StoredFacts(teller, names, others, names_of)


def stored_facts_in(records: PendingEdits, job: Job) -> StoredFacts:
    """The same, with the names that the facts of the place have."""
    known = records.find(job.scope.home, ("fact",), MOST_FACTS)

    def names_of(user: str) -> list[str]:
        own = (one for one in known if one.user == user and one.data.get(ABOUT_USER) is True)
        return [str(one.data.get("subject") or "") for one in own]

    teller = teller_of(job)
    return StoredFacts(teller, teller.names(known), names_of=names_of)


def statement(record: Record, text: str, speaker: str) -> FactDraft | None:
    """What the text says, if it is one statement about one thing; `speaker` is "I" in it."""
    found = facts_by_rule(_job(record, text, speaker))
    drafts = [one for one in found if not (one.retracts or one.only_against or one.leaves)]
    return drafts[0] if len(drafts) == 1 else None


def _begins_with(text: str, name: str) -> bool:
    if not name or not text.startswith(name):
        return False
    after = text[len(name) : len(name) + 1]
    return not (name[-1].isascii() and after.isascii() and after.isalnum())


def is_one_clause(text: str) -> bool:
    return not _says_more(text, "")


def _says_more(text: str, statement: str) -> bool:
    """Whether the text has a part that the statement does not: that would end with it."""
    inner = text.strip().rstrip(".。!！")
    return len(_JOINT.findall(inner)) > len(_JOINT.findall(statement))


def _job(record: Record, text: str, speaker: str) -> Job:
    """The statement as if it had been said in a turn."""
    place = record.place
    return Job(
        request_id=record.id,
        end_seq=1,
        action_summary="",
        new_info=(text,),
        timestamp_utc="",
        timestamp_local="",
        timezone="UTC",
        epoch=record.time or 0.0,
        workspace=place.workspace,
        request_type=place.kind,
        user_id=record.user,
        group_id=place.id if place.kind == "group" else None,
        sender_id=record.user,
        sender_name=speaker,
        actor="model",
    )
