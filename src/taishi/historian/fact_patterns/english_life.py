"""English patterns for what ended, plans, identity, home and work."""

from __future__ import annotations

from .english_parts import (
    DEIXIS,
    END,
    FIRM,
    MOVE_PLAN,
    MOVED_TO,
    NAME,
    PLACE,
)
from .english_words import (
    DEMONYMS,
    PROFESSIONS,
    alternation,
)
from .left_jobs import left_jobs_en
from .partings import PARTED_EN
from .pattern import FactPattern, fact_pattern


def ended_facts() -> tuple[FactPattern, ...]:
    more = r"(?:any ?more|any longer)"
    return (
        fact_pattern(
            rf"(?:(?:doesn['’]t|does not|don['’]t) live|isn['’]t living|is not living) in"
            rf" {PLACE}.* ?{more}",
            "residence",
            retracts=True,
        ),
        fact_pattern(
            rf"(?:no longer lives?|is no longer living) in {PLACE}{END}", "residence", retracts=True
        ),
        fact_pattern(
            rf"(?:has )?moved (?:out of|away from) {PLACE}{END}(?!.* to [A-Z])",
            "residence",
            retracts=True,
        ),
        *left_jobs_en(),
        fact_pattern(PARTED_EN, "partner", retracts=True),
        fact_pattern(
            r"(?:has )?sold [\w'’]+['’]s (?P<value>[\w -]{2,40})", "possession", retracts=True
        ),
        fact_pattern(r"used to (?!it\b)\S", "history"),
        fact_pattern(
            r"(?:lived|worked|studied) (?:in|at|for) \S.*(?:\b(?:for|until|till|before|when|as a"
            r"|from|between|in|during)\b|\d{4})",
            "history",
        ),
        fact_pattern(
            r"(?:no longer|has stopped|stopped|gave up|has given up|quit|quits) (?:likes?|loves?"
            r"|enjoys?|drink\w*|eat\w*|smok\w*|play\w*|us\w+|vap\w*|watch\w*|coffee|alcohol"
            r"|sugar|meat|gluten|drinking)\b",
            "habit",
        ),
        fact_pattern(
            rf"(?:doesn['’]t|does not|don['’]t) (?:like|love|enjoy) {DEIXIS}\S.* {more}",
            "user_preference",
        ),
        fact_pattern(
            rf"(?:doesn['’]t|does not|don['’]t) (?:drink|eat|smoke|play|use|watch|drive|run)"
            rf" (?!it\b|this\b|that\b)?.* ?{more}",
            "habit",
        ),
    )


def plans() -> tuple[FactPattern, ...]:
    future = (
        r"(?:will|['’]ll|is going to|is gonna|plans? to|is planning to|is about to|intends? to"
        r"|hopes? to"
        r"|has decided to|is (?:looking|preparing) to)"
    )
    return (
        fact_pattern(rf"{future} {MOVE_PLAN}\b", "plan"),
        fact_pattern(
            r"is (?:moving|relocating|emigrating) to \S|is (?:starting|joining|beginning) (?:at"
            r"|a new job|work at|[A-Z])",
            "plan",
        ),
        fact_pattern(
            r"(?:is (?:getting married|retiring|having a baby)|is quitting|is leaving"
            r" [A-Z\w'’]+['’]s job|starts? (?:at|a new job))\b",
            "plan",
        ),
    )


