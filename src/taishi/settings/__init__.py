"""One frozen tree of settings, from defaults in code, a TOML file and the environment (C1).

The only room that reads the environment.
"""

from .pages import example_toml, reference_markdown
from .reader import changed, load, to_dict
from .tree import (
    HOT,
    ChatSettings,
    EmbeddingSettings,
    HistorianSettings,
    Machine,
    ModelSettings,
    QuerySettings,
    Settings,
    ShortTermSettings,
)

__all__ = [
    "HOT",
    "ChatSettings",
    "EmbeddingSettings",
    "HistorianSettings",
    "Machine",
    "ModelSettings",
    "QuerySettings",
    "Settings",
    "ShortTermSettings",
    "changed",
    "example_toml",
    "load",
    "reference_markdown",
    "to_dict",
]
