"""Routes for reading: recall, the prompt block, searches."""

from __future__ import annotations

from fastapi import APIRouter

from ..route import Engine, Language, Reader, RouteSpec, SlowApiRoute, router
from ..schemas.recall import (
    ContextIn,
    ContextOut,
    EventsIn,
    ProfilesIn,
    RecallIn,
    RecallOut,
    WarmUpIn,
    WarmUpOut,
)


def recall_routes() -> APIRouter:
    return router(
        "recall",
        (
            RouteSpec("POST", "/recall", recall, "Recall"),
            RouteSpec("POST", "/context", context, "The prompt block"),
            RouteSpec("POST", "/events/search", search_events, "Search events"),
            RouteSpec("POST", "/profiles/search", search_profiles, "Search profiles"),
        ),
        SlowApiRoute,
    )


def warming_routes() -> APIRouter:
    return router("recall", (RouteSpec("POST", "/warm-up", warm_up, "Warm up"),))


def recall(body: RecallIn, caller: Reader, memory: Engine, language: Language) -> RecallOut:
    """The few records that matter for a question, from what the scope may see. Answers within
    the deadline: paths that are late are left out, and `paths` says which.
    """
    result = memory.recall(
        body.scope.of(caller),
        body.query,
        body.top_k,
        body.kinds,
        body.time_from,
        body.time_to,
        body.now,
        body.deadline,
        body.floor,
        explain=body.explain,
        filters=body.filters,
    )
    return RecallOut.of(result, language)


def context(body: ContextIn, caller: Reader, memory: Engine, language: Language) -> ContextOut:
    """Put it into the user's turn. It is fenced and says that it is reference, not instructions;
    it is empty when nothing is known; `skipped` says if something did not answer in time.
    """
    brief = memory.brief(
        body.scope.of(caller),
        body.query,
        body.max_tokens,
        body.form,
        body.now,
        body.deadline,
        body.language,
        explain=body.explain,
        filters=body.filters,
    )
    return ContextOut.of(brief, language, body.hits)


def search_events(body: EventsIn, caller: Reader, memory: Engine, language: Language) -> RecallOut:
    """Events and turns, narrowed to a user or a group; never wider than the scope."""
    narrowed = body.model_dump(exclude={"scope"})
    return RecallOut.of(memory.search_events(body.scope.of(caller), **narrowed), language)


def search_profiles(
    body: ProfilesIn, caller: Reader, memory: Engine, language: Language
) -> RecallOut:
    """Profiles that the scope may see, by meaning."""
    narrowed = body.model_dump(exclude={"scope"})
    return RecallOut.of(memory.search_profiles(body.scope.of(caller), **narrowed), language)


def warm_up(body: WarmUpIn, caller: Reader, memory: Engine) -> WarmUpOut:
    """Loads what the first question of this scope needs, and waits, for at most 5 seconds of them,
    until what was just stored is found by meaning.
    """
    return WarmUpOut(warm=memory.warm_up(body.scope.of(caller), body.seconds))
