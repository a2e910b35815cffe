"""Learning from a turn: drafts are reconciled with known facts and become edits (F1–F4, H6)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial

from ..domain import corrections, facts, procedures, short_term
from ..domain.drafts import Draft, FactDraft
from ..domain.fact_lifecycle import ended_after, held_again, is_taken_back_by
from ..domain.recall_echo import is_echo
from ..domain.text_identity import statement_key
from ..historian.categories import INSTRUCTION
from ..historian.fact_patterns import facts_by_rule
from ..historian.fact_patterns.omitted_subjects import speaks_of_another
from ..historian.historian import Historian
from ..historian.participants import Participants, author_of, teller_of
from ..historian.reconcile import KnownFact, reconcile_by_rule
from ..historian.same_matter import is_about
from ..language.analyzer import terms
from ..ports import Facts
from ..settings import ShortTermSettings
from ..types import Edit, Job, Partition, Record
from .stored_facts import StoredFacts, is_stored, stored_facts_of

# However much is stored, a decision sees this much of it: prompts do not grow with the store.
KNOWN_PER_DRAFT = 6
MOST_KNOWN = 12
MOST_RELATED = 50
MOST_REJECTED = 20_000
MOST_SCANNED = 1000
PLACES_REMEMBERED = 1000
MOST_NAMES = 50
MOST_STORED = 300
STANDING = ("approved", "conflict")
MOST_BEFORE = 20
JUST_BEFORE_SECONDS = 3600.0

Shortlist = Callable[[Partition, str, Sequence[str], int], list[Record]]
Find = Callable[[Partition, Sequence[str], Sequence[str], int, str], list[Record]]


def find_nothing(
    place: Partition, kinds: Sequence[str], states: Sequence[str], limit: int, id_prefix: str
) -> list[Record]:
    return []


class Learner:
    """`shortlist(place, text, kinds, count)` finds records of any state that a text may be about;
    `find(place, kinds, states, limit, id_prefix)` the newest of these kinds, states and ids.

    Whoever calls `edits` holds `facts.lock_name(place)` until they are stored.
    """

    def __init__(
        self,
        historian: Historian,
        shortlist: Shortlist,
        lives: ShortTermSettings,
        zone: tzinfo,
        known: Facts,
        find: Find = find_nothing,
    ) -> None:
        self._historian = historian
        self._shortlist = shortlist
        self._lives = lives
        self.zone = zone
        self._standing = known
        self._find = find
        self._latest: OrderedDict[Partition, float] = OrderedDict()  # the time of the latest event

    def edits(self, job: Job, draft: Draft) -> list[Edit]:
        news = self.news(job, draft)
        # "Remember this": what would have passed with time is a fact at once.
        asked = bool(short_term.remembered(news, _said(job)))
        lasting = [one for one in news if asked or one.life == "lasting"]
        passing = [one for one in news if one not in lasting]
        return [
            *self._facts(job, lasting),
            *self._passing(job, passing),
            *self._procedures(job, draft),
        ]

    def news(self, job: Job, draft: Draft) -> list[FactDraft]:
        """The drafts that are not merely what recall handed out before."""
        sender = Participants.of(job).sender
        drafts = _with_instructions(draft.facts, job)
        if any(one.omits_subject for one in drafts) and self._spoke_of_another(job):
            drafts = [one for one in drafts if not one.omits_subject]
        return [
            replace(one, by_self=_is_own(one, sender), about_user=_is_about_user(one, sender, job))
            for one in drafts
            if not is_echo(one.content, one.quote, job.recalled, job)
        ]

    def _spoke_of_another(self, job: Job) -> bool:
        """Whether the event before, of the last hour, is about somebody besides the sender."""
        events = self._find(job.scope.home, ("event",), ("approved",), MOST_BEFORE, "")
        before = [
            one
            for one in events
            if one.id != job.event_id
            and one.time is not None
            and 0 <= job.epoch - one.time <= JUST_BEFORE_SECONDS
        ]
        last = max(before, key=lambda one: one.time or 0.0, default=None)
        if last is None:
            return False
        own = Participants.of(job).sender or ""
        return speaks_of_another(corrections.parts(last)[-1].replace(own, ""))

    def _facts(self, job: Job, drafts: Sequence[FactDraft]) -> list[Edit]:
        if not drafts:
            return []
        found = self._known(job, [facts.shortlist_query(one) for one in drafts], ("fact",))
        found |= self._related(job, drafts)
        found |= self._rejected(job, drafts)
        found |= {one.id: one for one in self._past(job, drafts)}
        teller, stored = teller_of(job), self._stored_facts(job, drafts)
        found |= {one.id: one for one in self._remembered(job, drafts, stored, found)}
        found = {id: one for id, one in found.items() if not teller.is_of_namesake(one)}
        found |= _said_again(job, drafts, found.values())
        known = [
            KnownFact.of(index, teller.as_named_now(stored.reading(record)), is_stored(record))
            for index, record in enumerate(found.values())
        ]
        return facts.to_edits(
            drafts,
            self._historian.reconcile(drafts, known),
            found,
            job.event_id,
            job.scope.home,
            job.epoch,
            job.sender_id or job.user_id,
            by_model=lambda one: facts.is_models(one, job),
            zone=self.zone,
        )

    def _passing(self, job: Job, drafts: Sequence[FactDraft]) -> list[Edit]:
        tombs = {statement_key(one.text) for one in self._rejected(job, drafts).values()}
        drafts = [one for one in drafts if statement_key(one.content) not in tombs]
        if not drafts:
            return []
        known = self._known(job, [one.content for one in drafts], ("short_term",))
        user = job.sender_id or job.user_id
        return short_term.keep(
            drafts,
            known.values(),
            job.event_id,
            job.scope.home,
            job.epoch,
            self._lives,
            user,
            job.session_id,
        )

    def _procedures(self, job: Job, draft: Draft) -> list[Edit]:
        if not draft.procedures:
            return []
        queries = [f"{one.name} {one.trigger}" for one in draft.procedures]
        known = self._known(job, queries, ("procedure",))
        user = job.sender_id or job.user_id
        return procedures.to_edits(
            draft.procedures,
            known.values(),
            job.event_id,
            job.scope.home,
            job.epoch,
            user,
            self.zone,
        )

    def _known(self, job: Job, queries: Sequence[str], kinds: Sequence[str]) -> dict[str, Record]:
        found: dict[str, Record] = {}
        for query in queries:
            for record in self._shortlist(job.scope.home, query, kinds, KNOWN_PER_DRAFT):
                if len(found) < MOST_KNOWN:
                    found.setdefault(record.id, record)
        return found

    def _related(self, job: Job, drafts: Sequence[FactDraft]) -> dict[str, Record]:
        """What holds of the same people: a new value must find the old one, however it was said.

        Those of the same categories first; others as far as there is room.
        """
        place, standing, teller = job.scope.home, self._standing, teller_of(job)
        subjects = {one.subject for one in drafts if one.subject}
        about = set(subjects)
        if teller.user is not None and teller.name in about:
            about.update(standing.names_of(place, teller.user, MOST_NAMES))
        wanted = {one.category for one in drafts}
        if teller.user is not None and INSTRUCTION in wanted:
            about.add(teller.user)  # of an instruction that was remembered
        wanted |= {"employer", "job"} if wanted & {"employer", "job"} else set()
        same = [
            (category == INSTRUCTION, -number, record)
            for subject in sorted(about)
            for category in sorted(wanted)
            for number, record in standing.of_category(place, subject, category, MOST_RELATED)
        ]
        found = [record for *_, record in sorted(same, key=lambda one: one[:2])][:MOST_RELATED]
        room = MOST_RELATED - len(found)
        if room and wanted != {INSTRUCTION}:
            passed = sorted({*wanted, INSTRUCTION})
            others = [
                one
                for subject in sorted(about)
                for one in standing.of_subject(place, subject, passed, room)
            ]
            others.sort(key=lambda one: -one[0])
            found += [record for _, record in others[:room]]
        own = {*subjects, teller.user}
        return {one.id: one for one in found if one.data.get("subject") in own or teller.owns(one)}

    def _stored_facts(self, job: Job, drafts: Sequence[FactDraft]) -> StoredFacts:
        place = job.scope.home
        subjects = dict.fromkeys(one.subject for one in drafts)
        return stored_facts_of(job, partial(self._names_of, place), subjects)

    def _names_of(self, place: Partition, user: str) -> list[str]:
        return self._standing.names_of(place, user, MOST_NAMES)

    def _remembered(
        self, job: Job, drafts: Sequence[FactDraft], stored: StoredFacts, but: Collection[str]
    ) -> list[Record]:
        """What was stored as it is about the same people and, it seems, the same matter: no index
        has its subject."""
        newest = self._find(job.scope.home, ("fact",), STANDING, MOST_STORED, "")
        near = [one for one in newest if is_stored(one) and one.id not in but]
        near = [one for one in near if any(_may_touch(draft, one) for draft in drafts)]
        return [one for one in near[:MOST_RELATED] if stored.reading(one) is not one]

    def _rejected(self, job: Job, drafts: Sequence[FactDraft]) -> dict[str, Record]:
        """What a person rejected in these words, however they are spelt now."""
        tombs = self._find(job.scope.home, ("fact",), ("rejected",), MOST_REJECTED, "")
        said = {statement_key(one.content) for one in drafts} if tombs else set()
        named = teller_of(job).as_named_now
        return {
            one.id: one
            for one in tombs
            if statement_key(one.text) in said or statement_key(named(one).text) in said
        }

    def outdated(self, job: Job, draft: Draft) -> list[Record]:
        """What an old turn says that has ended since it was said."""
        return self._past(job, self.news(job, draft))

    def _past(self, job: Job, drafts: Sequence[FactDraft]) -> list[Record]:
        """Only a turn that comes late may say such a thing: the others need not look."""
        if not self._is_late(job) or not drafts:
            return []
        said = {statement_key(one.content) for one in drafts}
        ended = self._find(job.scope.home, ("fact",), ("superseded",), MOST_SCANNED, "")
        past = (one for one in ended if ended_after(one, job.epoch))
        return [one for one in past if statement_key(one.text) in said]

    def _is_late(self, job: Job) -> bool:
        """Whether something later was told before, as when a transcript is fed in once more."""
        place = job.scope.home
        looked_at = 1 if place in self._latest else MOST_SCANNED
        events = self._find(place, ("event",), ("approved",), looked_at, "")
        latest = max([self._latest.get(place, job.epoch), *(one.time or 0.0 for one in events)])
        self._latest[place] = latest
        self._latest.move_to_end(place)
        if len(self._latest) > PLACES_REMEMBERED:
            self._latest.popitem(last=False)
        return job.epoch < latest


def _may_touch(draft: FactDraft, fact: Record) -> bool:
    """Whether they share a word besides whom they are about, or one is of the other's category."""
    if is_about(fact.text, draft.category):
        return True
    own = set(terms(draft.subject))
    return not own.issuperset(set(terms(draft.content)) & set(terms(fact.text)))


