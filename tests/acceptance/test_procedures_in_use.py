"""F3: a question that states the trigger finds the procedure; uses and outcomes are counted; what
fails sinks, and is offered for review; another agent finds what was shared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope, Settings
from taishi.domain.drafts import ProcedureDraft
from taishi.domain.procedures import statement, to_edits, used, with_reported_uses

OPS, DEV, LEAD = Scope(agent="ops"), Scope(agent="dev"), Scope(shared=True)
# Name, trigger, steps; and a question that states the trigger in other words.
CASES: list[tuple[str, str, list[str], str]] = [
    (
        "Roll back a release",
        "a deployment fails on production",
        ["stop the traffic", "roll the release back", "tell the team"],
        "The deployment failed on production, what now?",
    ),
    (
        "Rotate the database password",
        "a database password leaks",
        ["create a new password", "update the vault", "restart the services"],
        "Somebody leaked the database password",
    ),
    (
        "Welcome a new colleague",
        "somebody joins the team",
        ["send the handbook", "book a lunch", "give access to the repository"],
        "A new person joins our team on Monday",
    ),
    (
        "Renew the certificate",
        "the TLS certificate is about to expire",
        ["order a certificate", "install it", "check with openssl"],
        "Our TLS certificate expires next week",
    ),
    (
        "Restore a backup",
        "data was deleted by accident",
        ["stop the writers", "copy the last backup", "replay the log"],
        "I deleted the customer data by accident",
    ),
    (
        "Handle a refund",
        "a customer asks for their money back",
        ["check the order", "approve the amount", "write to the customer"],
        "A customer wants their money back",
    ),
    (
        "Write release notes",
        "a version is about to be published",
        ["collect the merged changes", "group them", "ask for a review"],
        "We are about to publish a new version",
    ),
    (
        "Free disk space",
        "the disk of a server is full",
        ["delete old logs", "compress archives", "extend the volume"],
        "The server says the disk is full",
    ),
    (
        "Triage a bug report",
        "a user reports a crash",
        ["ask for the version", "reproduce it", "open an issue"],
        "A user reported that the app crashes",
    ),
    (
        "Prepare a meeting",
        "a meeting with a client is scheduled",
        ["read the last minutes", "write an agenda", "book a room"],
        "There is a client meeting tomorrow",
    ),
    (
        "Fix a flaky test",
        "a test fails only sometimes",
        ["run it a hundred times", "pin the clock", "remove the sleep"],
        "This test fails every now and then",
    ),
    (
        "Answer a press request",
        "a journalist calls",
        ["take the name and the paper", "promise a call back", "inform the press office"],
        "A journalist is on the phone",
    ),
    (
        "Brew filter coffee",
        "guests arrive in the afternoon",
        ["grind the beans", "rinse the filter", "pour slowly"],
        "Guests will arrive this afternoon",
    ),
    (
        "Reset two-factor login",
        "a colleague loses their phone",
        ["check the identity", "revoke the old device", "enrol the new one"],
        "My colleague lost her phone and cannot log in",
    ),
    (
        "Close the office",
        "you are the last one to leave",
        ["close the windows", "turn off the lights", "set the alarm"],
        "I am the last to leave tonight",
    ),
    (
        "Speed up a slow query",
        "a database query is slow",
        ["look at the plan", "add an index", "measure again"],
        "This SQL query has become slow",
    ),
    (
        "回滚发布",
        "生产环境部署失败",
        ["停止流量", "回滚版本", "通知团队"],
        "生产部署失败了怎么办？",
    ),
    (
        "轮换数据库密码",
        "数据库密码泄露",
        ["生成新密码", "更新密钥库", "重启服务"],
        "数据库密码被泄露了",
    ),
    (
        "迎接新同事",
        "有新人加入团队",
        ["发送手册", "安排午餐", "开通仓库权限"],
        "周一有新人加入我们组",
    ),
    (
        "续期证书",
        "TLS 证书即将过期",
        ["申请证书", "安装证书", "检查有效期"],
        "我们的证书下周就要过期了",
    ),
    ("恢复备份", "数据被误删", ["停止写入", "拷贝最近备份", "重放日志"], "我不小心把客户数据删了"),
    ("处理退款", "客户要求退钱", ["核对订单", "批准金额", "回复客户"], "有个客户想要退钱"),
    (
        "撰写发布说明",
        "即将发布新版本",
        ["收集合并的改动", "分组", "请人评审"],
        "我们马上要发新版本了",
    ),
    ("清理磁盘", "服务器磁盘满了", ["删除旧日志", "压缩归档", "扩容"], "服务器提示磁盘已满"),
    ("分流缺陷报告", "用户报告崩溃", ["询问版本", "复现问题", "新建工单"], "有用户说应用崩溃了"),
    ("准备会议", "约了客户开会", ["看上次纪要", "写议程", "订会议室"], "明天要和客户开会"),
    ("修复不稳定的测试", "测试时好时坏", ["跑一百遍", "固定时钟", "去掉等待"], "这个测试时好时坏"),
    ("接待记者", "记者来电", ["记下姓名与媒体", "约定回电", "通知公关"], "有记者打电话来了"),
    ("手冲咖啡", "下午有客人来", ["磨豆", "润湿滤纸", "慢慢注水"], "今天下午有客人来"),
    (
        "重置两步验证",
        "同事丢了手机",
        ["核实身份", "吊销旧设备", "登记新设备"],
        "同事的手机丢了，登录不了",
    ),
    ("关闭办公室", "最后一个离开", ["关窗", "关灯", "设置警报"], "今晚我最后一个离开"),
    ("优化慢查询", "数据库查询很慢", ["看执行计划", "加索引", "再测一次"], "这条 SQL 查询变得很慢"),
]
# What every procedure has in common, to make long ones of them.
COMMON = {
    True: ["open the page of the service in the console and sign in with your own account",
           "write down in the channel of the team what you are about to do",
           "take a copy of the present settings and keep it beside the ticket",
           "ask a second person to look at it before anything is changed",
           "watch the dashboard for ten minutes and note what it shows",
           "close the ticket and write two sentences about the cause"],
    False: ["用自己的账号登录控制台并打开服务页面", "在团队频道里写明接下来要做什么",
            "备份当前配置并附在工单旁", "改动之前请另一个人复核一遍",
            "观察仪表盘十分钟并记录结果", "关闭工单并写两句原因说明"],
}  # fmt: skip


def stored(memory: Memory, scope: Scope, name: str, trigger: str, steps: list[str]) -> str:
    data = {"name": name, "trigger": trigger, "steps": steps}
    text = statement(name, trigger, steps)
    id = memory.remember(scope, text, kind="procedure", metadata=data)
    assert id is not None
    return id


def fill(memory: Memory, long: bool) -> None:
    """All procedures; and for each an event that says the trigger, in which it was done."""
    for number, (name, trigger, steps, question) in enumerate(CASES):
        day, english = f"2026-03-{number % 28 + 1:02}", question.isascii()
        more = COMMON[english] if long else []
        stored(memory, OPS, name, trigger, [*more[:3], *steps, *more[3:]])
        said = f"On {day} Ann said: {trigger} again." if english else f"{day} 小李说：{trigger}。"
        memory.remember(OPS, said, kind="event")
    memory.drain()


def missed(memory: Memory) -> list[tuple[str, list[str]]]:
    """The questions that do not find their procedure among the first three hits, and before every
    other procedure. An event that says the trigger word for word may come before it."""
    found = []
    for name, _, _, question in CASES:
        hits = memory.recall(OPS, question, top_k=5).hits
        names = [str(hit.metadata.get("name", "event")) for hit in hits]
        first = next((one for one in names if one != "event"), "")
        if name not in names[:3] or first != name:
            found.append((question, names))
    return found


@pytest.mark.model
@pytest.mark.parametrize("long", [False, True])
def test_F3_a_question_that_states_the_trigger_finds_the_procedure(
    tmp_path: Path, make_settings: Callable[..., Settings], long: bool
) -> None:
    local = {"models.embedding.kind": "local", "query.recall_timeout": 30.0}
    assert len(CASES) >= 30
    with Memory.open(tmp_path / "data", make_settings(local)) as memory:
        fill(memory, long)
        assert memory.recall(OPS, CASES[0][3]).level == "hybrid"
        assert len(wrong := missed(memory)) <= 1, wrong  # 我不小心把客户数据删了: second


@pytest.mark.parametrize("long", [False, True])
def test_F3_by_words_alone_nearly_all_are_found(
    open_memory: Callable[..., Memory], long: bool
) -> None:
    memory = open_memory({"query.recall_timeout": 30.0}, None)
    fill(memory, long)
    lost = missed(memory)
    assert len(lost) <= 3, lost


def test_F3_uses_and_outcomes_are_counted(memory: Memory) -> None:
    id = stored(memory, OPS, "Roll back", "a deployment fails", ["stop", "go back"])
    for worked in (None, True, True, False):
        record = memory.procedures.used(OPS, id, worked)
    assert (record.data["usage_count"], record.data["feedback_count"]) == (4, 3)
    assert record.data["success_rate"] == pytest.approx(2 / 3)
    assert memory.procedures.feedback(OPS, id, False) == pytest.approx(0.5)
    found = memory.procedures.get(OPS, id)
    assert found is not None and found.data["usage_count"] == 4, "an outcome is no use"
    assert record.data["last_used"].startswith("20")
    for scope in (DEV, Scope(user="ann"), Scope(group="g"), Scope(agent="ops", workspace="w")):
        assert memory.procedures.get(scope, id) is None
        with pytest.raises(InputError, match="may use"):
            memory.procedures.used(scope, id)


@pytest.mark.parametrize("embedder", [HashEmbedder(), None])
def test_F3_what_fails_sinks_and_is_offered_for_review(
    open_memory: Callable[..., Memory], embedder: Any
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0}, embedder)
    for n in ("one", "two"):
        stored(memory, OPS, f"Restart way {n}", "the printer hangs", [f"press button {n}", "wait"])
    memory.drain()

    def order() -> list[str]:
        return [hit.id for hit in memory.recall(OPS, "the printer hangs, how to restart it?").hits]

    first, second = order()
    for count in (1, 2):
        memory.procedures.used(OPS, first, worked=False)
        assert memory.procedures.review(OPS) == [], f"{count} outcomes are too few"
    memory.procedures.used(OPS, first, worked=False)
    assert order() == [second, first]
    assert [one.id for one in memory.procedures.review(OPS)] == [first]
    for _ in range(3):
        memory.procedures.used(OPS, first, worked=True)
    assert memory.procedures.review(OPS) == [], "half of them worked"
    for _ in range(7):
        memory.procedures.used(OPS, second, worked=False)
    assert order() == [first, second]


def test_F3_another_agent_finds_what_was_shared_with_its_steps(memory: Memory) -> None:
    id = stored(memory, OPS, "Roll back", "a deployment fails", ["stop", "go back", "tell"])
    memory.procedures.used(OPS, id, worked=False)
    shared = memory.procedures.share(OPS, id)
    assert shared is not None and shared == memory.procedures.share(OPS, id)
    question = "the deployment fails"
    assert memory.recall(DEV, question, floor=0.0).hits == ()
    assert memory.procedures.list(DEV) == []
    memory.shared.approve(LEAD, shared)
    (hit,) = memory.recall(DEV, question).hits
    assert (hit.id, hit.metadata["steps"]) == (shared, ["stop", "go back", "tell"])
    assert hit.metadata["success_rate"] == 1.0, "others begin with their own experience"
    memory.procedures.used(DEV, shared, worked=True)
    (entry,) = memory.shared.list(LEAD, types=["procedure"])
    assert (entry.data["usage_count"], entry.state) == (1, "approved")
    own = memory.procedures.get(OPS, id)
    assert own is not None and own.data["usage_count"] == 1
    with pytest.raises(InputError, match="shared already"):
        memory.procedures.share(DEV, shared)
    assert sorted(one.id for one in memory.procedures.list(OPS)) == sorted([id, shared])
    assert "1. stop; 2. go back; 3. tell" in memory.context(DEV, question)


def test_F3_new_steps_are_shared_anew_and_the_old_hold_until_approval(memory: Memory) -> None:
    id = stored(memory, OPS, "Roll back", "a deployment fails", ["stop", "go back"])
    shared = memory.procedures.share(OPS, id)
    assert shared is not None
    memory.shared.approve(LEAD, shared)
    steps = ["stop", "wait", "go back"]
    memory.records.update(OPS, id, text=statement("Roll back", "a deployment fails", steps),
                          metadata={"name": "Roll back", "steps": steps})  # fmt: skip
    again = memory.procedures.share(OPS, id)
    assert again is not None and again != shared

    def found() -> list[Any]:
        return [hit.metadata["steps"] for hit in memory.recall(DEV, "roll back").hits]

    assert found() == [["stop", "go back"]]
    assert memory.shared.approve(LEAD, again) == "approved"
    assert found() == [steps]


def test_F3_uses_that_were_reported_outlive_a_rebuild_from_events() -> None:
    draft = ProcedureDraft(name="Roll back", trigger="a deployment fails", steps=("stop", "go"))
    (edit,) = to_edits([draft], [], "r1:1", OPS.home, 1_780_000_000.0)
    learned = edit.record
    assert learned is not None and learned.data["usage_count"] == 1
    reported = used(used(learned, 1.0), 2.0)
    derived_again = with_reported_uses(learned, reported)
    assert derived_again.data["usage_count"] == reported.data["usage_count"] == 3
    assert with_reported_uses(derived_again, learned) == derived_again
