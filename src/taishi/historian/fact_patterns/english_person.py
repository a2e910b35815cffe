"""English patterns for family, possessions, preferences, health, habits, skills and goals."""

from __future__ import annotations

from .english_parts import (
    DEGREE,
    DEIXIS,
    DO,
    MOOD,
    MOVED_TO,
    OFTEN,
)
from .english_words import (
    ACQUAINTANCES,
    BELONGINGS,
    CODE_LANGUAGES,
    ILLNESSES,
    INSTRUMENTS,
    LANGUAGES,
    PARTNERS,
    PETS,
    RELATIVES,
    alternation,
)
from .pattern import FactPattern, fact_pattern


def family_and_friends() -> tuple[FactPattern, ...]:
    partner, kin = alternation(PARTNERS), alternation(RELATIVES)
    which = (
        "(?:best |closest |old |new |older |younger |elder |big |little |twin |eldest |youngest "
        "|only |other |second |third )?"
    )
    family, known = rf"{which}(?:{kin})s?", rf"{which}(?:{alternation(ACQUAINTANCES)})s?"
    pet = alternation(PETS)
    is_lasting = (
        r"(?: [A-Z][\w'’-]+)?(?:['’]s name(?: is|['’]s)|(?:['’]s (?:called|named)|(?: is| are)"
        r" (?:called|named|an? (?!bit|little|mess|while|pain|lot|good|great|nice|big|huge)"
        r"|[A-Z][a-z]|\d|from|in [\w'’]+['’]s \w+ies|(?:\w+ly )?allergic|vegan|vegetarian"
        r"|retired|married|divorced"
        r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
        r"|fifteen|sixteen|seventeen|eighteen) ))"
        r"| (?:lives?|works?|likes?|loves?|hates?|speaks?|turned \d|was born|studies|teaches"
        r"|died in|passed away|has (?:an? |two |three )(?!cold|fever|headache|question|meeting"
        r"|problem))\b)"
    )
    return (
        fact_pattern(
            rf"['’]s (?:{pet}) (?:[A-Z]\w+ )?(?:died|passed away)", "possession", retracts=True
        ),
        fact_pattern(
            rf"['’]s (?:new |old )?(?:{partner}){is_lasting}", "partner", tags=("family",)
        ),
        fact_pattern(
            rf"(?:is|got|has been)(?: happily)? (?:married|engaged|divorced|widowed|single)\b(?!"
            rf" to the job)(?!.*\b(?:sentence|thread|file|core)\b)|married [A-Z]\w+|is (?:dating"
            rf"|seeing) [A-Z]\w+|has an? (?:{partner})\b",
            "partner",
        ),
        fact_pattern(
            rf"['’]s (?P<kin>{family}|{known})(?: [A-Z][\w'’-]+)? {MOVED_TO}",
            "relationship",
            "{who}'s {kin} lives in {value}",
            of_move=True,
        ),
        fact_pattern(rf"['’]s {family}{is_lasting}", "relationship", tags=("family",)),
        fact_pattern(rf"['’]s {known}{is_lasting}", "relationship"),
        fact_pattern(
            rf"has (?:an? |one |two |three |four |five |six |\d+ |no |several )(?:\w+"
            rf" ){{0,2}}(?:{kin}|siblings|friend called|friend named)s?\b",
            "relationship",
            tags=("family",),
        ),
        fact_pattern(
            r"is an only child|is the (?:oldest|youngest|eldest|middle) (?:of|child|sibling)|is"
            r" an? (?:father|mother|dad|mum|mom|parent|grandmother|grandfather|aunt|uncle|twin)"
            r" (?:of|to|\b)",
            "relationship",
            tags=("family",),
        ),
        fact_pattern(
            rf"['’]s {family}(?: [A-Z]\w+)? is (?:\w+teen|one|two|three|four|five|six|seven"
            rf"|eight|nine|ten|eleven|twelve)$",
            "relationship",
            tags=("family",),
        ),
    )


