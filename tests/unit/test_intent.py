"""What a question is after, by rule, in English and Chinese (Q5)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

import pytest

from taishi.recall.intent import (
    MAX_CHARS,
    WEIGHTS,
    Intent,
    intent_of,
    kind_weights,
    shared_weight,
)
from taishi.types import KINDS

Sentences = list[tuple[str, str]]


def _table(text: str) -> Sentences:
    """Lines of sentences under the intent that they belong to."""
    sentences: Sentences = []
    intent = ""
    for line in text.strip().splitlines():
        if line.removesuffix(":") in WEIGHTS:
            intent = line.removesuffix(":")
        else:
            sentences += [(intent, sentence) for sentence in line.split(" | ")]
    return sentences


# fmt: off
SENTENCES = _table(
    """
new_task:
Build a small REST service for the inventory. | Please create a slide deck about solar power.
can you translate this page into French? | Help me organise the garage sale.
How do I deploy the staging server? | I want to start a new project in Rust.
Implement pagination for the search results | Would you please book a table for six on Saturday?
Let's design the database schema first. | We need to migrate the blog to a new host.
Ok, now generate a weekly report from the sales table | I'd like you to review this pull request.
Put together a checklist for moving house | Sketch out an architecture for the payments service
I'm about to start on the onboarding flow, what should I know? | Give me a meal plan for next week
Make the sidebar collapsible. | Come up with three slogans for the campaign
We have to prepare the audit documents by Monday
Please set up a staging environment for the shop | Can we build a dashboard for the sensor data?
I want to learn how to bake sourdough, where do I begin? | Turn this spreadsheet into a chart
Draft a short speech for my brother's wedding | Could you help me set a budget for the kitchen?
I need to get our API documented before the launch | Time to write the quarterly newsletter
Produce a table of all suppliers with their prices
How should we structure the onboarding course?
Write me a Python script that renames all photos by date.
I need a landing page for our bakery by Friday.
Could you draft an email to the landlord about the heating?
Let's plan a three-day trip to Kyoto. | Set up a cron job that backs up the database every night.
帮忙订一张去上海的火车票 | 写个脚本把日志按天切分 | 能不能帮我翻译这份合同？
我要开发一个聊天机器人 | 请为新员工准备一份培训计划 | 生成一张销售额的柱状图 | 怎么部署测试环境？
我打算搭一个个人博客 | 我们来规划一下五一的行程吧 | 把这段代码重构成两个函数
可以给我画一个流程图吗 | 新建一个任务：更新官网的价格页 | 帮我策划一场生日聚会
做一个关于气候变化的PPT | 需要一份给投资人的商业计划书 | 想请你给新产品起个名字
明天要演讲，替我准备讲稿 | 请你起草一份租房合同 | 帮我查一下明天去广州的高铁
我想给奶奶做一本相册 | 开发一个库存管理系统 | 把会议录音整理成文字 | 下周要搬家，给我列个清单
用 Python 写一个爬虫 | 请给我们的猫起个名字 | 我要申请签证，需要准备什么材料？
出一份五道题的小测验 | 做个旅行攻略，去成都三天 | 麻烦把合同翻译成英文 | 帮我写一份季度总结报告
请设计一个登录页面，要简洁一点 | 我想做一个记账的小程序，从哪里开始？ | 给这个项目加上单元测试
麻烦整理一下明天会议的议程
follow_up:
Continue please | What else? | and then? | You mentioned a library earlier, which one was it?
Let's go back to what we were discussing. | Tell me more about the third one.
Say that again, but shorter. | How about the other approach? | So what should I do next?
What were we just talking about? | Can you expand on your previous answer? | Yes, do it.
ok and after that? | Same thing for Berlin, please | which of those is cheaper?
Could you shorten it a bit? | Remind me what we decided a few minutes ago.
Could you repeat the last step? | What did you mean by that? | Now do the same for the other file
And the price? | As we discussed, I'll take the blue one. | Let's pick up where we stopped
Go back one step. | Is that the final version? | What was the second thing you said?
Any other ideas? | Makes sense, what comes next? | Can you give an example of that? | Go on.
And what about the second option? | Can you explain that last point again?
Where did we leave off? | As you said a moment ago, the cache is the problem. So what next?
接着说 | 还有吗？ | 下一步该做什么？ | 你刚刚提到的那本书叫什么来着 | 再解释一遍上面的步骤
好的，那接下来呢？ | 上一条消息是什么意思 | 之前我们讨论到什么地方了 | 那如果换成另一种办法呢？
详细说说第三点 | 可以，就按你说的做 | 为什么呢？ | 换个说法 | 能再短一点吗 | 那另一个选项怎么样？
你前面提到的工具在哪下载 | 后来呢？ | 还有别的办法吗？ | 你说的第二种方法具体怎么操作
上次我们说到预算，现在怎么样了 | 那价格呢 | 好，开始吧 | 这是什么意思？再说清楚一点 | 举个例子
你上一句话我没看懂 | 还有其他的吗 | 那我应该选哪个？ | 接着上次的话题聊 | 好的，下一个 | 继续
那第二个方案呢？ | 刚才说的那个命令再发一遍 | 我们上次聊到哪儿了？ | 然后呢
bug:
TypeError: 'NoneType' object is not subscriptable | The app freezes when I open settings.
Our CI is failing again with a timeout | There is a bug in the date picker
I can't log in, it says error 500 | My printer stopped working after the update.
docker won't start on my laptop | Traceback (most recent call last): File "a.py", line 3
The tests are broken on main | Why did the deployment fail last night?
got a segfault in the parser | The page doesn't load and I see a 404
It keeps saying permission denied when I push
My queries return the wrong totals since the upgrade.
Something is wrong with the payment webhook | The screen goes black after I click save
Memory usage keeps growing until the process gets killed | The import script dies with a KeyError
Users report that emails are sent twice | The website is down again
I get "connection reset by peer" whenever I call the API
Why is the query so slow all of a sudden? | The button does nothing when clicked
Login fails for users with a plus sign in their email
The chart renders upside down after the last release
We are seeing intermittent 503s in production
pip says it could not find a version that satisfies the requirement
My laptop won't wake up from sleep | There's an infinite loop somewhere in the scheduler
The server crashes every time I upload a file.
I keep getting ModuleNotFoundError: No module named 'yaml'
Why does the login button not work on Safari? | The build fails with exit code 137, any idea?
npm install hangs forever since this morning | 运行脚本报错：找不到模块 | 网站又崩溃了
点按钮没反应 | 数据库连不上，怎么办 | 安装依赖的时候卡住了 | 接口返回 500 是什么原因？
导出的文件全是乱码 | 这个函数有 bug | 更新以后程序无法启动 | 服务器老是超时 | 抛了个空指针异常
代码跑不起来 | 视频加载不出来，一直转圈 | 提交之后数据丢了 | 为什么结果和预期不一样？
登录页面一直跳转，进不去 | 接口突然很慢，经常504 | 程序运行到一半就退出了 | 为什么图片显示不出来
数据库一直锁死，查不了 | 手机连不上蓝牙耳机 | 升级之后功能全坏了 | 上传文件提示 413 错误
打印机一直卡纸 | 网页加载特别慢，最后超时了 | 数据同步后少了一半记录 | 执行迁移脚本时抛出异常
软件更新后打不开文件 | 为什么我的验证码收不到 | 程序一启动就闪退 | 为什么部署的时候一直报 502？
测试跑不过，提示断言失败 | 编译不通过，说找不到头文件 | 页面打不开了，白屏
preference:
I prefer tabs over spaces. | What music does my sister like? | What is Tom's favorite restaurant?
I really love spicy food | Please always answer in French. | Don't use emojis when you talk to me.
Do I usually take the window seat? | She can't stand horror films.
What are my preferences for meetings? | Call me Max from now on. | Is Ann a vegetarian?
Which kind of books does he enjoy? | What do I usually order at the Thai place?
Anna is into jazz, isn't she? | Keep your answers short, please. | I'm not a fan of long meetings
How does Ben take his coffee? | What kind of music is she into? | I don't eat meat.
Which seat do I normally choose on planes? | Use metric units when you answer me.
Is Paul a morning person or a night owl? | Which of the two logos did the client like more?
Does she like it when people sing for her? | My favourite colour is green.
I'd prefer a call over an email | What sort of holidays do my parents enjoy?
I never drink alcohol | Address me formally, please. | What's my favourite kind of coffee?
I'd rather have answers in bullet points from now on. | Does Ann prefer tea or coffee?
Which programming language do I like best? | Please don't call me by my first name, I hate that.
我不吃香菜 | 她平时爱看什么电影？ | 我最讨厌加班 | 你知道我的口味吗 | 请叫我老王
以后不要用表情符号 | 小张喜欢什么运动？ | 我比较偏好简短的回答 | 他有什么忌口吗？ | 我习惯早上开会
妈妈最爱听谁的歌 | 我宁愿坐火车也不坐飞机 | 我一般喝美式，不加糖 | 她对颜色有什么讲究？
说话简洁点，我不爱看长文 | 老板中意哪种方案风格？ | 我是素食者，点菜时注意一下 | 我对花生过敏
他喝咖啡加不加糖？ | 我喜欢你用表格来回答 | 小陈平时喜欢去哪儿玩 | 请一律用繁体字回复我
我不太能接受太甜的东西 | 我老公爱吃辣的 | 她偏爱哪种风格的衣服 | 我喜欢安静的座位
别给我发语音，打字就行 | 导师比较看重什么？ | 以后都用公制单位 | 我喜欢喝什么咖啡？
以后回答都用中文，别用英文 | 小李对海鲜过敏吗？他平时爱吃什么 | 我更习惯用深色主题
他最喜欢的乐队是哪个？
across_agents:
What has another agent written about this customer? | Ask the coding agent how it deploys.
How do other assistants answer this question?
What are our team's conventions for commit messages?
Show me the shared decisions of this project | Which agent knows how to restart the crawler?
What is in the shared memory about pricing? | Did the planner bot already make a schedule?
Are there any known issues recorded for the workspace? | What procedure did the support bot use?
Do all agents use the same style guide? | Has anyone else on the team run into this?
What does the reviewer agent think about the design?
List the conventions that everyone in the workspace has to follow.
Use the procedure the deployment agent learned.
What have the other assistants recorded about ACME?
What did the other assistant promise the customer? | Does the team have a rule about code review?
The data agent must have a procedure for this, can I see it?
What has been approved for everyone in the workspace?
Tell me what the scheduling bot knows about room bookings.
Do the agents agree on a release date? | What did the billing bot tell this customer?
Which other agents have access to the calendar?
Is there a shared procedure for incident response? | What's the company policy on remote work?
How did the QA agent reproduce it? | Has the team decided on a framework?
What did the research agent find out about the vendor? | How do the other bots handle refunds?
Is there a team convention for branch names? | Has any other agent solved this before?
What did the coordinator approve for the whole workspace? | 别的机器人是怎么回答的？
其他智能体有什么经验可以借鉴 | 我们团队的代码规范是什么？ | 客服机器人上次是怎么处理投诉的
公司对报销有什么统一规定 | 协调员批准了哪些共享知识？ | 所有助手都遵守这个约定吗
项目里公认的决定有哪些？ | 规划智能体给出的步骤是什么 | 工作区里有哪些已知问题？
另外一个助手推荐了哪家餐厅 | 运维助手是怎么回滚的？ | 大家公用的规范里怎么写的
有没有别的agent遇到过这个情况 | 审批通过的共享决定有哪些 | 数据分析智能体的结论可信吗？
其他机器人也是这样做的吗？ | 团队约定的代码风格是什么 | 写作助手上次用的是什么流程？
别的智能体记录过这个客户吗 | 共享的知识里有没有部署步骤 | 我们公司关于请假有什么规定？
各个智能体之间怎么分工？ | 另一个机器人给的建议是什么 | 部门里的命名规范在哪看
翻译助手那边有现成的流程吗 | 协调者拒绝了哪些提案 | 团队共识是先做哪个功能？
另一个智能体是怎么处理退款的？ | 测试机器人昨天得出了什么结论？ | 团队里对分支命名有约定吗？
其他助手有没有做过类似的部署流程 | 共享记忆里关于发布流程是怎么写的？
other:
Where does Ann live? | What did John say about the car crash?
When did Melanie paint the sunrise? | Which countries has Maria visited?
How many children does Bob have? | Who is the author of that book Sam was reading?
What did the travel agent tell Emma? | How did Caroline feel after the support group?
Did Peter ever go to Lisbon? | What was the name of the hotel we stayed at in Rome?
Would Caroline likely have a bookshelf at home? | Why did Jon decide to open a dance studio?
When did Sam's laptop break? | Hello! | What is the capital of Norway?
How long have Anna and Paul been married? | What was the first concert Laura went to?
How much did the new sofa cost? | Has Daniel finished his degree yet?
Which gift did my aunt give me for graduation? | What time is my appointment on Thursday?
Thanks, that's all for today | What did Sara give her brother for his birthday?
Is Mike still living with his parents? | How old was grandma when she got married?
What colour is Emma's new car? | Who recommended the dentist to me?
Which city will the conference take place in? | Where did I park the car?
Good morning, how are you? | Who won the chess match between Leo and Max?
What subject does my cousin teach? | Did I ever tell you about my trip to Peru?
How far is the gym from Nora's house? | What broke at the party? | When is our anniversary?
Why was Julia upset on Monday? | What did Caroline do last weekend? | When did Tom move to Berlin?
How long did Maria work at the library before she left? | Who came to the birthday party in June?
What mistake did Anna talk about when she told the story of her wedding? | 我上周三去了哪里？
李雷的老板叫什么名字？ | 她是什么时候搬到北京的？ | 我爸爸多大年纪了？ | 小王的车是什么时候坏的？
谁参加了上个月的同学聚会？ | 你好 | 我表哥的职业是什么？ | 她住在哪个城市？ | 上次体检的结果怎么样
他去年在哪家公司上班？ | 我姐姐的身高是多少？ | 我的航班是几点的？ | 陈晨的电话号码是多少
会议室在几楼？ | 今年国庆我们去了哪几个城市？ | 小刘的女朋友叫什么？ | 我是什么时候开始学钢琴的？
爷爷以前做什么工作？ | 公司年会在哪个酒店举行？ | 早上好呀 | 我买的那台电脑花了多少钱
外婆家在哪个省？ | 上个月的电费是多少？ | 谁借走了我的雨伞？ | 我第一次见到她是在哪里？
赵敏毕业于哪所大学？ | 张伟上个月去了哪里？ | 我妹妹的生日是哪天？ | 去年夏天和谁一起去爬山的？
王芳的孩子在哪个学校读书？ | 现在几点了？
"""
)

# Not used to make the rules, but for two plain questions that were guessed wrongly at first.
HELD_OUT = _table(
    """
