"""What is known after a chat, by rule: rows of (turns, facts that hold and no others).

`RECORDED` gives a record's text, `KEPT` what is worth one. Neighbours that were right before
stand beside what was mended.
"""

from __future__ import annotations

Row = tuple[tuple[str, ...], tuple[str, ...]]

# Whom the second clause is about: the one just introduced, not the speaker.
INTRODUCED: list[Row] = [
    (("我有个同事老李，住在通州",), ()),
    (("我有个姐姐，对花生过敏",), ("阿哲有个姐姐",)),
    (("我有个弟弟，在上海读大学",), ("阿哲有个弟弟",)),
    (("我认识一个医生，在协和上班",), ()),
    (("我有个朋友，喜欢喝酒",), ()),
    (("我养了一只狗，喜欢吃胡萝卜",), ("阿哲养了一只狗",)),
    (("我有一个同学在腾讯工作，住在南山",), ()),
    (("我有两个孩子，在杭州上学",), ("阿哲有两个孩子",)),
    (("我遇到一个老乡，在华为上班",), ()),
    (("我有个邻居姓王，会说日语",), ()),
    (("我请了个阿姨，每天做饭",), ()),
    (("我有女朋友，在协和上班",), ("阿哲有女朋友",)),
    (("我在字节上班，有个同事老李，住在通州",), ("阿哲在字节上班",)),
    (("我和女朋友在一起三年了，在协和上班",), ()),
    (("我领养了一只小狗，取名豆包，今年两岁",), ("阿哲领养了一只小狗叫豆包",)),
    (("我舅舅是医生，在协和上班",), ("阿哲的舅舅是医生", "阿哲的舅舅在协和上班")),
    (("我教练在健身房上班，喜欢游泳",), ()),
    (("我喜欢喝茶，老李喜欢咖啡，住在通州",), ("阿哲喜欢喝茶", "老李喜欢咖啡")),
    (("我在杭州上学，我男朋友在字节上班，住在南山",),
     ("阿哲在杭州上学", "阿哲的男朋友在字节上班", "阿哲的男朋友住在南山")),
    (("我在杭州上学，妈妈是老师，在一中上班",), ("阿哲在杭州上学",)),
    # as before
    (("我妹妹叫小美，住在深圳",), ("阿哲的妹妹叫小美", "阿哲的妹妹住在深圳")),
    (("我老婆是护士，在协和上班",), ("阿哲的老婆是护士", "阿哲的老婆在协和上班")),
    (("我在字节上班，住在通州",), ("阿哲在字节上班", "阿哲住在通州")),
    (("我有一辆车，住在通州",), ("阿哲有一辆车", "阿哲住在通州")),
    (("我有哮喘，对花生过敏",), ("阿哲有哮喘", "阿哲对花生过敏")),
    (("我有个习惯，每天早上跑步",), ("阿哲每天早上跑步",)),
    (("我养了两只猫，在字节上班",), ("阿哲养了两只猫", "阿哲在字节上班")),
    (("我有个姐姐，我对花生过敏",), ("阿哲有个姐姐", "阿哲对花生过敏")),
    (("我有个姐姐，还有个弟弟",), ("阿哲有个姐姐", "阿哲还有个弟弟")),
    (("我的名字是王哲，住在通州",), ("阿哲的名字是王哲", "阿哲住在通州")),
    (("I have a colleague Li, lives in Oslo",), ()),
    (("I have a colleague Li who lives in Oslo",), ()),
    (("I know a doctor who works at Acme",), ()),
    (("I have a sister, she is allergic to peanuts",), ("Ann has a sister",)),
    (("I have a dog, loves carrots",), ("Ann has a dog",)),
    (("I have a sister, allergic to peanuts",), ("Ann has a sister",)),
    (("I have a sister. Living in Cork, allergic to nuts.",), ("Ann has a sister",)),
    (("I have a brother and he lives in Cork",), ("Ann has a brother",)),
    # as before
    (("I have a sister who is allergic to peanuts",),
     ("Ann has a sister who is allergic to peanuts",)),
    (("My friend Tom lives in Oslo and works at Acme",),
     ("Ann's friend Tom lives in Oslo and works at Acme",)),
    (("My sister Amy is a nurse, works at Acme",), ("Ann's sister Amy is a nurse, works at Acme",)),
    (("I have a brother and I live in Cork",), ("Ann has a brother", "Ann lives in Cork")),
    (("Living in Cork, allergic to nuts.",), ("Ann lives in Cork",)),
    (("I have a cat, a dog and two rabbits",), ("Ann has a cat, a dog and two rabbits",)),
]  # fmt: skip

