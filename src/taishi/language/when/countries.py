"""Which country a timezone belongs to, for holidays that differ by country."""

from __future__ import annotations

from datetime import tzinfo
from functools import cache
from importlib import resources
from pathlib import Path
from zoneinfo import TZPATH

_NAMED = {"US": "US", "Canada": "CA", "Brazil": "BR", "Mexico": "MX", "Chile": "CL"}


def country_of(zone: tzinfo | None) -> str | None:
    """The ISO code of the country that keeps this time; None for UTC and plain offsets."""
    key = getattr(zone, "key", None)
    if not isinstance(key, str):
        return None
    area = key.partition("/")[0]
    return _countries().get(key) or _NAMED.get(area)


@cache
def _countries() -> dict[str, str]:
    """The table that comes with the timezone data; empty where the machine has none."""
    countries = {}
    for line in _zone_table().splitlines():
        if line and not line.startswith("#"):
            code, _, zone, *_ = line.split("\t")
            countries[zone] = code
    return countries


def _zone_table() -> str:
    for folder in TZPATH:
        file = Path(folder) / "zone.tab"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    try:
        return (resources.files("tzdata.zoneinfo") / "zone.tab").read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        return ""
