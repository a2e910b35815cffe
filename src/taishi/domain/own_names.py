"""Names in a record's data that are the engine's own: a caller's metadata does not set them."""

from __future__ import annotations

from .authority import RECORDED_BY
from .corrections import CORRECTIONS
from .deletion_marks import COPIED
from .event_evidence import RETAINED

EARLIER = "earlier"  # what a record said before
OURS = (EARLIER, RETAINED, RECORDED_BY, COPIED, CORRECTIONS, "decided_by", "decided_at")
