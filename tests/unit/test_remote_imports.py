"""A client of a server runs where the engine's own packages are not installed."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("numpy", "apsw", "simsimd", "onnxruntime", "tokenizers", "Stemmer", "yaml", "filelock",
         "lunar_python", "holidays", "tomlkit")  # fmt: skip
BLOCKED = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY!r}:
            raise ModuleNotFoundError(f"{{name}} is not installed here", name=name)

sys.meta_path.insert(0, Absent())
"""
CLIENT = """
import asyncio, json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = {"level": "keyword", "paths": {}, "took_ms": 1, "hits": [
            {"id": "a", "text": "Ann moved to Oslo", "score": 0.5, "kind": "fact", "metadata": {},
             "time": "2026-03-01T09:30:00+08:00", "speaker": None, "source": None}]}
        who = {"key": None, "rights": "admin", "workspace": None}
        body = json.dumps(who if self.path.endswith("whoami") else found | {"ids": ["a"]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = answer
    def log_message(self, *args): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}"

from taishi import AsyncMemory, Memory, Scope, load

settings = load(environ={})
with Memory.open(url, settings) as memory:
    assert memory.remember(Scope(user="ann"), "Ann moved to Oslo") == "a"
    assert memory.recall(Scope(user="ann"), "where?").hits[0].text == "Ann moved to Oslo"

async def ask():
    async with await AsyncMemory.open(url, settings) as memory:
        return await memory.recall(Scope(user="ann"), "where?")

assert asyncio.run(ask()).hits[0].time.isoformat() == "2026-03-01T09:30:00+08:00"
Memory.open("http://127.0.0.1:1", settings, on_error="off").close()
print("done", sorted(set(sys.modules) & set(HEAVY)))
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_server_is_asked_without_the_packages_of_the_engine() -> None:
    assert run(f"HEAVY = {HEAVY!r}\n{BLOCKED}{CLIENT}") == "done []"


def test_the_class_is_imported_without_them() -> None:
    code = "import sys; from taishi import AsyncMemory, Memory; print(*sys.modules)"
    assert {*run(code).split()}.isdisjoint(HEAVY)


def test_without_them_a_folder_is_refused_with_the_line_that_installs_them() -> None:
    code = BLOCKED + "from taishi import Memory, load\nMemory.open('x', load(environ={}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "is not installed here" in done.stderr
    said = "MissingExtraError: a memory that is not on a server needs packages that are not"
    assert said in done.stderr and ": pip install" in done.stderr.splitlines()[-1]
