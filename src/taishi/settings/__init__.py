"""One frozen tree of settings, from defaults in code, a TOML file and the environment (C1).

The only room that reads the environment.
"""

from .live import WATCH_SECONDS, Report, Watch, as_read, merge
from .pages import example_toml, reference_markdown
from .reader import changed, load, to_dict
from .scopes import is_on_for, scopes_in
from .tree import (
    HOT,
    ChatSettings,
    EmbeddingSettings,
    HistorianSettings,
    Machine,
    ModelSettings,
    MonitoringSettings,
    Origin,
    ProxySettings,
    QuerySettings,
    ServerSettings,
    Settings,
    ShortTermSettings,
    TelemetrySettings,
)

__all__ = [
    "HOT",
    "WATCH_SECONDS",
    "ChatSettings",
    "EmbeddingSettings",
    "HistorianSettings",
    "Machine",
    "ModelSettings",
    "MonitoringSettings",
    "Origin",
    "ProxySettings",
    "QuerySettings",
    "Report",
    "ServerSettings",
    "Settings",
    "ShortTermSettings",
    "TelemetrySettings",
    "Watch",
    "as_read",
    "changed",
    "example_toml",
    "is_on_for",
    "load",
    "merge",
    "reference_markdown",
    "scopes_in",
    "to_dict",
]
