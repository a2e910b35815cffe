"""The words of the consent pages in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "title": ("Connect to your memory", "连接到你的记忆"),
    "asks": ("wants to connect to your memory.", "请求连接到你的记忆。"),
    "self_named": (
        "The name is what the program says of itself. After this you are sent to:",
        "该名称由程序自行填写。完成后将跳转到：",
    ),
    "unnamed": ("A program without a name", "未命名的程序"),
    "sign_in": ("Sign in with an API key", "用 API 密钥登录"),
    "key": ("API key", "API 密钥"),
    "continue": ("Continue", "继续"),
    "wrong_key": (
        "This key is not known, was revoked or has expired.",
        "密钥不存在、已吊销或已过期。",
    ),
    "may_read": ("read what is remembered", "读取记忆"),
    "may_write": ("read, add, correct and delete memories", "读取、新增、更正和删除记忆"),
    "would": ("It would be able to:", "它将能够："),
    "where": ("In:", "可访问："),
    "workspace": ("workspace {id}", "工作区 {id}"),
    "user": ("user {id}", "用户 {id}"),
    "group": ("group {id}", "群 {id}"),
    "agent": ("agent {id}", "智能体 {id}"),
    "whose": (
        "Whose memory? Choose a user, or type the id of a new one",
        "谁的记忆？选择用户，或填写新用户的编号",
    ),
    "whose_needed": (
        "This key opens more than one person's memory: say whose it should be.",
        "此密钥可打开多人的记忆：请说明是谁的。",
    ),
    "read_only": ("Let it read only", "只允许读取"),
    "key_reads": (
        "This key may only read, and so may the program.",
        "此密钥只能读取，程序也一样。",
    ),
    "allow": ("Allow", "允许"),
    "deny": ("Deny", "拒绝"),
    "until": (
        "You can withdraw this at any time: on the web pages under Settings, or with taishi oauth "
        "list and taishi oauth revoke.",
        "可随时撤销：在网页的“设置”中，或用 taishi oauth list、taishi oauth revoke。",
    ),
    "failed": ("This did not work", "无法完成"),
    "start_again": (
        "This page is too old, or was not opened in this browser. Start again from the program.",
        "此页面已过期，或不是在此浏览器中打开的。请回到程序重新开始。",
    ),
    "invalid_client": (
        "The program is not registered here. Remove the connection in it, and add it again.",
        "该程序未在此注册。请在程序中删除此连接后重新添加。",
    ),
    "invalid_request": (
        "The program asks to send you to an address that it did not register. Nothing was done.",
        "该程序要求跳转到未登记的地址。未执行任何操作。",
    ),
    "no_keys": (
        "This server has no API keys yet. Make one first: taishi keys create NAME",
        "此服务还没有 API 密钥。请先创建：taishi keys create 名称",
    ),
    "too_many": (
        "Too many wrong keys came from this address. Wait a minute.",
        "此地址提交了过多错误的密钥，请稍后再试。",
    ),
}


def words(language: str, key: str, **values: object) -> str:
    return WORDS[key][language == "zh"].format(**values)
