"""The description is worth reading, and the reference page is the description."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.conftest import Served, route_names
from taishi.server.app import bare_app
from taishi.server.openapi_chinese import OPERATIONS, TAGS
from taishi.server.openapi_chinese_fields import FIELDS
from taishi.server.rest_reference import rest_markdown, rest_markdown_zh

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES = {"rest.md": rest_markdown, "rest.zh-CN.md": rest_markdown_zh}
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_current_and_has_every_route(page: str, served: Served) -> None:
    text = (REFERENCE / page).read_text(encoding="utf-8")
    assert text == PAGES[page](bare_app().openapi()), "write it anew with `python -m taishi.server`"
    for name in route_names(served.app):
        assert f"### `{name}`" in text


def test_every_operation_and_tag_has_its_words_in_chinese_and_no_other_has() -> None:
    described = bare_app().openapi()
    ids = {
        told["operationId"] for methods in described["paths"].values() for told in methods.values()
    }
    assert set(OPERATIONS) == ids
    assert set(TAGS) == {tag["name"] for tag in described["tags"]}
    for name, words in (*OPERATIONS.items(), *TAGS.items()):
        assert all(CHINESE.search(text) for text in words) and words[1].endswith("。"), name


def test_every_field_that_the_chinese_page_explains_is_explained_in_chinese() -> None:
    english, chinese = (make(bare_app().openapi()).splitlines() for make in PAGES.values())
    cells = [line.rsplit(" | ", 1)[1] for line in chinese if line.startswith("| `")]
    assert [cell for cell in cells if cell != " |" and not CHINESE.search(cell)] == []
    told = {line.rsplit(" | ", 1)[1].removesuffix(" |") for line in english if "| " in line}
    assert set(FIELDS) - told == set(), "nothing says this any more"


def test_every_route_says_what_it_does_and_how_it_fails() -> None:
    described = bare_app().openapi()
    assert described["components"]["schemas"]["Problem"]["required"]
    for path, methods in described["paths"].items():
        for method, told in methods.items():
            name = f"{method} {path}"
            assert told["summary"] and len(told["description"]) > 10, name
            assert told["tags"] and told["x-needs"], name
            for status in ("400", "401", "403", "422", "429", "503"):
                assert "application/problem+json" in told["responses"][status]["content"], name
            good = [status for status in told["responses"] if status < "300"]
            assert len(good) == 1 and told["responses"][good[0]]["content"], name


def test_every_way_of_writing_takes_an_idempotency_key() -> None:
    reading = {"/v1/recall", "/v1/context", "/v1/events/search", "/v1/profiles/search"}
    reading |= {"/v1/documents/search", "/v1/notes/search", "/v1/sessions/window"}
    reading |= {"/v1/deletions/forgotten", "/v1/warm-up"}
    once_by_nature = {"/v1/import", "/v1/documents"}
    shown_once = {"/v1/keys"}  # an answer that is kept to be sent again would keep the secret
    for path, methods in bare_app().openapi()["paths"].items():
        if "post" in methods and path not in reading | once_by_nature | shown_once:
            headers = {one["name"] for one in methods["post"].get("parameters", ())}
            assert "Idempotency-Key" in headers, path


def test_the_shapes_that_go_in_refuse_unknown_names() -> None:
    described = bare_app().openapi()
    for methods in described["paths"].values():
        for told in methods.values():
            content = told.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                options = content["schema"].get("anyOf", [content["schema"]])
                name = options[0]["$ref"].rpartition("/")[2]
                shape = described["components"]["schemas"][name]
                assert shape["additionalProperties"] is False, name


def test_generated_clients_get_one_short_name_for_each_route() -> None:
    paths = bare_app().openapi()["paths"]
    ids = [told["operationId"] for methods in paths.values() for told in methods.values()]
    repeated = sorted({one for one in ids if ids.count(one) > 1})
    assert repeated == [], "rename a handler: its name is the route's operation id"
    odd = [one for one in ids if not re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)*", one) or len(one) > 32]
    assert odd == []
    assert {"recall", "endTurn", "rememberMany", "forgetRecord", "getProfile"} <= set(ids)


def test_no_field_of_a_request_has_a_default_that_generated_clients_would_require() -> None:
    described = bare_app().openapi()["components"]["schemas"]
    assert described["ScopeIn"]["properties"]["shared"]["type"] == "boolean"
    requests = {name: one for name, one in described.items() if "Out" not in name}
    assert len(requests) > 25, "the control: requests are found"
    with_default = [
        f"{name}.{field}"
        for name, shape in requests.items()
        for field, told in shape.get("properties", {}).items()
        if "default" in told and shape.get("additionalProperties") is False
    ]
    assert with_default == []
    assert described["MemoryIn"]["properties"]["kind"]["description"] == "Default: fact."


def test_the_names_of_shapes_are_names_of_classes() -> None:
    names = bare_app().openapi()["components"]["schemas"]
    assert [name for name in names if not re.fullmatch(r"[A-Z][A-Za-z]+", name)] == []