def possessions() -> tuple[FactPattern, ...]:
    pet, thing = alternation(PETS), alternation(BELONGINGS)
    return (
        fact_pattern(
            rf"['’]s (?:new |old |other |first )?(?:{pet})s?(?: [A-Z]\w+)?(?:['’]s name(?: is"
            rf"|['’]s)| (?:is|are) (?:called|named|an? |\d|[A-Z]|\w+ years))",
            "possession",
            tags=("pet",),
        ),
        fact_pattern(
            rf"(?:has|owns?|adopted|got|keeps?|has adopted|rescued) (?:an? |one |two |three "
            rf"|four |five |\d+ |some )(?:\w+ ){{0,3}}(?:{pet})(?:s|es)?\b(?! (?:allergy|food"
            rf"|video|photo|costume|joke))",
            "possession",
            tags=("pet",),
        ),
        fact_pattern(
            rf"['’]s (?:\w+ )?(?:{thing})s? (?:is|are) (?:an? [A-Z\d]|[A-Z])", "possession"
        ),
        fact_pattern(
            rf"owns? (?!this|that|it\b|up\b)\S|drives? (?:an? )(?:\w+ ){{0,3}}[A-Z\d]\w*|(?:has"
            rf"|bought|got|uses?|rides?|drives?) (?:an? (?:new |old |used )?|two |three"
            rf" )(?:[\w-]+ ){{0,3}}(?i:{thing})s?\b(?! (?:ride|accident|loan|problem|issue"
            rf"|question|crash|charger|screen|case))",
            "possession",
        ),
        fact_pattern(
            r"uses? (?:an? )?(?:iPhone|Android phone|Android|Mac|MacBook|Windows|Linux|Ubuntu"
            r"|Arch|Vim|Emacs|VS Code|Neovim|PyCharm|Firefox)\b",
            "possession",
        ),
        fact_pattern(r"(?:rides?|drives?) an? (?:\w+ ){0,2}[A-Z]\w+", "possession"),
    )


def preferences() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(
            rf"{DEGREE}(?:likes?|loves?|enjoys?|prefers?|dislikes?|hates?|adores?|despises?"
            rf"|detests?|loathes?) {DEIXIS}\S",
            "user_preference",
        ),
        fact_pattern(
            rf"(?:{DEGREE}(?:doesn['’]t|does not|don['’]t) (?:really |much |particularly"
            rf" )?(?:like|enjoy|love|care for)|(?:can['’]t|cannot|can not) (?:stand|bear)|has"
            rf" never (?:really )?liked|never (?:really )?liked) {DEIXIS}\S",
            "user_preference",
        ),
        fact_pattern(
            rf"is (?:not |really |a |an |huge |big |massive |avid |lifelong |great )*(?:fan"
            rf"|lover|fanatic|enthusiast|supporter) of {DEIXIS}\S|is an? (?:huge |big |avid "
            rf"|lifelong )?(?!huge|big|real|total|great|massive)[\w-]+ (?:fan|lover|enthusiast"
            rf"|supporter)\b",
            "user_preference",
        ),
        fact_pattern(
            rf"supports? (?!this|that|the|you)[A-Z]\w|is (?:not |really |very |so |totally |that"
            rf" )*(?:into|obsessed with|passionate about|keen on|fond of|crazy about|hooked on)"
            rf" {DEIXIS}\S",
            "user_preference",
        ),
        fact_pattern(
            r"['’]s (?:all-time )?fav(?:ou?rite)s? (?!one|part|moment|memory|thing about)[\w"
            r" -]{2,30}?(?: is| are|['’]s) (?!this|that|the one|it\b|when|what)\S",
            "user_preference",
        ),
        fact_pattern(
            r"['’]s (?:main |biggest |new )?(?:hobby|hobbies|passion|interests?)(?: is| are"
            r"|['’]s|: ) ?\S",
            "user_preference",
        ),
        fact_pattern(
            r"is (?:strictly |a strict |mostly |a |now )*(?:vegan|vegetarian|pescatarian"
            r"|pescetarian|flexitarian|teetotal|teetotaller)\b|(?:has been|became|went|turned)"
            r" (?:a )?(?:vegan|vegetarian|pescatarian)\b",
            "user_preference",
            tags=("diet",),
        ),
        fact_pattern(
            r"is (?:really |very |a bit |so )?(?:scared|afraid|terrified|frightened) of (?!this"
            r"|that|it\b|you|the (?:result|answer))\S",
            "user_preference",
        ),
    )


