"""The settings of the knowledge base."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import setting

# One line says all about a setting; the formatter would make four of it.
# A default made by a call (RUF009) is the point: the call carries the documentation.
# fmt: off

@dataclass(frozen=True)
class KnowledgeSettings:
    chunk_max_tokens: int = setting(256,
        "A document is cut into chunks of at most so many tokens. Applies to what is added later.",
        "文档切块的最大 token 数。只影响之后添加的文档。", low=32, high=4096)
    chunk_overlap_chars: int = setting(80,
        "How many characters a chunk repeats of the one before it, within its limit.",
        "每个切块重复前一块末尾的字符数，计入上限之内。", low=0, high=2000)
    neighbours: int = setting(1,
        "How many chunks before and after a match are shown with it.",
        "命中切块前后各带出几块。", low=0, high=10)
    notes_head_tokens: int = setting(200,
        "How much of the head of MEMORY.md is in every prompt block of its scope; 0: none.",
        "MEMORY.md 开头有多少 token 始终放进本范围的提示词块；0 为不放。", low=0, high=4000)
