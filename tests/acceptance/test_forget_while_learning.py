"""A person is forgotten while the historian is writing their page."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from taishi import Memory, Scope
from taishi.backends.profile_files.files import ProfileFiles

ANN = Scope(user="ann")


def test_O2_a_page_that_is_being_written_goes_as_well(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, goes_on = threading.Event(), threading.Event()
    write = ProfileFiles.write

    def slow(self: ProfileFiles, *given: Any, **options: Any) -> Any:
        writes.set()
        goes_on.wait(2)
        return write(self, *given, **options)

    monkeypatch.setattr(ProfileFiles, "write", slow)
    memory.end_turn(ANN, new_info="I am allergic to walnuts.", sender_name="Ann")
    learning = threading.Thread(target=memory.drain)
    learning.start()
    assert writes.wait(30)
    memory.forget(ANN)
    goes_on.set()
    learning.join(30)
    assert not learning.is_alive()
    assert memory.get_profile(ANN, "user", "ann") is None
    assert memory.records.digest(ANN).total == 0
    assert "walnuts" not in "\n".join(memory.transfer.export())
