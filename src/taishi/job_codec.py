"""A job as JSON in a queue file: checked when it is written, and again when it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec

from .errors import QueueError
from .types import SCHEMA_VERSION, Job

_NAMES = tuple(field.name for field in fields(Job))


def encode(job: Job) -> bytes:
    """A job as ASCII JSON: lone surrogates and NUL come back as they were."""
    values = {name: getattr(job, name) for name in _NAMES}
    if not job.metadata:  # a worker of the version before does not know the field
        del values["metadata"]
    job_of(values)
    try:
        return json.dumps(values, default=_plain, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise QueueError(f"the job cannot be written as JSON: {error}") from error


def decode(data: bytes) -> Job:
    """The job in `data`, or QueueError with the reason why there is none."""
    try:  # not by msgspec, which refuses lone surrogates: what people paste has them
        values = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise QueueError(f"not JSON ({type(error).__name__}: {error})") from error
    if not isinstance(values, dict):
        raise QueueError(f"a job must be a JSON object, not a {type(values).__name__}")
    return job_of(values)


def job_of(values: Mapping[str, Any]) -> Job:
    """The job with these fields, as JSON has them; QueueError if they make none. Values are never
    quoted: they are private."""
    if unknown := sorted(values.keys() - set(_NAMES)):
        raise QueueError(
            f"a job has no field {unknown[0][:80]!a}; was it written by a newer Taishi?"
        )
    try:
        job = msgspec.convert(values, Job)
    except (msgspec.ValidationError, UnicodeError) as error:  # half a character, not as a text
        raise QueueError(f"the fields make no job: {error}") from error
    if not -1e15 < job.epoch < 1e15:  # nor NaN, which compares to nothing
        raise QueueError("the epoch of a job is out of range")
    if job.schema_version != SCHEMA_VERSION:
        raise QueueError(
            f"the schema_version of a job must be {SCHEMA_VERSION}; run the other Taishi"
        )
    return job


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(
        f"a {type(value).__name__} in recent_messages is not JSON; pass text or numbers"
    )


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number in JSON")
