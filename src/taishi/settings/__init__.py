"""One frozen tree of settings, from defaults in code, a TOML file and the environment (C1).

The only room that reads the environment.
"""

from .form import FormSection, form_sections
from .ignored_file import ignored_file
from .knowledge import KnowledgeSettings
from .live import WATCH_SECONDS, Report, Watch, as_read, merge, waits_for_restart
from .loader import changed, given_or_loaded, load, to_dict
from .reference import example_toml, reference_markdown, reference_markdown_zh
from .schema import (
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
    Settings,
    ShortTermSettings,
    TelemetrySettings,
)
from .scopes import is_on_for, scopes_in
from .server import ServerSettings
from .variables import unread_variables
from .working import WorkingSettings

__all__ = [
    "HOT",
    "WATCH_SECONDS",
    "ChatSettings",
    "EmbeddingSettings",
    "FormSection",
    "HistorianSettings",
    "KnowledgeSettings",
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
    "WorkingSettings",
    "as_read",
    "changed",
    "example_toml",
    "form_sections",
    "given_or_loaded",
    "ignored_file",
    "is_on_for",
    "load",
    "merge",
    "reference_markdown",
    "reference_markdown_zh",
    "scopes_in",
    "to_dict",
    "unread_variables",
    "waits_for_restart",
]
