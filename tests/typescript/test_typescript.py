"""The TypeScript packages: what is in them, that a strict project compiles, that they work."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

import taishi
from typescript.conftest import ROOT, Run

EXAMPLES = {
    "chat.js": r"-> Tell me more\.[\s\S]*Mia lives in Bergen[\s\S]*-> I remember that\.",
    "ai_sdk.js": r"peanuts[\s\S]*What must I not eat\?",
}
TESTS = ("retry", "client", "ai_sdk", "koishi")
pytestmark = pytest.mark.timeout(600)  # the first of them installs and builds
PLACEHOLDER = re.compile(r"TODO|FIXME|example\.com|your-|<[a-z]+>", re.IGNORECASE)


def files_of(package: Any) -> dict[str, bytes]:
    with tarfile.open(package.file) as archive:
        members = [one for one in archive.getmembers() if one.isfile()]
        return {
            one.name.removeprefix("package/"): archive.extractfile(one).read()  # type: ignore[union-attr]
            for one in members
        }


def test_each_package_is_complete_and_can_be_published(packages: Any) -> None:
    assert [one.name for one in packages] == [
        "@taishi/client",
        "@taishi/ai-sdk",
        "koishi-plugin-taishi",
    ]
    for package in packages:
        files = files_of(package)
        told = json.loads(files["package.json"])
        assert told["version"] == taishi.__version__ and told["license"] == "Apache-2.0"
        assert "private" not in told and "scripts" not in told.get("publishConfig", {})
        assert not PLACEHOLDER.search(json.dumps(told)), package.name
        for kind in told["exports"]["."].values():
            assert {path.removeprefix("./") for path in kind.values()} <= set(files)
        assert {"dist/LICENSE", "README.md"} <= set(files)
        sources = [name for name in files if name.endswith(".ts") and not name.endswith(".d.ts")]
        assert sources == [] and len(files) < 60
        assert str(ROOT).encode() not in b"".join(files.values()), "the path of the machine"


def test_the_client_depends_on_nothing_but_its_fetch(packages: Any) -> None:
    client = json.loads(files_of(packages[0])["package.json"])
    assert list(client["dependencies"]) == ["openapi-fetch"]


def test_each_method_of_the_client_is_an_operation_of_the_server() -> None:
    source = (ROOT / "web" / "client" / "src" / "taishi.ts").read_text(encoding="utf-8")
    methods = set(re.findall(r"^  (?:async \*)?(\w+)\(.*\{$", source, re.MULTILINE))
    described = json.loads((ROOT / "tests" / "golden" / "openapi.json").read_text("utf-8"))
    operations = {
        one["operationId"] for methods in described["paths"].values() for one in methods.values()
    }
    assert {"recall", "context", "endTurn", "consider", "remember", "forget"} <= methods
    assert methods - operations == {"constructor", "withScope", "records"}


def test_a_strict_project_compiles_with_every_type_of_the_client_checked(
    node: Run, project: Path
) -> None:
    """`skipLibCheck` is off, and the same file is compiled as an ES module and as CommonJS."""
    code = (
        'import { Taishi } from "@taishi/client";\n'
        'const options = { baseUrl: "http://127.0.0.1:1", apiKey: process.env["NO_SUCH"] };\n'
        'export const asked = new Taishi(options).recall("x");\n'
    )
    (project / "strict.mts").write_text(code, encoding="utf-8")
    (project / "strict.cts").write_text(code, encoding="utf-8")
    options = "--strict --noEmit --module NodeNext --target ES2022 --lib ES2023,DOM --types node"
    options += " --exactOptionalPropertyTypes --noUncheckedIndexedAccess"  # as `tsc --init` has it
    tsc = "../node_modules/typescript/bin/tsc"
    done = node(tsc, *options.split(), "strict.mts", "strict.cts")
    assert done.returncode == 0, done.stdout


def test_commonjs_can_require_each_package(node: Run, compiled: Path) -> None:
    code = """
        const { Taishi, TaishiError } = require("@taishi/client");
        const { taishiMiddleware } = require("@taishi/ai-sdk");
        const plugin = require("koishi-plugin-taishi");
        const away = new Taishi({ baseUrl: "http://127.0.0.1:9", retries: 0 });
        away.recall("x").catch((error) => console.log(error instanceof TaishiError, error.code,
            typeof taishiMiddleware, plugin.name, typeof plugin.apply, typeof plugin.Config));
    """
    done = node("--no-experimental-require-module", "-e", code)
    assert done.stdout == "true network function taishi function function\n", done.stderr


def test_the_typescript_of_the_pages_compiles(compiled: Path) -> None:
    pages = {file.name for file in (compiled / "pages").glob("*.*js")}
    assert {"docs_how-to_adapters_typescript.js", "docs_how-to_adapters_koishi.zh-CN.cjs"} <= pages
    assert {"web_client_README.js", "integrations_ai-sdk_README.js"} <= pages


@pytest.mark.parametrize("name", TESTS)
def test_in_node(name: str, node: Run, compiled: Path, server: dict[str, str]) -> None:
    (file,) = compiled.glob(f"{name}.test.*js")
    done = node("--test", str(file), **server)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run_and_print_what_was_told(
    name: str, node: Run, compiled: Path, server: dict[str, str]
) -> None:
    done = node(str(compiled / "examples" / name), **server)
    assert done.returncode == 0, done.stderr
    assert re.search(EXAMPLES[name], done.stdout), done.stdout
