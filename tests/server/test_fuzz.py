"""Schemathesis makes requests from the app's own description: no 500, no answer that does not
fit it. A short run here; `make fuzz` makes more of them (FUZZ_EXAMPLES)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from schemathesis.core.failures import FailureGroup

from server.conftest import Served
from taishi import Memory, Scope

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
LIMITS = hypothesis.settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES < 50,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@schemathesis.serializer("application/x-ndjson")
def lines(context: schemathesis.SerializationContext, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def furnish(memory: Memory) -> None:
    """Something to find, so that not every answer is a 404."""
    for scope in (Scope(user="0"), Scope(group="0"), Scope(agent="0"), Scope(shared=True)):
        memory.remember_many(scope, [
            {"text": "tea", "kind": kind, "id": str(number)}
            for number, kind in enumerate(("fact", "note", "procedure", "event"))
        ])  # fmt: skip
    memory.profiles.set(Scope(user="0"), "- tea")


@pytest.fixture
def api(serve: Callable[..., Served]) -> Served:
    served = serve({"server.backups": "backups"})
    furnish(served.memory)
    return served


def aim(case: schemathesis.Case) -> None:
    """Point a good request at what is there: left to chance, it would find nobody's memory."""
    if isinstance(case.body, dict) and "scope" in case.operation.schema.raw_schema["components"][
        "schemas"].get(_shape(case), {}).get("properties", {}):  # fmt: skip
        case.body["scope"] = {"user": "0"}
    if case.query is not None and "user" in {one.name for one in case.operation.query}:
        case.query.update({"user": "0", "workspace": "default"})
        for name in ("group", "agent", "shared"):
            case.query.pop(name, None)
    for name, value in (("id", "0"), ("entity_type", "user"), ("entity_id", "0")):
        if name in (case.path_parameters or {}):
            case.path_parameters[name] = value


def _shape(case: schemathesis.Case) -> str:
    body = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    schema = body.get("application/json", {}).get("schema", {})
    return str(schema.get("$ref", "")).rpartition("/")[2]


def test_no_request_breaks_the_server_or_its_description(api: Served) -> None:
    schema = schemathesis.openapi.from_dict(api.app.openapi())
    schema.app = api.app
    operations = [one.ok() for one in schema.get_all_operations()]
    mine = [one for one in operations if one.path.startswith("/v1/") and one.path != "/v1/backup"]
    assert len(mine) > 35
    mine.sort(key=lambda one: one.label == "POST /v1/keys")  # with a key, the others are shut
    failures: list[str] = []
    codes: Counter[int] = Counter()
    for operation, mode in product(mine, GenerationMode):
        try:
            _ask(api, operation, mode, codes)
        except Unsatisfiable:
            continue  # nothing can be wrong with a request that takes nothing
        except (Exception, FailureGroup) as error:
            failures.append(f"{operation.label}, {mode}: {error!r}\n{error}")
    assert not failures, "\n\n".join(failures)
    assert codes[200] > 10 * EXAMPLES and codes[422] > 10 * EXAMPLES, codes


def _ask(api: Served, operation: Any, mode: GenerationMode, codes: Counter[int]) -> None:
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    @LIMITS
    def ask(case: schemathesis.Case) -> None:
        if mode is GenerationMode.POSITIVE:
            aim(case)
        codes[case.call_and_validate(session=api.client, checks=CHECKS).status_code] += 1

    ask()
