"""Notes for users when a search path was late or failed, in English and Chinese (T4).

An incomplete result must say so, or "found nothing" would be read as "nothing is known".
"""

from __future__ import annotations

from ..types import Brief, Recall

# By path, with and without hits. {how}: late or failed.
_MESSAGES: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "vector": (
        (
            "The search by meaning {how}; these were found by words.",
            "按语义的检索{how}；以上结果按词语找到。",
        ),
        (
            "The search by meaning {how}, and the search by words found nothing: ask again.",
            "按语义的检索{how}，按词语的检索没有结果；请再问一次。",
        ),
    ),
    "store": (
        (
            "The memory store {how}; only the profile page could be read.",
            "记忆存储{how}；只读到了画像。",
        ),
        (
            "The memory store {how}: nothing could be searched. Go on without it, or ask again.",
            "记忆存储{how}，未能检索。请先继续，或再问一次。",
        ),
    ),
    "server": (
        ("The memory server {how}.", "记忆服务{how}。"),
        (
            "The memory server {how}: nothing could be searched. Go on without it, or ask again.",
            "记忆服务{how}，未能检索。请先继续，或再问一次。",
        ),
    ),
    "rerank": (
        (
            "The reranker {how}; these are in the order of the search itself.",
            "重排模型{how}；以上结果按检索本身的次序排列。",
        ),
        ("The reranker {how}.", "重排模型{how}。"),
    ),
    "legacy": (
        ("The old list of summaries {how}.", "旧摘要列表{how}。"),
        (
            "The old list of summaries {how}: nothing could be searched. Ask again.",
            "旧摘要列表{how}，未能检索。请再问一次。",
        ),
    ),
}
_STORE_BEHIND = (
    (
        "The memory store does not answer; these are from before that.",
        "记忆存储没有应答；以上是此前的内容。",
    ),
    (
        "The memory store does not answer, and nothing fitting is known from before: ask again.",
        "记忆存储没有应答，此前的内容里没有符合的；请再问一次。",
    ),
)
_OTHER = ("The search path {path} {how}; ask again.", "检索路径 {path} {how}；请再问一次。")
_OUTCOMES = {
    "late": ("did not answer in time", "未能及时应答"),
    "failed": ("failed", "出错"),
    "behind": ("is still catching up", "尚未更新完毕"),
}


def skipped_note(recall: Recall, language: str) -> str:
    """One sentence for each path that was skipped; empty if every path answered."""
    return " ".join(
        _sentence(path, outcome, bool(recall.hits), language == "zh")
        for path, outcome in recall.skipped.items()
    )


def empty_note(brief: Brief, language: str) -> str:
    """Why a block is empty although something is known."""
    if brief.reason != "budget":
        return ""
    return (
        "预算放不下任何已知内容；请调大 max_tokens。"
        if language == "zh"
        else "Something is known, but the budget holds none of it: give more max_tokens."
    )


def _sentence(path: str, outcome: str, has_hits: bool, chinese: bool) -> str:
    if (path, outcome) == ("store", "behind"):
        return _STORE_BEHIND[not has_hits][chinese]
    pair = _MESSAGES[path][not has_hits] if path in _MESSAGES else _OTHER
    return pair[chinese].format(how=_OUTCOMES[outcome][chinese], path=path)