# "I misspoke": what is put right, and nothing else.
MISSPOKEN: list[Row] = [
    (("我在字节上班。", "我说错了，我住在朝阳。"), ("阿哲在字节上班", "阿哲住在朝阳")),
    (("我在字节上班。", "我说错了，我住在朝阳。", "我在字节上班。"),
     ("阿哲在字节上班", "阿哲住在朝阳")),
    (("我住在海淀，在字节上班。", "我刚才说错了，我住在朝阳，不是海淀。"),
     ("阿哲在字节上班", "阿哲住在朝阳")),
    (("我住在海淀，在字节上班。", "我说错了。我住在朝阳。"), ("阿哲在字节上班", "阿哲住在朝阳")),
    (("我对芒果过敏", "我说错了，我对菠萝过敏"), ("阿哲对菠萝过敏",)),
    (("我喜欢猕猴桃，讨厌橄榄", "我说错了，我喜欢芒果"), ("阿哲喜欢芒果", "阿哲讨厌橄榄")),
    (("我住在海淀", "口误，我住在朝阳"), ("阿哲住在朝阳",)),
    (("我住在海淀。", "我说错了。"), ()),
    (("我在字节上班。", "我住在海淀。", "我说错了。"), ("阿哲在字节上班",)),
    (("我住在海淀。", "我说错了。", "我住在海淀。"), ("阿哲住在海淀",)),
    (("我住在海淀。", "我说错了，我住在朝阳。", "我住在海淀。"), ("阿哲住在海淀",)),
    (("我姐姐是医生", "我说错了，我没有姐姐"), ()),
    (("我住在海淀", "我朋友说错了，我住在朝阳"), ("阿哲住在海淀",)),
    (("I work at Acme.", "I misspoke, I live in Lisbon."),
     ("Ann works at Acme", "Ann lives in Lisbon")),
    (("I work at Acme.", "I misspoke, I live in Lisbon.", "I work at Acme."),
     ("Ann works at Acme", "Ann lives in Lisbon")),
    (("I live in Berlin and I work at Acme.", "I misspoke, I live in Lisbon, not Berlin."),
     ("Ann works at Acme", "Ann lives in Lisbon")),
    (("I live in Berlin and I work at Acme.", "Correction: I live in Lisbon."),
     ("Ann works at Acme", "Ann lives in Lisbon")),
    (("I'm allergic to mango.", "I misspoke, I'm allergic to pineapple."),
     ("Ann is allergic to pineapple",)),
    (("I live in Berlin.", "Scratch that."), ()),
    (("I live in Berlin.", "Scratch that.", "I live in Berlin."), ("Ann lives in Berlin",)),
    (("I live in Berlin.", "I misspoke, I live in Lisbon.", "I live in Berlin."),
     ("Ann lives in Berlin",)),
]  # fmt: skip

