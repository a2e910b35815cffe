"""Chinese patterns for what ended, plans, identity, home and work."""

from __future__ import annotations

from .chinese_parts import (
    DAY,
    END,
    FIRM,
    JOB,
    MOVED_TO,
    NAME,
    PET,
    PLACE,
    PROVINCES,
)
from .left_jobs import left_jobs_zh
from .new_jobs import new_jobs_zh
from .partings import PARTED_ZH
from .pattern import FactPattern, fact_pattern


def ended_facts() -> tuple[FactPattern, ...]:
    gone = r"(?:辞职|离职|裸辞|被裁员?|被开除|被辞退|辞去了?工作|下岗|失业)"
    no_firm = (
        r"(?:家|公司|单位|学校|办公|会议|群|房间|座位|现场|酒店|医院|机场|车站|[这那他她它你您])"
    )
    return (
        fact_pattern(
            rf"{DAY}(?:已经?|刚|正式)*(?:不再?在(?P<value>[^，。；]{{1,20}}?)(?:上班|工作|干|做)了)"
            rf"{END}",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?|刚|正式)*(?:辞掉|辞去)了?(?P<value>[^，。；我]{{1,20}}?)的(?:工作|职务|职位)了?"
            rf"{END}",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?|刚|正式)*离开(?:了(?=[^，。；了]+{END})|(?=[^，。；了]+了{END}))"
            rf"(?P<value>(?!{no_firm})[^，。；了]{{2,12}}?)(?:公司)?了?{END}",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?)?(?:不再?|没再)(?:住在?|在){PLACE}(?:住)?了?{END}(?<=了)"
            rf"|{DAY}(?:已经?)?不再住在?\S|{DAY}(?:已经?)?不(?:住在?)(?P<left>[^，。；]{{1,12}})"
            rf"了",
            "residence",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?)?(?:从|搬离|离开)了?(?P<value>[^，。；]{{1,12}}?)(?:搬走"
            rf"|搬出来?)了?{END}|{DAY}(?:已经?)?搬离了?\S{{1,12}}",
            "residence",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?)?从(?P<value>[^，。；]{{1,20}}?)(?:{gone})(?:了)?{END}",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?|刚)?(?:{gone})了?{END}"
            rf"|{DAY}(?:已经?)?(?:不再?)在(?P<value>[^，。；]{{1,20}}?)(?:上班|工作|干"
            rf"|做)了?{END}",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"{DAY}(?:已经?|刚)?被(?P<value>[^，。；]{{1,12}}?)"
            rf"(?:裁员?|裁掉|辞退|辞|开除|开|炒鱿鱼)了{END}",
            "employer",
            retracts=True,
        ),
        *left_jobs_zh(),
        fact_pattern(PARTED_ZH, "partner", retracts=True),
        fact_pattern(
            rf"{DAY}(?:已经?)?(?:把)?(?P<value>[^，。；]{{1,10}}?)(?:卖掉?了|卖了)"
            rf"|的?{PET}(?:去世|死|走|没)了",
            "possession",
            retracts=True,
        ),
        fact_pattern(
            r"(?:以前|之前|曾经?|原来|过去|小时候|从前|当年)(?!说|提|讲|写|问"
            r"|的)[^，。；]{0,12}(?:住|在|是|做|当|喜欢|养|抽|喝|学|练|打|上|教)\S",
            "history",
        ),
        fact_pattern(
            rf"{DAY}(?:已经?)?(?:戒|戒掉|戒除)了?\S|{DAY}(?:已经?)?不再(?:喝|吃|抽|玩|用|看|打"
            rf"|喜欢|爱)\S",
            "habit",
        ),
    )


def plans() -> tuple[FactPattern, ...]:
    will = r"(?:要|打算|(?<!在)准备|计划|想要?|会|将要?|即将|快要|马上)"
    big = (
        r"(?:搬家?|搬[到去来]|移居|移民|入职|跳槽|辞职|离职|退休|结婚|订婚|离婚|毕业|开学|考研"
        r"|读研|留学|出国|去\S{1,8}(?:上班|工作|读书|留学)|买房|买车|生孩子|换工作|加入|转行)"
    )
    return (
        fact_pattern(rf"{DAY}[^，。；]{{0,4}}{will}[^，。；]{{0,14}}{big}", "plan"),
        fact_pattern(rf"(?:于|在)?\d{{4}}年[^，。；]{{0,14}}{will}[^，。；]{{0,14}}{big}", "plan"),
    )


