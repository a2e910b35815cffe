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
        "Maximum number of tokens in a chunk of a document. Applies to documents added later.",
        "文档每个片段的最大 token 数。只影响之后添加的文档。", low=32, high=4096)
    chunk_overlap_chars: int = setting(80,
        "How many characters of the previous chunk a chunk repeats, within its limit.",
        "每个片段重复前一个片段末尾多少个字符，计入上限。", low=0, high=2000)
    neighbours: int = setting(1,
        "How many chunks before and after a match are shown with it.",
        "命中片段前后各带出几个片段。", low=0, high=10)
    notes_head_tokens: int = setting(200,
        "How many tokens from the beginning of MEMORY.md are in every prompt block of its scope; "
        "0: none.",
        "MEMORY.md 开头有多少 token 始终放进本作用域的提示词块；0 为不放。", low=0, high=4000)
