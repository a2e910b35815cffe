"""What can be learned from a turn without a model: facts and standing instructions by pattern."""

from __future__ import annotations

from .extract import MOST_FACTS as MOST_FACTS
from .extract import facts_by_rule as facts_by_rule
