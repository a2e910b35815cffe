"""Values that a table or a line shows, in Chinese; in English they are shown as they are stored."""

from __future__ import annotations

# By what the value is, and the value.
CHINESE: dict[str, dict[str, str]] = {
    "actor": {"person": "人", "model": "模型"},
    "door": {
        "python": "Python 程序",
        "rest": "REST 接口",
        "cli": "命令行",
        "mcp": "MCP",
        "tool": "工具",
        "proxy": "代理",
        "page": "网页",
    },
    "deleted": {
        "scope": "作用域",
        "record": "记录",
        "derived": "由此学到的",
        "copy": "副本",
    },
    "partition": {"private": "私聊", "group": "群", "agent": "智能体", "workspace": "工作区"},
    # What a line of an export is.
    "line": {
        "record": "记录",
        "message": "消息",
        "session": "会话",
        "link": "互通设置",
        "calls": "模型调用",
        "profile": "画像",
        "job": "任务",
        "original": "原始文件",
    },
    "level": {
        "hybrid": "语义和词语",
        "keyword": "仅词语",
        "profile-only": "仅画像",
        "empty": "没有结果",
    },
    "path": {
        "vector": "语义",
        "keyword": "词语",
        "context": "上下文",
        "recency": "时间",
        "store": "存储",
        "server": "服务",
        "rerank": "重排",
        "intent": "意图",
        "legacy": "旧摘要",
        "memory": "记忆",
    },
    "path_state": {
        "ok": "正常",
        "late": "超时",
        "failed": "失败",
        "behind": "未更新",
        "off": "关闭",
        "nothing there": "没有记录",
    },
    "compression": {"none": "未压缩", "trim": "裁剪", "summarise": "摘要", "extract": "摘录"},
    "shared_act": {
        "proposed": "提议",
        "approved": "批准",
        "rejected": "否决",
        "superseded": "取代",
        "conflict": "冲突",
        "resolved": "裁决",
        "supported": "附议",
    },
    "tag": {
        "user_preference": "偏好",
        "habit": "习惯",
        "employer": "工作单位",
        "possession": "物品",
        "skill": "技能",
        "residence": "住处",
        "health": "健康",
        "job": "职业",
        "goal": "目标",
        "education": "教育",
        "age": "年龄",
        "relationship": "人际关系",
        "origin": "家乡",
        "plan": "计划",
        "partner": "伴侣",
        "name": "姓名",
        "language": "语言",
        "history": "经历",
        "birthday": "生日",
        "timezone": "时区",
        "mood": "心情",
        "family": "家人",
        "pet": "宠物",
        "diet": "饮食",
        "instruction": "长期指示",
    },
    "tokenizer": {"upper bound (no query.tokenizer)": "按上限估算（未设置 query.tokenizer）"},
}


def shown(language: str, what: str, value: str) -> str:
    return CHINESE[what].get(value, value) if language == "zh" else value