# Not A but B: A goes, B is learned.
CONTRASTED: list[Row] = [
    (("我对芒果过敏", "更正一下，我不是对芒果过敏，是对菠萝过敏"), ("阿哲对菠萝过敏",)),
    (("我对芒果过敏", "我不是对芒果过敏，我是对菠萝过敏"), ("阿哲对菠萝过敏",)),
    (("我对芒果过敏", "不是芒果，是菠萝"), ("阿哲对菠萝过敏",)),
    (("我对芒果过敏，住在海淀", "我不是对芒果过敏，而是对菠萝过敏"),
     ("阿哲对菠萝过敏", "阿哲住在海淀")),
    (("我养了一只猫叫团子", "我的猫不叫团子，叫汤圆"), ("阿哲的猫叫汤圆",)),
    (("我的猫叫团子", "我的猫不叫团子，叫汤圆"), ("阿哲的猫叫汤圆",)),
    (("我的猫叫团子，我的狗叫团子二号", "我的猫不叫团子，叫汤圆"),
     ("阿哲的狗叫团子二号", "阿哲的猫叫汤圆")),
    (("我妹妹叫小美", "我妹妹不叫小美，叫小丽"), ("阿哲的妹妹叫小丽",)),
    (("我住在海淀", "打错了，是朝阳不是海淀"), ("阿哲住在朝阳",)),
    (("我住在海淀，在字节上班", "打错了，是朝阳，不是海淀"), ("阿哲在字节上班", "阿哲住在朝阳")),
    (("我住在海淀", "打错了，不是海淀，是朝阳"), ("阿哲住在朝阳",)),
    (("我住在海淀", "应该是朝阳，不是海淀"), ("阿哲住在朝阳",)),
    (("别再叫我阿哲", "可以叫我阿哲了"), ()),
    (("别再叫我小哲", "以后用中文回答", "可以叫我小哲了"), ("阿哲要求：“以后用中文回答”",)),
    # as before
    (("我住在海淀", "老李住的是朝阳不是海淀"), ("阿哲住在海淀",)),
    (("我住在海淀", "是朝阳不是海淀吗？"), ("阿哲住在海淀",)),
    (("我住在海淀", "不是丰台，是朝阳"), ("阿哲住在海淀",)),
    (("我对芒果过敏", "我不是北京人，是上海人"), ("阿哲对芒果过敏", "阿哲是上海人")),
    (("你可以叫我阿杰",), ("阿哲要求：“你可以叫我阿杰”",)),
    (("I'm allergic to mango.",
      "Correction: I'm not allergic to mango, I'm allergic to pineapple."),
     ("Ann is allergic to pineapple",)),
    (("I'm allergic to mango.", "I'm not allergic to mango, I'm allergic to pineapple."),
     ("Ann is allergic to pineapple",)),
    (("I have a cat called Momo.", "My cat isn't called Momo, she's called Coco."),
     ("Ann's cat is called Coco",)),
    (("My cat is called Momo.", "My cat is not called Momo, her name is Coco."),
     ("Ann's cat is called Coco",)),
    (("I live in Haidian.", "typo: Chaoyang, not Haidian"), ("Ann lives in Chaoyang",)),
    (("I live in Haidian and I work at Acme.", "Sorry, I meant Chaoyang, not Haidian."),
     ("Ann lives in Chaoyang", "Ann works at Acme")),
    (("I live in Haidian.", "Not Haidian, Chaoyang."), ("Ann lives in Chaoyang",)),
    (("Don't call me Annie anymore", "You can call me Annie again"), ()),
    # as before
    (("I live in Haidian.", "Bob lives in Chaoyang, not Haidian"),
     ("Ann lives in Haidian", "Bob lives in Chaoyang")),
    (("I live in Haidian.", "Oslo, not Bergen"), ("Ann lives in Haidian",)),
    (("I like coffee. I drink coffee every day.", "I'm not a coffee snob, I'm a tea drinker."),
     ("Ann likes coffee", "Ann drinks coffee every day")),
]  # fmt: skip

