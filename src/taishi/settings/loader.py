"""Defaults, a TOML file, the environment → one checked tree (C1)."""

from __future__ import annotations

import difflib
import logging
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import SettingsError, UnknownSettingError
from .addresses import without_password
from .schema import Origin, Settings, read_machine
from .spec import NO_LIMIT, Key, Section, Spec, flatten, walk

log = logging.getLogger("taishi.settings")
# Settings and sections of earlier versions. They are ignored with a warning, not refused.
REMOVED: frozenset[Key] = frozenset({("memory", "models")})
OVERRIDES = "overrides"
ENVIRONMENT = "environment variable"
QUOTES = "“”„‘’＂＇「」『』"


class GivenValue(NamedTuple):
    """A value somebody set, and where."""

    value: Any
    source: str


def load(
    path: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Defaults, then the file, then the environment, then `overrides`; the later wins.

    The file is `path`, or what TAISHI_CONFIG names, or taishi.toml in this folder if it is there.
    Overrides are nested or have dotted keys ("query.auto_top_k"); None means not given.
    """
    origin = locate(path, environ, overrides)
    content = read_content(origin.file, required=origin.is_named) if origin.file else None
    origin = replace(origin, content=content)
    for line in removed_settings(origin):
        log.warning("%s", line)
    return build(origin)


def locate(
    path: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Origin:
    """Where `load` would read, without reading."""
    environ = os.environ if environ is None else environ
    named = path or environ.get("TAISHI_CONFIG")
    file = _absolute(Path(named or "taishi.toml"))
    return Origin(file, bool(named), None, dict(environ), dict(overrides or {}))


def build(origin: Origin) -> Settings:
    """The settings that follow from `origin`, its `content` taken for the file's."""
    known = dict(walk(Settings))
    given = {key: one for key, one in _given(origin, known).items() if not is_removed(key)}
    for key, one in given.items():
        refuse_unknown(key, one, known)
    settings: Settings = _build(Settings, (), given)
    sources = {".".join(key): one.source for key, one in given.items()}
    return replace(
        settings, machine=read_machine(origin.environ), origin=replace(origin, given=sources)
    )


def _given(origin: Origin, known: Mapping[Key, Spec | Section]) -> dict[Key, GivenValue]:
    """What somebody set, by key; the stronger source wins."""
    given = {} if origin.content is None else _from_toml(origin.content, origin.file)
    given |= _from_environ(origin.environ, known)
    for key, value in flatten(origin.overrides):
        if value is not None:
            text = os.fspath(value) if isinstance(value, os.PathLike) else value
            given[tuple(".".join(key).split("."))] = GivenValue(text, OVERRIDES)
    return given


def is_removed(key: Key) -> bool:
    """Whether an earlier version knew this setting, or the section around it."""
    return any(key[:count] in REMOVED for count in range(1, len(key) + 1))


def removed_settings(origin: Origin) -> list[str]:
    """A line for each setting that somebody still has and that nothing reads any more.

    Refusing to start over them would turn an upgrade into an outage.
    """
    given = _given(origin, dict(walk(Settings)))
    return [
        f"{one.source}: {'.'.join(key)[:100]} is no longer read; remove it"
        for key, one in given.items()
        if is_removed(key) and one.value != {}
    ]


def read_content(file: Path, required: bool) -> bytes | None:
    """What is in the file; None if it is not there and need not be."""
    try:
        return file.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and not required:
            return None
        raise SettingsError(
            f"{str(file)!r} cannot be read ({type(error).__name__}); correct the path or "
            "TAISHI_CONFIG, or write the file from taishi.example.toml"
        ) from error


def _quote_hint(text: str, error: str) -> str:
    """Where the text goes wrong at a quote of a word processor or of a Chinese keyboard."""
    found = re.search(r"at line (\d+), column (\d+)", error)
    line = text.splitlines()[int(found[1]) - 1] if found else ""
    mark = line[int(found[2]) - 1 :][:1] if found else ""
    return f"; write straight quotes, not {mark}" if mark and mark in QUOTES else ""


def _absolute(file: Path) -> Path:
    """The file wherever the process goes later; as it is where the current folder is gone."""
    try:
        return file.absolute()
    except OSError:
        return file


def _from_toml(content: bytes, file: Path | None) -> dict[Key, GivenValue]:
    source = str(file)
    text = ""
    try:
        text = content.decode("utf-8-sig")
        table = tomllib.loads(text)
        return {key: GivenValue(value, source) for key, value in flatten(table)}
    except UnicodeDecodeError as error:
        raise SettingsError(f"{source} is not UTF-8 text; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        why = f"{error}{_quote_hint(text, str(error))}"
        raise SettingsError(f"{source} is not TOML: {why}; correct that line") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{source} cannot be read ({type(error).__name__}); write it again from "
            "taishi.example.toml"
        ) from error


def _from_environ(environ: Mapping[str, str], known: Mapping[Key, Any]) -> dict[Key, GivenValue]:
    given: dict[Key, GivenValue] = {}
    if data := environ.get("TAISHI_DATA"):
        given["memory", "data"] = GivenValue(data, f"{ENVIRONMENT} TAISHI_DATA")
    for name in sorted(environ):
        if name.startswith("TAISHI__"):
            path = tuple(name.removeprefix("TAISHI__").lower().split("__"))
            value = scalar(environ[name], known.get(path))
            given[path] = GivenValue(value, f"{ENVIRONMENT} {name}")
    return given


def scalar(text: str, spec: Spec | Section | None) -> Any:
    """Text as TOML reads it; as it stands where text is wanted and TOML sees something else."""
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    value = table["value"] if len(table) == 1 else text
    wants_text = isinstance(spec, Spec) and isinstance(spec.default, str)
    return text if wants_text and not isinstance(value, str) else value


def refuse_unknown(key: Key, one: GivenValue, known: Mapping[Key, Spec | Section]) -> None:
    spec = known.get(key)
    if isinstance(spec, Spec) or (spec and one.value == {}):
        return
    name = ".".join(key)[:100]
    if is_removed(key):
        raise SettingsError(f"{one.source}: {name} is no longer read; remove it")
    if spec:
        raise SettingsError(f"{one.source}: {name} is a section; set the keys inside [{name}]")
    names = [".".join(k) for k in known]
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0)[0]
    raise UnknownSettingError(one.source, name, nearest)


