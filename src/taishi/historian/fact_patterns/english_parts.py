"""Regex parts of the English patterns: places, names, frequency, degree."""

from __future__ import annotations

END = (
    r"(?=\s*(?:[,;:()!—-]|$| (?:on|in|since|from|with|for|at|by|because|and|but|after|before|as"
    r" of|around|where"
    r"|which|last|this|so|until|during|while|to|now|again|too|as|near)\b))"
)
NO_PLACE = (
    r"(?!(?:a|an|the|my|this|that|these|those|here|there|it|fear|hope|denial|peace|town|bed"
    r"|harmony|hell|heaven|sin"
    r"|pain|love|an?other|his|her|our|your|one|two|front|general|fact|case|time|order|school"
    r"|college|person"
    r"|next|last|some|any|each|every)\b)"
)
PLACE = (
    rf"(?P<value>{NO_PLACE}(?:the (?:Hague|Netherlands|UK|US|USA|Philippines|Bronx|Czech"
    rf" Republic)|[A-Z][\w.'’-]*(?:,? [A-Z][\w.'’-]*){{0,3}}))"
)
FIRM = (  # whole, with what joins its words: "Procter & Gamble", "the University of the Arts"
    r"(?P<value>(?!(?:The Moment|Home|Night)\b)(?:the )?[A-Z][\w.&'’+-]*"
    r"(?: (?:(?:of|for) the|of|and|for|the|&) [A-Z][\w.'’-]*| [A-Z][\w.'’-]*){0,5})"
    r"(?!['’&+.-]?\w)(?! (?:and|&) (?:sons?|daughters?|brothers|co|company|partners|associates)\b)"
)
NAME = r"(?P<value>[A-Z][\w'’-]+(?: (?:van |de |von |der |la )?[A-Z][\w'’.-]+){0,3})"
DEGREE = (
    r"(?:(?:really|also|always|absolutely|still|especially|particularly|quite|very much|usually"
    r"|generally|just|truly|secretly|do|does) ){0,3}"
)
DEIXIS = (  # not a lasting like or dislike, but of something in the conversation
    r"(?!(?:it|this|that|these|those|you|him|her|them|what|when|how|who|where|why|if|the way|to"
    r" see|to know|to hear"
    r"|being|having to|waiting|everyone|everything|all of|your|so|the (?!(?:ocean|sea|outdoors"
    r"|beach|mountains|rain|snow|cold|heat"
    r"|sun|summer|winter|autumn|spring|window|aisle|city|countryside|theatre|theater|cinema|gym"
    r"|guitar|piano|violin|colou?r"
    r"|smell|taste|[A-Z]\w+s)\b(?!.*\b(?:idea|style|option|one|version)\b))"
    r"|to ask|to say|to talk|to go|to tell|to be|an?other|one|one of|some of|both|either|neither"
    r"|nothing|anything)\b)"
)
MOOD = (
    r"tired|exhausted|happy|sad|angry|upset|stressed|bored|excited|nervous|anxious|lonely|sleepy"
    r"|hungry"
    r"|sick|ill|in a (?:good|bad) mood"
)
OFTEN = (
    r"(?:every (?:other )?(?:single )?(?:day|morning|evening|night|week|weekend|month|year"
    r"|afternoon|hour"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)|on (?:Mon|Tues|Wednes|Thurs|Fri|Satur"
    r"|Sun)days|on weekends"
    r"|on weekdays|at weekends|daily|weekly|once an? (?:day|week|month|year)|twice an? (?:day"
    r"|week|month|year)"
    r"|(?:\w+) times an? (?:day|week|month|year)|most (?:days|mornings|evenings|nights)|each"
    r" (?:day|morning|evening|night|week))"
)
DO = (  # what people do again and again; an open list would take in "runs the script"
    r"(?:runs?|jogs?|walks?|swims?|cycles?|bikes?|hikes?|gets? up|wakes? up|goe?s?|does|do"
    r"|meditates?|reads?|writes?"
    r"|plays?|practi[cs]es?|trains?|cooks?|bakes?|eats?|drinks?|sleeps?|works?|works out|studys?"
    r"|studies|commutes?|drives?"
    r"|takes?|skips?|naps?|prays?|journals?|stretches|stretchs?|exercises?|volunteers?|visits?"
    r"|calls?|watche?s?|listens?|has|have|paints?|draws?|sings?|dances?|travels?|teach(?:es)?)"
)
MOVE_PLAN = (
    r"(?:move (?:to|in|out|back|abroad|house)|relocate|emigrate|start (?:at|a new job|work at"
    r"|working (?:at|for|as)|school|college|university|a phd|a master)|join [A-Z]|quit"
    r" [\w'’]+['’]s job|resign|leave [\w'’]+['’]s job|retire|marry|get married|study (?:at|in"
    r"|abroad|\w+ (?:at|in))|buy a (?:house|flat|car)"
    r"|switch jobs|change jobs|adopt|have a baby)"
)
MOVED_TO = (
    rf"(?:has )?(?:moved|relocated|emigrated)(?: back| over)? (?:from [^,;]{{1,60}}? )?to {PLACE}"
    rf"{END}"
)