# A fact says all that it needs.
WHOLE: list[Row] = [
    (("我养了一只猫，叫墨水",), ("阿哲养了一只猫叫墨水",)),
    (("我有个妹妹，叫小美，住在深圳",), ("阿哲有个妹妹叫小美",)),
    (("我女儿三岁了，叫朵朵",), ("阿哲的女儿三岁了", "阿哲的女儿叫朵朵")),
    (("我在学吉他，每天练一小时",), ("阿哲在学吉他，每天练一小时",)),
    (("我在学游泳，每周去三次",), ("阿哲在学游泳，每周去三次",)),
    (("我每天跑步，每次五公里",), ("阿哲每天跑步，每次五公里",)),
    (("我儿子很乖，叫了一声爸爸",), ()),
    (("我养了两只猫，叫声很大",), ("阿哲养了两只猫",)),
    # as before
    (("我住在海淀，每天跑五公里",), ("阿哲住在海淀", "阿哲每天跑五公里")),
    (("我每天早上喝咖啡，每周去一次健身房",), ("阿哲每天早上喝咖啡", "阿哲每周去一次健身房")),
    (("I adopted a cat, named Ink",), ("Ann adopted a cat, named Ink",)),
    (("I have a cat, she's called Ink",), ("Ann has a cat called Ink",)),
    (("I have a cat. Her name is Ink.",), ("Ann has a cat",)),
    (("My daughter is three, her name is Dot.",),
     ("Ann's daughter is three", "Ann's daughter is called Dot")),
]  # fmt: skip

FACTS = [*INTRODUCED, *MISSPOKEN, *CONTRASTED, *WHOLE]

# What a record says of one turn, after its head.
RECORDED = [
    ("别再叫我阿哲，叫我哲哥", "阿哲要求：“别再叫我阿哲，叫我哲哥”"),
    ("以后叫我哲哥", "阿哲要求：“以后叫我哲哥”"),
    ("Don't call me Annie, call me Ann", "Ann asks: \"Don't call me Annie, call me Ann\""),
    ("我刚才说错了", "阿哲刚才说错了"),
    ("我刚到奥森", "阿哲刚到奥森"),
    ("我刚刚下班", "阿哲刚刚下班"),
    ("I just got home", "Ann just got home"),
    ("记住我明天要去杭州出差", "阿哲2026年11月18日要去杭州出差"),
    ("记住：我明天要去杭州出差", "阿哲2026年11月18日要去杭州出差"),
    ("请记住，我对花生过敏", "阿哲对花生过敏"),
    ("Remember that I'm allergic to nuts", "Ann is allergic to nuts"),
    # as before
    ("我现在住在通州", "阿哲现在（截至2026年11月17日）住在通州"),
    ("他叫我去开会", "他叫阿哲去开会"),
    ("我记住了这首歌", "阿哲记住了这首歌"),
    ("I remember that song", "Ann remembers that song"),
]  # fmt: skip

# What is worth a record, without a model (W9).
KEPT = [
    "我昨天签了合同", "我明天下午三点有面试", "我辞职了", "我下周三要去体检", "我考上研究生了",
    "我上个月做了手术", "我怀孕了", "我们周六去爬山", "我妈昨天住院了", "我拿到驾照了",
    "我今晚八点的飞机", "我被录取了",
    "I signed the contract yesterday", "I have an interview tomorrow at 3pm", "I quit my job",
    "I passed my driving test", "I'm flying to Oslo on Friday", "I got promoted",
    "I had surgery last month", "I'm pregnant", "We adopted a puppy today",
    "My mum went into hospital yesterday",
]  # fmt: skip
NOT_KEPT = [
    "谢谢你", "今天天气不错", "你好啊", "我觉得挺好的", "我来了", "我刚到", "我吃完了",
    "我明天有面试吗？", "你昨天说了什么？", "明天见", "我今天好累", "哈哈我笑死了", "我知道了",
    "好的我明白了", "我去洗澡了", "我先睡了", "如果我明天辞职了呢", "我晚上再跟你说",
    "thanks a lot", "ok I'll do that", "I'm fine today", "see you tomorrow", "I'm back",
    "I got it", "I see", "talk to you tomorrow", "did I sign it yesterday?",
    "I'd quit tomorrow if I could", "good morning!", "I just ate", "I was just kidding yesterday",
    "I'm so tired today",
]  # fmt: skip
