"""A job as JSON in a queue file: checked when it is written, and again when it is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_type_hints

from ...errors import QueueError
from ...types import SCHEMA_VERSION, Job


def _is_texts(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


def _is_mappings(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, Mapping) for item in value)


def _is_number(value: object) -> bool:
    """Within reach of a float; not NaN, which compares to nothing."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e15 < value < 1e15


_CHECKS: dict[Any, Callable[[object], bool]] = {
    str: lambda value: isinstance(value, str),
    str | None: lambda value: value is None or isinstance(value, str),
    int: lambda value: isinstance(value, int) and not isinstance(value, bool),
    float: _is_number,
    bool: lambda value: isinstance(value, bool),
    tuple[str, ...]: _is_texts,
    tuple[Mapping[str, Any], ...]: _is_mappings,
}


@cache
def _job_checks() -> dict[str, tuple[Callable[[object], bool], bool]]:
    """For each field of a Job: its check, and whether it must be there."""
    hints = get_type_hints(Job)
    return {f.name: (_CHECKS[hints[f.name]], f.default is MISSING) for f in fields(Job)}


def _check(values: Mapping[str, object]) -> None:
    """Raise QueueError unless a Job can be made of `values`. Values are never quoted: private."""
    checks = _job_checks()
    if unknown := sorted(values.keys() - checks.keys()):
        raise QueueError(
            f"a job has no field {unknown[0][:80]!a}; was it written by a newer Taishi?"
        )
    for name, (is_right, required) in checks.items():
        if name in values:
            if not is_right(values[name]):
                raise QueueError(
                    f"{name} of a job cannot be a {type(values[name]).__name__} like this"
                )
        elif required:
            raise QueueError(f"a job needs {name}")
    if values.get("schema_version", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise QueueError(
            f"the schema_version of a job must be {SCHEMA_VERSION}; run the other Taishi"
        )


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(
        f"a {type(value).__name__} in recent_messages is not JSON; pass text or numbers"
    )


def encode(job: Job) -> bytes:
    """A job as ASCII JSON: lone surrogates and NUL come back as they were."""
    values = {f.name: getattr(job, f.name) for f in fields(Job)}
    _check(values)
    try:
        return json.dumps(values, default=_plain, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise QueueError(f"the job cannot be written as JSON: {error}") from error


def decode(data: bytes) -> Job:
    """The job in `data`, or QueueError with the reason why there is none."""
    try:
        values = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise QueueError(f"not JSON ({type(error).__name__}: {error})") from error
    if not isinstance(values, dict):
        raise QueueError(f"a job must be a JSON object, not a {type(values).__name__}")
    return job_of(values)


def job_of(values: Mapping[str, Any]) -> Job:
    """The job with these fields, as JSON has them; QueueError if they make none."""
    _check(values)
    fields_of_job: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return Job(**{**fields_of_job, "epoch": float(values["epoch"])})


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number in JSON")