def health() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(
            r"is(?: \w+ly| very| also)? allergic to (?!this|that|work|you|people|mondays)\S|has"
            r" (?:an? |a \w+ )?allergy to \S|has an? \w+ allergy\b",
            "health",
        ),
        fact_pattern(
            r"is (?:\w+ly )?(?:(?:lactose|gluten)[ -]intolerant|intolerant (?:to|of) \S+)|wears?"
            r" (?:glasses|contacts|contact lenses|hearing aids|a hearing aid)|is"
            r" (?:colou?r-?blind|deaf|blind|dyslexic|diabetic|autistic|asthmatic|epileptic"
            r"|celiac|coeliac|near-?sighted|short-?sighted|far-?sighted|left-handed|right-handed"
            r"|pregnant|hard of hearing)\b(?! to)",
            "health",
        ),
        fact_pattern(
            rf"(?:has|gets?|have) (?:(?:type [12]|mild|severe|chronic|bad|seasonal|high|low)"
            rf" )*(?:(?i:{alternation(ILLNESSES)})|blood pressure|back pain|a heart condition|a bad"
            rf" (?:back|knee)|bad knees)\b|(?:was|has been|got) diagnosed with \S|suffers? from"
            rf" \S",
            "health",
        ),
        fact_pattern(
            r"(?:can['’]t|cannot|mustn['’]t|is not allowed to) (?:eat|drink|have|digest"
            r"|tolerate) (?!this|that|it\b|any ?more$|now|another)\S",
            "health",
            tags=("diet",),
        ),
        fact_pattern(
            r"takes? (?:medication|insulin|antidepressants|blood thinners|statins|pills)\b",
            "health",
        ),
        fact_pattern(
            r"(?:never|doesn['’]t|does not|don['’]t|has never) (?:ever )?(?:eats?|drinks?|drunk"
            r"|eaten|smoke[sd]?|vapes?|gambles?|cooks?|drives?|driven|fl(?:y|ies)|uses?"
            r" (?:social|drugs|facebook|instagram|twitter|tiktok|public|sugar|cash)|watch(?:es)?"
            r" (?:tv|television|horror|football|sports|the news)|wears?|flown|swims?|exercises?"
            r"|plays? (?:video|games)|shops?)\b(?! (?:it|this|that|much|enough)\b)(?!.* yet\b)",
            "habit",
        ),
        fact_pattern(
            r"has (?:chronic |bad |serious )?(?:back|knee|heart|skin|stomach|hip|shoulder|sleep"
            r"|hearing|thyroid|kidney) (?:problems?|issues|trouble|condition|disease)\b",
            "health",
        ),
        fact_pattern(
            r"(?:keeps?|eats?) (?:kosher|halal)\b|is (?:kosher|halal|gluten[- ]free|keto|paleo)$",
            "user_preference",
            tags=("diet",),
        ),
        fact_pattern(r"avoids? (?!this|that|it\b|you|the question)\S", "habit"),
    )


def skills_and_habits() -> tuple[FactPattern, ...]:
    languages = alternation(LANGUAGES)
    return (
        fact_pattern(
            rf"speaks? (?:\w+ ){{0,3}}(?:{languages})\b|speaks? [A-Z]\w+|is (?:also"
            rf" )?(?:learning|fluent in|studying) (?:a bit of |some )?(?:{languages})\b|['’]s"
            rf" (?:native|first|second|mother) (?:language|tongue)(?: is|['’]s) \S|is a native"
            rf" (?:speaker of )?[A-Z]",
            "language",
        ),
        fact_pattern(
            rf"(?:plays?|has (?:been )?play(?:ed|ing)|is learning(?: to play)?) (?:the |some |a"
            rf" bit of |bass |electric |acoustic )*(?:{alternation(INSTRUMENTS)})\b",
            "skill",
        ),
        fact_pattern(
            rf"(?:knows?|codes? in|programs? in|has been (?:programming|coding|writing)(?: in)?"
            rf"|(?:mostly|mainly|usually|mainly) (?:codes?|programs?|writes?|works?)(?: code)?"
            rf" (?:in|with)|writes? (?:code in )?|is (?:new to|good at|proficient in|fluent in"
            rf"|learning|bad at|an expert in|experienced (?:in|with))|uses?) (?:a bit of |some"
            rf" )?(?:{CODE_LANGUAGES})(?![\w+#])(?!.*\b(?:error|bug|file|script|fails?)\b)",
            "skill",
        ),
        fact_pattern(
            r"(?:is|was always|has always been) (?:really |very |pretty |quite |not (?:very |so"
            r" )?)?(?:good|great|bad|terrible|skilled|talented|experienced) (?:at|with|in)"
            r" (?!this|that|it\b|explaining this)\S",
            "skill",
        ),
        fact_pattern(
            r"(?:can|can['’]t|cannot|doesn['’]t know how to|knows how to) (?:swim|juggle|sing"
            r"|dance|ski|skate|surf|ride a (?:bike|horse|motorcycle)|drive|cook|bake|knit|sew"
            r"|draw|paint|read (?:music|sheet music|Chinese|Japanese)|touch-?type|whistle|code"
            r"|program|play (?:chess|poker|the \w+|go|bridge|tennis))\b(?! (?:this|that|it|now"
            r"|today|right now|at the moment))",
            "skill",
        ),
        fact_pattern(
            rf"{DO}\b(?! (?:this|that|it|the script|the code|the test)\b).*\b{OFTEN}", "habit"
        ),
        fact_pattern(
            rf"(?:usually|always|normally|typically|generally|often|rarely|seldom|hardly ever"
            rf"|mostly|regularly|tends? to|has a habit of) (?:{DO}|{DO[:-1]}|going|wearing"
            rf"|shops?|wears?|forgets?|cycle|meet)|tends to)\b(?! (?:this|that|it|late$))",
            "habit",
        ),
        fact_pattern(
            r"works? (?:from home|remotely|part[- ]time|full[- ]time|weekends|nights)\b(?!"
            r" (?:today|tomorrow|tonight|this))(?!.*\d{4}-\d\d-\d\d)",
            "habit",
        ),
        fact_pattern(
            r"plays? (?:football|soccer|tennis|basketball|volleyball|badminton|golf|rugby|hockey"
            r"|chess|squash|cricket|baseball|table tennis|poker|Minecraft|video"
            r" games)\b(?!.*\d{4}-\d\d-\d\d)",
            "habit",
        ),
        fact_pattern(
            r"(?:smokes?|vapes?|jogs?|meditates?|volunteers?|collects? [\w -]+|practi[cs]es?"
            r" (?:yoga|judo|karate|tai chi|kung fu|meditation)|does (?:yoga|pilates|judo|karate"
            r"|crossfit|ballet))\b(?!.*\d{4}-\d\d-\d\d)",
            "habit",
        ),
        fact_pattern(
            r"(?:gets? up|wakes? up|goes to (?:bed|sleep)|starts? work|finishes? work) at"
            r" (?:around |about )?\d",
            "habit",
        ),
        fact_pattern(
            r"knows? how to (?!do (?:this|that|it)|fix (?:this|that|it)|use (?:this|that|it)|get"
            r"|say|help)\w+",
            "skill",
        ),
        fact_pattern(rf"grew up speaking (?:{languages})\b", "language"),
    )


