"""Recognises standing instructions about work: "always run the tests before you commit", "never
push to main without asking me", 提交前一定要先跑测试.

"Run the tests" and "don't push yet" are said of one moment: a word has to say that it lasts.
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile

_ACT = (
    r"(?:run|push|force-push|commit|merge|rebase|squash|deploy|edit|touch|change|modify|delete"
    r"|remove|install|upgrade|downgrade|rename|refactor|amend|lint|release|ship|migrate|bump|pin"
    r"|overwrite|create|revert|publish|rewrite|update|mock|stage|disable|re-?run|regenerate|tag"
    r"|ask|check|confirm|test|verify|review|format|open(?! to\b)|close(?! to\b))"
)
_WORK = (
    r"(?:\w+ing\b|(?:you )?(?:\w+ )?(?:commit|push|merge|deploy|release|edit|delete"
    r"|change|install|touch|publish|merg|run)\w*)"
)
_EACH = r"(?:every|each|any)"
_OPENING = (
    r"(?:(?:please|and|so|also|ok|okay|you (?:must|should|have to|need to)|make sure"
    r" (?:to|you)|remember to)[ ,]+)*"
)
_MY_LEAVE = (
    r"without (?:first )?(?:asking|telling|checking|consulting|my|me|approval|permission|an? ok\b)"
)
_PROVERB = r"(?! (?:a running system|a winning team)\b)"
_LASTING = (
    rf"{_OPENING}(?:always|never|don['’]t ever|do not ever)(?: ever)? {_ACT}\b{_PROVERB}(?= \S)",
    rf"{_OPENING}(?:don['’]t|do not) {_ACT}\b(?! (?:this|that|these|those)\b).{{0,80}}?"
    rf" (?:{_MY_LEAVE}|unless i\b|until i (?:say|ok"
    r"|approve|agree))",
    rf"{_OPENING}{_ACT}\b.{{1,80}}? (?:before|after) {_EACH} \w",
    rf"{_OPENING}(?:before|after) {_EACH} [\w -]{{2,40}}, ?{_OPENING}{_ACT}\b",
    rf"{_OPENING}(?:ask|check with|consult|confirm with|warn) me (?:first )?before {_WORK}",
)
_REPORTED = (
    *_LASTING,
    rf"{_OPENING}{_ACT}\b.{{1,80}}? before {_WORK}",
    rf"(?:not (?:to )?)(?:ever )?{_ACT}\b",
)
_STEP_ZH = (
    "(?:提交|推送|推代码|合并|部署|发布|上线|发版|改代码|改动|删除|安装|升级|重构|重启|合代码)"
)
_STEPS_ZH = f"{_STEP_ZH}(?:代码|文件|分支|依赖|改动|之后|任何东西)*"
_BEFORE_ZH = f"(?:在)?(?:每次|任何)?{_STEPS_ZH}(?:之前|以前|前|之后|后)[，,]?"
_OPENING_ZH = "(?:请|记得|记住|务必|以后|今后|你|麻烦|，|,)*"
_NOT_ZH = "(?:不要|别|不许|不准|不能|不得|禁止|不可以)"
_DOES_ZH = (
    "(?:提交|推|合并|部署|发布|上线|改|修改|动|删|安装|升级|重构|强推|变基|回滚|合|跑|执行|重启)"
)
_MUST_ZH = "(?:一定|务必|必须|都要|都得|都请|总是|始终|永远|一律)"
_LASTING_ZH = (
    rf"{_OPENING_ZH}{_BEFORE_ZH}(?:你|请|先)*{_MUST_ZH}(?:要|得|先|记得|请)*[^，。会]{{2,}}",
    rf"{_OPENING_ZH}(?:在)?每次{_STEPS_ZH}(?:之前|以前|前|之后|后)[，,]?(?:你|请|都|要|得|先|记得)+[^，。会]{{2,}}",
    rf"{_OPENING_ZH}{_BEFORE_ZH}(?:你|请|要|得|都|必须|一定|先)*(?:问|告诉|通知|征求|跟)我",
    rf"{_OPENING_ZH}(?:没|没有|未|不)(?:经|经过|得到|问过?|征得|征求|告诉)(?:过)?我[^，。]{{0,8}}[，,]?(?:之前|就|时)?{_NOT_ZH}"
    rf"[^，。]{{0,6}}?{_DOES_ZH}",
    rf"{_OPENING_ZH}(?:永远|绝对|千万|任何时候都)?{_NOT_ZH}(?:直接|擅自|私自|随便|自作主张){_DOES_ZH}",
    rf"{_OPENING_ZH}(?:永远|任何时候)(?:都)?{_NOT_ZH}{_DOES_ZH}",
    rf"{_OPENING_ZH}(?:一定|务必|必须|永远)要?先[^，。]{{2,16}}再{_DOES_ZH}",
)
_REPORTED_ZH = (
    *_LASTING_ZH,
    rf"{_OPENING_ZH}{_BEFORE_ZH}(?:你|请|要|得|都|先)+[^，。会]{{2,}}",
    rf"{_OPENING_ZH}{_NOT_ZH}[^，。]{{0,6}}?{_DOES_ZH}",
)
_ROWS = {
    False: [lazy_compile(f"^(?:{row})") for row in (*_LASTING, *_LASTING_ZH)],
    True: [lazy_compile(f"^(?:{row})") for row in (*_REPORTED, *_REPORTED_ZH)],
}
MOST_CHARS = 300


def is_work_instruction(lowered: str, is_reported: bool = False) -> bool:
    """`is_reported`: somebody tells that it was asked for, so that it need not say that"
    " it lasts."""
    text = lowered[:MOST_CHARS]
    return any(row.match(text) for row in _ROWS[is_reported])
