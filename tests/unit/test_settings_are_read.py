"""A setting that nobody reads is a promise that nobody keeps: each one is read somewhere.

The source is read, not run. An attribute counts as read only through an expression that can be
its section: `settings.query.mmr_lambda`, an alias (`asked = settings.query`), or a name annotated
with the section's class.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from taishi.settings import Settings, schema
from taishi.settings.spec import Section, Spec, section, setting, walk

SOURCE = Path(schema.__file__).resolve().parents[1]
# Loading, writing and printing a setting is not using it.
MACHINERY = {"loader.py", "writer.py", "live.py", "reference.py", "spec.py", "__main__.py"}
# Nothing to read: it is there to be refused when somebody switches it off.
ALWAYS_ON = {"redaction.secrets"}

CLASSES: dict[str, type[Any]] = {
    name: cls for name, cls in vars(schema).items() if isinstance(cls, type) and is_dataclass(cls)
}
# Names that mean the same in every module.
EVERYWHERE = {
    "settings": {"Settings"},
    "_settings": {"Settings"},
    "for_task": {"ModelSettings"},
}
Bindings = dict[str, set[str]]


class SettingReads:
    """The settings that one module reads, each as (class that declares it, name)."""

    def __init__(self, tree: ast.Module, classes: dict[str, type[Any]] = CLASSES) -> None:
        self._classes = classes
        self._nodes = list(_nodes(tree))
        self._bound: Bindings = defaultdict(set, {k: set(v) for k, v in EVERYWHERE.items()})
        self.found: set[tuple[str, str]] = set()
        while self._bind_all():
            pass
        for node, owner in self._nodes:
            self._read(node, owner)

    def _bind_all(self) -> bool:
        before = sum(map(len, self._bound.values()))
        for node, owner in self._nodes:
            match node:
                case ast.arg(arg=name, annotation=note) if note is not None:
                    self._bound[name] |= self._named_in(note)
                case ast.FunctionDef(name=name, returns=note) if note is not None:
                    self._bound[name] |= self._named_in(note)
                case ast.AnnAssign(target=target, annotation=note):
                    self._bind(target, self._named_in(note))
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    for target, value in zip(names, values, strict=False):
                        self._bind(target, self._types(value, owner))
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._bind(target, self._types(value, owner))
                case ast.NamedExpr(target=target, value=value):
                    self._bind(target, self._types(value, owner))
        return sum(map(len, self._bound.values())) > before

    def _bind(self, target: ast.expr, types: set[str]) -> None:
        if types and isinstance(target, ast.Name | ast.Attribute):
            self._bound[target.id if isinstance(target, ast.Name) else target.attr] |= types

    def _named_in(self, note: ast.expr) -> set[str]:
        return set(re.findall(r"\w+", ast.unparse(note))) & set(self._classes)

    def _types(self, node: ast.expr, owner: str) -> set[str]:
        """The settings classes that an expression may be an instance of (or return)."""
        match node:
            case ast.Name(id="self") if owner in self._classes:
                return {owner}
            case ast.Name(id=name):
                return self._bound.get(name, set())
            case ast.Attribute(value=value, attr=name):
                return self._sections(value, name, owner) | self._bound.get(name, set())
            case ast.Call(func=function):
                return self._types(function, owner)
            case ast.Lambda(body=body):
                return self._types(body, owner)
            case ast.BoolOp(values=values):
                return set().union(*(self._types(value, owner) for value in values))
            case ast.IfExp(body=body, orelse=other):
                return self._types(body, owner) | self._types(other, owner)
        return set()

    def _sections(self, value: ast.expr, name: str, owner: str) -> set[str]:
        specs = (self._spec(cls, name) for cls in self._types(value, owner))
        return {spec.cls.__name__ for spec in specs if isinstance(spec, Section)}

    def _spec(self, cls: str, name: str) -> object:
        found = (f for f in fields(self._classes[cls]) if f.name == name)
        return next((f.metadata.get("spec") for f in found), None)

    def _read(self, node: ast.AST, owner: str) -> None:
        match node:
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()):
                self._note(value, re.escape(name), owner)
            case ast.Call(
                func=ast.Name(id="getattr"), args=[value, ast.JoinedStr(values=parts), *_]
            ):
                texts = (p.value if isinstance(p, ast.Constant) else None for p in parts)
                self._note(
                    value, "".join(r"\w+" if t is None else re.escape(t) for t in texts), owner
                )

    def _note(self, value: ast.expr, pattern: str, owner: str) -> None:
        for cls in self._types(value, owner):
            for one in fields(self._classes[cls]):
                if isinstance(one.metadata.get("spec"), Spec) and re.fullmatch(pattern, one.name):
                    self.found.add((_declares(self._classes[cls], one.name), one.name))


def _nodes(node: ast.AST, owner: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Every node with the class around it."""
    for child in ast.iter_child_nodes(node):
        yield child, owner
        yield from _nodes(child, child.name if isinstance(child, ast.ClassDef) else owner)


