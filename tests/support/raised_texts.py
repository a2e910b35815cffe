"""Every text that an error of ours is raised with, read from the source: values become `{}`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "taishi"
HOLE = "{}"
# Where the text is not the first argument, and functions that make an error of one.
PLACES = {"Problem": 3, "not_found": 0, "_json_problem": 0, "too_many_requests": 0}


@dataclass(frozen=True)
class Raised:
    """A text of one place in the source; "" if it cannot be told from there."""

    where: str
    text: str


def raised_texts() -> Iterator[Raised]:
    """Of every call that makes an error, and of the constructors of their classes."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
    errors = _error_classes(list(trees.values()))
    for path, tree in trees.items():
        module = _Module(tree)
        inits = _constructor_calls(tree, errors)
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            if call not in inits and _name(call.func) not in errors | PLACES.keys():
                continue
            place = PLACES.get(_name(call.func), 0)
            if len(call.args) <= place or _is_in_both_languages(call.args[place]):
                continue
            where = f"{path.relative_to(SOURCE)}:{call.lineno}"
            for text in module.texts(call.args[place]) or [""]:
                yield Raised(where, text)


def _constructor_calls(tree: ast.Module, errors: set[str]) -> list[ast.Call]:
    """`super().__init__(…)` in classes of errors."""
    classes = [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    return [
        call
        for one in classes
        if one.name in errors
        for call in ast.walk(one)
        if isinstance(call, ast.Call) and _name(call.func) == "__init__"
    ]


def _is_in_both_languages(text: ast.expr) -> bool:
    """Whether it comes from a table with both, as the texts of the command line do."""
    return any(isinstance(one, ast.Call) and _name(one.func) == "message" for one in ast.walk(text))


def _error_classes(trees: list[ast.Module]) -> set[str]:
    """The names of TaishiError and of whatever is derived from it."""
    bases = {
        one.name: {_name(base) for base in one.bases}
        for tree in trees
        for one in ast.walk(tree)
        if isinstance(one, ast.ClassDef)
    }
    known = {"TaishiError"}
    while more := {name for name, above in bases.items() if above & known} - known:
        known |= more
    return known


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


class _Module:
    def __init__(self, tree: ast.Module) -> None:
        self._assigned: dict[str, list[ast.expr]] = {}
        self._returned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assigned.setdefault(_name(target), []).append(node.value)
            elif isinstance(node, ast.FunctionDef):
                values = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
                self._returned[node.name] = [value for value in values if value is not None]

    def texts(self, node: ast.expr, depth: int = 0) -> list[str]:
        """What the expression may be; [] if that cannot be told here."""
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) and node.value else []
        if isinstance(node, ast.JoinedStr):
            parts = [one.value if isinstance(one, ast.Constant) else HOLE for one in node.values]
            return ["".join(map(str, parts))]
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, depth) + self.texts(node.orelse, depth)
        if depth > 2:
            return []
        if isinstance(node, ast.Name):
            found = self._assigned.get(node.id, [])
            return [text for one in found for text in self.texts(one, depth + 1)]
        if isinstance(node, ast.Call):
            return self._of_call(node, depth)
        return []

    def _of_call(self, node: ast.Call, depth: int) -> list[str]:
        name = _name(node.func)
        if name == "format" and isinstance(node.func, ast.Attribute):
            texts = self.texts(node.func.value, depth + 1)
            for keyword in node.keywords:
                texts = [text.replace(f"{{{keyword.arg}}}", HOLE) for text in texts]
            return texts
        if name == "redact":
            return self.texts(node.args[0], depth + 1)
        found = self._returned.get(name, [])
        return [text for one in found for text in self.texts(one, depth + 1)]
