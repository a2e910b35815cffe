"""The lives that the kill matrix ends (W5): each opens a memory and does one verb again and again,
saying what it is about to do and what was acknowledged.

Run as a script, this file is the nursery: it pays for the imports once and forks a life for each
line of input. A life dies by SIGKILL, either from outside at a random moment, or at the n-th step
that touches the disk: a system call that writes, or a statement of SQL.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

from taishi import Memory, Scope, Settings, load
from taishi.api_keys import Keys
from taishi.cli import taishi as command
from taishi.server.app import create_app
from taishi.server.run import listen, serve

SCOPES = (Scope(user="ann"), Scope(group="g42", user="bob"), Scope(shared=True))
ANN = SCOPES[0]
SYSTEM_CALLS = ("open", "write", "fsync", "replace", "rename", "unlink", "ftruncate")
PLAIN = {"models.embedding.kind": "none", "memory.timezone": "Asia/Shanghai"}


def settings(folder: Path | None = None, **changes: str) -> Settings:
    """As people have them: a job that is hit by kills must not end in failed."""
    data = {} if folder is None else {"memory.data": str(folder)}
    quick: dict[str, Any] = {"historian.poll_interval_seconds": 0.01}
    return load(environ={}, overrides={**PLAIN, **quick, **data, **changes})


def say(*words: object) -> None:
    """One write below PIPE_BUF is never torn. Not by os.write: that is one of the steps."""
    WRITE(1, (json.dumps(words) + "\n").encode())


WRITE = os.write


class Death:
    """Counts steps once it is armed; the last one is the process's last."""

    def __init__(self) -> None:
        self._left = 0
        self._lock = threading.Lock()
        for name in SYSTEM_CALLS:
            setattr(os, name, self._deadly(getattr(os, name)))
        apsw.connection_hooks.append(self._watch)

    def arm(self, step: int) -> None:
        self._left = step

    def step(self) -> bool:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return True

    def _deadly(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.step()
            return real(*args, **kwargs)

        return call

    def _watch(self, connection: apsw.Connection) -> None:
        connection.exec_trace = lambda *_: self.step()


class Life:
    """One child: its folder, its seed, and how it tells its parent."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.folder = Path(order["folder"])
        self.seed = str(order["seed"])
        self.first = int(order.get("first", 0))
        self.dice = random.Random(self.seed)
        self._death = Death()

    def run(self) -> None:
        step, early = self.order.get("step", 0), self.order.get("early", False)
        if step and early:
            self._death.arm(step)
        with Memory.open(self.folder, settings()) as memory:
            if step and not early:
                self._death.arm(step)
            say("open", self.seed)
            LIVES[self.order["life"]](self, memory)

    def numbers(self) -> Iterator[int]:
        parent, number = os.getppid(), self.first
        while os.getppid() == parent:
            yield number
            number += 1

    def doing(self, *what: object) -> None:
        say("tried", self.seed, *what)

    def done(self, *what: object) -> None:
        say("kept", self.seed, *what)


def end_turn(life: Life, memory: Memory) -> None:
    for number in life.numbers():
        mark = f"mark-{life.seed}-{number}-stop"
        where = life.dice.randrange(len(SCOPES))
        # Every second turn continues a request, so that end_seq is put to the test as well.
        request = f"request-{life.seed}" if number % 2 else None
        id = memory.end_turn(SCOPES[where], f"Ann said {mark}", request_id=request)
        life.done(mark, where, id)
        time.sleep(life.dice.random() * 0.01)


def work(life: Life, memory: Memory) -> None:
    memory.start_worker()
    for _ in life.numbers():
        time.sleep(0.02)


def remember(life: Life, memory: Memory) -> None:
    for number in life.numbers():
        mark = f"mark-{life.seed}-{number}-stop"
        ids = memory.remember_many(ANN, [{"text": f"{mark} part {n}"} for n in range(3)])
        memory.records.update(ANN, ids[0], text=f"{mark} part 0 put right")
        life.done(mark, ids)


def forget(life: Life, memory: Memory) -> None:
    for number in life.numbers():
        if number >= life.order["count"]:
            return
        life.doing(number)
        memory.forget(Scope(user=f"user-{number:05d}"))
        life.done(number)


def export(life: Life, memory: Memory) -> None:
    target = str(life.folder.parent / "out.jsonl")
    os.environ.update({"TAISHI_DATA": str(life.folder), "TAISHI__MODELS__EMBEDDING__KIND": "none"})
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
    for number in life.numbers():
        command.main(["export", target, "--force", "--json"], standalone_mode=False)
        life.done(number)


def import_(life: Life, memory: Memory) -> None:
    for number in life.numbers():
        file = life.folder.parent / f"lines-{number}.jsonl"
        if not file.exists():
            return
        life.doing(number)
        with file.open("rb") as lines:
            memory.transfer.import_records(lines)
        life.done(number)


def backup(life: Life, memory: Memory) -> None:
    for number in life.numbers():
        life.doing(number)
        memory.transfer.backup(life.folder.parent / f"copy-{number}")
        life.done(number)


def profile(life: Life, memory: Memory) -> None:
    """Says of each edit what it is to make of the page, and what it made of it."""
    for number in life.numbers():
        mark = f"mark-{life.seed}-{number}-stop"
        body = f"- likes {mark}\n- plays chess"
        if number % 4 == 3:
            life.doing("an earlier one")
            made = memory.profiles.rollback(ANN, memory.profiles.revisions(ANN)[0])
        elif number % 2:
            before = memory.profiles.source(ANN)
            life.doing(mark)
            made = memory.profiles.edit(ANN, body, before)
        else:
            life.doing(mark)
            made = memory.profiles.set(ANN, body, name="Ann")
        life.done(made.body.split()[2])


def facts(life: Life, memory: Memory) -> None:
    ids = {one.text: one.id for one in memory.facts.list(ANN, states=("approved",), limit=5000)}
    found = {int(text.partition("number-")[2].split()[0]): id for text, id in ids.items()}
    for number in life.numbers():
        if number >= life.order["count"]:
            return
        life.doing(number)
        if number % 3 == 0:
            memory.facts.approve(ANN, found[number])
        elif number % 3 == 1:
            memory.facts.reject(ANN, found[number])
        else:
            memory.facts.correct(ANN, found[number], f"Ann likes coffee number-{number} best")
        life.done(number)


def shared(life: Life, memory: Memory) -> None:
    """A coordinator approves, while the agents go on proposing."""
    entries = memory.shared.list(SCOPES[2], limit=5000)
    found = {int(one.text.partition("number-")[2].split()[0]): one.id for one in entries}
    for number in life.numbers():
        if number >= life.order["count"]:
            return
        life.doing(number)
        memory.shared.approve(SCOPES[2], found[number])
        life.done(number)


def session(life: Life, memory: Memory) -> None:
    if life.dice.random() < 0.5:
        memory.start_worker()
    for number in life.numbers():
        name = f"{life.seed}-{number}"
        scope = Scope(user="ann", session=name)
        marks = [f"mark-{name}-{n}-stop" for n in range(2)]
        said = [{"text": f"I like {mark}.", "speaker": "Ann", "id": mark} for mark in marks]
        if number % 2:
            memory.end_turn(scope, messages=said, new_info="I like tea.", sender_name="Ann")
        else:
            memory.sessions.add_messages(scope, said)
        life.done(name, marks)
        memory.sessions.end(scope)
        life.done(name, "ended")


def server(life: Life, memory: Memory) -> None:
    memory.start_worker()
    app = create_app(memory, keys=Keys(life.folder))
    serve(app, SOCKET, memory.settings.server, lambda: life.done("ready"))


def migrate(life: Life, memory: Memory) -> None:
    """The opening was all."""


LIVES: dict[str, Callable[[Life, Memory], None]] = {
    "end_turn": end_turn, "worker": work, "remember": remember, "forget": forget,
    "export": export, "import": import_, "backup": backup, "profile": profile, "facts": facts,
    "shared": shared, "session": session, "server": server, "migrate": migrate,
}  # fmt: skip

SOCKET = listen("127.0.0.1", 0) if __name__ == "__main__" else None


def nursery() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are reaped by the kernel
    say("port", SOCKET.getsockname()[1])
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            try:
                say("born", str(order["seed"]), os.getpid())
                Life(order).run()
                say("over", str(order["seed"]))
            except BaseException as error:
                say("error", str(order["seed"]), f"{type(error).__name__}: {error}"[:1000])
            os._exit(0)


if __name__ == "__main__":
    nursery()