def identity() -> tuple[FactPattern, ...]:
    name, char = "(?:名字|姓名|真名|本名|全名|大名)", r"[\u3400-\u9fff]"
    return (
        # 我的名字是安静的静 says how a name is written, not what it is.
        fact_pattern(
            rf"(?:的?{name}[里中]?(?:的|那个)*(?:{char}字?)?(?:就?是|叫)|叫)"
            rf"(?P<word>{char}{{0,3}}(?P<value>{char}){char}{{0,3}})的(?P=value)字?{END}",
            "other",
            "{who}名字里的“{value}”是“{word}”的“{value}”",
        ),
        fact_pattern(
            rf"的?{name}(?:是|叫|写作|写成){NAME}{END}",
            "name",
            "{who}的名字是{value}",
        ),
        fact_pattern(
            rf"(?:的名字)?(?:姓[\u3400-\u9fff]，?)?叫(?!了|他|她|你|我|人|外卖|车|滴滴|不|上|来"
            rf"|醒|出|一|什么|谁|停|做){NAME}{END}",
            "name",
            "{who}的名字是{value}",
        ),
        fact_pattern(r"姓[\u3400-\u9fff]{1,2}(?:$|[，,。])", "other"),
        fact_pattern(
            r"(?:\d{4}年|今年|现在|刚|刚满|已经?|快|才|满|过了?)*(?:\d{1,3}"
            r"|[一二三四五六七八九十两]{1,4})(?:多|来|几)?岁(?:多|半)?(?:了|啦)?(?:$|[，,。])"
            r"|是?(?:[5-9][05]|[01][05]|[五六七八九零]零)后|\d{2}(?:了|啦)$|奔[三四五六七]了?"
            r"|(?:\d{4}年|刚|已经?|都)+[1-9]\d(?:了|啦)$|年过[四五六七八]十|年近[三四五六七八]十|是(?:中年人|老年人|未成年)",
            "age",
        ),
        fact_pattern(
            r"的?生日(?:(?:是|在)\S|[\d一二三四五六七八九十]{1,3}月)|(?:是)?(?:\d{4}年"
            r"|[一二三四五六七八九十\d]+月)[^，。；]{0,16}(?:出生|生)的?|出生于\d",
            "birthday",
        ),
        fact_pattern(
            r"(?:是|来自|老家(?:是|在)?|祖籍(?:是|在)?|家乡(?:是|在)?|籍贯是?|的老家(?:是|在)"
            r"|的家乡(?:是|在)|的?故乡(?:是|在)|出生在|出生于|生于|生在)(?!这|那|哪|一|个|不|好"
            r"|坏|主|客|名|工|军|病|男|女|本|熟"
            r"|真)[\u3400-\u9fffA-Za-z]{2,8}(?<=人)(?<!主人)(?<!的人)(?<!负责人)(?<!老人)(?<!好人"
            r")(?<!盲人)(?<!成年人)(?:$|[，,。；])",
            "origin",
        ),
        fact_pattern(rf"(?:是)?(?:{PROVINCES})(?:的|人)(?:$|[，,。；])", "origin"),
        fact_pattern(
            r"的?(?:来自|老家(?:是|在)?|祖籍(?:是|在)?|家乡(?:是|在)?|籍贯是?|故乡(?:是|在)?"
            r"|出生在|生在|出生于|生于)(?!这|那|哪|\d)[\u3400-\u9fffA-Za-z]{2,10}(?:$"
            r"|[，,。；的])|(?:从小)?在[\u3400-\u9fffA-Za-z]{2,8}(?:出生|长大|土生土长)",
            "origin",
        ),
        fact_pattern(
            rf"(?:现在|目前)?(?:的职业是|的工作是|的本职(?:工作)?是|职业是|是(?:一)?[名位个]|是"
            rf"|是做|做|搞(?={JOB}(?:的|$))|当|从事|干|担任)(?!不|真)[^，。；的]{{0,10}}?{JOB}(?:的"
            rf"|了)?(?:工作)?(?:$|[，,。；！~])|(?:做|当"
            rf"|干)了[^，。；]{{1,6}}年的?[^，。；]{{0,6}}?{JOB}|是[^，。；]{{0,8}}(?:的){JOB}$",
            "job",
        ),
        fact_pattern(r"(?:的职业是|的工作是)[^，。；]{2,16}", "job"),
        fact_pattern(
            r"(?:刚刚?|已经?|最近|现在)?(?:升职|升任|晋升|提拔|升)(?:为|当|成|到|做)?了?"
            r"(?P<value>[^，。；的了]{2,8}?)(?:了|啦)?(?:$|[，。；！])",
            "job",
            "{who}担任{value}",
        ),
        fact_pattern(
            r"(?:已经?|刚)?(?:退休)了?(?:$|[，,。])|是(?:退休|自由职业|待业|家庭主妇|全职)"
            r"|在(?:家)?待业|是(?:大[一二三四]|研[一二三]|高[一二三]|初[一二三])的?(?:学生)?",
            "job",
        ),
        fact_pattern(
            r"(?:\d{4}年|刚|已经?|快|都)*[二三四五六七八九]?十[一二三四五六七八九]?(?:了|啦)?$",
            "age",
        ),
        fact_pattern(
            r"(?:\d{4}年)?(?:上)?(?:大[一二三四]|研[一二三]|高[一二三]|初[一二三])(?:了)?$",
            "education",
        ),
    )


