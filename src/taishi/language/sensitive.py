"""Where secrets and contact data stand in a text: spans with labels, nothing is changed here.

Each rule names the literals that must occur before its pattern is even compiled, so ordinary chat
pays for a few substring tests. Every pattern either fails within a bounded number of characters
or consumes what it looked at, which keeps a hostile megabyte linear.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from .assigned import find_assigned, may_assign


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One sensitive span of a text."""

    start: int
    end: int
    label: str


Check = Callable[[re.Match[str]], bool]

WORD = "[A-Za-z0-9_-]"
# What stands right before a number. \Z and not $, which lets a line break stand in between.
ID_BEFORE = (
    r"(?:(?<![A-Za-z])(?:[a-z]*id|qq|msg|message|chat|group|channel|guild|room|order|invoice|"
    r"tracking|seq|ref|ticket|epoch|timestamp|ts|time)|[群号单码]|编号|时间戳?)"
    r"(?:[_ -]?(?:id|no|nr|num|number)s?\.?)?[\"'\s:：=#([是为-]{0,4}\Z|[#@]\Z"
)
CARD_BEFORE = r"(?:card|visa|amex|mastercard|pan|卡号?|银行|信用|储蓄)[^0-9]{0,16}\Z"


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _before(pattern: str, text: str, start: int) -> bool:
    return bool(_compiled(pattern, re.I).search(text[max(0, start - 24) : start]))


def _glued(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 1) : match.start()]
    return before.isascii() and before.isalnum()


def _random_looking(match: re.Match[str]) -> bool:
    """Tells `sk-…` keys from hyphenated words: keys hold a long run of mixed characters."""
    least = 20 if _glued(match) else 10
    runs = [r for r in re.split("[_-]", match[0]) if len(r) >= least]
    return any(re.search("[0-9]", r) or not (r.islower() or r.isupper()) for r in runs)


def _json_web_token(match: re.Match[str]) -> bool:
    return ".eyJ" in match[0] or ("." in match[0] and not _glued(match))


def _basic_credentials(match: re.Match[str]) -> bool:
    """`Basic` is an everyday word; only base64 of `user:password` counts."""
    encoded = match[1].rstrip("=")
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in plain and plain.isprintable()


