"""An Undefined-style bot's own `config.toml` as settings of ours.

Only the sections about memory are looked at: `[cognitive]` and what is inside it, and the models
that it uses. The rest of the file is the bot's. What means nothing here becomes a warning, not an
error: the file is shared with a program that may know more keys tomorrow.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import SettingsError
from ...settings import Settings, load
from .config_keys import (
    BOT_NAME,
    CHAT_MODELS,
    MEANINGLESS,
    MODEL_KEYS,
    NO_DECAY_DAYS,
    RENAMED,
    RERANK_SWITCH,
    TIME_DECAY,
)

DATA = Path("data") / "taishi"


@dataclass(frozen=True)
class BotConfig:
    """What the file said: settings, the bot's name, and a line for each key without a meaning."""

    settings: Settings
    bot_name: str = ""
    warnings: tuple[str, ...] = ()


def read_config(
    path: str | Path,
    data: str | Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> BotConfig:
    """Read the bot's file. A taishi.toml and TAISHI__… variables win over it, `overrides` over all.

    read_config("config.toml").settings.query.auto_top_k
    """
    file = Path(path)
    given = dict(_flat(_table(file)))
    mapped, origins = _mapped(given)
    mapped["memory.data"] = str(file.parent / DATA if data is None else data)
    mapped["memory.legacy_end_summaries"] = True  # these bots write both (C3)
    own = load(environ=environ).origin.given
    wanted = {key: value for key, value in mapped.items() if key not in own} | dict(overrides or {})
    try:
        settings = load(environ=environ, overrides=wanted)
    except SettingsError as error:
        raise SettingsError(_in_the_bots_words(str(error), file, origins)) from error
    name = given.get(BOT_NAME, "")
    return BotConfig(settings, name if isinstance(name, str) else "", tuple(_warnings(file, given)))


def _table(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        reason = f"cannot be read ({type(error).__name__}); give the path of the bot's config.toml"
        raise SettingsError(f"{str(file)!r} {reason}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is not UTF-8 text; save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{file} is not TOML: {error}; correct that line") from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _mapped(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Values by our keys, and where each came from."""
    origins = {ours: theirs for theirs, ours in _renamed(given).items() if given[theirs] != ""}
    mapped = {ours: given[theirs] for ours, theirs in origins.items()}
    if given.get(TIME_DECAY) is False:
        mapped |= {f"query.half_life_days_{use}": NO_DECAY_DAYS for use in ("auto", "tool")}
    return mapped, origins


def _renamed(given: Mapping[str, Any]) -> dict[str, str]:
    names = {theirs: ours for theirs, ours in RENAMED.items() if theirs in given}
    for model in ("embedding", "rerank"):
        if model == "rerank" and given.get(RERANK_SWITCH) is False:
            continue
        names |= {
            f"models.{model}.{key}": f"models.{model}.{key}"
            for key in MODEL_KEYS
            if f"models.{model}.{key}" in given
        }
    return names | _historian_model(given)


def _historian_model(given: Mapping[str, Any]) -> dict[str, str]:
    """The historian's own model; what it leaves out is taken from the agents' model."""
    names = {}
    for key in MODEL_KEYS:
        spellings = (f"models.{section}.{key}" for section in CHAT_MODELS)
        found = next((name for name in spellings if given.get(name) not in (None, "")), None)
        if found is not None:
            names[found] = f"models.chat.{key}"
    return names


def _warnings(file: Path, given: Mapping[str, Any]) -> Iterator[str]:
    known = {*RENAMED, BOT_NAME, RERANK_SWITCH, TIME_DECAY}
    for key in given:
        section, _, name = key.rpartition(".")
        if section in ("models.embedding", "models.rerank", "models.historian"):
            if name not in MODEL_KEYS:
                yield f"{file}: {key} has no meaning here: requests are built by Taishi itself"
        elif key.startswith("cognitive.") and key not in known:
            reason = MEANINGLESS.get(key, "Taishi knows no such setting")
            yield f"{file}: {key} has no meaning here: {reason}"


def _in_the_bots_words(text: str, file: Path, origins: Mapping[str, str]) -> str:
    """An error about a setting of ours, with the name that it has in the bot's file."""
    for ours, theirs in origins.items():
        if text.startswith(f"overrides: {ours} ="):
            return text.replace(f"overrides: {ours}", f"{file}: {theirs}", 1)
    return text
