"""What "moved to …", 搬到…… teaches: a home only if what is moved to is plausibly a place.

One moves to Dalkey and to Helix, and both are words with a capital. A place is known by its name
(`place_names`), by where one came from, or by what is said beside it (family, a flat, a new job);
software by its name, by what was used before, or by talk of it. What is neither is kept in the
person's own words: true in both readings, and no end of a known home.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...domain.drafts import FactDraft
from ...language.analyzer import has_cjk
from ...language.lazy_regex import lazy_compile
from ...language.place_names import is_place_name
from ...language.software_names import is_software_name, speaks_of_software
from ...language.text import sentences

_CHARS_BESIDE = 400
_FROM = lazy_compile(
    r"\bfrom (?P<en>[^,;.]{1,60}?)(?= to [A-Z]|$|[,;.!]| (?:last|this|in|on|two|three|a|an|the|some"
    r"|because|and|for|with|after|when|yesterday|today|ages|years?|months?)\b)"
    r"|从(?P<zh>[^，。；到]{1,20}?)(?=[搬迁移换转跳])"
)
_DETERMINER = lazy_compile(r"^(?:(?:(?:the|my|our|an?|plain|good|old) )+|[\w'’-]+['’]s (?:old )?)")
_KIN = (
    r"(?:husband|wife|partner|girlfriend|boyfriend|fianc[eé]e?|family|kids?|children|sons?|daughters?"
    r"|parents?|mother|mum|mom|father|dad|sisters?|brothers?|cats?|dogs?|flatmates?|roommates?)"
)
_OF_A_HOME = lazy_compile(  # in the sentence that tells the move
    rf"\bwith (?:[\w'’]+ ){{1,3}}{_KIN}\b|\b(?:relocated|emigrated)\b"
    r"|\bfor (?:a|my|the|[\w'’]+['’]s) (?:new )?(?:jobs?|studies|degree|phd|master\S*)\b"
    r"|\bfor (?:university|uni|college|love)\b|\bto (?:live|study|be (?:near|close|with)|retire)"
    r"|\b(?:as a (?:child|kid|teenager|student|girl|boy)|when (?:\w+ ){1,2}(?:was|were) (?:\w+|\d+)"
    r"(?= years| and|[,.!]|$)|at the age of)"
    r"|(?:do not|don['’]t|no longer|stopped) liv(?:e|ing)\b"
    r"|移居|迁居|搬家|定居|生活|[租买]了?[套间个]?房"
)
_OF_A_NEW_HOME = lazy_compile(  # anywhere in what is said
    r"(?i)\b(?:new|into an?|found an?|rent(?:ed|ing)? an?|bought an?|share an?) (?:[\w-]+ ){0,2}"
    r"(?:flat|apartment|condo|cottage|house|bungalow|flatshare|place|neighbou?rs?|landlord|landlady"
    r"|neighbou?rhood|commute)\b|\bhousewarming\b|\bmoving (?:van|boxes)\b|新家|新房|房东|邻居|租房"
)
# No name of a place: 新工位, 三楼, 研发部, 隔壁的会议室.
_NO_PLACE_ZH = lazy_compile(
    r".*(?:[工座车床机席铺]位|位[子置]|卡座|桌|[办公写字大新老主副教学]楼|楼[上下]|[一二三四五六七八九十\d几底顶高]楼"
    r"|[一二三四五六七八九十\d]层|[A-Za-z\d甲乙丙]座|室|[房车隔单里外]间|[客餐展大前]厅|[书新厨平套旧老租]房|房子|屋子?"
    r"|主卧|次卧|阳台|走廊|角落|中间|[窗墙路床旁右左外里]边|边上|门口|[前后]排|第.{1,2}排|[里外前后上下对侧]面"
    r"|群|频道|平台|软件|系统|服务器|云端|云上|仓库|分支|目录|文件夹|[硬网磁]盘|U盘|部门|[^东西南北中]部|[^\d]组|团队|班"
    r"|[章页节]|宿舍|公司|单位|总部|园区|[校厂]区|车间|(?:办公|工作|休息)区|[新分门旧]店|地方|城市|环境|别处|外地|一起)"
    r"|[新老旧](?:家|地|住处|公寓|小区|城|学校|房间|工作|大楼)|(?:另|别)的?.+|乡下|农村|城里|市区|郊区|国外|海外"
)
_AROUND_ZH = lazy_compile(r"(?:这边|那边|附近|市区?|城区?|住|了)+$")


def moved_facts(fact: FactDraft, text: str, said: str) -> Iterator[FactDraft]:
    """What a move teaches: `fact`, the home that it would be, nothing, or the person's own words
    `text`. `said` is what the person says: what stands near counts."""
    value, origin = fact.value, _origin(text)
    at = max(said.find(value), 0)
    said = said[max(at - _CHARS_BESIDE, 0) : at + len(value) + _CHARS_BESIDE]
    if _is_software_move(value, origin):
        return
    if has_cjk(value) and _NO_PLACE_ZH.fullmatch(value):
        return
    if _is_home(value, origin, text, said):
        yield fact
        return
    if speaks_of_software(said):
        return
    own = fact.category if fact.category == "relationship" else "other"
    yield replace(fact, content=text, category=own, tags=(), value="")
    if origin and fact.category == "residence":
        yield replace(fact, leaves=origin)
        works = "{0}在{1}工作" if has_cjk(fact.content[len(fact.subject) :]) else "{0} works at {1}"
        job = works.format(fact.subject, value)
        yield replace(fact, content=job, category="employer", leaves=origin)


def _is_software_move(value: str, origin: str) -> bool:
    if origin and is_software_name(origin) and not is_place_name(origin):
        return True
    return is_software_name(value) and not is_place_name(value)


def _is_home(value: str, origin: str, text: str, said: str) -> bool:
    name = _AROUND_ZH.sub("", value)
    if has_cjk(name) or is_place_name(name):
        return True  # a Chinese name: 搬 is said of a home, and of software only beside its name
    if origin and (is_place_name(origin) or (has_cjk(origin) and not _NO_PLACE_ZH.match(origin))):
        return True
    told = [one for one in sentences(said) if value in one]
    return _OF_A_NEW_HOME.search(said) is not None or any(
        _OF_A_HOME.search(one) is not None for one in (text, *told)
    )


def _origin(text: str) -> str:
    """What was left: "Cork" of "moved from Cork to Dalkey", "moved to Dalkey from Cork"."""
    found = _FROM.search(text)
    if found is None:
        return ""
    return _DETERMINER.sub("", (found["en"] or found["zh"]).strip(), count=1)
