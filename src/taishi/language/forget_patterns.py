"""The patterns of requests to forget something; see `forget_requests`."""

from __future__ import annotations

from .lazy_regex import lazy_compile

TRADITIONAL = str.maketrans(
    "記請別這個說們沒無須還後關於刪麼麻煩幫條從裡將對現錄儲過話",
    "记请别这个说们没无须还后关于删么麻烦帮条从里将对现录储过话",
)
WORTH_READING = lazy_compile(
    r"(?i)forg[eo]t|remember|memor|you know|unlearn|\bstor|\brecord|\bsave|忘|记|記|[别別][存保]"
    r"|(?:delet|remov|eras|wip|clear|purg|drop)\w* (?:everything|anything|all|what)"
    r"|everything about|\b(?:note|jot|write) (?:this|that|it) down|不[要用必][存保]"
    "|[把将將][^。\n]{1,60}事[^。\n]{0,6}[删刪清抹]"
    "|[关關][于於][^。\n]{1,60}[删刪清抹]|[删刪][^。\n]{0,30}[关關][于於]"
)

# -- where a request may begin ----------------------------------------------------------------

CLAUSE_START = lazy_compile(
    r"(?i)^\W*|[,，;；:：。—–]\s*|\s-\s|\b(?:and|but|so|then)\s+|(?:而且|并且|但是?|然后|所以)[，,]?"
)
# What ends the clause before a request that somebody else made, or that is only told of.
REPORTED = lazy_compile(
    r"(?i)\b(?:said|says?|told|tells|wrote|writes|asked|asks|sings?|goes)\b[^.!?]{0,20}[:,]?\s*[\"“]?$"
    r"|(?:说|问|道|写|唱|叫)(?:的是|了|着|过)?[:：，,]?\s*[“「]?$"
)
SUPPOSED = lazy_compile(
    r"(?i)^\W*(?:if|when|whenever|unless|in case)\b|^\W*(?:如果|要是|假如|万一|当我|每当)"
)
OPENING = lazy_compile(
    r"(?i)(?:(?P<asks>please|pls|kindly|go ahead and|(?:can|could|would|will) you"
    r"|you (?:can|could|may|must|should|have to|need to)"
    r"|i(?:['’]d| would) (?:like|prefer|love|appreciate it)(?: it)?(?: if you| that you| you to)"
    r"|i (?:want|need|wish|ask|expect|prefer) (?:you to|that you)|i(?:['’]m| am) asking you to"
    r"|(?:make|be) sure (?:that you|you|to))"
    r"|hey|hi|hello|ok(?:ay)?|oh|well|actually|sorry|also|and|but|so|now|then|just|never mind"
    r"|by the way|btw|(?<![^\s\W])(?:hey |hi |hello )?[a-z]\w{0,20}(?=,))\b[\s,]*"
)
OPENING_ZH = lazy_compile(
    "(?:(?P<asks>请|能不能|可不可以|麻烦你?|拜托你?|帮我|劳驾|你(?:能不能|可不可以|可以|能|得|应该|必须)(?:请)?"
    "|你(?=别|不要|不用|把|从|帮)|我?(?:希望|想要?|要|想让|想请|需要|求|请)(?:请)?你|务必)"
    "|以下(?:的?内容|信息)?|下面(?:的?内容|的话)?|还是|那就?|就|也|顺便|对了|嘿|喂|好的?|另外|所以|然后|但是?|不过|千万)[，,\\s]*"
)
JOINT = lazy_compile(
    r"(?i)[\s,，;；:：—–-]*(?:\b(?:and|but|so|then)\s*|而且|并且|但是?|然后|所以)?[，,\s]*$"
)

# -- English ----------------------------------------------------------------------------------

_MINE = r"(?:i|i['’](?:m|ve|d|ll)|my|mine|me(?! to\b)|we|our|us)\b"
_THAT_I = rf"(?:(?:the fact )?that )?{_MINE}"
_ABOUT_ME = (
    rf"(?:everything|anything|all|what(?:ever)?|the (?:\w+ ){{1,2}})(?: you know| there is)? ?"
    rf"(?:about|of) {_MINE}"
)
_NOT = (
    r"(?:do not|don['’]?t|stop|you (?:do not|don['’]t) (?:have|need) to|no need to"
    r"|i (?:do not|don['’]t) want you to"
    r"|i(?:['’]d| would) rather you (?:did not|didn['’]t|don['’]t)"
    r"|you (?:do not|don['’]t|must not|should not|shouldn['’]t))"
)
_KEEP = (
    r"(?:keep|keeping|store|storing|save|saving|record|recording|put|putting|hold|holding"
    r"|retain|note|write|log)"
)
_DELETE = r"(?:delete|remove|erase|wipe|clear|purge|drop|scrub|scratch|take|strike)"
_YOUR_MEMORY = (
    r"(?:(?:your|taishi['’]?s|the long-term|long-term)(?: long-term)? memor(?:y|ies)|memories"
    r"|your (?:records|notes))\b"
)
_POINTED = r"(?:it|this|that|these|those|them|both|all (?:of )?(?:it|this|that|them))"
_END = (
    r"(?:[\s,]*(?:please|pls|again|now|ok(?:ay)?|for good|completely|thanks?(?: you)?|at all))*\W*$"
)

