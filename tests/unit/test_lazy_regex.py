"""Patterns compiled at first use (`from taishi import Memory` stays quick)."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from taishi.language.lazy_regex import lazy_compile

_COUNT = """
import re
compiled = []
plain = re._compile
def counted(pattern, flags):
    import sys
    frame = sys._getframe(2)
    if "taishi" in frame.f_code.co_filename and isinstance(pattern, str):
        compiled.append(pattern)
    return plain(pattern, flags)
re._compile = counted
from taishi import Memory
print(len(compiled))
"""


def test_a_lazy_pattern_does_what_a_pattern_does() -> None:
    lazy, eager = lazy_compile(r"(?P<n>\d)+", re.ASCII), re.compile(r"(?P<n>\d)+", re.ASCII)
    text = "a1b22"
    assert lazy.findall(text) == eager.findall(text)
    assert lazy.sub("-", text) == eager.sub("-", text)
    assert (lazy.pattern, lazy.flags) == (eager.pattern, eager.flags)
    found = lazy.search(text, 2)
    assert found is not None and found.span("n") == (4, 5)


def test_a_wrong_pattern_is_told_at_its_first_use() -> None:
    lazy = lazy_compile("(")
    with pytest.raises(re.error):
        lazy.search("x")


def test_importing_memory_compiles_few_patterns() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", _COUNT], capture_output=True, text=True, check=True
    )
    assert 0 < int(shown.stdout) < 150  # it was over 350
