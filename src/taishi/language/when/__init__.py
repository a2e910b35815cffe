"""Time expressions in English and Chinese chat text, resolved against a reference instant."""

from .finder import Kind, TimeSpan, find_times
from .render import render
from .vague import Vague, vague_offsets

__all__ = ["Kind", "TimeSpan", "Vague", "find_times", "render", "vague_offsets"]
