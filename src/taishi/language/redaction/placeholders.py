"""Recognises placeholders for secrets: `<token>`, `YOUR_API_KEY`, `os.environ["X"]`.

A redacted placeholder tells nobody anything and takes the point out of a snippet of code.
"""

from __future__ import annotations

import re
from functools import cache

_WORDS = frozenset(
    "required optional none null nil true false string str text bool boolean int integer number "
    "bytes object any undefined password passwd passphrase passcode pass pwd secret token key "
    "apikey username user login changeme changeit change_me placeholder example sample dummy "
    "redacted hidden masked empty todo tbd fixme foo bar default secretstr varchar char bearer "
    "basic mypassword mysecret yourpassword".split()
)
# Marks of templates, shells and formats, and rows of one sign. A bracket is closed, unless the
# value was cut at a blank and only a name is left; a password may begin with any of these signs.
_TEMPLATE = (
    r"\$[0-9]|[（(][^()（）\r\n]*[)）]|<[^<>\r\n]{1,60}>|\$?\{{1,3}[^{}\r\n]{1,60}\}{1,3}|\$?\{\{[A-Za-z_.]{0,40}"
    r"|\$(?:[A-Za-z_]{1,60}|[A-Z_][A-Z0-9_]{0,60})|\$[({](?:[A-Za-z_.-]{0,40}|.*[)}])|[<（(][A-Za-z\u4e00-\u9fff_-]{1,40}"
    r"|%[A-Za-z_]{0,40}|%\w{1,40}%|%\(\w{1,40}\)s?|@[A-Za-z_]{2,40}@"
    r"|(?i:\[(?:redacted|masked|hidden|filtered|removed|secret|omitted|已脱敏|已隐藏|脱敏|隐藏)(?:[\s:：].*|\]?))"
    r"|[*•.…x_\-#?●○◦■□█▇▪＊·]+|[a-z]{1,6}[-_](?:x{3,}|\*{3,}|\.{3}|…).{0,4}|(?:\*{3,}|…).{0,4}"
    r"|.{0,12}(?:\.{3}|…).{0,4}|[Xx*-]{4,}"
)
# `YOUR_API_KEY`, `your-token-here`, `my_secret_key`, `insert key here`; and names of variables.
_NAMED = (
    r"(?i:[\[<{(]?(?:your[-_ ]?|(?:insert|replace|enter|paste)[-_ ]"
    r"|(?:my|our|the|some|any|put|add)[-_])"
    r"(?:[a-z]{1,16}[-_ ]){0,6}(?:[a-z]{0,12}(?:key|token|secret|password|passwd|pwd|pass|id|value|"
    r"here|me|this|credentials?)s?|with[-_ ].{0,30})[\]>})]?)"
    r"|[A-Z]{2,20}(?:_[A-Z]{2,20}){1,6}|(?:your|example|sample|dummy|test|fake)[-_][a-z_-]{2,40}"
)
# Names of variables and values of tests: `hashed_password`, `access_token`, `mysecretkey`.
_VARIABLE = (
    r"(?i:[a-z]{0,16}_?(?:[a-z]{1,16}_){0,4}(?:password|passwd|token|secret|secret_?key|api_?key|_key)s?"
    r"(?:_[a-z]{1,16}){0,4}|(?:test|my|new|old|user|db|admin|root|wrong|valid)_?pass)"
)
_ACCESS = (
    r"(?:self|this|cls|config|cfg|conf|settings|os|env|environ|process|request|req|res|response|"
    r"options|opts|args|params|props|state|user|data|vars|secrets|credentials|creds|app|ctx|"
    r"context|event|body|form|input|account|row|item|obj|client|auth|session|model|local|module|"
    r"random|uuid|base64|hashlib|crypto|string|var|import)"
)
# A call, an index, an attribute or an operator of a programming language.
_CODE = (
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+!?[(\[].*"
    r"|[A-Za-z_$]+!?[(\[](?:[A-Za-z_$.]{0,40}[,\"']?|[\"'].*|.*[)\]][;,]?)"
    rf"|{_ACCESS}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+;?"
    r"|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\.[A-Za-z_$]*(?i:key|token|secret|password|passwd|pwd)s?;?"
    r"|(?:&|\*|!)?(?:await|new|lambda|function|async|return|typeof)(?:\s.*)?"
    r"|f[\"'].*|/(?:run|etc|var|home|usr|opt|tmp)/.*"
)
_CHINESE = (
    r"(?:[A-Za-z]{2,8}[-_]){0,2}[\u4e00-\u9fff]{0,6}(?:密码|口令|密钥|秘钥|令牌|用户名|账号|授权码|填这里)[】》>\]]?"
    r"|(?:[A-Za-z]{2,8}[-_]){0,2}[<《【\[]?(?:你的|您的|填|请|此处|这里|自己的|自行|替换|某某|随便).*|[xX×某*＊]{2,}[\u4e00-\u9fff]{0,8}"
)
_SCHEME = re.compile(r"(?i)\A(?:bearer|token|basic)\s{1,3}(?=\S)")
LONGEST = 100


@cache
def _any() -> re.Pattern[str]:
    return re.compile("|".join((_TEMPLATE, _NAMED, _VARIABLE, f"(?a:{_CODE})", _CHINESE)), re.S)


def is_placeholder(value: str) -> bool:
    """Is this no secret but the name of one, a mark to be filled in or a piece of code?"""
    if len(value) > LONGEST:
        return False
    bare = _SCHEME.sub("", value.strip("\"'` "))
    if not bare or bare.lower().rstrip(".!?:,;") in _WORDS:
        return True
    return _any().fullmatch(bare) is not None