_I_SAID_ZH = (
    "(?:我(?:刚才|刚刚|之前|前面|上次|以前)?|(?:刚才|刚刚|之前|前面|上次|以前)我)"
    "(?:说|讲|提|(?:告诉|跟|和|给)过?你(?:说|讲|提)?)(?:过|到|起)*的"
)
# "Forget what I said about Berlin" takes it back: the historian acts on it.
EVERYTHING_SAID = lazy_compile(
    r"(?i)(?:forget|ignore|disregard|delete|remove|erase)\s+(?:about )?"
    r"(?:what(?:ever)?|everything|anything|all(?: that)?|the (?:thing|things|part|stuff))"
    r" (?:that )?i(?:['’]ve| have)?"
    r"(?: just| ever)? (?:said|told|mentioned|wrote|was saying)"
    f"|(?:忘掉|忘了|忘记|把|将){_I_SAID_ZH}"
)
REQUEST = lazy_compile(
    rf"(?i)(?:forget|unlearn)\s*(?::\s*|\s(?:all )?(?:about )?)(?:{_THAT_I}|{_ABOUT_ME})"
    rf"|{_DELETE}\s+(?:everything|anything|all|what(?:ever)?) you (?:know|remember|have) "
    rf"(?:about|of|on) {_MINE}"
    rf"|{_NOT}\s+{_KEEP}\s+(?:that (?:i|we)\b"
    rf"|(?:a|any) (?:record|memory|note) (?:of|about|that) {_MINE})"
    rf"|{_NOT}\s+(?:ever )?(?:remember|memori[sz]e)(?:ing)?\s+(?:{_THAT_I}|{_ABOUT_ME})"
    rf"|{_NOT}\s+{_KEEP}\b.{{0,120}}?\b(?:in|to|into) (?:{_YOUR_MEMORY}|memory that {_MINE})"
    rf"|{_DELETE}\s+(?:from|out of) (?:{_YOUR_MEMORY}|memory)\s+{_THAT_I}"
    rf"|{_DELETE}\s+(?:that |the fact that )?{_MINE}.{{1,200}}?\b(?:from|out of) "
    rf"(?:{_YOUR_MEMORY}|memory\b)"
    rf"|{_DELETE}\s+(?:the|all|any|every|your|this|that) (?:\w+ )?memor(?:y|ies) "
    rf"(?:(?:that|about|of) )?(?:{_MINE}|which)"
    rf"|{_DELETE}\s+(?!{_POINTED}\b).{{1,200}}?\b(?:from|out of) {_YOUR_MEMORY}"
    r"|(?<!\w )off the record\s*[:,]\s*\w"
)
POINTING = lazy_compile(
    rf"(?i)(?:{_NOT}\s+(?:ever )?(?:remember|memori[sz]e)(?:ing)?\s+{_POINTED}{_END}"
    rf"|{_NOT}\s+{_KEEP}\s+{_POINTED}\s+(?:in|to|into) {_YOUR_MEMORY}"
    rf"|{_DELETE}\s+{_POINTED}\s+(?:from|out of) {_YOUR_MEMORY}"
    rf"|{_DELETE}\s+(?:from|out of) {_YOUR_MEMORY}{_END}"
    # "It" is as often a file or a door: "don't save it".
    rf"|{_NOT}\s+(?:save|store|record|log|saving|storing|recording|logging) (?:this|that){_END}"
    rf"|{_NOT}\s+(?:note|jot|write|put) (?:it|this|that) down{_END}"
    rf"|keep (?:it|this|that) off the record{_END}"
    rf"|(?:it|this|that)(?:['’]s| is) (?:strictly )?off the record{_END}"
    r"|i (?:do not|don['’]?t|never) want (?:any of )?(?:it|this|that|these|those|them) (?:to be )?"
    rf"(?:remembered|memori[sz]ed|stored|saved|(?:kept )?in (?:{_YOUR_MEMORY}|memory)){_END}"
    r"|i(?:['’]d| would) rather not have (?:it|this|that|them) "
    rf"(?:remembered|memori[sz]ed|stored|saved){_END})"
)
POINTING_IF_ASKED = lazy_compile(
    rf"(?i)forget\s+(?:about )?{_POINTED}{_END}"
    "|(?:忘掉|忘记|忘了)(?:它|这个|这件事|这些|这一切|这条|那条)(?:吧|了|好吗)*\\W*$"
)
# Told by whoever writes down a turn: "the user asked to forget that she lives in Cork".
_WANTED = r"(?:(?:has )?asked|asks|wants?|wanted|requested|requests|would like|told)"
_FORGETTING = (
    rf"(?:forget|not (?:to )?remember|{_DELETE}\b.{{1,120}}?\bmemor(?:y|ies)"
    r"|have .{1,120}? forgotten)\b"
)
RETOLD = lazy_compile(
    rf"(?i)^\W*(?:the )?user {_WANTED}(?: (?:me|us|you|claude|that|the \w+))? "
    rf"(?:to )?(?:not to )?{_FORGETTING}"
    rf"|^\W*(?!i\b)(?:\w+ ){{1,3}}(?:has )?(?:asked|requested) to {_FORGETTING}"
    rf"|^\W*asked to {_FORGETTING}"
    "|^\\W*(?:用户|对方|使用者)(?:要求|请求|希望|想让?|让|要|请)(?:我|你|助手|机器人|系统|AI)?"
    "(?:忘|别记|不要记|(?:把|将)?.{0,60}删|删.{0,60}记忆)"
    f"|^\\W*(?!{_I_SAID_ZH})我的?"
    "[^，。,]{1,40}(?:你|请你?)(?:就|也)?忘(?:掉|了吧|记吧)"
    "|^\\W*[^，。,]{0,12}要求(?:我|你|助手)?(?:忘[记掉]|不要记|别记)"
)
# What a bot says that it did.
REPORT = lazy_compile(
    r"(?i)\b(?:removed|deleted|erased|cleared|wiped|dropped|taken)\b.{1,300}?\b(?:from|out of) "
    r"(?:(?:my|the|your|his|her|their|\w+['’]s|long-term|taishi)\s+){0,2}memor(?:y|ies)\b"
    r"(?!\s+(?:cache|map|graph|pool|usage|leak))"
    r"|\b(?:removed|deleted|erased) (?:the|all|a|every|both|two|your|his|her|their) "
    r"(?:\w+ ){0,2}memor(?:y|ies)\b"
    r"|\bforg[eo]t(?:ten)? (?:that|about)\b|\bforg[eo]t(?:ten)? .{1,200}?\bas (?:asked|requested)\b"
    r"|^\W*forgot(?:ten)? (?:the user|\w+['’]s)\b"
    "|(?:已|已经)?(?:为你|帮你|替你)?(?:忘掉|忘记)了?(?:用户|对方|你|您)"
    "|从(?:长期)?记忆(?:里|中|库)[^。]{0,40}(?:删|移|清|抹)|(?:删除|移除|清除|删掉)了?[^。]{0,60}记忆"
    "|(?:把|将)[^。]{1,60}从(?:长期)?记忆"
    # Nothing but that.
    r"|^\W*(?:(?:ok(?:ay)?|sure|done|all right|alright|yes|got it|will do)\b[\s,.!—–-]*)*"
    r"(?:i(?:['’]ve| have)? )?(?:forgotten|forgot)(?: (?:it|that|this))?\W*$"
    "|^\\W*(?:(?:好的?|行|嗯|收到|没问题|可以|明白)[，,。！!\\s]*)*我?(?:已经?|这就)?(?:都|全)?"
    "(?:忘掉|忘记|忘)了?(?:它|这件?事|那件?事)?[了啦]?\\W*$"
)

