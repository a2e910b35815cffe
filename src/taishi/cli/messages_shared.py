"""Texts of `taishi shared`, `taishi procedures` and of intents in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "no_shared": ("nothing is shared in this workspace", "此工作区没有共享条目"),
    "shared_proposed": (
        "proposed {id}; it is recalled once it is approved (`taishi shared approve`)",
        "已提议 {id}；批准后才会被召回（`taishi shared approve`）",
    ),
    "shared_approved": ("approved {id}", "已批准 {id}"),
    "shared_not_approved": (
        "{id} is now {state}: it contradicts an approved entry; see `taishi shared conflicts`",
        "{id} 现为 {state}：与已批准的条目矛盾；见 `taishi shared conflicts`",
    ),
    "shared_rejected": ("rejected {id}", "已否决 {id}"),
    "shared_superseded": ("replaced by {id}", "已由 {id} 取代"),
    "shared_conflicts_hint": (
        "resolve them with `taishi shared resolve KEEP DROP`, or --both",
        "用 `taishi shared resolve KEEP DROP` 裁决，或加 --both 两者并存",
    ),
    "shared_type": ("type", "类型"),
    "shared_by": ("by", "提出者"),
    "shared_at": ("time", "时间"),
    "shared_did": ("what", "动作"),
    "shared_role": ("role", "角色"),
    "shared_door": ("via", "接口"),
    "intent": (
        "intent {name}, decided by {by}; favours {favours}; asks for {asks}",
        "意图 {name}，由{by}判定；偏重 {favours}；查询 {asks}",
    ),
    "intent_by_rules": ("rules", "规则"),
    "intent_by_model": ("the model", "模型"),
    "no_procedures": ("no procedures here", "此处没有流程"),
    "no_procedure": (
        "this scope has no procedure {id}; see `{command}`",
        "此作用域里没有可用的流程 {id}；用 `{command}` 查看",
    ),
    "nothing_to_review": ("no procedure fails often", "没有经常失败的流程"),
    "procedure_used": (
        "used {count:time|times}; it works in {percent} of the reported cases",
        "已使用 {count} 次；报告的成功率为 {percent}",
    ),
    "procedure_uses": ("uses", "使用"),
    "procedure_outcomes": ("outcomes", "结果"),
    "procedure_rate": ("worked", "成功率"),
}