new_task:
Arrange the photos in the folder by year | Could you make a playlist for the party?
Think of a name for the new puppy | We need someone to proofread the thesis, can you do it?
Order more printer paper | 帮忙看看这份简历有没有问题 | 给客户写封道歉信 | 我想学做红烧肉
制定一个减肥计划 | 设计三套海报方案给我选
follow_up:
Hmm, can you be more specific? | What about weekends? | Try again with fewer words.
Which one of these would you take? | So that means we are done? | 再举一个 | 这个方法有什么缺点？
说重点 | 那周末呢？ | 刚才那段代码能解释下吗
bug:
The alarm did not go off this morning, the app is useless
Cannot read properties of undefined (reading 'map')
It worked yesterday, today it just exits silently | CI timed out twice in a row
Half of the images are missing on the product page | 浏览器提示证书无效 | 服务启动后马上退出
点击提交没有任何反应 | 为什么查询结果是空的 | 系统越来越卡
preference:
What does Grandpa like to watch? | I'm more of a cat person.
Please skip the small talk in your replies. | Which airline does my boss prefer?
Noah hates mushrooms, right? | 我不喜欢别人迟到 | 他爱喝哪种茶 | 回答尽量简短 | 我的咖啡要少冰
妹妹最喜欢什么颜色？
across_agents:
What did the translation agent deliver yesterday? | How do our bots escalate a complaint?
Where are the team guidelines for naming files?
Let me see what other assistants know about this user | Did the coordinator reject my proposal?
销售助手上次报的价是多少 | 其他智能体怎么看这个问题 | 公司规定出差怎么报销
大家约定的上线时间是几点 | 有哪个机器人会处理发票？
other:
Which instrument does Clara play? | Where did we go for lunch on Tuesday?
What's the name of Oliver's dog? | Did it rain during the wedding? | How did my interview go?
奶奶的生日是农历几月？ | 我们去年搬了几次家？ | 周杰是哪里人？ | 晚安 | 她为什么辞职了？
"""
)
# fmt: on


# Never matched by any rule so far: they would cost more wrong guesses than they are worth.
KNOWN_MISSES = {"Users report that emails are sent twice", "My laptop won't wake up from sleep"}


def share_right(sentences: Iterable[tuple[str, str]]) -> float:
    right = [intent_of(sentence) == intent for intent, sentence in sentences]
    return sum(right) / len(right)


def is_chinese(sentence: str) -> bool:
    return re.search("[\u4e00-\u9fff]", sentence) is not None


@pytest.mark.parametrize(("intent", "sentence"), SENTENCES)
def test_Q5_sentences_that_the_rules_were_made_with(intent: str, sentence: str) -> None:
    expected = "other" if sentence in KNOWN_MISSES else intent
    assert intent_of(sentence) == expected


@pytest.mark.parametrize("chinese", [True, False])
def test_Q5_sentences_that_the_rules_were_not_made_with(chinese: bool) -> None:
    """By rule about three in five are told; what is not told is neutral, hardly ever wrong."""
    sentences = [one for one in HELD_OUT if is_chinese(one[1]) == chinese]
    assert len(sentences) == 30
    assert share_right(sentences) >= 0.5
    guesses = [(intent, intent_of(sentence)) for intent, sentence in sentences]
    wrong = [guess for intent, guess in guesses if guess not in (intent, "other")]
    assert len(wrong) <= 1


def test_Q5_a_question_about_the_past_favours_nothing() -> None:
    subjects = ["Ann", "my brother", "the neighbours", "Caroline's mother"]
    asked = [
        "Where did {} go last summer?", "When did {} move to Oslo?", "What did {} say about it?",
        "How long has {} been in Rome?", "Who visited {} in June?", "What happened to {} in May?",
        "How many times did {} win?", "Which city did {} visit after the party?",
    ]  # fmt: skip
    asked_in_chinese = [
        "{}去年夏天去了哪里？", "{}什么时候搬到上海的？", "{}上周说了什么？", "{}在哪里工作？",
        "{}的生日是哪天？", "{}和谁一起去的？", "{}买了几本书？", "{}住在几楼？",
    ]  # fmt: skip
    questions = [form.format(one) for form in asked for one in subjects]
    questions += [
        form.format(one) for form in asked_in_chinese for one in ("小王", "我妹妹", "李老师")
    ]
    favoured = {question for question in questions if intent_of(question) != "other"}
    assert not favoured


def test_Q5_weights_are_mild_and_favour_what_the_intent_asks_for() -> None:
    wanted: dict[Intent, set[str]] = {
        "new_task": {"fact", "procedure"},
        "follow_up": {"turn", "event", "summary", "short_term"},
        "bug": {"event", "observation", "chunk"},
        "preference": {"fact", "short_term", "profile"},
        "across_agents": {"procedure"},
        "other": set(),
    }
    for intent, kinds in wanted.items():
        weights = kind_weights(intent)
        assert set(weights) == kinds <= set(KINDS)
        assert all(1 < weight <= 1.15 for weight in weights.values())
        assert (shared_weight(intent) > 1) == (intent == "across_agents")


def test_Q5_weights_cannot_be_changed_by_accident() -> None:
    with pytest.raises(TypeError):
        WEIGHTS["other"] = {"fact": 2.0}  # type: ignore[index]


def test_Q5_capitals_and_curly_quotes_do_not_matter() -> None:
    assert intent_of("WRITE ME A SCRIPT THAT SORTS FILES") == "new_task"
    assert intent_of("The page doesn’t load") == intent_of("The page doesn't load") == "bug"
    assert intent_of("  \n继续\n ") == "follow_up"


def test_Q5_terror_is_no_error() -> None:
    assert intent_of("Which book about the terror attack did Sam read?") == "other"
    assert intent_of("What does a TimeoutError mean?") == "bug"


def test_Q5_only_the_beginning_counts() -> None:
    pasted = "x " * MAX_CHARS + "Traceback: ValueError"
    assert intent_of(pasted) == "other"
    assert intent_of("Why this?\n" + pasted + pasted) == intent_of("Why this?\n" + pasted)


HOSTILE = [
    "", " ", "\0", "\ud800", "‮继续", "a" * 1_000_000, "我" * 1_000_000, "please " * 200_000,
    "请" * 500_000, "帮我" * 300_000, "第一" * 300_000, "do a b " * 100_000, "i really " * 100_000,
    "给" * 500_000, "error" * 200_000, "团队" * 300_000, "the x " * 100_000, "再一" * 300_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:8]))
def test_Q8_any_text_is_answered_at_once(text: str) -> None:
    began = time.thread_time()
    assert intent_of(text) in WEIGHTS
    assert time.thread_time() - began < 0.1


@pytest.mark.parametrize("text", ["Where does Ann live?", "张伟上个月去了哪里？"])
def test_Q5_costs_next_to_nothing(text: str) -> None:
    """The aim is 20 µs of one core; the bound leaves room for a slow or busy machine."""
    fastest = float("inf")
    for _ in range(50):
        began = time.perf_counter()
        for _ in range(20):
            intent_of(text)
        fastest = min(fastest, (time.perf_counter() - began) / 20)
    assert fastest < 100e-6