def goals() -> tuple[FactPattern, ...]:
    aim = (
        r"(?:run (?:an? |another )|learn (?!more about|if|why|what)|become|write (?:a|my|an?)"
        r"|visit|buy (?:a|an|my|[\w'’]+['’]s own) (?:house|flat|home|car|boat)|travel|lose"
        r" (?:weight|\d)|get (?:fit|better at|in shape|a (?:degree|promotion|dog|cat))|quit|stop"
        r"|start (?:a|my|[\w'’]+['’]s) |build|open (?:a|my|[\w'’]+['’]s own) (?:shop|caf[eé]"
        r"|restaurant|business|bakery)|improve [\w'’]+['’]s (?:\w+ )?(?:English|French|Spanish"
        r"|German|Chinese|health|fitness|diet|sleep|skills?|game|writing|posture|grades|life"
        r"|stamina)|study|save (?:up|money|for)|eat (?:healthier|less|more)|finish (?:my"
        r"|[\w'’]+['’]s) (?:first |second )?(?:novel|book|degree|thesis|phd)|cut (?:down|back)"
        r"|read more|climb|retire|master|live (?:in|abroad))"
    )
    return (
        fact_pattern(
            r"['’]s (?:main |biggest |current |long-term |life |new |big )?(?:goal|dream|aim"
            r"|ambition|resolution|new year['’]?s resolution)(?: for \w+)?(?: is|['’]s) (?:to"
            r" )?(?!that\b)\S",
            "goal",
        ),
        fact_pattern(
            rf"(?:{DEGREE})?(?:wants? to|is (?:currently )?(?:trying to|working on|aiming to"
            rf"|hoping to|determined to)|dreams? of|hopes? to) {aim}(?!.*\b(?:this|that) (?:file"
            rf"|error|bug|code|script|page)\b)",
            "goal",
        ),
        fact_pattern(
            r"is (?:currently )?(?:training|saving(?: up)?|preparing|studying) for (?:an? |the "
            r"|[\w'’]+['’]s )\S|is (?:writing|working on) (?:a|an|[\w'’]+['’]s(?: first|"
            r" second)?) (?:novel|book|thesis|dissertation|album|game|startup|phd)\b",
            "goal",
        ),
        fact_pattern(r"dreams? of (?!this|that|it)\S+ing\b", "goal"),
    )


def short_lived() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(rf"(?:is|feels?|was) (?:\w+ )?(?:{MOOD})\b", "mood", life="mood"),
        fact_pattern(r"(?:has )?decided \S", "decision", life="decision"),
        fact_pattern(
            r"(?:would like|wants)\b.{1,80}\b(?:this time|for now)\b",
            "user_preference",
            life="preference",
        ),
        fact_pattern(
            r"(?:will|needs? to|has to|must|should|is going to)"
            r" (?:call|send|bring|check|write|reply|ask|pay|pick|return|visit|meet|buy|book"
            r"|finish|submit)\b.*\d",
            "plan",
            life="follow_up",
        ),
    )