def _bearer_credentials(match: re.Match[str]) -> bool:
    """`bearer` is a word, too: a token has digits, mixed case or more length than words have."""
    token = match[1]
    mixed = token[1:] != token[1:].lower() and not token.isupper()
    return len(token) >= 24 or mixed or bool(re.search("[0-9_=]", token))


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, tried only when one of its literals occurs. Group 1, if any, is the span."""

    label: str
    literals: tuple[str, ...]
    pattern: str
    check: Check | None = None

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        compiled = _compiled(self.pattern)
        group = 1 if compiled.groups else 0
        for match in compiled.finditer(text):
            if self.check is None or self.check(match):
                yield match.start(group), match.end(group), self.label


def _prefixed(label: str, prefix: str, rest: str = "[A-Za-z0-9]{20,}") -> Rule:
    return Rule(label, (prefix,), re.escape(prefix) + rest)


VENDOR_RULES: tuple[Rule, ...] = (
    Rule("anthropic-key", ("sk-ant-",), rf"sk-ant-{WORD}{{16,}}"),
    Rule("openai-key", ("sk-proj-", "sk-svcacct-"), rf"sk-(?:proj|svcacct)-{WORD}{{16,}}"),
    Rule("openrouter-key", ("sk-or-",), rf"sk-or-{WORD}{{16,}}", _random_looking),
    Rule("openai-key", ("sk-",), rf"sk-{WORD}{{16,}}", _random_looking),
    _prefixed("google-key", "AIza", rf"{WORD}{{30,}}"),
    _prefixed("google-token", "ya29.", r"[A-Za-z0-9_.-]{16,}"),
    _prefixed("google-secret", "GOCSPX-", rf"{WORD}{{16,}}"),
    Rule("google-token", ("1//0",), rf"(?<![A-Za-z0-9_/:.])1//0{WORD}{{30,}}"),
    Rule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{20,}"),
    _prefixed("github-token", "github_pat_", r"[A-Za-z0-9_]{20,}"),
    Rule(
        "gitlab-token",
        ("glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-"),
        r"gl(?:pat|ptt|dt|rt|cbt|soat|ft)-[A-Za-z0-9_.-]{16,}",
    ),
    Rule("slack-token", ("xox",), r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{12,}"),
    _prefixed("slack-token", "xapp-", r"[A-Za-z0-9-]{20,}"),
    _prefixed("slack-webhook", "hooks.slack.com/", r"[a-z]+/([A-Za-z0-9/_-]{16,})"),
    Rule("stripe-key", ("_live_", "_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{12,}"),
    _prefixed("stripe-secret", "whsec_", "[A-Za-z0-9+/=]{16,}"),
    Rule("aws-key", ("AKIA", "ASIA"), r"(?<![A-Z0-9])A(?:KI|SI)A[A-Z0-9]{16,}"),
    Rule("aliyun-key", ("LTAI",), r"(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{12,}"),
    Rule("tencent-key", ("AKID",), r"(?<![A-Za-z0-9])AKID[A-Za-z0-9]{13,}"),
    Rule("volcengine-key", ("AKLT",), r"(?<![A-Za-z0-9])AKLT[A-Za-z0-9]{20,}"),
    Rule("huggingface-token", ("hf_",), r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}"),
    Rule("telegram-token", (":AA",), rf"(?<![0-9])[0-9]{{6,12}}:AA{WORD}{{30,}}"),
    Rule(
        "discord-token",
        (".",),
        rf"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{{22,32}}\.{WORD}{{5,8}}\.{WORD}{{25,}}",
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        rf"/api/webhooks/[0-9]{{10,25}}/({WORD}{{20,}})",
    ),
    _prefixed("feishu-webhook", "/open-apis/bot/v2/hook/", r"([A-Za-z0-9-]{16,})"),
    _prefixed("npm-token", "npm_"),
    _prefixed("pypi-token", "pypi-Ag", rf"{WORD}{{16,}}"),
    _prefixed("sendgrid-key", "SG.", rf"{WORD}{{16,}}\.{WORD}{{16,}}"),
    Rule("twilio-key", ("SK",), r"(?<![A-Za-z0-9])SK[0-9a-f]{32,}"),
    Rule("zhipu-key", (".",), r"(?<![A-Za-z0-9])[0-9a-f]{32}\.[A-Za-z0-9]{16,}"),
    Rule("mailgun-key", ("key-",), r"(?<![A-Za-z0-9])key-[0-9a-f]{32,}"),
    Rule("digitalocean-token", ("_v1_",), r"do[opr]_v1_[0-9a-f]{32,}"),
    Rule("shopify-token", ("shp",), r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}"),
    _prefixed("groq-key", "gsk_"),
    Rule("xai-key", ("xai-",), r"(?<![A-Za-z0-9])xai-[A-Za-z0-9]{20,}"),
    Rule("perplexity-key", ("pplx-",), r"(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{20,}"),
    Rule("replicate-token", ("r8_",), r"(?<![A-Za-z0-9])r8_[A-Za-z0-9]{20,}"),
    _prefixed("nvidia-key", "nvapi-", rf"{WORD}{{20,}}"),
    _prefixed("tavily-key", "tvly-", rf"{WORD}{{16,}}"),
    _prefixed("notion-token", "ntn_"),
    _prefixed("linear-key", "lin_api_"),
    _prefixed("pinecone-key", "pcsk_", "[A-Za-z0-9_]{20,}"),
    _prefixed("langsmith-key", "lsv2_", "[A-Za-z0-9_]{20,}"),
    _prefixed("docker-token", "dckr_pat_", rf"{WORD}{{16,}}"),
    _prefixed("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{20,}"),
    Rule("databricks-token", ("dapi",), r"(?<![A-Za-z0-9])dapi[0-9a-f]{32,}"),
    Rule("vault-token", ("hvs.", "hvb."), rf"(?<![A-Za-z0-9])hv[sb]\.{WORD}{{20,}}"),
    Rule("grafana-token", ("glsa_", "glc_"), r"gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}"),
    Rule("facebook-token", ("EAA",), r"(?<![A-Za-z0-9])EAA[A-Za-z0-9]{40,}"),
    _prefixed("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{20,}"),
    Rule(
        "jwt",
        ("eyJ",),
        rf"eyJ{WORD}{{13,}}+(?:\.{WORD}{{8,}}+(?:\.[\w-]*+){{0,4}})?",
        _json_web_token,
    ),
)

CREDENTIAL_RULES: tuple[Rule, ...] = (
    Rule("bearer", ("bearer",), r"(?i)bearer[\s:]{1,3}([!#-&*-;=?-~]{8,})", _bearer_credentials),
    Rule("basic", ("basic",), r"(?i)basic[\s:]{1,3}([A-Za-z0-9+/]{6,}={0,2})", _basic_credentials),
    Rule(
        "url-password",
        ("://",),
        r"://[^\s:/?#@\"'<>]{0,128}:([!$-.0-;=@-~]{1,256})@(?=[\[\w])",
    ),
    Rule(
        "url-secret",
        ("sig", "code=", "key="),
        r"(?i)[?&;](?:sig|signature|x-amz-(?:signature|credential)|code|key)=([^\s&#\"'<>]{8,})",
    ),
    Rule(
        "password",
        ("-u", "--user"),
        r"(?<!\S)(?:-u|--(?:proxy-)?user)[ =]?[\"']?[^\s:\"']{1,64}:([^\s\"']{1,256})",
    ),
)  # fmt: skip

PHONE_RULES: tuple[Rule, ...] = (
    Rule(
        "phone",
        ("+", "＋"),
        r"(?<![0-9A-Za-z_+])[+＋][1-9](?:[ .()\u00a0-]{0,2}[0-9]){7,14}(?![0-9])",
    ),
    Rule(
        "phone",
        ("1",),
        r"(?<![0-9A-Za-z_.+-])(?:(?:00)?86[ -]?)?1[3-9][0-9][ -]?[0-9]{4}[ -]?[0-9]{4}"
        r"(?![0-9A-Za-z_])",
        lambda m: not _before(ID_BEFORE, m.string, m.start()),
    ),
    Rule(
        "phone",
        ("-", ".", " "),
        r"(?<![0-9A-Za-z_.+-])(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[0-9]{3}[ .-]"
        r"[0-9]{4}(?![0-9A-Za-z_]|[.-][0-9])",
        lambda m: not _before(ID_BEFORE, m.string, m.start()),
    ),
    Rule(
        "phone",
        ("0", "00"),
        r"(?<![0-9A-Za-z_.+-])(?:\(0[1-9][0-9]{1,2}\) ?|0[1-9][0-9]{0,2}[ -])"
        r"(?:[0-9]{7,8}|[0-9]{3,4}[ -][0-9]{4})(?![0-9A-Za-z_]|[.-][0-9])",
    ),
    Rule(
        "phone",
        ("tel", "phone", "mobile", "cell", "call", "电话", "手机", "whatsapp"),
        r"(?i)(?:tel|phone|mobile|cell|whatsapp|电话|手机)(?:[ _]?(?:no|number)|号码?)?[\"'.]?"
        r"[ \t]?(?:[:：=]|is|是|为)?[ \t\"']{0,2}([0-9(](?:[ ().-]{0,2}[0-9]){5,13})"
        r"(?![0-9A-Za-z_])",
    ),
)  # fmt: skip

_HEADER = (
    r"(?i)(?P<outer>[\"'`])?(?<![A-Za-z])(?:(?:proxy-)?authorization|(?:set-)?cookie2?)"
    r"(?P<inner>\\*[\"'])?[ \t]{0,4}[:：=][ \t]{0,4}"
)
_PROSE = r"[A-Za-z][a-z]* [a-z]+[ .,]|[a-z]+[.!?]?$"
_SCHEME = (
    r"(?i)(?:bearer|basic|digest|token|apikey|api-key|negotiate|ntlm|hawk|aws4?|oauth|key|tc3)\b"
)


def _find_headers(text: str) -> Iterator[tuple[int, int, str]]:
    """Authorization and cookie headers, to the end of their line or of their quotes."""
    lowered = text.lower()
    if "authorization" not in lowered and "cookie" not in lowered:
        return
    position = 0
    opening, line_end = _compiled(_HEADER), _compiled(r"[\r\n]")
    while match := opening.search(text, position):
        start = position = match.end()
        stop = line_end.search(text, start)
        end = stop.start() if stop else len(text)
        if match["inner"]:
            continue  # a quoted key with its own value: find_assigned reads those
        if quote := match["outer"]:
            closing = text.find(quote, start, end)
            end = closing if closing >= 0 else end
        label = "cookie" if "cookie" in match[0].lower() else "authorization"
        head = text[start : start + 80]
        if label == "cookie":
            wanted = bool(re.match(r"[^\s=;,\"]{1,64}=", head))
        else:
            wanted = bool(re.match(_SCHEME, head)) or not re.match(_PROSE, head)
        if wanted and start < end:
            yield start, end, label
            position = end


_PEM_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"


def _find_private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """PEM blocks; one whose end is missing goes as far as its characters do."""
    body, position = _compiled(r"(?:[A-Za-z0-9+/=\\\s:,]|-(?!-{4}BEGIN))*+"), 0
    last_end = text.rfind("-----END")
    while match := _compiled(_PEM_BEGIN).search(text, position):
        if match.end() <= last_end:
            end = text.find("-----END", match.end())
            closing = text.find("-----", end + 8, end + 80)
            position = closing + 5 if closing >= 0 else end + 8
        else:
            run = body.match(text, match.end())
            position = run.end() if run else match.end()
        yield match.start(), position, "private-key"


_ISSUER = r"(?:4[0-9]{3}|5[1-5][0-9]{2}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)"
_MAJOR = _ISSUER + r"|6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35(?:2[89]|[3-8][0-9])|220[0-4])"
_SEP = "[ \u00a0\u2013-]"
_GROUPED_CARD = (
    rf"(?<![0-9A-Za-z_])(?=((?:{_MAJOR}|(?:50|5[6-8]|6[0-9]|8[12])[0-9]{{2}}){_SEP}[0-9]{{4}}{_SEP}"
    rf"[0-9]{{4}}{_SEP}(?:[0-9]{{4}}(?:{_SEP}[0-9]{{3}})?|[0-9])(?![0-9A-Za-z_])"
    rf"|3[47][0-9]{{2}}{_SEP}[0-9]{{6}}{_SEP}[0-9]{{5}}(?![0-9A-Za-z_])"
    rf"|3(?:0[0-5]|[689][0-9])[0-9]{_SEP}[0-9]{{6}}{_SEP}[0-9]{{4}}(?![0-9A-Za-z_])"
    rf"|62[0-9]{{4}}{_SEP}[0-9]{{13}}(?![0-9A-Za-z_])))"
)
_BARE_CARD = (
    rf"(?<![0-9A-Za-z_])(?<![0-9][.-])((?:{_MAJOR}[0-9]{{12}}|4[0-9]{{12}}|3[47][0-9]{{13}}"
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}|62[0-9]{17}))(?![0-9A-Za-z_]|[.-][0-9])"
)


_DOUBLED = str.maketrans("0123456789", "0246813579")
_NO_SEPARATORS = str.maketrans("", "", " \u00a0\u2013-")


def _luhn(digits: str) -> bool:
    odd, even = digits[-1::-2], digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, odd)) + sum(map(int, even))) % 10 == 0


def _find_cards(text: str) -> Iterator[tuple[int, int, str]]:
    """Card numbers by issuer prefix, length, grouping and checksum.

    Ids and clocks stay: no issuer starts with 1 (epochs in any unit, today's snowflakes), none
    has 17 or 18 digits here, and bare digits after a word such as "id" or "order" are ids.
    """
    for match in _compiled(_GROUPED_CARD).finditer(text):
        candidate = match[1]
        for digits, end in _card_ends(candidate):
            if _luhn(digits):
                yield match.start(1), match.start(1) + end, "card"
                break
    for match in _compiled(_BARE_CARD).finditer(text):
        named = _before(CARD_BEFORE, text, match.start())
        if _luhn(match[1]) and (named or not _before(ID_BEFORE, text, match.start())):
            yield match.start(1), match.end(1), "card"


def _card_ends(candidate: str) -> Iterator[tuple[str, int]]:
    """The number as matched, and without a trailing group of three (a security code)."""
    digits = candidate.translate(_NO_SEPARATORS)
    yield digits, len(candidate)
    if len(digits) == 19 and len(candidate) == 23:
        yield digits[:16], 19


_LOCAL_PART = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"


def _find_emails(text: str) -> Iterator[tuple[int, int, str]]:
    """Found from the @ outwards, so that a text without domains costs nothing."""
    domain = _compiled(r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}")
    for match in domain.finditer(text):
        before = text[max(0, match.start() - 64) : match.start()]
        local = len(before) - len(before.rstrip(_LOCAL_PART))
        if local:
            yield match.start() - local, match.end(), "email"


_LONG_RUN = r"[A-Za-z0-9_/+=-]{16}"
_MANY_DIGITS = r"[0-9](?:[ \u00a0\u2013-]?[0-9]){12}"


_CREDENTIAL_LITERALS = tuple(literal for rule in CREDENTIAL_RULES for literal in rule.literals)


def find_sensitive(text: str, *, email: bool, phone: bool) -> Iterator[tuple[int, int, str]]:
    """Every sensitive span, overlapping ones included; the more specific rule comes first."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.replace("\u0130", "I").lower()  # the one letter that grows in lower case
    if "-----BEGIN" in text:
        yield from _find_private_keys(text)
    if _compiled(_LONG_RUN).search(text):
        yield from _apply(VENDOR_RULES, text, text)
    if any(map(lowered.__contains__, _CREDENTIAL_LITERALS)):
        yield from _apply(CREDENTIAL_RULES, text, lowered)
    if may_assign(lowered):
        yield from _find_headers(text)
        yield from find_assigned(text, lowered)
    if _compiled(_MANY_DIGITS).search(text):
        yield from _find_cards(text)
    if email and "@" in text:
        yield from _find_emails(text)
    if phone:
        yield from _apply(PHONE_RULES, text, lowered)


def _apply(rules: tuple[Rule, ...], text: str, haystack: str) -> Iterator[tuple[int, int, str]]:
    for rule in rules:
        for literal in rule.literals:
            if literal in haystack:
                yield from rule.find(text)
                break
