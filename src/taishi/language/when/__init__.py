"""Time expressions in English and Chinese chat text, resolved against a reference instant."""

from .finder import TimeSpan, find_times
from .render import render

__all__ = ["TimeSpan", "find_times", "render"]