def home_and_work() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(
            rf"{DAY}(?:已经?|刚)?{MOVED_TO}(?:住|生活|定居)?{END}",
            "residence",
            "{who}住在{value}",
            of_move=True,
        ),
        fact_pattern(
            rf"(?:目前|一直|现在)*(?:住在|居住在|定居在?|家住|的?新家(?:在|是)|住(?=[\u3400-\u9fff]{{2}})|常住"
            rf"|生活在|家在|长住){PLACE}(?:这边|那边|市区?)?{END}",
            "residence",
            "{who}住在{value}",
        ),
        fact_pattern(
            rf"在{PLACE}(?:(?:住|定居|生活|待)了?[^，。；]{{1,8}}年|定居了?{END}|生活{END})",
            "residence",
            "{who}住在{value}",
        ),
        *new_jobs_zh(),
        fact_pattern(
            r"(?:自己|跟朋友|和朋友)?(?:开|经营"
            r"|创办)了?(?:自己的)?(?:一?[家间个])[^，。；]{0,12}(?:店|公司|工作室|餐厅|咖啡馆"
            r"|饭馆|超市|厂|农场|民宿|诊所|馆)",
            "employer",
        ),
        fact_pattern(
            rf"(?:一直|现在|目前)?(?:就职于|任职于|供职于|效力于){FIRM}{END}",
            "employer",
            "{who}在{value}工作",
        ),
        fact_pattern(
            rf"(?:一直|现在|目前)?在(?:{PROVINCES}"
            rf"|[^，。；]{{1,8}}[省市区县镇])[^，。；]{{0,6}}?(?:上班|工作|打工|实习)(?!了一)",
            "other",
        ),
        fact_pattern(
            rf"(?:一直|现在|目前)?在{FIRM}(?:上班|工作|任职|就职|供职|打工|实习)(?!了一)",
            "employer",
        ),
        fact_pattern(rf"(?:现在|目前)?在{FIRM}(?:做|当|担任)[^，。；]{{0,8}}?{JOB}", "employer"),
        fact_pattern(r"的?时区是\S|在[东西][一二三四五六七八九十]{1,2}区", "timezone"),
        fact_pattern(
            r"(?:现在|目前|正)?在(?!这|那|哪)[^，。；]{2,16}(?:读书|上学|念书|读研|读博|读大学"
            r"|读本科|念大学|上大学|留学|求学)|(?:现在|目前|正)?在?(?:读|念|上)(?:高[一二三中]"
            r"|初[一二三中]|大[一二三四]|研[一二三]|博士|硕士|本科|小学|大学|中学|研究生)"
            r"|毕业于\S|是[^，。；]{2,10}毕业的|(?:大学|本科|研究生|硕士)(?:学的?是?"
            r"|读的?是?)(?!什么)\S|(?:从|在)[^，。；]{2,14}毕业|是?学[\u3400-\u9fff]{2,8}(?:的"
            r"|专业)$|(?:的|大学)?(?:专业|本科|硕士|博士|学历)(?:是|学的是?|读的是?|在)\S"
            r"|是[\u3400-\u9fff]{2,8}(?:博士|硕士|专业的?|系的?)(?:$|[，,。])|主修\S"
            r"|有[\u3400-\u9fff]{0,8}(?:学位|学历)",
            "education",
        ),
    )
