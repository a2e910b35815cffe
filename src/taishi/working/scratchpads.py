"""The scratchpad of a session: read, patched, gone when the session is idle (M3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..domain import scratchpad
from ..domain.scratchpad import Scratchpad
from ..ingest.job_builder import JobBuilder
from ..runtime import Runtime
from ..types import Scope

TITLES = {
    "en": {
        "current_goal": "Goal: {}",
        "current_step": "Now: {}",
        "sub_goals": "Sub-goals: {}",
        "completed": "Done: {}",
        "decisions": "Decided: {}",
        "blockers": "Blocked by: {}",
        "because": " (because {})",
        "joint": "; ",
    },
    "zh": {
        "current_goal": "目标：{}",
        "current_step": "当前步骤：{}",
        "sub_goals": "子目标：{}",
        "completed": "已完成：{}",
        "decisions": "决定：{}",
        "blockers": "阻碍：{}",
        "because": "（因为{}）",
        "joint": "；",
    },
}
ORDER = ("current_goal", "current_step", "blockers", "sub_goals", "decisions", "completed")


class Scratchpads:
    def __init__(self, runtime: Runtime, builder: JobBuilder) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store.working
        self._builder = builder

    def get(self, scope: Scope) -> Scratchpad:
        """Empty if there is none, or the session was idle for too long."""
        stored = self._store.scratchpad(scope.home, scope.session or "")
        if stored is None or self._is_idle(stored[1]):
            return scratchpad.EMPTY
        redact = self._runtime.redactor.text
        return scratchpad.patched(
            scratchpad.EMPTY, stored[0], lambda value, what: redact(str(value))
        )

    def patch(self, scope: Scope, fields: Mapping[str, Any]) -> Scratchpad:
        place, session = scope.home, scope.session or ""
        with self._runtime.parts.locks.hold(f"scratchpad {session} of {place}"):
            with self._runtime.recording_refusals(scope, "host", "python"):
                new = scratchpad.patched(self.get(scope), fields, self._builder.text)
            now = self._runtime.clock()
            self._store.put_scratchpad(place, session, scratchpad.fields_of(new), now)
        return new

    def clear(self, scope: Scope) -> bool:
        there = self._store.scratchpad(scope.home, scope.session or "") is not None
        if there:
            self._store.put_scratchpad(scope.home, scope.session or "", {}, self._runtime.clock())
        return there

    def lines(self, scope: Scope, language: str) -> list[str]:
        """For the prompt block of this session."""
        if scope.session is None:
            return []
        pad, words = self.get(scope), TITLES["zh" if language == "zh" else "en"]
        shown = {
            "current_goal": pad.current_goal,
            "current_step": pad.current_step,
            "sub_goals": words["joint"].join(pad.sub_goals),
            "completed": words["joint"].join(pad.completed),
            "blockers": words["joint"].join(pad.blockers),
            "decisions": words["joint"].join(
                one.what + (words["because"].format(one.why) if one.why else "")
                for one in pad.decisions
            ),
        }
        return [words[name].format(shown[name]) for name in ORDER if shown[name]]

    def drop_idle(self) -> int:
        minutes = self._runtime.settings.working.scratchpad_idle_minutes
        return self._store.drop_scratchpads(self._runtime.clock() - minutes * 60)

    def _is_idle(self, last_active: float) -> bool:
        minutes = self._runtime.settings.working.scratchpad_idle_minutes
        return scratchpad.is_idle(last_active, self._runtime.clock(), minutes)
