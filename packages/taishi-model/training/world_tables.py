"""The words that made-up worlds are told in: values, sentences and questions in two languages.

Written from general knowledge, not from any benchmark's templates. `{p}` is the person as the
speaker names them ("我同事王磊", "my colleague Ben"), `{P}` the person as asked about, `{v}` a
value.
"""

from __future__ import annotations

from dataclasses import dataclass

# The Chinese and the English form of one thing.
Both = tuple[str, str]
Wordings = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """How something about a person is told and asked, in each language."""

    told_zh: Wordings
    told_en: Wordings
    asked_zh: Wordings
    asked_en: Wordings
    # Who has this value?
    who_zh: Wordings
    who_en: Wordings
    # About everybody: how many, who most?
    all_zh: Wordings
    all_en: Wordings


@dataclass(frozen=True, slots=True)
class SelfAttribute:
    """How the speaker tells something about themselves, and asks for it later."""

    name: str
    values: list[Both]
    told_zh: Wordings
    told_en: Wordings
    asked_zh: Wordings
    asked_en: Wordings


def _bilingual(table: str) -> list[Both]:
    """Entries between bars; the Chinese form ends at the first space."""
    pairs = (entry.split(maxsplit=1) for entry in table.split("|"))
    return [(chinese, english.strip()) for chinese, english in pairs]


