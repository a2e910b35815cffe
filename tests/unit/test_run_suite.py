"""`tests/run_suite.py`: a second try, alone, for a few tests; never more than that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).parents[1] / "run_suite.py"
# Other plugins take longer to load than the tests take.
FEW_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}
# Fails when it is run for the first time.
FLAKY = """
from pathlib import Path
def test_flaky():
    seen = Path("seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""


def run(folder: Path, tests: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_some.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return subprocess.run(
        [sys.executable, RUN, "-q"],
        cwd=folder,
        env={**os.environ, **FEW_PLUGINS},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_passes_alone_is_named(tmp_path):
    done = run(tmp_path, FLAKY + "def test_fine(): assert True\n")
    assert done.returncode == 0
    assert "Passed only when run alone:\n  test_some.py::test_flaky" in done.stdout


def test_what_fails_alone_has_failed(tmp_path):
    done = run(tmp_path, FLAKY + "def test_wrong(): assert False\n")
    assert done.returncode == 1
    assert "Passed only when run alone" not in done.stdout


def test_many_failures_are_no_accident(tmp_path):
    many = (
        "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_wrong(n): assert False\n"
    )
    done = run(tmp_path, many)
    assert done.returncode == 1
    assert "Once more" not in done.stdout


def test_tests_that_cannot_be_read_are_not_tried_again(tmp_path):
    done = run(tmp_path, "import nothing_of_that_name\n")
    assert done.returncode not in (0, 1)
    assert "Once more" not in done.stdout
