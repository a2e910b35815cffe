"""The workflows of the repository: what can be told of them without the machines that run them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.built_wheel import ROOT

FOLDER = ROOT / ".github" / "workflows"
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def workflow(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load((FOLDER / f"{name}.yml").read_text("utf-8"), yaml.BaseLoader)
    return found


def steps(one: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in one["jobs"].items():
        for step in job["steps"]:
            yield name, step


def commands(one: dict[str, Any], job: str) -> str:
    return "\n".join(step.get("run", "") for name, step in steps(one) if name == job)


@pytest.mark.parametrize("name", ["ci", "release"])
def test_a_workflow_is_pinned_limited_and_calls_what_exists(name: str) -> None:
    one = workflow(name)
    assert one["permissions"] == {"contents": "read"}
    for job in one["jobs"].values():
        assert int(job["timeout-minutes"]) <= 90 and "latest" not in job["runs-on"]
        needed = job.get("needs", [])
        assert set([needed] if isinstance(needed, str) else needed) <= set(one["jobs"])
    for _, step in steps(one):
        assert ("uses" in step) != ("run" in step), step
        assert "uses" not in step or PINNED.fullmatch(step["uses"]), step
        assert "${{" not in step.get("run", ""), "a value from outside, read by a shell"
        for target in re.findall(r"\bmake ([a-z-]+)", step.get("run", "")):
            assert target in TARGETS, target


def test_every_version_of_an_action_is_named_beside_its_hash() -> None:
    for path in FOLDER.glob("*.yml"):
        used = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
        assert used and all(re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line) for line in used)


def test_ci_runs_the_pythons_that_the_package_promises() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    promised = [one.rpartition(" ")[2] for one in project["classifiers"] if ":: 3." in one]
    assert workflow("ci")["jobs"]["test"]["strategy"]["matrix"]["python"] == promised
    systems = workflow("ci")["jobs"]["install"]["strategy"]["matrix"]["system"]
    assert [system.partition("-")[0] for system in systems] == ["ubuntu", "macos", "windows"]


def test_a_release_is_tested_before_it_is_published_and_without_a_token(hatch_build: Any) -> None:
    one = workflow("release")
    assert list(one["on"]) == ["push"] and list(one["on"]["push"]) == ["tags"]
    assert one["jobs"]["publish"]["needs"] == "build"
    assert "make test" in commands(one, "build") and "make dist-check" in commands(one, "build")
    assert one["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    text = (FOLDER / "release.yml").read_text("utf-8")
    assert "secrets." not in text and "password" not in text
    assert hatch_build.REPOSITORY_URL in one["env"], "the packages would have no addresses"
    filled = re.sub(r"\$\{\{ github\.server_url \}\}", "https://code.example",
                    one["env"][hatch_build.REPOSITORY_URL])  # fmt: skip
    filled = filled.replace("${{ github.repository }}", "owner/taishi")
    assert hatch_build.repository_url({hatch_build.REPOSITORY_URL: filled}) == filled


def test_the_documentation_is_published_after_the_packages_as_a_version() -> None:
    one = workflow("release")
    assert one["jobs"]["site"]["needs"] == "publish"
    assert "make publish-site SITE_VERSION=" in commands(one, "site")
    assert "make site" in commands(workflow("ci"), "site")
