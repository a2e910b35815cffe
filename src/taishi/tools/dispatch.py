"""A tool call by a model → a verb of the memory → a text for the model (T1).

The caller's scope is what counts: no argument of any tool names another one.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..context_block import block
from ..context_block.skipped_paths import empty_note, skipped_note
from ..errors import ClosedError, InputError, RefusedError, ScopeError, TaishiError
from ..language.redaction.redactor import Redactor
from ..memory import Memory
from ..types import Recall, Scope
from . import formatting
from .arguments import Reader, nearest, sample, shown
from .definitions import AGENT_TOOLS, CATALOGUE
from .messages import word

log = logging.getLogger("taishi.tools")
# What still does something while memory is off and the old list of summaries is on (C3).
ON_THE_OLD_LIST = ("end", "search_events", "recall", "context")
# A model may search for what it has just told: the turn is recallable when `end` answers (T4).
END_WAIT_SECONDS = 2.0
PLACE_WORDS = {"private": "user", "group": "group", "agent": "agent", "workspace": "workspace"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What to tell the model; `ok` is False when it should mend its call or go on without.

    `whole` tells of a search whether every path of it answered; None: nothing was searched.
    """

    text: str
    ok: bool = True
    whole: bool | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: who asks, what was read of the arguments, in which language to answer."""

    memory: Memory
    scope: Scope
    given: Mapping[str, Any]
    language: str
    turn: Mapping[str, Any]
    deadline: float | None = None
    door: str = "tool"

    @property
    def writer(self) -> dict[str, str]:
        """Whatever the arguments say, it is a model that wrote them."""
        return {"actor": "model", "door": self.door}

    @property
    def redactor(self) -> Redactor:
        """For what a person may have typed by hand (R1)."""
        redaction = self.memory.settings.redaction
        return Redactor(email=redaction.email, phone=redaction.phone)

    def say(self, key: str, ok: bool = True, **values: object) -> Answer:
        return Answer(word(self.language, key, **values), ok)


def dispatch(
    memory: Memory,
    name: str,
    arguments: object,
    scope: Scope,
    *,
    language: str | None = None,
    names: Collection[str] = AGENT_TOOLS,
    turn: Mapping[str, Any] | None = None,
) -> str:
    """Do what a model asked for and say the outcome, as text for the model. See `call`."""
    return call(memory, name, arguments, scope, language=language, names=names, turn=turn).text


def call(
    memory: Memory,
    name: str,
    arguments: object,
    scope: Scope,
    *,
    language: str | None = None,
    names: Collection[str] = AGENT_TOOLS,
    turn: Mapping[str, Any] | None = None,
    deadline: float | None = None,
    door: str = "tool",
) -> Answer:
    """Like `dispatch`, and says whether it went well. `deadline` is in seconds; the settings' own
    if it is not given. `door` names the way in, for the records of deletions and refusals.

    `arguments` may be a dict, JSON text or a list. Only the tools in `names` can be called: what
    was not offered to the model is not there. `turn` is what the host knows and the model does
    not: further details of `end_turn` (messages, request_id, sender_name …).
    """
    if not isinstance(scope, Scope):
        raise ScopeError(f"a tool needs the caller's Scope, not {type(scope).__name__}")
    wished = language or memory.settings.memory.language
    tongue = block.language_of(sample(arguments), wished)
    switches = memory.settings.memory
    on_the_list = switches.legacy_end_summaries and name in ON_THE_OLD_LIST
    if not memory.is_on(scope) and not on_the_list:
        return Answer(word(tongue, "off"))
    if not isinstance(name, str) or name not in names or name not in CATALOGUE:
        return Answer(_no_such_tool(name, names, tongue), False)
    reader = Reader(CATALOGUE[name], tongue, memory.settings.zone())
    try:
        given = reader.read(arguments)
        asked = Asked(memory, scope, given, tongue, turn or {}, deadline, door)
        return _TOOLS[name](asked)
    except ClosedError:
        raise
    except RefusedError as error:
        return Answer(word(tongue, f"refused_{error.reason}"), False)
    except InputError as error:
        return Answer(_sentence(name, error, tongue), False)
    except TaishiError as error:
        log.warning("the tool %s failed: %s", name, error)
        return Answer(word(tongue, "trouble"), False)


def _no_such_tool(name: object, names: Collection[str], language: str) -> str:
    known = [one for one in CATALOGUE if one in names]
    close = nearest(str(name)[:100], known) if known else "-"
    values = {"name": shown(name), "nearest": close, "all": ", ".join(known) or "-"}
    return word(language, "unknown_tool", **values)


def _sentence(name: str, error: InputError, language: str) -> str:
    said = str(error)
    return said if name in said else word(language, "wrong", tool=name, error=said.rstrip("."))


# -- the tools -----------------------------------------------------------------------------------


def _search_events(asked: Asked) -> Answer:
    found = asked.memory.search_events(asked.scope, **_in_order(asked), deadline=asked.deadline)
    if found.level == "profile-only":
        found = replace(found, hits=())  # a page is no event
    return _found(
        asked, found, lambda: formatting.events(found.hits, asked.redactor, asked.language)
    )


def _recall(asked: Asked) -> Answer:
    top_k = {"top_k": asked.memory.settings.query.tool_default_top_k}
    wanted = {**top_k, **_in_order(asked)}
    found = asked.memory.recall(asked.scope, **wanted, deadline=asked.deadline)
    show = formatting.memories
    return _found(
        asked, found, lambda: show(found.hits, asked.scope, asked.redactor, asked.language)
    )


def _search_profiles(asked: Asked) -> Answer:
    found = asked.memory.search_profiles(asked.scope, **asked.given, deadline=asked.deadline)
    return _found(asked, found, lambda: formatting.profiles(found.hits, asked.language))


def _found(asked: Asked, found: Recall, text: Callable[[], str]) -> Answer:
    return _said_whole(asked, found, text() if found.hits else "")


def _said_whole(asked: Asked, found: Recall, text: str) -> Answer:
    """What was found, and which paths were skipped: only a whole search may find nothing (T4)."""
    note = skipped_note(found, asked.language)
    if text:
        return Answer(f"{text}\n{note}" if note else text, whole=not note)
    if note:
        return Answer(note, ok=False, whole=False)
    return Answer(word(asked.language, "nothing"), whole=True)


def _in_order(asked: Asked) -> Mapping[str, Any]:
    given = asked.given
    if given.get("time_from", -math.inf) > given.get("time_to", math.inf):
        raise InputError("time_from is later than time_to; swap them")
    return given


def _get_profile(asked: Asked) -> Answer:
    kind, id = asked.given["entity_type"], asked.given["entity_id"]
    page = asked.memory.get_profile(asked.scope, kind, id)
    if page is None:
        return asked.say("no_profile", kind=kind, id=block.harmless(id))
    zone = asked.memory.settings.zone()
    return Answer(formatting.profile(page, asked.redactor, zone, asked.language))


def _context(asked: Asked) -> Answer:
    brief = asked.memory.brief(
        asked.scope, asked.given["query"], deadline=asked.deadline, language=asked.language
    )
    if note := empty_note(brief, asked.language):
        return Answer(note, ok=False, whole=False)
    return _said_whole(asked, brief.recall, asked.redactor.text(brief.text))


def _remember(asked: Asked) -> Answer:
    given: dict[str, Any] = {**asked.given, **asked.writer}
    id = asked.memory.remember(asked.scope, **given)
    return asked.say("remembered", id=id) if id else asked.say("off")


def _end(asked: Asked) -> Answer:
    details = {"wait": END_WAIT_SECONDS, **asked.turn, **asked.given, **asked.writer}
    job = asked.memory.end_turn(asked.scope, **details)
    if not asked.memory.is_on(asked.scope):
        return asked.say("ended_on_the_old_list")
    return asked.say("ended" if job else "ended_empty")


def _correct(asked: Asked) -> Answer:
    id, text = asked.given["id"], asked.given.get("text", "").strip()
    found = asked.memory.records.get(asked.scope, id)
    if found is None or found.kind != "fact":
        return asked.say("no_fact", False, id=shown(id))
    if text:
        new = asked.memory.facts.correct(asked.scope, id, text, **asked.writer)
        return asked.say("corrected", id=new)
    asked.memory.facts.reject(asked.scope, id, **asked.writer)
    return asked.say("withdrawn")


def _forget(asked: Asked) -> Answer:
    id, everything = asked.given.get("id"), asked.given.get("everything", False)
    if id and everything:
        return asked.say("forget_one_of", False)
    if id:
        count = asked.memory.forget(asked.scope, id, **asked.writer)
        if not count:
            return asked.say("no_record", False, id=shown(id))
        return asked.say("forgot", count=count)
    if not everything:
        return asked.say("forget_what", False)
    place = _place(asked.scope)
    if str(asked.given.get("confirm", "")).strip() != place:
        return asked.say("confirm", False, place=place)
    return asked.say("forgot", count=asked.memory.forget(asked.scope, **asked.writer))


def _place(scope: Scope) -> str:
    home = scope.home
    return f"{PLACE_WORDS[home.kind]} {block.harmless(home.id or home.workspace)}"


_TOOLS: dict[str, Callable[[Asked], Answer]] = {
    "search_events": _search_events,
    "get_profile": _get_profile,
    "search_profiles": _search_profiles,
    "remember": _remember,
    "end": _end,
    "recall": _recall,
    "context": _context,
    "correct": _correct,
    "forget": _forget,
}
