"""Errors in Chinese, by the English text.

Errors are raised in English, once, where they arise; the command line and the REST API show them in
the reader's language. error_texts.tsv has a line for each text that is raised: the English one with
`{}` for its values, a tab, and the Chinese one with `{1}` for the first value. The rules here are
for texts that are put together of several. A value is itself looked up, as it may be the text of
another error; of a rule, only a group named `source`, `what` or `why` is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

FILE = "error_texts.tsv"
HOLE = "{}"
MAX_CHARS = 2000
MAX_DEPTH = 5  # of errors within errors
_VALUE = re.compile(r"\{(\d)\}")
NESTED = frozenset(("source", "what", "why"))
TIME_ADVICE = "请用 ISO 8601 时间，例如 2026-02-20T14:30:00+08:00，或 1970 年以来的秒数"

_TYPES = r"(?:(?:string|object|array|number|integer|boolean|null)(?: or )?)+"

RULES: tuple[tuple[str, str], ...] = (
    # times
    (r"(?P<given>.+) is not a time; use ISO 8601 such as .+",
     "{given} 不是可读的时间；" + TIME_ADVICE),
    (r"(?P<given>.+) is not an epoch in seconds between .+",
     "{given} 超出可用的时间；" + TIME_ADVICE),
    (r"expires is in the past; give a later time", "到期时间已过；请给出更晚的时间"),
    # where an imported chat goes
    (r"user:ID, group:ID, agent:ID, peer or skip",
     "user:编号、group:编号、agent:编号、peer（对方）、skip（不导入）"),
    # facts
    (
        r"the fact '(?P<old>.+)' was replaced already; correct the present one, '(?P<id>.+)'",
        "事实 {old} 已被取代；请更正现在的这条：{id}",
    ),
    (
        r"the corrected fact says the same; give another text, or leave it",
        "更正后的内容与原来相同；请给出别的内容，或保持不变",
    ),
    (r"a person decided this; only a person may change or forget it .+",
     "这是由人决定的；只有人能更改或忘记（`taishi facts`、网页，或用 `--as-person` 创建的密钥）"),
    # settings: what was expected
    (
        r"expected \"auto\" or an IANA name such as \"Asia/Shanghai\"",
        '应为 "auto" 或 IANA 时区名，例如 "Asia/Shanghai"',
    ),
    (r"expected one of (?P<names>.+)", "应为以下之一：{names}"),
    (r"expected true or false", "应为 true 或 false"),
    (r"expected text, not empty", "应为文本，且不能为空"),
    (r"expected text", "应为文本"),
    (r"expected a whole number from (?P<low>\S+) up", "应为不小于 {low} 的整数"),
    (r"expected a whole number from (?P<low>\S+) to (?P<high>\S+)", "应为 {low} 到 {high} 的整数"),
    (r"expected a number from (?P<low>\S+) up", "应为不小于 {low} 的数字"),
    (r"expected a number from (?P<low>\S+) to (?P<high>\S+)", "应为 {low} 到 {high} 的数字"),
    (r"expected text without NUL and .+", "应为不含 NUL 和残缺字符的文本"),
    (r"expected an address that begins with .+", "应为以 http:// 或 https:// 开头的地址"),
    (r"expected https://NAME or .+", "应为 https://名称 或 https://名称:端口，用小写，不带路径"),
    (r"expected printable ASCII; .+", "应为可打印的 ASCII；请检查多余的空格或换行"),
    (r"use https; http is for this machine only", "请用 https；http 只能用于本机"),
    (r"keep user and password out of .+", "地址里不要写用户名和密码；请用 api_key"),
    (r"secrets are always removed; delete this line", "密钥总会被去除；请删掉这一行"),
    (
        r"(?P<part>'[^']*'|\"[^\"]*\") names no scope; write .+",
        "{part} 不是作用域；请写 group:ID、user:ID、agent:ID 或 workspace:名称，用逗号分隔，"
        "* 表示全部",
    ),
    (
        r"(?P<part>'[^']*'|\"[^\"]*\") is no address; write addresses or networks .+",
        "{part} 不是地址；请写地址或网段，例如 127.0.0.1 或 10.244.0.0/16，用逗号分隔；"
        "* 表示信任所有",
    ),
    (
        r"(?P<given>.+) looks like the address of a server: did you mean (?P<url>\S+)\? .+, write "
        r"(?P<folder>.+)",
        "{given} 像是服务的地址：是不是 {url}？若是同名目录，请写 {folder}",
    ),
    # records that are put right elsewhere
    (
        r"facts are not updated: use (?P<how>.+?), which .+",
        "事实不能直接修改：请用 {how}，它保留原来的说法，也不会再学回来；"
        "这样能改的只有 metadata 和 expires",
    ),
    (r"profiles are not updated: use (?P<how>.+)", "画像不能直接修改：请用 {how}"),
    (
        r"documents are not updated: use (?P<how>.+?) with the same name, or (?P<other>.+)",
        "文档不能直接修改：请用 {how} 以同一名称再次添加，或用 {other}",
    ),
    (r"turns are not updated: wait .+", "这一轮还不能修改：请等史官把它写成事件"),
    # settings: where
    (r"environment variable (?P<name>\S+)", "环境变量 {name}"),
    (r"the change", "要写入的设置"),
    (r"overrides", "给出的选项"),
    (
        r"(?P<source>.+?): there is no setting '(?P<name>.+)'; did you mean '(?P<nearest>.+)'\?",
        "{source}：没有设置项 {name}；是不是 {nearest}？",
    ),
    (r"(?P<source>.+?): (?P<name>[\w.]+) is no longer read; remove it",
     "{source}：{name} 已不再使用，请删掉"),
    (r"(?P<source>.+?): (?P<name>[\w.]+) is a section; .+",
     "{source}：{name} 是一节；请设置 [{name}] 里的键"),
    (r"(?P<source>.+?): (?P<name>[\w.]+) = (?P<value>.*?): (?P<why>.+)",
     "{source}：{name} = {value}：{why}"),
    (r"(?P<source>the change): (?P<name>[\w.]+): (?P<why>.+)", "{source}：{name}：{why}"),
    (r"(?P<name>[\w.]+) = (?P<value>.*?): (?P<why>expected .+)", "{name} = {value}：{why}"),
    (
        r"(?P<file>.+) cannot be read \((?P<error>\w+)\); correct the path or TAISHI_CONFIG, .+",
        "{file} 无法读取（{error}）；请改正路径或 TAISHI_CONFIG，或照 taishi.example.toml 写一个",
    ),
    (r"(?P<file>.+) is not TOML: (?P<why>.+); correct (?:that line|it first)",
     "{file} 不是 TOML：{why}；请改正这一行"),
    (r"(?P<why>.+); write straight quotes, not (?P<mark>.)",
     "{why}；引号请用英文的 \" 或 '，不要用 {mark}"),
    # what is wrong with TOML, as Python and tomlkit say it
    (r"(?P<why>.+) \(at line (?P<line>\d+), column (?P<column>\d+)\)",
     "第 {line} 行第 {column} 列：{why}"),
    (r"(?P<why>.+) \(at end of document\)", "文件末尾：{why}"),
    (r"(?P<why>.+) at line (?P<line>\d+) col (?P<column>\d+)", "第 {line} 行第 {column} 列：{why}"),
    (r"Invalid value|Unexpected character: .+", "值写得不对"),
    (r"Invalid statement|Empty key.*|Invalid initial character for a key part",
     "这里不是设置项，也不是小节"),
    (r"Expected '=' after a key in a key/value pair", "键后面缺少 ="),
    (r"Expected '\](?:\])?' at the end of .+", "小节名后面缺少 ]"),
    (r"Expected newline or end of document after a statement", "值后面有多余的内容"),
    (r"Unterminated string|Expected '.+?' at the end of .+|Unclosed array.*",
     "引号或括号没有配对"),
    (r"Illegal character '(?P<mark>.+)'", "不能有字符 '{mark}'"),
    (r"Found invalid character '(?P<mark>.+)'", "不能有字符 '{mark}'"),
    (r"Cannot overwrite a value|Key \"(?P<key>.+)\" already exists.*", "同一个设置项写了两次"),
    (r"Cannot declare (?P<name>.+) twice", "小节 {name} 写了两次"),
    (r"Unescaped '\\\\' in a string", "字符串里的 \\ 要写成 \\\\"),
    (r"(?P<file>.+) is not UTF-8 text; .+", "{file} 不是 UTF-8 文本；请存为 UTF-8"),
    (r"(?P<file>.+) is being changed by another process; try again",
     "{file} 正被另一个进程修改；请重试"),
    # optional packages
    (r"(?P<what>.+) needs an optional package: (?P<line>.+)",
     "{what}：缺少可选的软件包，请运行：{line}"),
    (r"the server", "服务"),
    (r"the MCP server", "MCP 服务"),
    (r"a memory in PostgreSQL", "PostgreSQL 中的记忆"),
    (r"a cache in Redis or Valkey", "Redis 或 Valkey 中的缓存"),
    (r"files in S3", "S3 中的文件"),
    (r"The local embedder", "本地嵌入模型"),
    (r"The embedder (?P<name>.+)", "嵌入模型 {name}"),
    (r"Reading (?P<form>\w+)", "读取 {form}"),
    # files and addresses
    (r"No such file or directory", "没有这个文件或目录"),
    (r"Permission denied", "没有权限"),
    (r"Is a directory", "这是目录"),
    (r"(?P<file>.+) cannot be read: (?P<why>.+); correct the path",
     "{file} 无法读取（{why}）；请改正路径"),
    (r"(?P<file>.+) cannot be written \((?P<why>.+)\); name another (?:file|--heartbeat)",
     "{file} 无法写入（{why}）；请换一个文件"),
    (r"(?P<folder>.+) cannot be used as a data folder: (?P<error>.+); run this as the user .+",
     "{folder} 不能作为数据目录（{error}）；请以其所有者的身份运行，或给它写权限"),
    (r"(?P<folder>.+) cannot be used as a data folder: (?P<error>.+); .+",
     "{folder} 不能作为数据目录（{error}）；请换一个目录，或给它写权限"),
    (r"(?P<folder>.+) is not empty; give the demo a new folder, or none at all",
     "{folder} 不是空目录；请给演示换一个新目录，或不指定目录"),
    (
        r"(?P<scheme>\S+):// addresses are not supported by this version; give .+",
        "此版本不支持 {scheme}:// 地址；请给出目录，例如 ./data，或 postgresql://用户@主机/数据库，"
        "或以 http://、https:// 开头的服务地址",
    ),
    (r"stdin is not UTF-8 text \((?P<error>.+)\); .+",
     "标准输入不是 UTF-8 文本（{error}）；请先转换"),
    (r"(?P<name>--\w+) must be a JSON object such as (?P<example>.+)",
     "{name} 应为 JSON 对象，例如 {example}"),
    (r"--json and the lines cannot both go to stdout; name a FILE",
     "--json 与导出的内容不能都写到标准输出；请给出 FILE"),
    (r"give either a TEXT or --file", "TEXT 与 --file 请给出其中一个"),
    (r"chats are imported from a file or stdin; download it first",
     "聊天记录只能从文件或标准输入导入；请先下载"),
    (r"source and target are the same memory; name another target",
     "源和目标是同一个记忆；请换一个目标"),
    (r"no baseline (?P<name>.+); use some of (?P<names>.+)", "没有基线 {name}；可用：{names}"),
    # what is not there, and what cannot be used
    (r"there is no fact (?P<id>.+) in (?P<place>\S+); .+",
     "{place} 中没有事实 {id}；请列出事实，核对编号"),
    (r"there is no record (?P<id>.+) in (?P<place>\S+); .+",
     "{place} 中没有记录 {id}；请列出记录，核对编号"),
    (r"this scope sees no record (?P<id>.+); .+", "此作用域看不到记录 {id}；请列出记录，或先召回"),
    (r"there is no procedure (?P<id>.+) that (?P<place>\S+) may use; .+",
     "{place} 没有可用的流程 {id}；请列出流程，核对编号"),
    (r"there is no key (?P<id>.+); .+", "没有密钥 {id}；用 `taishi keys list` 查看"),
    (r"this cursor is not one of ours; .+", "游标无效；请使用上一页给出的游标，排序方式不变"),
    (r"unknown (?P<name>\w+) (?P<value>.+); use (?:some of |one of )?(?P<names>.+)",
     "{name} 没有 {value}；可用：{names}"),
    (r"an id contains a control character; .+", "编号含有控制字符；请按原样给出"),
    (r"(?P<name>\w+) contains a control character; .+", "{name} 含有控制字符；请按原样给出编号"),
    (r"(?P<name>\w+) is (?P<size>\d+) characters long; at most (?P<most>\d+) are kept",
     "{name} 有 {size} 个字符；最多 {most} 个，请缩短"),
    (r"workspace is empty; leave it out for all of them", "工作区为空；不写即为所有工作区"),
    (r"workspace is empty; .+", "工作区为空；不写即为 default"),
    (r"shared=True is the whole workspace; .+", "shared 指整个工作区；请去掉 user、group 和 agent"),
    (r"memory is off \(memory\.enabled = false\); .+",
     "记忆已关闭（memory.enabled = false）；请先开启"),
    (r"this memory was closed; .+", "记忆已关闭；请重新打开"),
    # what a model answered, and what is wrong with it
    (r"Model(?:Down)?Error: (?P<why>.+)", "{why}"),
    (r"the answer holds no JSON that can be read", "回答里没有可读的 JSON"),
    (r"the server's answer is no JSON: (?P<said>.+)", "服务的应答不是 JSON：{said}"),
    (r"the answer must be an object", "回答应为对象"),
    (r"(?P<what>\S+) is missing", "缺少 {what}"),
    (r"(?P<what>the answer|\S+) must be (?P<types>" + _TYPES + r"), not (?P<value>[^;]+)",
     "{what} 应为 {types}，不是 {value}"),
    (r"(?P<what>the answer|\S+) must be one of (?P<names>[^;]+), not (?P<value>[^;]+)",
     "{what} 应为以下之一：{names}，不是 {value}"),
    (
        r"(?P<what>(?:the answer|\S+) (?:is missing|must be [^;]+, not [^;]+)); "
        r"(?!its words: )(?P<why>.+)",
        "{what}；{why}",
    ),
    (r"the answer", "回答"),
    # what is wrong with a JSON file
    (r"the file ends here", "文件到此中断，内容不完整"),
    (r"a comma or (?P<mark>\S) is expected", "此处应为逗号或 {mark}"),
    (r"(?P<mark>\S) is expected", "此处应为 {mark}"),
    (r"a key is missing", "缺少键"),
    (r"it is nested too deeply", "嵌套过深"),
    (r"a value is longer than (?P<most>\d+) characters, or damaged",
     "有一个值超过 {most} 个字符，或已损坏"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Template:
    """An English text, cut at its values, and its Chinese form."""

    parts: tuple[str, ...]
    chinese: str

    def values_in(self, text: str) -> list[str] | None:
        """The values in a text of this form, each as short as can be; None if it has another. In
        linear time, whatever the text."""
        first, *between = self.parts
        if not between:
            return [] if text == first else None
        last = between.pop()
        end = len(text) - len(last)
        if not text.startswith(first) or not text.endswith(last) or end < len(first):
            return None
        values, start = [], len(first)
        for part in between:
            found = text.find(part, start, end)
            if found < 0:
                return None
            values.append(text[start:found])
            start = found + len(part)
        return [*values, text[start:end]]

    def filled(self, values: list[str]) -> str:
        return _VALUE.sub(lambda place: values[int(place[1]) - 1], self.chinese)


def in_chinese(text: str, depth: int = 0) -> str:
    """The same error in Chinese; "" if it is not known."""
    if len(text) > MAX_CHARS or depth > MAX_DEPTH:
        return ""
    for pattern, chinese in _compiled():
        if found := pattern.fullmatch(text):
            groups = found.groupdict()
            told = {name: _nested(groups[name], depth) for name in groups.keys() & NESTED}
            return chinese.format(**groups | told)
    for template in templates():
        values = template.values_in(text)
        if values is not None:
            return template.filled([_nested(value, depth) for value in values])
    return ""


def error_in(text: str, language: str) -> str:
    """The error in the reader's language, in English where there is no other."""
    return (in_chinese(text) if language == "zh" else "") or text


def error_text(error: BaseException, language: str = "en") -> str:
    """What an exception says, for people who read that language: `en` or `zh`."""
    return error_in(str(error), language)


def _nested(value: str, depth: int) -> str:
    return in_chinese(value, depth + 1) or value


@cache
def templates() -> tuple[Template, ...]:
    """Those with the most words of their own first: others may fit the same text."""
    text = (resources.files(__package__) / FILE).read_text(encoding="utf-8")
    pairs = (line.split("\t") for line in text.splitlines())
    found = (Template(tuple(english.split(HOLE)), chinese) for english, chinese in pairs)
    return tuple(sorted(found, key=lambda one: -sum(map(len, one.parts))))


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in RULES)