def _build(cls: type[Any], prefix: Key, given: Mapping[Key, GivenValue], around: Any = None) -> Any:
    values: dict[str, Any] = {}
    for name, spec in ((k[0], s) for k, s in walk(cls) if len(k) == 1):
        key = (*prefix, name)
        if isinstance(spec, Section):
            if not spec.optional or any(k[:-1] == key for k in given):
                values[name] = _build(spec.cls, key, given, values if spec.optional else None)
        elif key in given:
            value, source = given[key]
            try:
                values[name] = spec.accept(value)
            except ValueError as error:
                shown = "***" if spec.secret else _shown(value)
                message = f"{source}: {'.'.join(key)} = {shown}: {error}"
                raise SettingsError(message) from None
        elif around and name in around:
            values[name] = around[name]
    return cls(**values)


def _shown(value: Any) -> str:
    """A value for an error message: short, on one line, no password of an address in it."""
    if not isinstance(value, (str, bool, int, float)):
        return f"({type(value).__name__})"
    if isinstance(value, int) and abs(value) > NO_LIMIT:
        return "(a very large number)"
    text = re.sub(r"(:/{1,2})\S*@", r"\1***@", repr(value))
    return text if len(text) <= 60 else text[:60] + "…"


def _tree(part: Any, mask: bool) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for one in fields(part):
        spec, value = one.metadata.get("spec"), getattr(part, one.name)
        if isinstance(spec, Section) and value is not None:
            tree[one.name] = _tree(value, mask)
        elif isinstance(spec, Spec):
            shown = without_password(value) if mask and isinstance(value, str) else value
            tree[one.name] = "***" if mask and spec.secret and value else shown
    return tree


def to_dict(settings: Settings) -> dict[str, Any]:
    """For status pages: keys, and passwords of addresses, are shown as ***."""
    return _tree(settings, mask=True)


def given_or_loaded(settings: Settings | None) -> Settings:
    """What a caller passed as settings; those of the file and the environment, if nothing."""
    if settings is not None and not isinstance(settings, Settings):
        raise SettingsError(
            f"settings must come from load(), not {type(settings).__name__}: "
            "load(overrides={'memory.timezone': 'Asia/Shanghai'})"
        )
    return load() if settings is None else settings


def changed(old: Settings, new: Settings) -> list[str]:
    """The dotted keys whose values differ."""
    before, after = (dict(flatten(_tree(s, mask=False))) for s in (old, new))
    keys = [".".join(k) for k in before | after if before.get(k) != after.get(k)]
    return sorted(keys)