def identity() -> tuple[FactPattern, ...]:
    jobs = alternation(PROFESSIONS)
    return (
        fact_pattern(
            rf"['’]s (?:(?:full|first|real|last|middle) )?name(?: is|['’]s) {NAME}",
            "name",
            "{who}'s name is {value}",
        ),
        fact_pattern(
            rf"(?:is called|goes by|go by|is known as) {NAME}{END}",
            "name",
            "{who}'s name is {value}",
        ),
        fact_pattern(
            rf"is (?P<value>\d{{1,3}})(?: years old| y/?o)?{END}(?!.*\b(?:km|kg|minutes|points"
            rf"|%))",
            "age",
            "{who} is {value} years old",
        ),
        fact_pattern(
            r"(?:is|turned|turns) (?:\w+(?:-\w+)? )?\(?\d{1,3}\)? years old|turned \d{1,3}\b|is"
            r" (?:twenty|thirty|forty|fifty|sixty|seventy|eighty|eighteen|nineteen|seventeen"
            r"|sixteen)(?:-\w+)?(?: years old)?$",
            "age",
        ),
        fact_pattern(
            r"is in [\w'’]+['’]s (?:early |mid |late |mid-)?(?:teens|twenties|thirties|forties"
            r"|fifties|sixties|seventies|eighties|[2-9]0s)\b|is (?:a teenager|middle-aged)\b",
            "age",
        ),
        fact_pattern(
            r"(?:was born on|has a birthday on) \S|['’]s birthday(?: is|['’]s) \S", "birthday"
        ),
        fact_pattern(
            rf"(?:was born and raised|was born|grew up|was raised) (?:in|near) (?:a \w+ (?:in"
            rf"|near) )?{PLACE}{END}",
            "origin",
        ),
        fact_pattern(rf"(?:is|comes?)(?: originally)? from {PLACE}{END}", "origin"),
        fact_pattern(
            rf"['’]s (?:family|parents) (?:comes?|is|are) from {PLACE}{END}|['’]s home ?town is"
            rf" {PLACE.replace('value', 'town')}{END}",
            "origin",
        ),
        fact_pattern(
            rf"is (?:half |an? )?(?P<value>{alternation(DEMONYMS)}){END}"
            r"(?! \w+ (?:teacher|student))",
            "origin",
        ),
        fact_pattern(
            rf"(?:(?:is|has been|became|has become) (?:also |currently |still )?(?:an? |the "
            rf"|head |lead |senior |chief |CEO|CTO)|(?:works?|is working|has worked|has been"
            rf" working) (?:part[- ]time |full[- ]time |freelance )?as (?:an? |the"
            rf" )?)(?:(?!(?:not|never|no|from|at|of|in|to|with|for|some|that|and|who|bit|little"
            rf"|lot|few|couple|friend)\b)\w[\w-]* ){{0,3}}(?:{jobs})s?\b"
            rf"(?! (?:of (?:this|that)|today))(?! \w+ (?:today|tonight))",
            "job",
        ),
        fact_pattern(r"(?:works? as|is working as) (?:an? )?[a-z]\S", "job"),
        fact_pattern(
            r"(?:(?:just )?got|was|has (?:just )?been) promoted to (?:an? |the )?(?:position of )?"
            r"(?P<value>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
            r"(?=$|[,.;!]| (?:last|this|in|on|at|as of)\b)",
            "job",
            "{who} works as {value}",
        ),
        fact_pattern(
            r"(?:is|has been) (?:retired|self-employed|unemployed|between jobs)\b|works?"
            r" freelance\b",
            "job",
        ),
        fact_pattern(
            r"works? in (?:marketing|sales|finance|hr|IT|tech|healthcare|education|retail"
            r"|construction|advertising|logistics|law|real estate|publishing|insurance|banking"
            r"|hospitality)\b",
            "job",
        ),
        fact_pattern(
            rf"is (?:seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy"
            rf"|eighty)(?:-\w+)?){END}",
            "age",
        ),
    )


