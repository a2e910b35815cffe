"""The words around the REST reference, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .openapi import FAILURES, MISSING

PROBLEM = """
```json
{"type": "urn:taishi:problem:scope", "title": "No scope, or one that contradicts itself",
 "status": 400, "detail": "no scope: send scope {\\"user\\": …} for a private chat, …",
 "request_id": "…"}
```
"""
INTRO_EN = """# REST

[中文](rest.zh-CN.md)

This page is written by `python -m taishi.server`; a running server shows it at `/docs`, and gives
the same, with the shapes in full, as `/openapi.json`. How to start one, and who may do what:
[Serve it](../how-to/serve.md).

- **Scope.** A body says whom it is about with `scope`, an address with the same names as
  parameters: `user`, `group`, `agent`, `session`, `workspace`, `shared`. A key that is bound to
  some of them fills them in and refuses others.
- **Ids** are text or whole numbers, up to 256 characters. In an address they are percent-encoded.
- **Times** are ISO 8601 or epoch seconds; a time without a zone is in the server's timezone.
  Answers are in UTC.
- **Names** that are not known are refused, and the nearest one is named. Bodies are
  `application/json`.
- **Pages**: pass `next` of a page as `after` to get the following one; null means that there is
  none.
- **`Idempotency-Key`** on a POST that writes: sent again with the same body within a day, it is
  answered alike and done once (`Idempotency-Replayed: true`); with another body it is refused
  (422). For turns and memories it is done once also across a crash of the server.
- **`X-Taishi-Actor: model`** says that a model decided this: it is trusted less, whatever the key
  may do. No other value is taken.
- **`X-Request-ID`** is taken over if it is sane, made if not, and comes back with every answer.
- **Rights**: `read`, `write` and `admin`, each with the ones before. "admin of the workspace" is a
  key that is bound to no user, group or agent; "admin of the server" one for every workspace.
- **Errors** are `application/problem+json`: a `type` that never changes, `title`, `status`, a
  `detail` that says what to do, `request_id`, and `errors` with each field that does not fit, named
  as it was sent. With `Accept-Language: zh` title and detail are in Chinese.
"""
INTRO_ZH = """# REST

[English](rest.md)

本页由 `python -m taishi.server` 生成。
运行中的服务在 `/docs` 显示同样的内容，在 `/openapi.json` 给出完整的描述（英文）。
如何启动服务、谁有什么权限，见[启动服务](../how-to/serve.zh-CN.md)。

- **作用域**：请求体里用 `scope` 说明关于谁，地址里用同名参数：
  `user`、`group`、`agent`、`session`、`workspace`、`shared`。
  密钥绑定了其中几项时会自动填入，与之不符的会被拒绝。
- **编号**是文本或整数，最多 256 个字符。在地址里要做百分号编码。
- **时间**是 ISO 8601 或 1970 年以来的秒数；不带时区则按服务的时区理解。应答里是 UTC。
- **未知的名称**会被拒绝，并提示最接近的名称。请求体为 `application/json`。
- **分页**：把一页的 `next` 作为 `after` 传入，得到下一页；null 表示没有了。
- **`Idempotency-Key`** 用于写入的 POST：一天之内以同样的请求体重发，得到同样的应答，只执行一次
  （`Idempotency-Replayed: true`）；请求体不同则拒绝（422）。
  对于轮次和记忆，服务中途崩溃也只执行一次。
- **`X-Taishi-Actor: model`** 表示由模型决定：可信度较低，不论密钥有什么权限。不接受其他值。
- **`X-Request-ID`** 合乎规范则沿用，否则自动生成；每个应答都会带回。
- **权限**：`read`、`write` 和 `admin`，后者包含前者。
  “工作区的 `admin`”是没有绑定用户、群或智能体的密钥；“整个服务的 `admin`”是面向所有工作区的密钥。
- **错误**为 `application/problem+json`：`type`（不会改变）、`title`、`status`、
  `detail`（说明该怎么办）、`request_id`，以及 `errors`（每个不符合要求的字段，名称与发送的相同）。
  带上 `Accept-Language: zh`，`title` 和 `detail` 为中文。
"""
FAILURES_ZH = {
    400: "作用域、时间、编号或 JSON 有误。",
    401: "没有密钥，或密钥未知、已吊销、已过期。",
    403: "密钥的权限不够：作用域不符，或缺少权限。",
    404: "作用域所在的分区里没有。",
    408: "请求体没有按时到齐。",
    409: "另一个请求正在写入，或期间已经写入。请重试。",
    413: "请求体过大。",
    415: "请求体不是 application/json。",
    422: "请求不符合接口说明，`errors` 写明是哪里。也可能是 `Idempotency-Key` 已用于另一请求。",
    429: "这个密钥的请求过多，或这个地址发来的错误密钥过多；`Retry-After` 写明要等多久。",
    503: "数据目录、密钥、队列或模型暂时不可用，或请求太多、来不及应答；"
    "`Retry-After` 写明要等多久。",
}


@dataclass(frozen=True)
class PageWords:
    """Templates are filled in with str.format."""

    intro: str
    status_head: str
    failures: Mapping[int, str]
    field_head: str
    operation: str  # a route's first line
    question: str  # the same for a summary that is a question
    scope: str
    needed: str
    body: str
    answer: str
    content: str  # what an answer has in it
    or_: str
    comma: str
    list_of: str
    types: Mapping[str, str]


ENGLISH = PageWords(
    intro=INTRO_EN + PROBLEM,
    status_head="| status | meaning |",
    failures={**FAILURES, 404: MISSING},
    field_head="| name | is | meaning |",
    operation="**{summary}.** {description} Needs {needs}.",
    question="**{summary}** {description} Needs {needs}.",
    scope="the scope",
    needed=" (needed)",
    body="body",
    answer="Answers {status}{content}.",
    content=" with {fields}",
    or_=" or ",
    comma=", ",
    list_of="list of {kind}",
    types={
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true/false",
        "null": "null",
        "object": "object",
        "array": "list",
        "": "anything",
    },
)
CHINESE = PageWords(
    intro=INTRO_ZH + PROBLEM,
    status_head="| 状态 | 含义 |",
    failures=FAILURES_ZH,
    field_head="| 名称 | 类型 | 含义 |",
    operation="**{summary}。** {description}需要{needs}。",
    question="**{summary}** {description}需要{needs}。",
    scope="作用域",
    needed="（必填）",
    body="请求体",
    answer="应答 {status}{content}。",
    content="：{fields}",
    or_="或",
    comma="、",
    list_of="列表（{kind}）",
    types={
        "string": "文本",
        "integer": "整数",
        "number": "数字",
        "boolean": "true/false",
        "null": "null",
        "object": "对象",
        "array": "列表",
        "": "任意",
    },
)
