"""Messages to a model about the arguments of a tool call, in English and Chinese."""

from __future__ import annotations

ARGUMENT_WORDS: dict[str, tuple[str, str]] = {
    "unknown_tool": (
        "There is no tool {name}{meant} There are: {all}.",
        "没有工具 {name}{meant}可用工具：{all}。",
    ),
    "not_json": (
        "The arguments of {tool} could not be read: give a JSON object with {all}.",
        "无法读取 {tool} 的参数：请给出 JSON 对象，可含 {all}。",
    ),
    "unknown_argument": (
        "{tool} has no argument {name}{meant} It takes: {all}.",
        "{tool} 没有参数 {name}{meant}可用参数：{all}。",
    ),
    "meant": ("; did you mean {nearest}?", "；是否指 {nearest}？"),
    "meant_nothing": (".", "。"),
    "missing": (
        "{tool} needs {name}: {description}",
        "{tool} 缺少 {name}：{description}",
    ),
    "must_be_text": ("{name} must be text, not {value}.", "{name} 应为文本，而不是 {value}。"),
    "must_be_statement": (
        "{name} must be text, not {value}: a sentence that can be understood on its own.",
        "{name} 应为文本，而不是 {value}：请写单独看也能懂的一句话。",
    ),
    "must_be_more_than_a_number": (
        "{name} is only a number, {value}: write a sentence that can be understood on its own.",
        "{name} 只是一个数字 {value}：请写单独看也能懂的一句话。",
    ),
    "must_be_id": (
        "{name} must be an id, that is text or a whole number, not {value}.",
        "{name} 应为编号（文本或整数），而不是 {value}。",
    ),
    "must_be_count": (
        "{name} must be a whole number from 1 to {most}, not {value}.",
        "{name} 应为 1 到 {most} 的整数，而不是 {value}。",
    ),
    "must_be_number": (
        "{name} must be a whole number from 0 up, not {value}.",
        "{name} 应为不小于 0 的整数，而不是 {value}。",
    ),
    "must_be_time": (
        "{name} must be a time in ISO 8601, such as 2026-02-20T14:30:00+08:00, not {value}.",
        "{name} 应为 ISO 8601 时间，例如 2026-02-20T14:30:00+08:00，而不是 {value}。",
    ),
    "must_be_texts": (
        "{name} must be a text or a list of texts, not {value}.",
        "{name} 应为文本或文本列表，而不是 {value}。",
    ),
    "must_be_flag": (
        "{name} must be true or false, not {value}.",
        "{name} 应为 true 或 false，而不是 {value}。",
    ),
    "must_be_object": (
        "{name} must be a JSON object, not {value}.",
        "{name} 应为 JSON 对象，而不是 {value}。",
    ),
    "must_be_one_of": (
        "{name} must be one of {choices}, not {value}.",
        "{name} 应为 {choices} 之一，而不是 {value}。",
    ),
    "wrong": ("{tool}: {error}.", "{tool}：{error}。"),
}