RELATIONS = _bilingual("""
同事 colleague | 表哥 cousin | 表姐 cousin | 堂弟 cousin | 舅舅 uncle | 姑姑 aunt | 姐姐 sister |
弟弟 brother | 妈妈 mum | 爸爸 dad | 外婆 grandma | 邻居 neighbour | 室友 roommate | 老板 boss |
大学同学 college friend | 健身教练 trainer | 侄女 niece | 女儿 daughter | 儿子 son |
老师 teacher | 客户 client | 下属 assistant | 叔叔 uncle | 岳母 mother-in-law |
好朋友 best friend
""")
CITIES = _bilingual("""
北京 Beijing | 上海 Shanghai | 杭州 Hangzhou | 成都 Chengdu | 深圳 Shenzhen | 西安 Xi'an |
青岛 Qingdao | 苏州 Suzhou | 昆明 Kunming | 厦门 Xiamen | 武汉 Wuhan | 哈尔滨 Harbin |
巴黎 Paris | 伦敦 London | 东京 Tokyo | 纽约 New York | 悉尼 Sydney | 里斯本 Lisbon |
柏林 Berlin | 重庆 Chongqing | 长沙 Changsha | 大连 Dalian | 南京 Nanjing | 天津 Tianjin
""")
JOBS = _bilingual("""
医生 doctor | 护士 nurse | 律师 lawyer | 会计 accountant | 建筑师 architect | 程序员 programmer |
厨师 chef | 司机 driver | 摄影师 photographer | 小学老师 primary school teacher |
销售经理 sales manager | 设计师 designer | 警察 police officer | 记者 journalist |
工程师 engineer | 农艺师 agronomist | 翻译 translator | 公务员 civil servant | 快递员 courier |
研究员 researcher
""")
HOBBIES = _bilingual("""
摄影 photography | 爬山 hiking | 打羽毛球 badminton | 弹吉他 playing the guitar | 钓鱼 fishing |
下围棋 playing Go | 画水彩 watercolour painting | 游泳 swimming | 做陶艺 pottery |
看科幻小说 reading science fiction | 跑马拉松 running marathons | 养花 gardening | 烘焙 baking |
骑自行车 cycling | 唱歌 singing | 收集邮票 collecting stamps | 打篮球 playing basketball |
跳舞 dancing | 玩桌游 board games | 书法 calligraphy
""")
FOODS = _bilingual("""
火锅 hotpot | 寿司 sushi | 饺子 dumplings | 披萨 pizza | 麻婆豆腐 mapo tofu |
牛肉面 beef noodles | 烤鸭 roast duck | 巧克力蛋糕 chocolate cake | 小龙虾 crayfish |
螺蛳粉 snail noodles | 咖喱饭 curry rice | 冰淇淋 ice cream | 红烧肉 braised pork | 沙拉 salad
""")
PETS = _bilingual("""
金毛犬 golden retriever | 橘猫 orange cat | 仓鼠 hamster | 乌龟 turtle | 鹦鹉 parrot |
柯基 corgi | 布偶猫 ragdoll cat | 兔子 rabbit | 金鱼 goldfish
""")
TRAITS = _bilingual("""
很有耐心 very patient | 特别幽默 really funny | 有点内向 a bit shy | 非常细心 very careful |
热情开朗 warm and outgoing | 脾气急躁 short-tempered | 很有责任感 very responsible |
做事果断 decisive | 喜欢冒险 adventurous | 温柔体贴 gentle and caring
""")
DEGREES = _bilingual("""
本科 a bachelor's degree | 硕士 a master's degree | 博士 a PhD | 高中 high school |
大专 a college diploma | 初中 middle school
""")
ALLERGENS = _bilingual("""
花生 peanuts | 海鲜 seafood | 青霉素 penicillin | 花粉 pollen | 猫毛 cat hair | 牛奶 milk |
芒果 mango
""")
CARS = _bilingual("""
特斯拉 Tesla | 大众 Volkswagen | 比亚迪 BYD | 丰田 Toyota | 宝马 BMW | 本田 Honda | 沃尔沃 Volvo
""")
COMPANIES = _bilingual("""
华星建筑公司 Huaxing Construction | 蓝海科技 Blue Ocean Tech | 晨光医院 Morning Light Hospital |
远航物流 Voyage Logistics | 绿叶食品厂 Green Leaf Foods | 天成律师事务所 Tiancheng Law Office |
启明中学 Qiming High School | 金桥银行 Golden Bridge Bank | 云峰传媒 Cloud Peak Media |
星火设计院 Spark Design Institute
""")
ACTIVITIES = _bilingual("""
看画展 see an art exhibition | 参加马拉松 run a marathon | 听音乐会 go to a concert |
开项目评审会 hold a project review meeting | 做体检 have a medical check-up | 去露营 go camping |
参加婚礼 attend a wedding | 上烹饪课 take a cooking class | 看牙医 see the dentist |
参加读书会 join a book club | 去博物馆 visit the museum | 做义工 do volunteer work |
搬家 move house | 参加行业论坛 attend an industry forum | 看足球比赛 watch a football match |
学开车 take a driving lesson | 去滑雪 go skiing | 参加同学聚会 go to a class reunion |
办生日派对 throw a birthday party | 参加培训 attend a training course
""")
PLACES = _bilingual("""
市体育馆 the city gym | 人民公园 People's Park | 图书馆 the library |
国际会展中心 the convention centre | 大剧院 the grand theatre |
城西的咖啡馆 a café in the west of town | 公司三楼会议室 the meeting room on the third floor |
郊外的农场 a farm outside town | 海边酒店 a seaside hotel | 社区中心 the community centre |
火车站旁的餐厅 a restaurant next to the station | 第二人民医院 the Second Hospital
""")
LIKES = _bilingual("""
手冲咖啡 pour-over coffee | 古典音乐 classical music | 恐怖片 horror films | 辣的东西 spicy food |
早起 getting up early | 侦探小说 detective novels | 榴莲 durian | 爵士乐 jazz |
加班 working overtime | 喝普洱茶 drinking pu'er tea
""")
PURCHASES = _bilingual("""
一台降噪耳机 noise-cancelling headphones | 一辆山地车 a mountain bike |
一台单反相机 a DSLR camera | 一张人体工学椅 an ergonomic chair | 一台空气炸锅 an air fryer |
一件羽绒服 a down jacket | 一台扫地机器人 a robot vacuum | 一块智能手表 a smart watch
""")
AILMENTS = _bilingual("""
偏头痛 migraine | 过敏性鼻炎 hay fever | 腰疼 back pain | 失眠 insomnia | 胃炎 gastritis |
膝盖受伤 a knee injury | 高血压 high blood pressure
""")
TIMES = _bilingual("""
下周三 next Wednesday | 这周六下午 on Saturday afternoon | 明天晚上七点 tomorrow at seven |
下个月五号 on the fifth of next month | 周日上午 on Sunday morning |
国庆假期 during the October holiday | 后天 the day after tomorrow | 今晚 tonight |
周五下班后 on Friday after work
""")
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏"
    "吕丁任沈姚卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵"
    "万钱严武"
)
GIVEN_NAMES = """
伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 涛 明 超 霞 平 刚 桂英 建国 志强 晓明 小红 雨桐 子涵 欣怡
浩然 宇轩 诗涵 梦琪 嘉怡 俊杰 思远 天宇 雅婷 文博 海燕 春梅 国华 佳宁 一凡 若曦 晨曦 立新 丹丹
婷婷 玉兰 鹏飞 博文
""".split()
ENGLISH_NAMES = """
Anna Ben Carla David Emma Frank Grace Henry Iris Jack Karen Leo Maria Nina Oscar Paula Quentin
Rosa Sam Tina Victor Wendy Xavier Yuna Zoe Alice Brian Chloe Daniel Ella Felix Gina Hugo Ivy Jason
Kate Liam Mona Noah Olive Peter Ruth Simon Tara Umar Vera Will Amy Bruce Cindy
""".split()
MONTHS = """
January February March April May June July August September October November December
""".split()
# Values of the attributes that are drawn from a table; the others are numbers and dates.
VALUES: dict[str, list[Both]] = {
    "home": CITIES,
    "origin": CITIES,
    "job": JOBS,
    "company": COMPANIES,
    "hobby": HOBBIES,
    "food": FOODS,
    "pet": PETS,
    "trait": TRAITS,
    "edu": DEGREES,
    "allergy": ALLERGENS,
    "car": CARS,
}
ATTRIBUTES = {
    "age": Attribute(
        told_zh=(
            "{p}今年{v}岁",
            "{p}刚满{v}岁",
            "{p}都{v}岁了，看不出来",
            "时间真快，{p}已经{v}岁了",
        ),
        told_en=(
            "{p} is {v} years old",
            "{p} just turned {v}",
            "I can't believe {p} is already {v}",
        ),
        asked_zh=("{P}多大了？", "{P}今年几岁？", "{P}的年龄是多少？"),
        asked_en=("How old is {P}?", "What is {P}'s age?"),
        who_zh=("谁今年{v}岁？", "我认识的人里谁是{v}岁？"),
        who_en=("Who is {v} years old?",),
        all_zh=(
            "有几个人年龄超过三十岁？",
            "我提到的人里，三十岁以下的有多少个？",
            "大家的平均年龄是多少？",
            "他们几个谁年纪最大？",
            "这些人里谁最年轻？",
        ),
        all_en=(
            "How many of them are over thirty?",
            "Who is the oldest?",
            "What is their average age?",
        ),
    ),
    "birthday": Attribute(
        told_zh=(
            "{p}的生日是{v}",
            "{p}过生日是{v}，得准备礼物",
            "{v}是{p}的生日",
            "{p}说{v}过生日，让我别忘了",
        ),
        told_en=(
            "{p}'s birthday is on {v}",
            "{p} was born on {v}",
            "don't let me forget {p}'s birthday, it's {v}",
        ),
        asked_zh=("{P}的生日是哪天？", "{P}什么时候过生日？", "我该在哪天给{P}送生日礼物？"),
        asked_en=("When is {P}'s birthday?", "On which day was {P} born?"),
        who_zh=("谁的生日在{v}？",),
        who_en=("Whose birthday is on {v}?",),
        all_zh=("有几个人在下半年过生日？", "哪些人的生日在夏天？", "谁的生日最早？"),
        all_en=(
            "How many people have birthdays in the summer?",
            "Whose birthday comes first in the year?",
        ),
    ),
    "home": Attribute(
        told_zh=("{p}住在{v}", "{p}搬到{v}了", "{p}在{v}买了房子", "{p}现在一家人都在{v}生活"),
        told_en=("{p} lives in {v}", "{p} has moved to {v}", "{p} bought a flat in {v}"),
        asked_zh=("{P}住在哪里？", "{P}现在在哪个城市生活？", "去看望{P}要去哪个城市？"),
        asked_en=("Where does {P} live?", "Which city is {P} in now?"),
        who_zh=("谁住在{v}？", "哪个人在{v}定居？"),
        who_en=("Who lives in {v}?",),
        all_zh=("有多少人住在南方？", "住在沿海城市的有几个人？", "哪些人和我在同一个城市？"),
        all_en=("How many of them live abroad?", "Which people live in the same city?"),
    ),
    "origin": Attribute(
        told_zh=("{p}老家是{v}的", "{p}是{v}人", "{p}从小在{v}长大", "{p}的家乡在{v}"),
        told_en=("{p} comes from {v}", "{p} grew up in {v}", "{p}'s hometown is {v}"),
        asked_zh=("{P}是哪里人？", "{P}的老家在哪？", "{P}在什么地方长大？"),
        asked_en=("Where is {P} from?", "What is {P}'s hometown?"),
        who_zh=("谁的老家在{v}？",),
        who_en=("Who grew up in {v}?",),
        all_zh=("有几个人的老家在北方？", "谁和谁是老乡？"),
        all_en=("How many come from the north?",),
    ),
    "job": Attribute(
        told_zh=("{p}是个{v}", "{p}的工作是{v}", "{p}当{v}好多年了", "{p}最近转行做{v}了"),
        told_en=("{p} works as a {v}", "{p} is a {v}", "{p} has been a {v} for years"),
        asked_zh=("{P}是做什么工作的？", "{P}的职业是什么？", "{P}靠什么谋生？"),
        asked_en=("What does {P} do for a living?", "What is {P}'s job?"),
        who_zh=("谁是{v}？", "我认识的{v}叫什么？"),
        who_en=("Who is the {v}?", "Who works as a {v}?"),
        all_zh=("有几个人从事技术类工作？", "哪些人的职业和医疗有关？", "多少人在体制内上班？"),
        all_en=("How many of them work in health care?", "Who has a technical job?"),
    ),
    "company": Attribute(
        told_zh=("{p}在{v}上班", "{p}去了{v}工作", "{p}跳槽到{v}了", "{p}是{v}的员工"),
        told_en=("{p} works at {v}", "{p} has joined {v}", "{p} is employed at {v}"),
        asked_zh=("{P}在哪家单位上班？", "{P}就职于哪里？", "{P}的公司叫什么名字？"),
        asked_en=("Where does {P} work?", "Which company is {P} with?"),
        who_zh=("谁在{v}工作？",),
        who_en=("Who works at {v}?",),
        all_zh=("有几个人在同一家公司上班？", "哪些人在金融行业工作？"),
        all_en=("Who works in the same company?",),
    ),
    "hobby": Attribute(
        told_zh=(
            "{p}特别喜欢{v}",
            "{p}周末总是去{v}",
            "{p}的爱好是{v}",
            "{p}一有空就{v}",
            "{p}迷上了{v}",
        ),
        told_en=("{p} loves {v}", "{p}'s hobby is {v}", "{p} spends every weekend on {v}"),
        asked_zh=(
            "{P}平时喜欢做什么？",
            "{P}有什么爱好？",
            "{P}业余时间干什么？",
            "给{P}选礼物可以考虑什么兴趣？",
        ),
        asked_en=(
            "What does {P} like to do?",
            "What is {P}'s hobby?",
            "What does {P} do in the spare time?",
        ),
        who_zh=("谁喜欢{v}？", "我可以约谁一起{v}？"),
        who_en=("Who likes {v}?", "Who could I ask to join me for {v}?"),
        all_zh=("有几个人喜欢运动？", "爱好和艺术有关的有哪些人？"),
        all_en=("How many of them do sports?",),
    ),
    "food": Attribute(
        told_zh=("{p}最爱吃{v}", "{p}就喜欢吃{v}", "上次{p}说最喜欢的菜是{v}"),
        told_en=(
            "{p}'s favourite food is {v}",
            "{p} loves to eat {v}",
            "{p} could eat {v} every day",
        ),
        asked_zh=("{P}爱吃什么？", "请{P}吃饭点什么好？", "{P}最喜欢的菜是什么？"),
        asked_en=("What food does {P} like?", "What should I cook for {P}?"),
        who_zh=("谁爱吃{v}？",),
        who_en=("Who likes {v}?",),
        all_zh=("有几个人爱吃甜的？", "哪些人喜欢吃面食？"),
        all_en=("Who has a sweet tooth?",),
    ),
    "pet": Attribute(
        told_zh=("{p}养了一只{v}", "{p}家里有只{v}", "{p}刚领养了一只{v}"),
        told_en=("{p} has a {v}", "{p} just adopted a {v}", "{p} got a {v} as a pet"),
        asked_zh=("{P}养了什么宠物？", "{P}家里有什么动物？"),
        asked_en=("What pet does {P} have?", "What kind of animal does {P} keep?"),
        who_zh=("谁养了{v}？",),
        who_en=("Who has a {v}?",),
        all_zh=("有几个人养宠物？", "谁家里养猫？"),
        all_en=("How many of them have pets?",),
    ),
    "trait": Attribute(
        told_zh=("{p}这个人{v}", "{p}的性格{v}", "大家都说{p}{v}"),
        told_en=("{p} is {v}", "everybody says {p} is {v}"),
        asked_zh=("{P}是什么样的性格？", "{P}为人怎么样？"),
        asked_en=("What is {P} like?", "What kind of person is {P}?"),
        who_zh=("谁{v}？",),
        who_en=("Who is {v}?",),
        all_zh=("有几个人性格外向？", "谁比较适合当领导？"),
        all_en=("How many of them are outgoing?",),
    ),
    "edu": Attribute(
        told_zh=("{p}的学历是{v}", "{p}是{v}毕业", "{p}读到{v}"),
        told_en=("{p} has {v}", "{p} finished {v}"),
        asked_zh=("{P}是什么学历？", "{P}读到什么程度？", "{P}的教育背景怎样？"),
        asked_en=("What is {P}'s education?", "Which degree does {P} have?"),
        who_zh=("谁的学历是{v}？",),
        who_en=("Who has {v}?",),
        all_zh=("有几个人是本科及以上学历？", "学历最高的是谁？"),
        all_en=("How many of them have a university degree?", "Who has the highest degree?"),
    ),
    "phone": Attribute(
        told_zh=("{p}的电话是{v}", "{p}换了手机号，新号码{v}", "记一下{p}的联系方式：{v}"),
        told_en=("{p}'s phone number is {v}", "{p} has a new number: {v}"),
        asked_zh=("{P}的手机号是多少？", "怎么联系{P}？", "给{P}打电话要拨哪个号码？"),
        asked_en=("What is {P}'s phone number?", "How can I reach {P}?"),
        who_zh=("号码{v}是谁的？",),
        who_en=("Whose number is {v}?",),
        all_zh=("谁的手机尾号是双数？", "我存了几个人的电话？"),
        all_en=("Whose phone numbers do I have?",),
    ),
    "height": Attribute(
        told_zh=("{p}身高{v}厘米", "{p}有{v}公分高", "{p}个子{v}cm"),
        told_en=("{p} is {v} cm tall", "{p}'s height is {v} cm"),
        asked_zh=("{P}有多高？", "{P}的身高是多少？"),
        asked_en=("How tall is {P}?", "What is {P}'s height?"),
        who_zh=("谁身高{v}厘米？",),
        who_en=("Who is {v} cm tall?",),
        all_zh=("有几个人身高超过一米七？", "谁个子最高？", "身高不到一米七的有多少人？"),
        all_en=("Who is the tallest?", "How many are taller than 170 cm?"),
    ),
    "allergy": Attribute(
        told_zh=("{p}对{v}过敏", "{p}一碰{v}就起疹子，过敏", "请客要注意，{p}{v}过敏"),
        told_en=("{p} is allergic to {v}", "careful, {p} can't have {v}, allergic"),
        asked_zh=("{P}对什么过敏？", "{P}有什么不能碰的？"),
        asked_en=("What is {P} allergic to?", "What must {P} avoid?"),
        who_zh=("谁对{v}过敏？",),
        who_en=("Who is allergic to {v}?",),
        all_zh=("有几个人有过敏史？",),
        all_en=("Who has allergies?",),
    ),
    "car": Attribute(
        told_zh=("{p}开的是{v}", "{p}新买了一辆{v}", "{p}的车是{v}"),
        told_en=("{p} drives a {v}", "{p} just bought a {v}"),
        asked_zh=("{P}开什么车？", "{P}的车是什么牌子？"),
        asked_en=("What car does {P} drive?", "Which brand is {P}'s car?"),
        who_zh=("谁开{v}？",),
        who_en=("Who drives a {v}?",),
        all_zh=("有几个人有车？",),
        all_en=("How many of them own a car?",),
    ),
}
SELF_ATTRIBUTES = [
    SelfAttribute(
        "like",
        LIKES,
        told_zh=("我特别喜欢{v}", "我最近迷上{v}", "说实话我就爱{v}"),
        told_en=("I really love {v}", "I've been into {v} lately"),
        asked_zh=("我喜欢什么？", "我的喜好是什么？", "我对{v}是什么态度？"),
        asked_en=("What do I like?", "How do I feel about {v}?"),
    ),
    SelfAttribute(
        "dislike",
        LIKES,
        told_zh=("我受不了{v}", "我一点都不喜欢{v}", "{v}我真的讨厌"),
        told_en=("I can't stand {v}", "I really dislike {v}"),
        asked_zh=("我讨厌什么？", "我不喜欢什么东西？"),
        asked_en=("What do I dislike?", "What can't I stand?"),
    ),
    SelfAttribute(
        "buy",
        PURCHASES,
        told_zh=("昨天我下单了{v}", "我给自己买了{v}", "终于把{v}买回家了"),
        told_en=("I ordered {v} yesterday", "I finally bought {v}"),
        asked_zh=("我最近买了什么？", "我什么时候买的{v}？"),
        asked_en=("What did I buy recently?", "Did I buy {v}?"),
    ),
    SelfAttribute(
        "health",
        AILMENTS,
        told_zh=("我最近{v}又犯了", "医生说我有{v}", "因为{v}，这周请了假"),
        told_en=(
            "my {v} is back",
            "the doctor says I have {v}",
            "I took the week off because of {v}",
        ),
        asked_zh=("我身体有什么问题？", "我得了什么病？", "我为什么请假？"),
        asked_en=("What health problem do I have?", "Why did I take time off?"),
    ),
    SelfAttribute(
        "trip",
        CITIES,
        told_zh=("我打算下个月去{v}旅游", "去{v}的机票已经订好了", "今年假期想去{v}玩"),
        told_en=("I'm planning a trip to {v} next month", "I booked a flight to {v}"),
        asked_zh=("我计划去哪里旅行？", "我的假期安排是什么？", "我订了去哪儿的机票？"),
        asked_en=("Where am I planning to travel?", "What are my holiday plans?"),
    ),
    SelfAttribute(
        "home",
        CITIES,
        told_zh=("我上个月搬到{v}了", "我现在住{v}", "我在{v}租了个房子"),
        told_en=("I moved to {v} last month", "I live in {v} now"),
        asked_zh=("我住在哪里？", "我现在在哪个城市？"),
        asked_en=("Where do I live?", "Which city am I in?"),
    ),
    SelfAttribute(
        "job",
        JOBS,
        told_zh=("我是一名{v}", "我换工作了，现在做{v}", "我当{v}三年了"),
        told_en=("I work as a {v}", "I changed jobs, I'm a {v} now"),
        asked_zh=("我是做什么的？", "我的职业是什么？"),
        asked_en=("What is my job?", "What do I do for a living?"),
    ),
]
# `{t}` time, `{l}` place, `{a}` activity.
EVENT_TOLD_ZH = (
    "{t}我要和{p}去{l}{a}",
    "{p}约我{t}在{l}{a}",
    "{t}要在{l}{a}，{p}也去",
    "{t}{p}会来{l}跟我一起{a}，别忘了",
)
EVENT_TOLD_EN = (
    "{t} I'm going to {a} with {p} at {l}",
    "{p} asked me to {a} at {l} {t}",
    "{t} there's a plan to {a} at {l}, {p} is coming too",
)
EVENT_ASKED_ZH = (
    "我和{P}什么时候{a}？",
    "{a}在哪里？",
    "谁和我一起{a}？",
    "{t}我有什么安排？",
    "我在{l}有什么活动？",
    "{P}约我做什么？",
    "{a}是哪天？",
)
EVENT_ASKED_EN = (
    "When do I {a} with {P}?",
    "Where will I {a}?",
    "Who is going to {a} with me?",
    "What are my plans {t}?",
    "What happens at {l}?",
    "What did {P} ask me to do?",
)
# What people say before and after; repeated entries are more frequent.
OPENINGS_ZH = (
    "",
    "",
    "",
    "",
    "对了，",
    "跟你说，",
    "哎，",
    "记一下，",
    "刚想起来，",
    "今天聊天才知道，",
)
ENDINGS_ZH = ("", "", "。", "。", "呢。", "，挺好的。", "，你帮我记着。", "！", "哈哈")
OPENINGS_EN = ("", "", "", "by the way, ", "so, ", "you know, ", "just remembered, ", "oh and ")
ENDINGS_EN = ("", ".", ".", "!", " :)", ", just so you know.")
