"""Documents and notes under /v1."""

from __future__ import annotations

from typing import Any

from server.conftest import Served
from support.document_factory import made_file

U7 = {"user": "u7"}
GUIDE = b"# Kettle\n\n## Warranty\n\nThe warranty of the kettle lasts thirty months.\n"


def upload(served: Served, name: str, data: bytes, status: int = 201, **more: Any) -> Any:
    params = {"name": name, **U7, **more}
    answer = served.client.post("/v1/documents", params=params, content=data)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_K1_a_file_is_uploaded_searched_read_back_and_removed(served: Served) -> None:
    client = served.client
    document = upload(served, "kettle.md", GUIDE)["document"]
    assert (document["title"], document["state"], document["chunks"]) == ("Kettle", "ready", 1)
    made = made_file(3, "pdf", "en")
    upload(served, made.name, made.data)
    listed = client.get("/v1/documents", params=U7).json()["documents"]
    assert [one["name"] for one in listed] == ["kettle.md", made.name]
    assert client.get("/v1/documents/kettle.md", params=U7).json() == document
    assert client.get(f"/v1/documents/{document['id']}", params=U7).json() == document
    asked = {"scope": U7, "query": "how long is the warranty of the kettle?", "top_k": 1}
    found = client.post("/v1/documents/search", json=asked).json()
    assert found["hits"][0]["metadata"]["citation"] == "kettle.md › Kettle › Warranty"
    assert "thirty months" in found["hits"][0]["text"]
    original = client.get(f"/v1/documents/{made.name}/original", params=U7)
    assert original.content == made.data
    assert original.headers["content-type"] == "application/octet-stream"
    assert original.headers["content-disposition"] == "attachment"
    assert client.delete("/v1/documents/kettle.md", params=U7).json() == {"done": True}
    assert client.delete("/v1/documents/kettle.md", params=U7).status_code == 404
    assert client.get("/v1/documents/kettle.md", params=U7).status_code == 404
    assert client.get("/v1/documents/kettle.md/original", params=U7).status_code == 404


def test_K1_what_cannot_be_read_is_said(serve: Any) -> None:
    served = serve({"server.max_document_mb": 1})
    for name, data in (("a.pdf", b"%PDF-1.4 broken"), ("b.md", b""), ("c.txt", b"\x00" * 50)):
        problem = upload(served, name, data, 400)
        assert problem["type"].endswith(":input") and problem["detail"]
    assert upload(served, "d.txt", b"a" * ((1 << 20) + 1), 413)
    upload(served, "", b"text", 400)
    assert served.client.post("/v1/documents", params=U7, content=b"x").status_code == 422
    assert served.client.get("/v1/documents", params=U7).json() == {"documents": []}


def test_T5_notes_by_path_with_versions(served: Served) -> None:
    client, path = served.client, "/v1/notes/notes/plan.md"
    assert client.get(path, params=U7).status_code == 404
    body = {"scope": U7, "text": "# Plan\nShip on Friday.", "expected_version": 0}
    assert client.put(path, json=body).json()["note"]["version"] == 1
    conflict = client.put(path, json=body)
    assert conflict.status_code == 409 and conflict.json()["type"].endswith(":version")
    zh = client.put(path, json=body, headers={"Accept-Language": "zh"}).json()
    assert zh["title"] == "读取之后已被修改"
    more = {"scope": U7, "text": "Then rest.", "append": True}
    assert client.put(path, json=more).json()["note"]["text"].endswith("Friday.\nThen rest.")
    assert client.get(path, params=U7).json()["version"] == 2
    history = client.get(f"{path}/history", params=U7).json()["notes"]
    assert [one["version"] for one in history] == [2, 1]
    assert [one["path"] for one in client.get("/v1/notes", params=U7).json()["notes"]] == [
        "notes/plan.md"
    ]
    for odd in ("/v1/notes/a%2F..%2Fb.md", "/v1/notes/%20x.md", "/v1/notes/a%5Cb.md"):
        assert client.put(odd, json={"scope": U7, "text": "x"}).status_code in (400, 404), odd
    gone = client.delete(path, params=U7).json()
    assert gone == {"done": True, "removed": 1, "replayed": False}
    assert client.delete(path, params=U7).status_code == 404


def test_T5_notes_are_renamed_searched_and_removed_by_folder(served: Served) -> None:
    client = served.client

    def put(path: str, text: str, **more: object) -> dict[str, Any]:
        answer = client.put(f"/v1/notes/{path}", json={"scope": U7, "text": text, **more})
        assert answer.status_code == 200, answer.text
        note: dict[str, Any] = answer.json()["note"]
        return note

    first = put("a/plan.txt", "Ship on Friday.\r\n", operation="op", expected_version=0)
    assert (first["text"], first["replayed"]) == ("Ship on Friday.\r\n", False)
    again = put("a/plan.txt", "Ship on Friday.\r\n", operation="op", expected_version=0)
    assert again == {**first, "replayed": True}
    other = {"scope": U7, "text": "x", "operation": "op"}
    taken = client.put("/v1/notes/a/plan.txt", json=other)
    assert taken.status_code == 409 and taken.json()["type"].endswith(":operation")
    block = put("a/block", "short", description="who", max_chars=5)
    assert (block["description"], block["max_chars"]) == ("who", 5)
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    assert put("b.env", f"key={secret}")["redacted"]
    found = client.post("/v1/notes/search", json={"scope": U7, "query": "Friday", "prefix": "a/"})
    assert found.json()["matches"][0]["path"] == "a/plan.txt"
    moving = {"scope": U7, "path": "a", "new_path": "z"}
    moved = client.post("/v1/notes/rename", json=moving).json()["notes"]
    assert [one["path"] for one in moved] == ["z/block", "z/plan.txt"]
    assert client.post("/v1/notes/rename", json=moving).status_code == 404
    listed = client.get("/v1/notes", params={**U7, "prefix": "z/", "limit": 1}).json()["notes"]
    assert [one["path"] for one in listed] == ["z/block"]
    stale = client.delete("/v1/notes/z/block", params={**U7, "expected_version": 1})
    assert stale.status_code == 409
    assert client.delete("/v1/notes/z", params=U7).status_code == 400
    assert client.delete("/v1/notes/z", params={**U7, "folder": True}).json()["removed"] == 2
    assert client.delete("/v1/notes", params=U7).json()["removed"] == 1
    assert client.get("/v1/notes", params=U7).json() == {"notes": []}