# -- Chinese ----------------------------------------------------------------------------------

_ME = "(?:关于|有关)?(?:我|咱|俺)"
_NOT_ZH = "(?:别|不要|勿|甭|不准|不许|我?(?:不想|不希望)(?:让)?你)(?:再|去)?"
_KEEP_ZH = (
    "(?:记住|记下来?|记录|记着|记得|保存|存储|存下来?|存|记)(?!错|仇|混|反|挂|性|恨|者|笔记|账)"
)
_MEMORY_ZH = "(?:从|在)?(?:你的?)?(?:长期)?记忆(?:里面?|中|库里?|库中)"
_DELETE_ZH = "(?:删除?|清除|清掉|抹去|抹掉|移除|去掉|忘掉)"
REQUEST_ZH = lazy_compile(
    f"(?:彻底|完全|统统|全部)?(?:忘掉|忘却|忘光){_ME}"
    f"|(?:彻底|完全)?忘记{_ME}(?![^，。；]*了[。！]?$)"
    f"|{_NOT_ZH}{_KEEP_ZH}[:：]?{_ME}|(?:忘掉|忘记)[:：]\\s*我"
    f"|{_NOT_ZH}(?:把|将){_ME}.{{1,60}}?(?:记住|记下|记录|记到|记进|存下)"
    f"|(?:把|将).{{1,80}}?{_MEMORY_ZH}(?:全|都|给)*{_DELETE_ZH}"
    f"|(?:把|将)[^，。]{{0,20}}?{_ME}.{{0,60}}?的?(?:记忆|记录)(?:全|都|给)*{_DELETE_ZH}"
    f"|(?:把|将){_ME}.{{1,60}}?忘掉"
    f"|{_DELETE_ZH}(?:掉|了)?(?:所有|全部)?{_ME}.{{0,60}}?的?记忆"
)
REQUEST_IF_ASKED_ZH = lazy_compile(f"(?:忘了|忘记){_ME}|(?:把|将){_ME}.{{1,60}}?忘[了记]")
# What was just said, or is about to be.
_THIS_ZH = (
    "(?:(?:我?(?:刚才|刚刚|刚|上面|前面)(?:我?说)?的?)?(?:这|那|此)(?:件|个|条|句|段|些|点|番)?"
    "(?:事情|事儿|事|话儿?|消息|内容|信息|记忆)?|它|以上(?:的?内容)?|我?(?:刚才|刚刚|刚|上面|前面)我?说的话?)"
)
_TOO_ZH = "(?:你|您|就|请|也|都|可|先|千万|给我|帮我|麻烦)*"
_PARTICLES_ZH = (
    "(?:了|啊|哦|喔|噢|哈|吧|呀|呢|啦|嘛|哟|好吗|好不好|可以吗|行吗|谢谢|拜托|求你)*(?=\\W|$)"
)
_NO_NEED_ZH = "(?:不用|不必|无需|用不着|没必要)(?:再|去)?"
_INTO_ZH = "(?:进|到|入|在)(?:你的?)?(?:长期)?(?:记忆|脑子|脑海)(?:里面?|中|库里?|库中?)?"
POINTING_ZH = lazy_compile(
    "(?:忘掉|忘记)(?:刚才|刚刚|上面|前面)(?:那|这)(?:条|句话?|件事)|"
    f"{_THIS_ZH}{_TOO_ZH}(?:{_NOT_ZH}|{_NO_NEED_ZH}){_KEEP_ZH}(?:它)?(?:{_INTO_ZH})?{_PARTICLES_ZH}"
    f"|(?:{_THIS_ZH}{_TOO_ZH})?(?:{_NOT_ZH}|{_NO_NEED_ZH})(?:把(?:它|{_THIS_ZH}))?"
    f"(?:[写放存记加录]{_INTO_ZH}|往(?:你的?)?(?:长期)?记忆(?:里面?|中|库里?)?[写放存记加录])"
    f"(?:它|{_THIS_ZH})?{_PARTICLES_ZH}"
    f"|{_NOT_ZH}{_KEEP_ZH}(?:它|{_THIS_ZH})?(?:了|啊|哦|吧|好吗|谢谢)*\\W*$"
    f"|(?:{_THIS_ZH}{_TOO_ZH})?{_MEMORY_ZH}(?:里)?(?:把它|把这个|把这条)?(?:全|都|给)*{_DELETE_ZH}"
    f"|(?:把|将)?{_THIS_ZH}(?:{_TOO_ZH})(?:忘掉|忘了吧|忘记吧){_PARTICLES_ZH}"
    "|(?:把|将)?(?:这|那|刚才那|刚才这)[条段个](?:记忆)(?:给我|都|全)*(?:删[掉除了]?|清[掉除]|抹[掉去]|忘掉)"
)

# -- around a request -------------------------------------------------------------------------

HOLDS_NOW = lazy_compile(
    r"(?i)\b(?:now|instead|nowadays|these days|moved to)\b|现在|如今|改(?:成|为|用|叫|到)|搬到|而是"
)
# "Forget my bank. It was Banca Sella."
CONTINUES = lazy_compile(
    r"(?i)^(?:it|that|this|he|she|they|his|her|its|their)(?: name| number| address)?"
    r"(?:['’]s\b|\s+(?:is|was|are|were|lives?|works?)\b)"
    "|^(?:就?是|它|他|她|那是|这是|名字是|叫)"
)
