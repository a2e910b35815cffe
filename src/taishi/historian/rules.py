"""The historian without a model: one turn, told in words that stay true (H2, H4)."""

from __future__ import annotations

from datetime import datetime

from ..language.absolute import Rewritten, rewrite
from ..language.gate import Fault, check
from ..types import Job
from .cast import Cast, clean, clean_name, local_time, zone_of
from .draft import Draft
from .fact_patterns import facts_by_rule

_WARNINGS = 20


def write(job: Job) -> Draft:
    """Tell the turn in absolute words. What was done is told by the bot, what is new by the sender.

    Both are the usual case, not a certainty; what a pronoun cannot be tied to stays marked.
    """
    local, warnings = local_time(job)
    cast = Cast.of(job)
    done = rewrite(clean(job.action_summary), cast.setting(local, told_by_bot=True))
    news = [rewrite(clean(item), cast.setting(local, told_by_bot=False)) for item in job.new_info]
    told = [part for part in (done, *news) if part.text.strip()]
    canonical = _canonical(job, local, cast, told)
    faults = [fault for part in told for fault in part.faults]
    faults = faults or check(canonical, cast.names)
    new_info = tuple(part.text.strip() for part in news if part.text.strip())
    return Draft(
        did_what=done.text.strip(),
        new_info=new_info,
        canonical_text=canonical,
        is_absolute=not faults,
        warnings=(*warnings, *_unresolved(faults)),
        facts=facts_by_rule(job),
    )


def _canonical(job: Job, local: datetime, cast: Cast, told: list[Rewritten]) -> str:
    """When, where and who once, at the head; then what happened."""
    parts = dict.fromkeys(part.text.strip().rstrip("。．.;；") for part in told)
    zone = zone_of(local)
    if cast.chinese:
        body = "；".join(parts)
        when = f"{local.year}年{local.month}月{local.day}日{local:%H:%M}（{zone}）"
        head = "，".join([when, *_where(job, cast, body)])
        return f"{head}：{body}" if body else head
    body = "; ".join(parts)
    head = ", ".join([f"{local:%Y-%m-%d %H:%M} ({zone})", *_where(job, cast, body)])
    return f"{head}: {body}" if body else head


def _where(job: Job, cast: Cast, body: str) -> list[str]:
    """The group or the chat; the sender only if the body does not name them."""
    where = []
    is_told = cast.sender is not None and cast.sender in body
    if job.request_type == "group" and cast.group:
        if clean_name(job.group_name):
            where.append(f"群「{cast.group}」" if cast.chinese else f"group {cast.group}")
        else:
            where.append(cast.group)
    if cast.location and cast.location not in body:
        where.append(cast.location)
    if cast.sender and not is_told:
        where.append(cast.sender)
    return where


def _unresolved(faults: list[Fault]) -> list[str]:
    words = dict.fromkeys(f"{fault.reason} not resolved: {fault.word}" for fault in faults)
    return list(words)[:_WARNINGS]
