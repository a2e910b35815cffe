"""The OpenAPI description in Chinese: a row for each tag and each operation id.

Descriptions of fields are in `openapi_chinese_fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..language.text import one_line
from .openapi_chinese_fields import FIELDS

# Title and description by tag.
TAGS = {
    "turns": ("轮次", "写入：提交对话中发生的事。"),
    "sessions": ("会话", "工作记忆：消息、该发送哪些消息、草稿板。"),
    "recall": ("召回", "读取：找出与问题有关的内容。"),
    "memories": ("记忆", "记录，逐条或成批。"),
    "profiles": ("画像", "用户和群的画像及其历史版本。"),
    "documents": ("文档", "知识库：文档和笔记。"),
    "facts": ("事实", "长期成立的说法，以及人对它们的裁决。"),
    "shared": ("共享", "智能体向整个工作区提议的内容，以及协调者的决定。"),
    "procedures": ("流程", "做事的方法：用过几次，效果如何。"),
    "keeping": ("维护", "遗忘、关联、任务、费用、运行状况。"),
    "looking": ("查看", "供网页使用：列表、数目、聊天；表单形式的设置、密钥。"),
    "moving": ("迁移", "整份记忆：导出、导入、备份；设置。"),
}
# Put after “需要”, with a space where that is followed by code.
RIGHTS = {
    "`read`": " `read`",
    "`write`": " `write`",
    "`admin`": " `admin`",
    "`admin` of the workspace": "工作区的 `admin`",
    "`admin` of the server": "整个服务的 `admin`",
}
# Summary and description by operation id.
OPERATIONS = {
    "knownTurn": (
        "一轮是否已收下",
        "以某个 `request_id` 最后一次收下的那一轮，无论由这份记忆的哪台服务器收下，重启前后都一样。"
        "`consider` 判断为不必保存的，只有当时处理它的服务器知道。",
    ),
    "endTurn": (
        "结束一轮",
        "收到应答时，内容已经落盘。史官在后台把它整理成事件；片刻之后按关键词就能找到，"
        "带 `wait` 则收到应答时已经能找到。带 `Idempotency-Key` 时，无论发送几次都只保存一次，"
        "服务中途崩溃也是如此。",
    ),
    "consider": (
        "有没有值得记的？",
        "供没有 `end` 工具的宿主程序使用：发送最近的消息，值不值得记在后台判断。",
    ),
    "observe": ("提交一次工具调用", "放入内存里的队列；队列满了，就丢弃最旧的。"),
    "addMessages": (
        "只添加消息",
        "只用于会话的下一次摘要：不结束一轮，不产生任务，也不从中学习。",
    ),
    "endSession": ("结束会话", "为还没有摘要的内容写摘要；要等模型应答，可能较慢。"),
    "listSessions": ("有消息的会话", "作用域里追加过消息的会话。"),
    "clearSession": (
        "删除会话的消息",
        "删除消息、摘要和草稿板。已经从中学到的内容会保留。",
    ),
    "appendMessages": (
        "向会话追加消息",
        "收到应答时，消息已经落盘；不等待任何模型。编号已存在的消息不会重复保存。",
    ),
    "popMessage": ("撤回最后一条消息", "删除并返回；没有则为 null。从中学到的内容保留。"),
    "sessionWindow": (
        "该发给模型的内容",
        "会话最近的消息，不超过 `max_tokens` 的 70%，只压缩到需要的程度；"
        "工具调用和它的结果不会拆开。",
    ),
    "sessionHistory": ("追加的原始消息", "按顺序；以最后一条的序号作为 `after` 取后面的。"),
    "sessionMessage": ("一条完整的消息", "为放进窗口而截短的消息，在这里取得全文。"),
    "getScratchpad": ("会话的草稿板", "会话正在做什么。"),
    "patchScratchpad": ("修改草稿板的字段", "没有给出的字段不变。"),
    "clearScratchpad": ("清空草稿板", "清空所有字段。"),
    "recall": (
        "召回",
        "从作用域有权看的内容里，找出与问题有关的几条记录。在时限之内应答：超时的路径不计入，"
        "`paths` 写明是哪些。",
    ),
    "context": (
        "提示词块",
        "放进用户消息里。首尾带边界标记，写明是参考资料，不是指令；什么都不知道时为空；"
        "有路径超时，`skipped` 会写明。",
    ),
    "searchEvents": ("检索事件", "事件和轮次，可限定某个用户或群；不会超出作用域。"),
    "searchProfiles": ("检索画像", "按语义检索作用域有权看的画像。"),
    "warmUp": (
        "预热",
        "载入作用域第一次提问所需的内容，并等刚保存的内容可以按语义找到（其中最多等 5 秒）。",
    ),
    "remember": (
        "记住一段内容",
        "原样保存，但会去除密钥等敏感内容；`redacted` 列出去除了哪几类。",
    ),
    "listRecords": ("列出记忆", "作用域所在分区的记录，从旧到新，分页。"),
    "rememberMany": (
        "批量记住",
        "全部写入；有一条不能用，就一条都不写入。编号按顺序返回。",
    ),
    "recordHistory": ("以前的版本", "这条记录以前的文本，以及被它取代的事实；从新到旧。"),
    "recordEvidence": (
        "依据",
        "作用域有权看到的依据：事件、消息和人。`user:ID` 和 `group:ID` 是画像，"
        "逐行给出依据，见 `claims`。",
    ),
    "relatedRecords": (
        "相近的记忆",
        "作用域所在分区里语义相近的记录，最相近的在前；`score` 是两个向量的余弦相似度。"
        "没有嵌入模型时为空。",
    ),
    "getRecord": ("一条记忆", "取自作用域所在的分区。"),
    "updateRecord": (
        "更正一条记忆",
        "没有给出的字段不变。事实用 /v1/facts/{id}/correct 更正，画像用 /v1/profiles。",
    ),
    "forgetRecord": (
        "忘记一条记忆",
        "连同向量和索引项，从文件本身删除。删除事实时，学到它的事件里也会去掉这句话。",
    ),
    "getProfile": (
        "画像",
        "作用域有权看到的部分：在群里，只有用户画像中对所有人公开的内容。"
        "不给作用域，则是用户或群自己看到的内容。",
    ),
    "setProfile": ("写入画像", "整页写入；旧版本保留在历史里。"),
    "editProfile": (
        "编辑画像",
        "人的更正：从正文里删掉的内容不会再次学到。请先从 `/source` 读取，并带上它的 `updated_at`，"
        "以免覆盖别人的修改。",
    ),
    "profileSource": ("磁盘上的画像", "带有说明各行谁能看到的标记；供编辑用。"),
    "profileRevisions": ("画像的历史版本", "从新到旧。"),
    "profileDiff": ("画像的变化", "从一个版本到另一个版本，或到现在。"),
    "rollBackProfile": (
        "回到某个版本",
        "磁盘和索引同时更新。现在的内容成为一个历史版本。",
    ),
    "listFacts": ("列出事实", "作用域所在分区的事实，从新到旧。"),
    "listFactConflicts": ("互相矛盾的事实", "成对列出，等人裁决。"),
    "resolveFactConflict": ("裁决冲突", "两者之一成立；另一个不会再次学到。"),
    "approveFact": ("批准事实", "由人确认属实：从现在起会召回。"),
    "rejectFact": ("否决事实", "由人指出不属实：不再召回，也不会再次学到。"),
    "correctFact": (
        "更正事实",
        "以人的说法为准。返回新事实的编号；旧的留在历史里，不会再次学到。",
    ),
    "proposeShared": ("向共享记忆提议", "协调者批准后才会被召回。重复发送仍是同一条。"),
    "listShared": (
        "列出共享记忆",
        "协调者看到全部；其他人看到已批准的，以及本作用域提议的。",
    ),
    "listSharedConflicts": ("互相矛盾的条目", "成对列出，等协调者裁决。"),
    "resolveSharedConflict": ("裁决冲突", "由协调者决定：其中之一成立，或两者都成立。"),
    "approveShared": ("批准条目", "由协调者决定：从现在起，整个工作区都会召回。"),
    "rejectShared": ("否决条目", "由协调者或提议者决定。"),
    "supersedeShared": (
        "取代条目",
        "返回新条目的编号。协调者写的立即生效，提议者写的等待批准。",
    ),
    "sharedAudit": ("审计记录", "谁在什么时候、通过哪个接口、为什么对条目做了什么。"),
    "listProcedures": (
        "列出流程",
        "作用域可以使用的：它自己的、它的智能体的，以及批准共享的。",
    ),
    "reviewProcedures": ("经常失败的流程", "至少有三次结果、成功不到一半的；最差的在前。"),
    "getProcedure": ("一个流程", "触发条件、步骤和效果在 `metadata` 里。"),
    "useProcedure": ("记录一次使用", "使用次数加一；带 `worked` 则同时记录结果。"),
    "rateProcedure": ("评价流程", "记录一次使用的结果；返回新的成功率。"),
    "shareProcedure": ("共享流程", "连同步骤提议给共享记忆：批准之后，别人才能找到。"),
    "forget": (
        "遗忘",
        "一条记忆，或一个作用域的全部内容。只给 `scope.user` 则忘记这个人在整个工作区的内容："
        "私聊、在群里说过的话、任务和画像，还有绑定到这个人的 API 密钥："
        "用这些密钥的程序不能再访问。忘记工作区共享的内容需要管理员密钥。",
    ),
    "setLink": (
        "关联一个用户的聊天",
        "打开后，这个用户的私聊和群聊互通记忆。默认关闭。",
    ),
    "listJobs": ("列出任务", "工作区里待处理、处理中和失败的任务，从旧到新。"),
    "retryJob": ("重试任务", "把失败的任务放回队列，重试次数重新计算。"),
    "ledger": ("模型账本", "整个服务的调用，按日期、用途、模型和应答方式。"),
    "status": (
        "状态",
        "保存了什么、有什么在等待、速度如何；各项数字只给能管理整个服务的密钥。",
    ),
    "deletions": (
        "删除记录",
        "从新到旧：谁、何时、通过哪个接口、哪类作用域、删除数；不含删掉的内容。`scope` 是哈希。"
        "负数表示导入时把忘记过的内容又带了回来。",
    ),
    "forgottenIds": (
        "哪些编号已删除",
        "供会再次送来同样记录的宿主程序使用：这些编号中，哪些在这个作用域里删除过。"
        "如果整个作用域都忘记过，写于那时之前的编号全部算作已删除。",
    ),
    "similarUsers": (
        "相似的用户编号",
        "工作区里编号仅前缀（宿主程序加在冒号之前的部分）与此不同的用户，以及各自的记录数：例如 "
        "`QQClient:10003` 与 `10003`。忘记其中一个，其他的仍会留下。"
        "绑定用户、群或智能体的密钥看不到任何用户。",
    ),
    "check": ("检查数据库", "会读取全部内容；数据多时要花些时间。"),
    "whoami": ("这个密钥的权限", "它的权限和绑定的作用域；不涉及其他密钥。"),
    "exportRecords": (
        "导出",
        "逐行的 JSON（application/x-ndjson），边读边发。最后一行表明内容完整。"
        "给出作用域，或密钥绑定了作用域时，只导出它所在的分区。",
    ),
    "importRecords": (
        "导入",
        "导出得到的各行，格式为 application/x-ndjson。全部检查之后才写入第一行；可以放心重复导入。"
        "属于其他工作区的行会被拒绝。",
    ),
    "backup": (
        "备份",
        "使用期间复制整个数据目录，放在服务所在机器的 server.backups 下，以时间命名。",
    ),
    "reembed": ("重新计算所有向量", "在后台进行；完成之前，按关键词召回。"),
    "rebuild": (
        "从事件重建",
        "从保存的事件重建事实、流程、画像和索引。人更正、否决、批准或写下的内容保留。完成后才应答；"
        "数据多时请改用 `taishi rebuild`。带 `dry_run` 则只说明会有哪些变化。",
    ),
    "getSettings": ("设置", "正在生效的设置。密钥显示为 ***。"),
    "putSettings": (
        "修改设置",
        "写入设置文件，保留注释；能在运行中生效的立即生效。会使文件无法使用的修改会被拒绝，"
        "什么都不写入。",
    ),
    "searchDocuments": (
        "检索文档",
        "能回答问题的段落，各带前后的片段。"
        "命中结果的 `metadata.citation` 写明出处：文件、章节、页码。",
    ),
    "addDocument": (
        "添加文档",
        "请求体就是文件，格式由文件名的后缀决定。同名的文档会被替换；没有变化则不写入。",
    ),
    "listDocuments": ("列出文档", "添加到作用域所在分区的文档，按名称。"),
    "documentOriginal": (
        "文档的原文件",
        "与发送时相同，但不含敏感内容；非文本格式里发现敏感内容的，不保存原文件。"
        "带 `link` 且文件在 S3 时，重定向（307）到一个一分钟内有效的地址。",
    ),
    "documentChunks": ("文档的片段", "按顺序，各带上级标题和页码。"),
    "getDocument": ("一份文档", "按编号或名称，取自作用域所在的分区。"),
    "removeDocument": ("移除文档", "连同片段、向量和文件。"),
    "listNotes": ("列出笔记", "作用域所在分区的笔记，按路径。"),
    "removeAllNotes": ("移除所有笔记", "作用域所在分区的全部笔记，连同历史版本。"),
    "searchNotes": (
        "检索笔记",
        "在作用域所在的分区里，按语义和词语检索；每篇笔记出现一次，给出最匹配的段落。",
    ),
    "renameNote": (
        "笔记或文件夹改名",
        "一步完成，历史版本一并保留。返回改名之后的笔记。",
    ),
    "noteOperation": (
        "笔记的一次操作结果如何",
        "每个作用域大约记得最近一千次。指纹不同则为 409。",
    ),
    "noteHistory": ("笔记的历史版本", "从新到旧；超过十个时丢弃最旧的。"),
    "readNote": ("一篇笔记", "按路径，例如 MEMORY.md。"),
    "writeNote": (
        "写入笔记",
        "整篇写入，带 `append` 则加在末尾。带 `expected_version` 时，读取之后没有人写过才写入。"
        "文本原样返回，但不含敏感内容；`redacted` 会写明。",
    ),
    "removeNote": ("移除笔记", "连同历史版本和片段；带 `folder` 则移除路径下的所有笔记。"),
    "browse": ("列出记忆，从新到旧", "作用域所在分区的记录，从新到旧，分页。"),
    "meaningMap": (
        "按语义绘制的地图",
        "把作用域所在分区最新的记忆放到一个平面上：取向量的前两个主成分。没有嵌入模型时为空。",
    ),
    "summary": ("分区概况", "作用域所在分区的各项数目、30 天内的增长，以及不可用的部分。"),
    "activity": (
        "增长与耗时",
        "作用域所在分区每日新增，按类别；能管理整个服务的密钥还能看到本进程每分钟的召回耗时、"
        "结束一轮的耗时和队列等待时间。",
    ),
    "changes": (
        "变动计数",
        "每次写入都会变动的计数。以 `Accept: text/event-stream` 请求时，应答是事件流："
        "立即发送一个，之后每次变动发送一个，最长十分钟。",
    ),
    "partitions": (
        "有哪些私聊、群和智能体",
        "一个工作区里有内容的分区；绑定到其中之一的密钥只能看到那一个。",
    ),
    "settingsForm": ("表单形式的设置", "每项设置的值、取值范围，以及中英文含义。"),
    "listKeys": ("列出密钥", "所有密钥，包括已吊销的，从旧到新。不保存密钥本身。"),
    "createKey": (
        "创建密钥",
        "只要有一个密钥，所有请求都必须带密钥。密钥只在这里显示一次。第一个密钥必须是面向所有工作区的"
        "管理员密钥，否则没有人能在这里再创建。",
    ),
    "revokeKey": ("吊销密钥", "立即失效，用它登录的会话随之结束。它仍在列表里。"),
    "listConnections": (
        "已连接的 MCP 客户端",
        "以 OAuth 连接的客户端，以及各由哪个密钥授权，从旧到新。",
    ),
    "revokeConnection": ("断开客户端", "它的令牌立即失效，在这份记忆的所有服务上都是如此。"),
}


def in_chinese(description: Mapping[str, Any]) -> dict[str, Any]:
    """The same description with texts for people in Chinese; names and schemas do not change."""
    translated: dict[str, Any] = _fields(description)
    translated["tags"] = [_tag(tag) for tag in description["tags"]]
    for methods in translated["paths"].values():
        for operation in methods.values():
            if "x-needs" not in operation:  # the proxy's and mem0's are not on our pages
                continue
            summary, text = OPERATIONS[operation["operationId"]]
            needs = RIGHTS[operation["x-needs"]]
            operation.update({"summary": summary, "description": text, "x-needs": needs})
    return translated


def _tag(tag: Mapping[str, str]) -> dict[str, str]:
    title, text = TAGS[tag["name"]]
    return {**tag, "x-title": title, "description": text}


def _fields(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {
            name: _field(value) if name == "description" else _fields(value)
            for name, value in part.items()
        }
    return [_fields(one) for one in part] if isinstance(part, list) else part


def _field(text: Any) -> Any:
    """A field may be called `description` itself: then this is its schema."""
    return FIELDS.get(one_line(text), text) if isinstance(text, str) else _fields(text)
