"""Error texts for people in English and Chinese: titles, advice, field errors."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping

from ..language.error_texts import TIME_ADVICE, in_chinese

# REST clients get error texts in terms of JSON, not of Python.
_SCOPE = re.compile(r"\bScope\(([^()]*)\)")
_JSON_TERMS = (
    (re.compile(r"\bpass\b"), "send"),
    (re.compile(r"\b(\w+)=True\b"), r"\1: true"),
    (re.compile(r"\ba dict\b"), "an object"),
    (re.compile(r"\ba string\b"), "text"),
    (re.compile(r"\ban integer\b"), "a whole number"),
    (re.compile(r"\bnot (?:a )?(?:dict|mappingproxy)\b"), "not an object"),
    (re.compile(r"\bnot (?:a )?str\b"), "not text"),
    (re.compile(r"\bnot (?:an? )?(?:int|float)\b"), "not a number"),
    (re.compile(r"\bnot (?:a )?bool\b"), "not true or false"),
    (re.compile(r"\bnot (?:a )?NoneType\b"), "not null"),
    (re.compile(r"\brevisions\(\)"), "the list of revisions"),
    (re.compile(r"\bfacts\.correct\b"), "POST /v1/facts/{id}/correct (correctFact in TypeScript)"),
    (re.compile(r"\bprofiles\.edit\b"), "PATCH /v1/profiles/{entity_type}/{entity_id}"),
    (re.compile(r"\bknowledge\.add\b"), "POST /v1/documents"),
    (re.compile(r"\bnotes\.write\b"), "PUT /v1/notes/{path}"),
    (re.compile(r" or read them with taishi\.load\(\)"), ""),
)

# Chinese titles by the code of a problem.
TITLES_ZH = {
    "unauthenticated": "需要有效的密钥",
    "forbidden": "此密钥无此权限",
    "scope": "没有给出作用域，或作用域自相矛盾",
    "version": "读取之后已被修改",
    "operation": "此操作编号已用于另一次修改",
    "time": "无法读取的时间",
    "cursor": "不是由任何一页给出的游标",
    "input": "无法使用",
    "settings": "设置无法使用",
    "taken": "已被他人写入",
    "busy": "正被他人写入，请重试",
    "corrupt": "文件已损坏",
    "storage": "存储无法使用",
    "read-only": "记忆目前只能读取，恢复写权限之后再重发",
    "queue": "这一轮未被接收，请重发",
    "model": "模型没有应答",
    "unsupported": "此记忆不支持这一操作",
    "missing-extra": "缺少可选的软件包",
    "closing": "服务正在关闭",
    "failed": "没有成功",
    "not-found": "不存在",
    "method-not-allowed": "不支持的方法",
    "too-large": "过大",
    "media-type": "只接受 JSON",
    "json": "无法读取请求体",
    "validation": "请求不符合接口说明",
    "too-many-requests": "请求过多",
    "wrong-keys": "错误的密钥过多",
    "host": "不接受此主机名",
    "idempotency-key": "此键无法使用",
    "idempotency-mismatch": "此键已用于另一请求",
    "idempotency-cleared": "请求已执行，其响应已不再保留",
    "disconnected": "连接已断开",
    "framing": "请求无法读取",
    "timeout": "请求来得太慢",
    "overloaded": "负载过高",
    "header": "请求头重复",
    "keys": "无法读取密钥",
    "bug": "服务内部错误",
    "http": "无法处理",
}

# What to do next, in Chinese. {detail} is the English text, where it holds what a person needs.
DETAILS_ZH = {
    "unauthenticated": "没有密钥，或密钥未知、已撤销、已过期：请用 `Authorization: Bearer tsk_…` "
    "或 `X-API-Key` 发送有效的密钥",
    "forbidden": "此密钥的权限不够，请换用合适的密钥（{detail}）",
    "scope": "请说明对象：scope 需要 user（私聊）、group、agent，或 shared: true；"
    "在网址中则是同名参数（{detail}）",
    "version": "请重新读取后再改（{detail}）",
    "operation": "请换一个操作编号（{detail}）",
    "time": TIME_ADVICE + "（{detail}）",
    "cursor": "请用前一页给出的 next，并保持同样的顺序（{detail}）",
    "input": "请改正后重发（{detail}）",
    "settings": "请改正设置（{detail}）",
    "taken": "请重新读取后再写（{detail}）",
    "busy": "请稍后重试（{detail}）",
    "storage": "请检查数据目录与磁盘，或数据库服务器，再重试（{detail}）",
    "read-only": "恢复写权限之前重发没有用，请联系服务的管理者（{detail}）",
    "queue": "请重发（{detail}）",
    "model": "请检查模型服务，再重试（{detail}）",
    "closing": "服务正在关闭，请稍后重发",
    "not-found": "没有找到：路径或编号不存在，可用路径见 /docs（{detail}）",
    "method-not-allowed": "请换用此路径支持的方法（{detail}）",
    "too-large": "请求超过上限，请分次发送，或调大 server.max_body_mb（{detail}）",
    "media-type": "请以 Content-Type: application/json 发送",
    "json": "请求体不是可用的 JSON（{detail}）",
    "too-many-requests": "请求过多，请在 {retry} 秒后重试",
    "wrong-keys": "此地址发来的错误密钥过多，请在 {retry} 秒后用有效的密钥重试",
    "host": "未设密钥时只应答本机：请用 `taishi keys create` 创建密钥，或把主机名加入 server.hosts",
    "idempotency-mismatch": "此 Idempotency-Key 已用于另一请求，请为新请求换一个键",
    "idempotency-cleared": "记忆被遗忘后不再保留响应，请改为读取当前状态",
    "framing": "请求的边界不明确，请用合规的 HTTP/1.1 客户端重发（{detail}）",
    "timeout": "请求未及时到齐，请重发（{detail}）",
    "overloaded": "目前请求过多，请在 {retry} 秒后重试（{detail}）",
    "header": "此请求头只能出现一次（{detail}）",
    "corrupt": "请修复该文件，或从备份恢复（{detail}）",
    "keys": "服务端的密钥文件已损坏或无法读取，修复之前会拒绝所有请求；"
    "服务的管理者可用 `taishi doctor` 查到该文件",
    "bug": "请查看服务日志并反馈",
}

# Field errors by pydantic's error type. Values in braces come with the error.
FIELD_MESSAGES: dict[str, tuple[str, str]] = {
    "missing": ("is needed", "必须给出"),
    "string_type": ("must be text", "应为文本"),
    "int_type": ("must be a whole number", "应为整数"),
    "int_parsing": ("must be a whole number", "应为整数"),
    "int_from_float": ("must be a whole number", "应为整数"),
    "float_type": ("must be a number", "应为数字"),
    "float_parsing": ("must be a number", "应为数字"),
    "finite_number": ("must be a finite number", "应为有限的数字"),
    "bool_type": ("must be true or false", "应为 true 或 false"),
    "bool_parsing": ("must be true or false", "应为 true 或 false"),
    "list_type": ("must be a list", "应为列表"),
    "dict_type": ("must be an object", "应为对象"),
    "model_type": ("must be an object", "应为对象"),
    "model_attributes_type": ("must be an object", "应为对象"),
    "greater_than": ("must be more than {gt}", "应大于 {gt}"),
    "greater_than_equal": ("must be at least {ge}", "应不小于 {ge}"),
    "less_than": ("must be less than {lt}", "应小于 {lt}"),
    "less_than_equal": ("must be at most {le}", "应不大于 {le}"),
    "string_too_long": (
        "must have at most {max_length} characters",
        "最多 {max_length} 个字符",
    ),
    "string_too_short": (
        "must have at least {min_length} characters",
        "至少 {min_length} 个字符",
    ),
    "string_pattern_mismatch": ("has a form that cannot be used", "格式不可用"),
    "too_long": ("must have at most {max_length} items", "最多 {max_length} 项"),
    "too_short": ("must have at least {min_length} items", "至少 {min_length} 项"),
    "literal_error": ("must be one of {expected}", "应为以下之一：{expected}"),
    "value_error": ("{error}", "{error}"),
    "json_invalid": ("is not JSON: {error}", "不是 JSON：{error}"),
}
UNKNOWN_NAME = ("this name is not known", "没有这个名称")
DID_YOU_MEAN = ("; did you mean {name!r}?", "；是否指 {name!r}？")
SEE_NAMES = ("; see /docs for those that are", "；可用名称见 /docs")
OR = (" or ", "，或")


def title_of(code: str, english: str, language: str) -> str:
    return TITLES_ZH.get(code, english) if language == "zh" else english


def detail_of(code: str, english: str, headers: Mapping[str, str], language: str) -> str:
    """The advice in terms of JSON and in the caller's language; English where there is no other."""
    text = english if code == "validation" else to_json_terms(english)
    if language != "zh":
        return text
    if known := in_chinese(text) or in_chinese(english):
        return known
    if code not in DETAILS_ZH:
        return text
    return DETAILS_ZH[code].format(detail=text, retry=headers.get("Retry-After", "1"))


def to_json_terms(text: str) -> str:
    """`pass Scope(user=…)` → `send scope {"user": …}`: the memory's errors speak of Python."""
    converted = _SCOPE.sub(_as_object, text)
    for pattern, words in _JSON_TERMS:
        converted = pattern.sub(words, converted)
    return converted


def _as_object(match: re.Match[str]) -> str:
    pairs = [argument.strip().partition("=") for argument in match[1].split(",") if "=" in argument]
    inner = ", ".join(
        f'"{name}": {"true" if value == "True" else _in_json(value)}' for name, _, value in pairs
    )
    return f"scope {{{inner}}}"


def _in_json(value: str) -> str:
    """A text as JSON has it; "…" stands for one."""
    try:
        return json.dumps(ast.literal_eval(value), ensure_ascii=False)
    except (ValueError, SyntaxError):
        return value


def field_message(kind: str, values: Mapping[str, object], english: str, language: str) -> str:
    """The error text of one field. `english` is pydantic's, for types not in the table."""
    pair = FIELD_MESSAGES.get(kind)
    try:
        message = pair[language == "zh"].format(**values) if pair else english
    except KeyError:
        return english
    if kind != "value_error":
        return message
    return (in_chinese(message) if language == "zh" else "") or to_json_terms(message)
