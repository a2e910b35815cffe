"""Whether a question asks for all that is known of the person who asks: "what do you know about
me?", 你还记得我什么. It shares its words with nothing that was told."""

from __future__ import annotations

from .lazy_regex import lazy_compile

MOST_CHARS = 80
_ENGLISH = lazy_compile(
    r"(?:(?:so|ok|okay|hi|hello|hey|and|please|well)\b[,!. ]*)*"
    r"(?:(?:can|could|would) you )?(?:tell me |remind me |summari[sz]e |show me |list )?"
    r"(?:what|everything|anything|all|how much)(?: (?:else|all|things?|facts?))*(?: that)?"
    r" (?:do |did |have |can )?you(?:['’]ve)? (?:already |still |now )?"
    r"(?:know|knew|remember|remembered|learned|learnt|got|stored|saved|kept|have stored|tell me)"
    r"(?: so far| already| still)? (?:about|of|on) (?:me|myself)"
    r"(?: so far| by now| already| now| today)?\W*",
)
_CHINESE = lazy_compile(
    "(?:那|好的?|请|嗨|你好|[，,！!。 ])*(?:"
    "(?:关于我)?[，,]?你(?:现在|目前|还|都|到底|已经)*(?:记得|记住|记着|知道|了解|掌握)(?:了|过)?"
    "(?:关于)?我?的?(?:什么|哪些|多少|些什么|啥)(?:事情?|信息|情况|内容)?"
    "|你对我(?:有?(?:什么|多少|哪些)?(?:了解|印象)|(?:了解|知道|记得)(?:多少|什么|哪些))(?:多少)?"
    "|(?:说说|讲讲|告诉我|总结一?下?)(?:一下)?你(?:所)?(?:知道|记得|了解)的?(?:关于)?我(?:的(?:一切|事情?|情况|信息))?"
    ")(?:了|呢|啊|吗|呀)?[？?。！!\\s]*",
)


def asks_for_all(text: str) -> bool:
    plain = text.strip()
    if not plain or len(plain) > MOST_CHARS:
        return False
    return bool(_ENGLISH.fullmatch(plain.lower()) or _CHINESE.fullmatch(plain))
