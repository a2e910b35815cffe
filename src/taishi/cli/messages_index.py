"""Texts of `taishi index` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "verifying_vectors": ("comparing", "核对"),
    "rebuilding_vectors": ("writing", "写入"),
    "vectors_verified": (
        "{engine}: {indexed:vector|vectors} in {partitions:partition|partitions}, of {stored} in "
        "the store; {sampled} compared number by number",
        "{engine}：{partitions} 个分区中有 {indexed} 个向量，存储中有 {stored} 个；"
        "逐数比较了 {sampled} 个",
    ),
    "vectors_equal": ("the engine matches the store", "引擎与存储一致"),
    "vectors_differ": (
        "{missing} missing, {outdated} outdated, {extra} without a record, {different} different; "
        "`taishi index rebuild` fills the engine again",
        "缺少 {missing} 个，过时 {outdated} 个，无对应记录 {extra} 个，内容不同 {different} 个；"
        "用 `taishi index rebuild` 重新写入引擎",
    ),
    "vectors_rebuilt": (
        "{count:vector|vectors} written to the engine",
        "已向引擎写入 {count} 个向量",
    ),
    "engine": ("engine", "引擎"),
    "lag": ("pending changes", "待写入的变更"),
    "failure": ("failure", "故障"),
}
