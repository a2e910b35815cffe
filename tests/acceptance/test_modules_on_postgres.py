"""Whole modules of acceptance tests on PostgreSQL: those that look into no folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "atlas_correction",
    "atlas_prompt",
    "deletions",
    "echoes",
    "forget_a_group",
    "forget_caches",
    "forgotten_names",
    "group_names",
    "heap_after_forget",
    "note_changes",
    "notes",
    "pages_and_scopes",
    "procedures_in_use",
    "recall_mix",
    "session_verbs",
    "what_changes",
    "working_memory",
)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("module", MODULES)
def test_a_module_passes_on_postgres(module: str) -> None:
    file = f"tests/acceptance/test_{module}.py"
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-m", "not thorough", file],
        cwd=ROOT,
        env={**os.environ, "TAISHI_TEST_ENGINE": "postgres"},
        capture_output=True,
        text=True,
        timeout=550,
    )
    assert result.returncode == 0, result.stdout[-4000:]
