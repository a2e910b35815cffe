"""Who holds which role: "Marek is the backend lead", "Sofia took over as lead", 小王负责登录模块.

"The lead" is one person, and who is "now" the product manager may no longer be the lead. Of "a"
nurse there may be several, and who is two things may well be both.
"""

from __future__ import annotations

from typing import NamedTuple

from . import analyzer
from .clauses import lemma
from .lazy_regex import lazy_compile

MOST_CHARS = 300
_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}"
_HOLDER = rf"(?P<holder>(?:[Tt]he )?[Uu]ser|{_NAME})"
_ADVERB = r"(?: (?:now|currently|officially|again))?"
_THE = (
    r"(?P<the>(?:the|our|my|their|his|her|an?|[\w’-]+['’]s) )?(?:(?:new|current|acting|interim) )?"
)
_ROLE = r"(?P<role>[\w&/’'-]+(?: [\w&/’'-]+){0,4}?)"
_SCOPE = r"(?: (?:of|on|for|at|in) (?:the |our |their )?(?P<scope>[\w&/’' -]{1,60}?))?"
_END = (
    r"(?:,? (?:now|these days|at the moment|from now on|instead|currently))?"
    r"(?:[,;]? (?:and )?(?:no longer|not|instead of|rather than|replacing|succeeding|from)\b"
    r".{1,80})?"
)
_TAKES = (
    r"(?:(?:has )?bec(?:ame|omes?)|(?:was|is|got|has been) (?:promoted to|made|named|appointed)"
    r"|(?:takes|took|has taken|is taking) over as"
    rf"|(?:replaces|replaced|succeeds|succeeded|(?:takes|took) over from) {_NAME} as)"
)
# Of these one person has one at a time.
_OF_ONE = r"(?:(?:line |team |project )?manager|boss|supervisor|landlord|landlady|team lead)"
_PATTERNS = tuple(
    lazy_compile(row)
    for row in (
        rf"{_HOLDER} (?P<takes>{_TAKES}) {_THE}{_ROLE}{_SCOPE}{_END}",
        rf"{_HOLDER}{_ADVERB} (?P<role>leads|heads|chairs|is responsible for|is in charge of"
        rf"|is on call for){_ADVERB} (?P<the>(?:the|our) )(?P<scope>[\w&/’' -]{{1,60}}?){_END}",
        rf"{_HOLDER}(?: is|['’]s){_ADVERB} (?P<takes>(?P<role>on (?:call|duty)))"
        rf"(?: (?:for (?:the |our )?)?(?P<scope>[\w&/’' -]{{1,60}}?))?{_END}",
        rf"(?P<the>[Mm]y|{_NAME}['’]s) (?:new |current )?(?P<role>{_OF_ONE})"
        rf" is{_ADVERB}(?: called| named)? (?P<holder>{_NAME}){_END}",
        rf"{_HOLDER}(?: is|['’]s){_ADVERB} {_THE}{_ROLE}{_SCOPE}{_END}",
        rf"(?P<the>[Tt]he|[Oo]ur) (?:new |current )?{_ROLE}{_SCOPE} is{_ADVERB}(?: called| named)?"
        rf" (?P<holder>{_NAME}){_END}",
    )
)
_JOBS = frozenset(
    lemma(word)
    for word in """lead leader manager owner head director coordinator chair chairperson chairman
    chairwoman president secretary treasurer captain coach maintainer supervisor boss principal
    editor officer ceo cto cfo coo cmo architect engineer developer designer analyst tester
    administrator admin assistant representative spokesperson moderator master contact""".split()
)
_CHANGED = lazy_compile(
    r"(?i)\b(?:now|no longer|new|currently|these days|instead|not)\b"
    r"|现在|目前|如今|不再|改任|升任|接任|换成"
)
_SEVERAL = lazy_compile(
    r"(?i)\b(?:also|another|co-\w+|one of|too|as well|both|deputy|together|and)\b"
    r"|也|另|之一|联合|共同|副|[和跟与、]"
)
_ONE_ZH = (
    "(?:负责人|组长|队长|班长|主管|总监|主任|主席|会长|店长|校长|院长|部长"
    "|群主|老板|领导|上司|房东|导师|班主任|管理员|对接人|联系人|掌门|CEO|CTO|CFO|COO)"
)
_JOB_ZH = rf"(?:{_ONE_ZH}|(?:产品|项目|测试|运营|技术|销售)?经理|架构师|工程师|开发|设计师|测试)"
_NOW_ZH = "(?:现在|目前|如今|已经?|又)*"
_HOLDER_ZH = "(?P<holder>[\u3400-\u9fff]{2,4}?|用户|[A-Za-z][\\w .'’-]{0,30}?)"
_END_ZH = "(?:了|啦)?(?:[，,](?:而)?(?:不再|不是|不当|接替|取代).{1,30})?"
_PATTERNS_ZH = tuple(
    lazy_compile(row)
    for row in (
        rf"(?i){_HOLDER_ZH}\s*{_NOW_ZH}(?:是|担任|出任|升任|改任|接任|成为|当上?|做)了?(?P<scope>[^，。；是]{{0,16}}?)"
        rf"的?(?:新任?|现任)?(?P<role>{_JOB_ZH}){_END_ZH}",
        rf"(?i)(?P<scope>[^，。；是]{{0,16}}?)的?(?:新任?|现任)?(?P<role>{_JOB_ZH}){_NOW_ZH}"
        rf"(?:是|由|换成|改为|改成)了?{_HOLDER_ZH}(?:担任)?{_END_ZH}",
        rf"{_HOLDER_ZH}{_NOW_ZH}(?P<role>负责)(?P<scope>[^，。；]{{2,16}}?){_END_ZH}",
    )
)
_ONE = lazy_compile(f"(?i){_ONE_ZH}|负责")
_CLOSING = " \t.。!！"


