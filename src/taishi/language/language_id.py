"""Finds sentences that are neither English nor Chinese.

"Me gusta" has an English "me" in it and means something else. Such a sentence is kept as it is.
Scripts are told by their letters, languages in Latin letters by their little words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .text import sentence_spans

_SCRIPTS = {
    "Japanese": "\u3041-\u3096\u30a1-\u30fa",
    "Korean": "\uac00-\ud7a3",
    "Cyrillic script": "\u0400-\u04ff",
    "Greek": "\u0370-\u03ff",
    "Arabic script": "\u0600-\u06ff",
    "Hebrew": "\u0590-\u05ff",
    "Thai": "\u0e00-\u0e7f",
    "an Indian script": "\u0900-\u0dff",
}
# Little words that are not English words as well, or hardly ever.
_LITTLE_WORDS = {
    "French": """
        je j'ai un peu le la et où à tu nous vous ils elles suis es est sommes êtes
        sont avec dans pour mais très mes
        tes ses une des les du au aux ce cette c'est qu'il que qui n'est pas ne moi toi lui leur
        j'aime j'habite demain hier aujourd'hui chez mon ma ta sa notre votre nos vos mangé fait
        avoir être bonjour merci
        """,
    "Spanish": """
        yo tú él ella y un de la pues nada llamo año bien nosotros ellos soy eres
        somos son estoy está están vivo tengo quiero gusta
        gustan el los las una uno unos del con por para pero muy mi mis tu su sus que qué hoy
        mañana ayer aquí ahora también hola gracias hermana hermano trabajo como cuando donde
        porque lo le se es en
        """,
    "German": """
        ich du er sie wir ihr bin bist ist sind seid habe hast hat haben nicht kein keine und oder
        aber mit für von zu zum zur bei nach aus auf der die das den dem ein eine einen einem mein
        meine meinen dein unser euch mich mir dich dir uns heute gestern morgen jetzt auch sehr
        wohne arbeite möchte gern gerne über
        """,
    "Italian": """
        io tu lui lei noi voi loro sono sei è siamo siete ho hai abbiamo hanno il lo gli una uno
        del della di con per ma molto mio mia miei tuo non che chi oggi domani ieri qui adesso
        anche ciao grazie mi chiamo abito vivo mangio piace piacciono nel nella e
        """,
    "Portuguese": """
        eu você ele ela nós eles sou é somos são estou está tenho quero gosto moro trabalho o os
        as um uma do da dos das no na com por para mas muito meu minha meus seu sua não que hoje
        amanhã ontem aqui agora também olá obrigado obrigada em
        """,
    "Dutch": """
        ik jij hij zij wij jullie ben bent zijn heb hebt heeft hebben niet geen een het de en maar
        met voor van naar bij uit op mijn jouw zijn onze vandaag morgen gisteren nu ook heel graag
        woon werk wil
        """,
    "a Scandinavian language": """
        jag jeg du han hon hun vi är er har inte ikke och og men med för fra från på av til till
        en ett et min mitt mina din idag i dag imorgen imorgon igår nu nå också også bor jobbar
        jobber vil skal kan
        """,
    "Polish": """
        ja ty jestem jesteś jest są mam masz nie i w na z ze do od dla po przez ale mój moja moje
        twój dzisiaj dziś jutro wczoraj teraz też bardzo lubię mieszkam pracuję chcę się że co
        """,
    "Turkish": """
        ben sen biz siz ve bir bu şu ile için değil çok ama benim senin bugün yarın dün şimdi
        var yok
        seviyorum yaşıyorum istiyorum""",
    "Vietnamese": """
        tôi bạn anh chị chúng là và của có không ở với cho đang đã sẽ rất hôm nay mai sống
        thích muốn""",
    "Indonesian": """
        saya aku kamu kami kita dia mereka adalah dan dengan untuk dari yang tidak bukan sangat
        ini itu
        hari besok kemarin sekarang juga tinggal di ke suka ingin mau""",
}
_ALSO_FOREIGN = frozenset("me a an in on as he do am was so or no".split())
_IN_NAMES = frozenset("de la le van der von del di da du el los las des y et".split())
_ALSO_ENGLISH = _IN_NAMES | frozenset(
    """
no do as die hat den van ben dan men man ten min till har bin son con sin pan mai ama her also am an
at in is it on or so was war me he sang come hari kami use ma ta sa mes un en i e o w z na po co
""".split()
)
_ENGLISH = frozenset(
    """
i you he she it we they my your his her our their am is are was were be been have has had do does
did the a an and or but not of to in on at for with from by as that this these those there what
when where who why how if so because will would can could should may might must about into than
then just very really like want need know think go going went got get me him them us i'm i've i'd
i'll don't dont im it's
""".split()
)


def foreign_sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans of sentences in another language, with the name of that language."""
    if text.isascii() and _little_words().isdisjoint(re.findall(r"[\w']+", text.lower())):
        return
    for start, _, end in sentence_spans(text, semicolons=False):
        name = unknown_language(text[start:end])
        if name:
            yield start, end, name


def unknown_language(sentence: str) -> str | None:
    """The language of a sentence that is neither English nor Chinese; None if it is, or unclear."""
    if _other_scripts().search(sentence):
        letters = len(re.findall(r"[^\W\d_]", sentence))
        for name, characters in _SCRIPTS.items():
            found = len(re.findall(f"[{characters}]", sentence))
            if found and _is_script(name, found, letters, sentence):
                return name
    if re.search("[\u3400-\u9fff]", sentence):
        return None
    words = [word.lower() for word in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", sentence)]
    return _by_little_words([word.replace("’", "'") for word in words])


def _is_script(name: str, found: int, letters: int, sentence: str) -> bool:
    """Mostly written in it; Japanese has Chinese characters, too, but not these words."""
    if name == "Japanese":
        return found * 2 >= letters or (
            found > 1 and not re.search("[你她们吗呢怎么这]|我(?!々)", sentence)
        )
    return found * 3 >= letters


def _by_little_words(words: list[str]) -> str | None:
    english = sum(word in _ENGLISH and word not in _ALSO_FOREIGN for word in words)
    table = _tables()
    scores = {name: sum(word in known for word in words) for name, known in table.items()}
    name, best = max(scores.items(), key=lambda score: score[1])
    known = {word for word in words if word in table[name] and word not in _ENGLISH}
    foreign = len(known - _IN_NAMES) if english else len(known)
    if foreign >= 2 and foreign > english:
        return name
    accented = any(not word.isascii() for word in words)
    clear = len(known - _ALSO_ENGLISH)
    short = len(words) <= 4 and clear >= 1 and english == 0
    return name if best and short and (accented or clear * 3 >= len(words)) else None


@cache
def _tables() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in _LITTLE_WORDS.items()}


@cache
def _little_words() -> frozenset[str]:
    words = {word for known in _tables().values() for word in known} - _ENGLISH
    return frozenset(word for word in words if word.isascii())


@cache
def _other_scripts() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_SCRIPTS.values())}]")
