"""No module of the package caches text in a global: what one memory forgets, no other may keep."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import taishi

PACKAGE = Path(taishi.__file__).parent
CACHES = {"cache", "lru_cache"}
CONTAINERS = {"dict", "list", "set", "OrderedDict", "defaultdict", "deque", "Counter", "bytearray"}
CHANGES = {
    "append", "appendleft", "extend", "insert", "add", "update", "setdefault", "pop", "popitem",
    "popleft", "clear", "remove", "discard", "move_to_end", "__setitem__",
}  # fmt: skip

GROWING = "class Table(dict):\n    def __missing__(self, key):\n        self[key] = 1"

# Caches with arguments that are no text of anybody's, and what their arguments are.
ALLOWED = {
    ("disk/process_identity.py", "_mark_of"): "a process id",
    ("disk/process_identity.py", "_host_of"): "a process id",
    ("historian/fact_patterns/own_events.py", "_pattern"): "a pattern of ours",
    ("language/redaction/assignments.py", "_compiled"): "a pattern of ours",
    ("language/redaction/vendor_keys.py", "compiled"): "a pattern of ours",
    ("language/when/holidays.py", "_national"): "a country and a year",
    ("language/when/lunar.py", "lunar_day"): "a date",
    ("language/when/rules.py", "_compiled"): "a pattern of ours",
    ("recall/vector_codec.py", "none"): "the width of a vector",
    ("transfer/fields.py", "_rules"): "a type of lines",
}


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


def cached_functions(source: str) -> list[str]:
    """Functions that live as long as their module and remember what they were asked."""
    tree = ast.parse(source)
    found = []
    for node in _lasting(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if _takes_arguments(node) and any(map(_is_cache, node.decorator_list)):
                found.append(node.name)
        elif isinstance(node, ast.Assign) and _makes_cache(node.value):
            found.append(ast.unparse(node.targets[0]))
    return found


def _makes_cache(value: ast.expr) -> bool:
    """`lru_cache(64)(function)`"""
    return isinstance(value, ast.Call) and _is_cache(value.func)


def _lasting(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What a module and its classes define; not what is made inside a function."""
    for node in body:
        yield node
        if isinstance(node, ast.ClassDef):
            yield from _lasting(node.body)


def _is_cache(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(called).rpartition(".")[2] in CACHES


def _takes_arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = node.args
    return bool(given.posonlyargs or given.args or given.kwonlyargs or given.vararg or given.kwarg)


def changed_globals(source: str) -> list[str]:
    """Mutable containers of a module, or made once by a cached function, that functions change."""
    tree = ast.parse(source)
    containers = {name for node in tree.body for name in _containers(node)}
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    changed = {name for function in functions for name in _changes(function)}
    return sorted(containers & changed) + _growing_tables(tree)


def _containers(node: ast.stmt) -> Iterator[str]:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    value = node.value
    is_container = isinstance(value, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp)
    if isinstance(value, ast.Call):
        is_container = ast.unparse(value.func).rpartition(".")[2] in CONTAINERS
    if is_container:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _changes(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield ast.unparse(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in CHANGES:
                yield ast.unparse(node.func.value)
        elif isinstance(node, ast.AugAssign):
            yield ast.unparse(node.target)
        elif isinstance(node, ast.Global):
            yield from node.names


def _growing_tables(tree: ast.Module) -> list[str]:
    """Dicts that add what they are asked for, where there is one for the whole process."""
    growing = {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__missing__"
        if "self" in set(_changes(method))
    }
    made_once = [
        node
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        or (isinstance(node, ast.FunctionDef) and any(map(_is_cache, node.decorator_list)))
    ]
    calls = (node for made in made_once for node in ast.walk(made) if isinstance(node, ast.Call))
    return sorted(growing & {ast.unparse(call.func) for call in calls})


def test_no_function_of_a_module_remembers_what_it_was_asked() -> None:
    found = {
        (module, name)
        for module, source in modules()
        for name in cached_functions(source)
        if (module, name) not in ALLOWED
    }
    assert not found, "make it a member of an object that a memory owns, or of one call"


def test_no_function_changes_a_container_of_its_module() -> None:
    found = {module: names for module, source in modules() if (names := changed_globals(source))}
    assert not found, "keep it in an object that one memory owns"


def test_what_is_allowed_is_there() -> None:
    there = {(module, name) for module, source in modules() for name in cached_functions(source)}
    assert set(ALLOWED) <= there


@pytest.mark.parametrize(
    "source",
    [
        "@lru_cache(64)\ndef read(text): ...",
        "@functools.cache\ndef read(text): ...",
        "@cache\nasync def read(*, text): ...",
        "read = lru_cache(64)(plain)",
        "class A:\n    @staticmethod\n    @cache\n    def read(text): ...",
    ],
)
def test_the_control_finds_cached_functions(source: str) -> None:
    assert cached_functions(source)


@pytest.mark.parametrize(
    "source",
    [
        "@cache\ndef table(): ...",
        "def read(text):\n    seen = cache(other)\n    return seen(text)",
        "class A:\n    def __init__(self):\n        self.read = lru_cache(64)(self.plain)",
    ],
)
def test_the_control_lets_tables_and_members_pass(source: str) -> None:
    assert not cached_functions(source)


@pytest.mark.parametrize(
    "source",
    [
        "seen = {}\ndef read(text):\n    seen[text] = 1",
        "seen: dict[str, str] = {}\ndef read(text):\n    return seen.setdefault(text, text)",
        "seen = OrderedDict()\nclass A:\n    def read(self, text):\n        seen.move_to_end(text)",
        "seen = deque()\ndef read(text):\n    seen.append(text)",
        "seen = []\ndef read(text):\n    global seen\n    seen = [text]",
        f"{GROWING}\n@cache\ndef table():\n    return Table()",
        f"{GROWING}\ntable = Table()",
    ],
)
def test_the_control_finds_changed_globals(source: str) -> None:
    assert changed_globals(source)


@pytest.mark.parametrize(
    "source",
    [
        "TABLE = {1: 2}\ndef read(key):\n    return TABLE[key]",
        "def read(text):\n    seen = {}\n    seen[text] = 1",
        "TABLE = {}\nTABLE[1] = 2",
        f"{GROWING}\nclass Owner:\n    def __init__(self):\n        self.table = Table()",
    ],
)
def test_the_control_lets_constants_pass(source: str) -> None:
    assert not changed_globals(source)
