"""A plan that its owner will not carry out: "I'm not moving to Leeds after all", 我不搬了.

What is dropped is named by its verb, and perhaps by its object or its place. What the rest of the
sentence names besides has to be in the plan as well: 考研的事想了想，不考了 is not about 驾照.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...language.analyzer import has_cjk
from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile

# How a verb that is said alone shows in a plan: 考 in 考虑 is another word.
_VERBS_ZH = {
    "辞": "辞(?![典令])",
    "搬": "搬(?![砖运])",
    "考": "考(?![虑察核古勤验评量])",
    "买": "买",
    "卖": "卖",
    "换": "换",
    "租": "租(?![金客])",
    "退": "退(?![烧步])",
    "学": "(?<![开放上同大小中留转])学(?![校生期院费历分姐长弟妹])",
    "报": "报(?![告销纸表道到])",
    "结": "结(?:个)?婚",
    "离": "离(?:个)?[婚职]",
    "装": "装",
    "订": "订",
    "养": "养(?![老生成])",
}
_WHOLE_ZH = (
    "跳槽|出国|留学|创业|减肥|转行|转学|请假|移民|退休|出差|旅游|旅行|露营|聚餐|参加|离职|考研|考公"
    "|装修|开店|读研|读博|实习|面试|体检|手术|相亲|领证"
)
_SUBJECT_ZH = "(?:我们?|咱们?)?"
_REALLY_ZH = "(?:已经|又|也|都|就|最后|最终|还是|决定|打算|干脆|现在|真的?)*"
_DROPPED_ZH = lazy_compile(
    rf"{_SUBJECT_ZH}(?P<topic>[^，。；！,;!?？不没]{{0,12}}?){_SUBJECT_ZH}{_REALLY_ZH}不(?:打算|准备)?"
    rf"(?:(?P<whole>{_WHOLE_ZH})|(?P<verb>[{''.join(_VERBS_ZH)}]))"
    rf"(?P<object>(?:[{HAN}A-Za-z0-9]{{1,10}}?)?)了[啊呀啦哦]?"
)
_COMMON_OBJECT_ZH = "家职婚名学去到回来了的过不没也还就那这"
_TOPIC_ZH = lazy_compile(
    f"(?P<named>[{HAN}A-Za-z]{{2,8}}?)(?:的|那|这)(?:事|计划|打算|想法)"
    f"|^我?(?P<place>[{HAN}A-Za-z]{{2,6}}?)(?:那边?|这边?|的)?[个套间家份]?的?"
    "(?:房子|房|工作|公司|店|学校|车|票|班|课|项目|offer)"
)
_MOTION_ZH = lazy_compile("^[去到回在来掉]+")

_PUT_OFF = lazy_compile(
    r"(?i)再说|改天|改日|改[到成]|推迟|延期|暂时|先不|今[天晚儿]|现在太"
    r"|\b(?:today|tonight|yet|for now|right now|until|till|instead)\b"
)

_DOING = (
    r"(?:moving|quitting|resigning|leaving|buying|selling|renting|joining|retiring|switching"
    r"|changing|studying|adopting|applying|attending|visiting|getting married|emigrating)"
)
_DO = (
    r"(?:move|quit|resign|leave|buy|sell|rent|join|retire|switch|change|study|adopt|apply|attend"
    r"|visit|get married|emigrate)"
)
_AM = "(?:i['’]m|i am|we['’]re|we are)"
_OBJECT_EN = r"(?: [^,;:.!?—]{1,50}?)??"
_END_EN = r"(?P<end>(?: (?:now|after all|any ?more|for good|unfortunately|sadly))*)"
_DROPPED_EN = tuple(
    lazy_compile(rf"(?i)(?:(?:so|but|and|because) )?{row}{_END_EN}")
    for row in (
        rf"{_AM} (?P<sure>no longer|not) (?P<what>{_DOING}{_OBJECT_EN})",
        rf"{_AM} (?P<sure>no longer|not) going to (?P<what>{_DO}{_OBJECT_EN})",
        rf"(?:i|we)(?:['’]ve| have)? (?P<sure>decided) not to (?P<what>{_DO}{_OBJECT_EN})",
        rf"(?:i|we)(?:['’]ve| have)? (?P<sure>decided) against (?P<what>{_DOING}{_OBJECT_EN})",
        rf"(?:i|we) (?P<sure>won['’]t|will not) be (?P<what>{_DOING}{_OBJECT_EN})",
    )
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a plan that is dropped must say: these words, and in Chinese this pattern of a verb."""

    what: str
    verb: str = ""
    besides: frozenset[str] = frozenset()


def dropped(clause: str, sentence: str) -> Dropped | None:
    """The plan that a clause of a sentence gives up; one that is put off is none."""
    if _PUT_OFF.search(sentence):
        return None
    if has_cjk(clause):
        found = _DROPPED_ZH.fullmatch(clause)
        return _dropped_chinese(found, sentence[: sentence.find(clause)]) if found else None
    match = next((one for row in _DROPPED_EN if (one := row.fullmatch(clause))), None)
    if match is None:
        return None
    # "I'm not leaving" may be of this moment; "I'm not leaving after all" is of a plan.
    is_of_plan = match["sure"].lower() in ("no longer", "decided") or match["end"]
    return Dropped(match["what"]) if is_of_plan or " " in match["what"] else None


def _dropped_chinese(found: re.Match[str], before: str) -> Dropped | None:
    verb = re.escape(found["whole"]) if found["whole"] else _VERBS_ZH[found["verb"]]
    named = _MOTION_ZH.sub("", found["object"])
    besides = set(_named_before(before, found["verb"] or ""))
    if named and named not in _COMMON_OBJECT_ZH:
        besides.add(named)
    return Dropped(found["topic"], verb, frozenset(besides))


def _named_before(before: str, verb: str) -> Iterator[str]:
    """What the clauses before name: 鄞州那房子没租成, 考研的事我想了想."""
    for clause in re.split("[，,；;。！!]", before):
        if topic := _TOPIC_ZH.search(clause):
            yield topic["named"] or topic["place"]
        for at in re.finditer(verb, clause) if verb else ():
            after = clause[at.end() : at.end() + 1]
            if after and after not in _COMMON_OBJECT_ZH and re.match(f"[{HAN}]", after):
                yield f"{verb}{after}"
