"""What the tool `forget` says of what went and what stays, in English and Chinese."""

from __future__ import annotations

FORGET_WORDS: dict[str, tuple[str, str]] = {
    "forgot_older": (
        "Forgotten: 1 record, which had been replaced. What replaced it is still there: {id}. If "
        "that was meant, too, call forget with this id.",
        "已忘记 1 条，它此前已被取代。取代它的记录仍在：{id}。"
        "若也要忘记，请用这个编号再次调用 forget。",
    ),
    "forgot": ("Forgotten: {count:record|records}.", "已忘记 {count} 条。"),
    "forgot_everything": (
        "Forgotten: everything about {place}, {count:record|records}.",
        "已忘记 {place} 的全部记忆，共 {count} 条。",
    ),
    "forgot_record": ("Forgotten: {record}.", "已忘记：{record}。"),
    "learned_went": (
        " {count:record|records} that rested on it alone went with it: {records}.",
        "只由它得出的 {count} 条也已一并删除：{records}。",
    ),
    "told_in_other_words": (
        " This seems to tell it in other words: {records}. If it does, and the person does not "
        "want to keep that, call forget with its id as well.",
        "以下内容似乎换了说法讲同一件事：{records}。若确实如此且对方不想保留，请用其编号再次调用 "
        "forget。",
    ),
    "forgot_statement": ("Forgotten: {text}.", "已忘记：{text}。"),
    "went_with_it": (
        " {count:event|events} that told nothing else went with it: {records}.",
        "只说了这件事的 {count} 条事件也已一并删除：{records}。",
    ),
    "versions_went": (
        " {count:earlier version|earlier versions} that it had replaced went with it: {records}.",
        "它所取代的 {count} 个旧版本也已一并删除：{records}。",
    ),
    "versions_stay": (
        " A person decided on the earlier {records}, which stays in the history: only a person can "
        "remove it.",
        "更早的 {records} 由人裁决过，仍保留在历史中，只有人可以删除。",
    ),
    "taken_out": (
        " It was also taken out of what had told it, which stays for the rest that it tells: "
        "{records}.",
        "它也已从说过它的记录里去除；那些记录因还说了别的事而保留：{records}。",
    ),
    "still_told": (
        " The same is still told by {records}. Unless the person wants to keep that, call forget "
        "with its id as well.",
        "同样的内容仍见于：{records}。除非对方要保留，请用其编号再次调用 forget。",
    ),
    "stays_as_correction": (
        " What was put in the place of an earlier fact stays and tells it: {records}. If you have "
        "forgotten its duplicate, all is done. If the person wants this forgotten altogether, call "
        "forget with that id as well.",
        "取代旧事实的这一条仍在，讲的是同一件事：{records}。若刚才忘记的是与它重复的一条，则已办妥；"
        "若对方要彻底忘记这件事，请再用该编号调用 forget。",
    ),
    "still_in_events": (
        " This may still tell it, in other words: {records}. To forget that event removes all that "
        "it tells: ask the person first.",
        "以下事件可能仍以别的说法提到它：{records}。删除该事件会删去其中的全部内容，请先询问对方。",
    ),
    "do_not_repeat": (
        " Do not repeat the words in your answer: what is said from now on may be recorded again.",
        "答复时请不要复述原话：之后说的内容可能会再次被记录。",
    ),
    "still_in_notes": (
        " The note page {paths} says it as well: change it with write_note, or remove it with "
        "remove_note.",
        "笔记页 {paths} 中也有：请用 write_note 修改，或用 remove_note 移除。",
    ),
    "similar_users": (
        " But there are records of users whose id is the same but for its prefix: {users}. They "
        "are still recalled. Tell the person; whoever looks after the memory can remove them.",
        "但还有编号只差前缀的用户，其记录仍会被召回：{users}（括号内为条数）。请告知对方；"
        "可由管理记忆的人删除。",
    ),
    "ended_with_request": (
        "The turn is over. Nothing was stored of it, as it asks to forget something, and nothing "
        "was forgotten by that.",
        "本轮已结束。其中要求忘记某事，因此没有保存任何内容；但这样并未忘记任何记忆。",
    ),
    "ended_but_for_request": (
        "The turn is over and will be remembered, but for what asks to forget something: of that "
        "nothing was stored, and nothing was forgotten by it.",
        "本轮已结束，内容将被记住；其中要求忘记某事的部分没有保存，但这样并未忘记任何记忆。",
    ),
    "takes_back": (
        " It asks to take something back: that is marked as withdrawn where it is known, and not "
        "deleted.",
        "其中要求收回某事：已知的内容会标记为已撤回，但不会删除。",
    ),
    "call_forget": (
        " Unless you have done so, call forget with the id of what the person means (recall shows "
        "it).",
        "若尚未执行，请用 recall 找到对方所指的编号，再调用 forget。",
    ),
    "tell_forget": (
        " You have no tool for that here: tell the person that it is done on the web page (`taishi "
        "ui`) or with `taishi forget`.",
        "你在这里没有用于忘记的工具：请告知对方可在网页（`taishi ui`）或用 `taishi forget` 删除。",
    ),
    "no_record": (
        "There is no record {id} here; see the ids with recall.",
        "此处没有编号为 {id} 的记录；请用 recall 查看编号。",
    ),
}