def home_and_work() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(MOVED_TO, "residence", "{who} lives in {value}", of_move=True),
        fact_pattern(
            rf"(?:lives?|is living|resides?|has lived|has been living|is based|is settled) (?:in"
            rf"|near) {PLACE}{END}",
            "residence",
            "{who} lives in {value}",
        ),
        fact_pattern(
            r"(?:lives?|is living|is based) in (?P<value>(?!(?:a|an|the|my|this|that|here|there"
            r"|it|fear|hope|denial|peace|town|bed|harmony|hell|heaven|sin|pain|love|his|her|our"
            r"|your|one|two|front|general|school|college|person|some|any|each|every|constant"
            r"|luxury|poverty|student|university|shared|small|big|old|new|central|rural"
            r"|suburb\w*|dorms?|chaos|exile|isolation|squalor|sweats\w*)\b)[a-z]{3,20})(?=$|,|"
            r" (?:with|since|and|for|near)\b)",
            "residence",
            "{who} lives in {value}",
        ),
        fact_pattern(
            rf"['’]s (?:home(?: is|['’]s) in|(?:new|current) home(?: is|['’]s)(?: in)?)"
            rf" {PLACE}{END}",
            "residence",
            "{who} lives in {value}",
        ),
        fact_pattern(
            rf"(?:works?|is working|has worked|has been working|is employed|is) (?:at|for|with"
            rf"|by) {FIRM}{END}(?<! at Home)",
            "employer",
            "{who} works at {value}",
        ),
        fact_pattern(
            rf"(?:has )?(?:joined|started (?:(?:a new job|working|work) )?at|started (?:a new"
            rf" job|working|work) for|got hired by|was hired by|got a (?:new )?job (?:at|with)"
            rf"|switched (?:jobs|employers|companies) to|is now at) {FIRM}{END}"
            r"(?!.*\b(?:meeting|call|group|channel|server)\b)",
            "employer",
            "{who} works at {value}",
        ),
        fact_pattern(
            r"(?:runs?|owns?|founded|started) (?:[\w'’]+['’]s own|a small|a) (?:small"
            r" )?(?:bakery|caf[eé]|restaurant|shop|business|company|startup|studio|agency|farm"
            r"|bookshop|store|salon|practice|bar|pub|gallery)\b",
            "employer",
        ),
        fact_pattern(
            r"(?:is studying|studies|study|studys) (?!this|that|it|for the|hard)\S|(?:is"
            r" studying|studies|studys?) (?:at|in) \S",
            "education",
        ),
        fact_pattern(
            rf"(?:has )?(?:graduated|dropped out)(?: from)? \S|(?:goes|went|go) to {NAME}(?:"
            rf" (?:University|College|School)|(?<=Oxford)|(?<=Cambridge)|(?<=Harvard)|(?<=Yale)"
            rf"|(?<=Stanford)|(?<=MIT))",
            "education",
        ),
        fact_pattern(
            r"has an? (?:PhD|Ph\.D\.?|doctorate|master['’]?s?|MBA|bachelor['’]?s?|degree|BSc|MSc"
            r"|MA|BA|diploma)\b|(?:majored|majors?|is majoring) in \S|is doing an? (?:PhD|master"
            r"|MBA)|is in (?:high school|college|university|(?:first|second|third|final) year)",
            "education",
        ),
        fact_pattern(
            r"['’]s (?:time ?zone) is \S|is (?:in|on) (?:the )?(?:Pacific|Eastern|Central"
            r"|Mountain|CET|GMT|UTC|EST|PST|IST|JST|BST)(?:[+-]\d+)?(?: (?:time|time ?zone))?$",
            "timezone",
        ),
        fact_pattern(
            r"['’]s (?:working|office|work) hours are \S|works? (?:night|day|early|late)"
            r" shifts?\b|works? (?:from )?\d{1,2}(?::\d\d)?(?: ?[ap]m)? (?:to|until|-) \d",
            "habit",
        ),
        fact_pattern(
            rf"['’]s (?:employer|company|workplace) is {FIRM}{END}",
            "employer",
            "{who} works at {value}",
        ),
        fact_pattern(
            rf"has been (?:with|at) {FIRM} (?:for|since)\b", "employer", "{who} works at {value}"
        ),
        fact_pattern(
            r"(?:studied|has studied) (?!this|that|it\b|hard|for)\w+(?: \w+){0,2} (?:at|in) [A-Z]",
            "education",
        ),
        fact_pattern(
            r"is (?:still )?(?:in|at) (?:high school|middle school|college|university|grad"
            r" school|medical school|law school)\b",
            "education",
        ),
    )