def _said_again(
    job: Job, drafts: Sequence[FactDraft], found: Iterable[Record]
) -> dict[str, Record]:
    """What the sender took back in a chat and now says of himself again. What a person rejected by
    hand stays rejected (P5)."""
    user, named = job.sender_id or job.user_id, teller_of(job).as_named_now
    lifted = [held_again(one) for one in found if is_taken_back_by(one, user, job.epoch)]
    own = [
        one
        for one in (drafts if lifted else ())
        if one.by_self and not one.retracts and not facts.is_models(one, job)
    ]
    return {
        fact.id: fact
        for fact in lifted
        for draft in own
        if reconcile_by_rule([draft], [KnownFact.of(0, named(fact))])[0].action == "confirm"
    }


def _is_own(draft: FactDraft, sender: str | None) -> bool:
    return draft.by_self or (bool(draft.subject) and draft.subject == sender)


def _is_about_user(draft: FactDraft, sender: str | None, job: Job) -> bool:
    """By the id: another person of the sender's name may have said it."""
    if not draft.subject or draft.subject != sender:
        return False
    user = job.sender_id or job.user_id
    return user is not None and author_of(draft.quote, job).id in (None, user)


def _with_instructions(drafts: Sequence[FactDraft], job: Job) -> list[FactDraft]:
    """A model drafts facts; standing instructions, and what is taken back, are found by rule."""
    there = {one.content for one in drafts}
    ruled: Iterable[FactDraft] = facts_by_rule(job)
    kept = [one for one in ruled if one.category == INSTRUCTION or one.retracts]
    return [*drafts, *(one for one in kept if one.content not in there)]


def _said(job: Job) -> list[str]:
    messages = [str(message.get("text") or "") for message in job.recent_messages]
    return [*messages, *job.new_info, job.source_message]
