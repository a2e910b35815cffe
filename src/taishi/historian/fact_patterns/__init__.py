"""Extracts facts and standing instructions from a turn by pattern, without a model."""

from __future__ import annotations

from .extract import MAX_FACTS as MAX_FACTS
from .extract import facts_by_rule as facts_by_rule
