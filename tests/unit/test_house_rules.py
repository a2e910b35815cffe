"""Bounds on the size of modules and classes, so that the tree stays readable."""

from __future__ import annotations

import ast
from pathlib import Path

import taishi

PACKAGE = Path(taishi.__file__).parent
MODULES = [path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))]
MAX_LINES = 400
MAX_PUBLIC_METHODS = 30
MAX_TOP_LEVEL = 15
MAX_UNFORMATTED = 20


def source(module: str) -> str:
    return (PACKAGE / module).read_text(encoding="utf-8")


def test_no_module_is_longer_than_can_be_read_at_one_go() -> None:
    lines = {module: len(source(module).splitlines()) for module in MODULES}
    assert len(lines) > 400, "the control: the modules are found"
    rules = "language/when/"  # tables of rules
    assert {m: n for m, n in lines.items() if n > MAX_LINES and not m.startswith(rules)} == {}


def test_no_class_but_the_facade_has_too_many_public_methods() -> None:
    counts = {
        f"{module}:{node.name}": sum(
            isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part.name[0] != "_"
            for part in node.body
        )
        for module in MODULES
        for node in ast.walk(ast.parse(source(module)))
        if isinstance(node, ast.ClassDef)
    }
    assert counts["memory.py:Memory"] > 20, "the control: methods are counted"
    facades = ("memory.py:Memory", "async_memory.py:AsyncMemory")
    too_many = {name: n for name, n in counts.items() if n > MAX_PUBLIC_METHODS}
    assert {name: n for name, n in too_many.items() if name not in facades} == {}


def test_few_modules_are_at_the_top_level() -> None:
    top = [module for module in MODULES if "/" not in module]
    assert "memory.py" in top
    assert len(top) <= MAX_TOP_LEVEL


def test_the_formatter_is_switched_off_on_few_tables() -> None:
    assert sum(source(module).count("# fmt: skip") for module in MODULES) <= MAX_UNFORMATTED


def test_every_module_says_in_its_first_line_what_it_is() -> None:
    silent = [module for module in MODULES if not ast.get_docstring(ast.parse(source(module)))]
    assert silent == []