def _declares(cls: type[Any], name: str) -> str:
    """The class that first has this setting: sections that share it are one declaration."""
    return next(
        c.__name__ for c in reversed(cls.__mro__) if name in getattr(c, "__annotations__", {})
    )


def leaves(root: type[Any]) -> dict[str, tuple[str, str]]:
    """Each setting by its dotted key, with the class that declares it."""
    known = dict(walk(root))
    found = {}
    for key, spec in known.items():
        if isinstance(spec, Spec):
            around = known.get(key[:-1])
            cls = around.cls if isinstance(around, Section) else root
            found[".".join(key)] = (_declares(cls, key[-1]), key[-1])
    return found


def reads_of(text: str, classes: dict[str, type[Any]] = CLASSES) -> set[tuple[str, str]]:
    return SettingReads(ast.parse(text), classes).found


def reads_of_the_tree() -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for file in SOURCE.rglob("*.py"):
        if not (file.parent.name == "settings" and file.name in MACHINERY):
            text = file.read_text(encoding="utf-8")
            if "settings" in text.lower():
                found |= reads_of(text)
    return found


def test_C1_every_setting_is_read_by_something() -> None:
    reads = reads_of_the_tree()
    dead = {key for key, leaf in leaves(Settings).items() if leaf not in reads}
    assert dead == ALWAYS_ON


@dataclass(frozen=True)
class SampleSection:
    used: int = setting(1, "", "")
    unused: int = setting(1, "", "")


@dataclass(frozen=True)
class SampleSettings:
    sample: SampleSection = section(SampleSection, "", "")  # noqa: RUF009


SAMPLE = {"Settings": SampleSettings, "SampleSection": SampleSection}


@pytest.mark.parametrize(
    "text",
    [
        "def f(settings):\n    return settings.sample.used",
        "class A:\n    def f(self):\n        return self._core.settings.sample.used",
        "def f(settings):\n    part = settings.sample\n    return part.used",
        "def f(settings):\n    other, part = 1, settings.sample\n    return part.used",
        "def f(part: SampleSection | None):\n    return part.used",
        "def f(ask: Callable[[], SampleSection]):\n    return ask().used",
        "def f(part: SampleSection):\n    keep = part\n    return (keep or part).used",
        "def f(part: SampleSection, kind):\n    return getattr(part, f'{kind}ed')",
    ],
)
def test_a_read_is_seen_through_paths_aliases_and_annotations(text: str) -> None:
    assert ("SampleSection", "used") in reads_of(text, SAMPLE)


@pytest.mark.parametrize(
    "text",
    [
        "def f(memory):\n    return memory.used",
        "def f(settings):\n    return settings.used",
        "def f(settings):\n    return settings.other.used",
        "def f(settings):\n    settings.sample.unused",
        "def f(settings):\n    part = settings.other\n    return part.used",
        "def f(sample, used):\n    return used",
    ],
)
def test_the_same_name_elsewhere_is_no_read(text: str) -> None:
    assert ("SampleSection", "used") not in reads_of(text, SAMPLE)


def test_a_setting_that_nobody_reads_is_found() -> None:
    reads = reads_of("def f(settings):\n    return settings.sample.used", SAMPLE)
    assert leaves(SampleSettings) == {
        "sample.used": ("SampleSection", "used"),
        "sample.unused": ("SampleSection", "unused"),
    }
    assert [key for key, leaf in leaves(SampleSettings).items() if leaf not in reads] == [
        "sample.unused"
    ]
