"""Time expressions in English and Chinese chat text, resolved against a reference instant."""

from .approximate import Approximate, vague_offsets
from .finder import Kind, TimeSpan, find_times
from .render import render

__all__ = ["Approximate", "Kind", "TimeSpan", "find_times", "render", "vague_offsets"]