class Role(NamedTuple):
    """Who holds what, of what; `is_one`: one person does at a time."""

    holder: frozenset[str]
    role: tuple[str, ...]
    scope: frozenset[str]
    is_one: bool


def other_role(told: str, known: str) -> bool:
    """Whether the new statement gives a known role to somebody else, or its holder another."""
    if _SEVERAL.search(told[:MOST_CHARS]) or _SEVERAL.search(known[:MOST_CHARS]):
        return False
    new, old = role_in(told), role_in(known)
    if new is None or old is None:
        return False
    is_same_scope = new.scope == old.scope
    is_same_holder = new.holder <= old.holder or old.holder <= new.holder
    if new.role == old.role:
        return new.is_one and old.is_one and is_same_scope and not is_same_holder
    if not is_same_holder or not (_is_job(new) and _is_job(old)):
        return False
    is_now = _CHANGED.search(told[:MOST_CHARS]) is not None
    return is_now or (bool(new.scope) and is_same_scope and new.is_one and old.is_one)


def role_in(text: str) -> Role | None:
    plain = text.strip().strip(_CLOSING)[:MOST_CHARS]
    is_chinese = analyzer.has_cjk(plain)
    for pattern in _PATTERNS_ZH if is_chinese else _PATTERNS:
        found = pattern.fullmatch(plain)
        if found is not None:
            return _of(found.groupdict(), is_chinese)
    return None


def _of(parts: dict[str, str | None], is_chinese: bool) -> Role:
    holder, role, scope = ((parts.get(name) or "").strip() for name in ("holder", "role", "scope"))
    if is_chinese:
        named = frozenset((holder.casefold(),))
        is_one = _ONE.fullmatch(role) is not None or (bool(scope) and role.endswith("经理"))
        return Role(
            named, (role.casefold(),), frozenset(filter(None, (scope.strip("的"),))), is_one
        )
    the = (parts.get("the") or "").strip().casefold()
    is_one = (bool(the) and the not in ("a", "an")) or bool(parts.get("takes"))
    return Role(
        frozenset(word.strip(".") for word in holder.casefold().split()),
        tuple(lemma(word) for word in role.casefold().split()),
        frozenset(lemma(word) for word in f"{_owner(the)} {scope}".casefold().split()),
        is_one,
    )


def _owner(the: str) -> str:
    """Whose role it is: the team's lead is the lead of the team."""
    return the[:-2] if the.endswith(("'s", "’s")) else ""


def _is_job(role: Role) -> bool:
    last = role.role[-1] if role.role else ""
    return last in _JOBS or analyzer.has_cjk(last)
