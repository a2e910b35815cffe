"""Every setting of Taishi, declared once. Reading, checking and the pages follow from this."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ..errors import SettingsError
from .addresses import complaint_about
from .knowledge import KnowledgeSettings
from .server import ServerSettings
from .shared import SharedSettings
from .spec import header_text, is_zone, only_true, scope_list, section, setting, web_address
from .spec import zone_name as zone_name
from .storage import StorageSettings
from .working import WorkingSettings

# Prefixes of the keys that a running engine may take over; the others need a restart (C2).
HOT = (
    "query.",
    "historian.poll_",
    "historian.rewrite_max_retry",
    "historian.job_max_retries",
    "memory.enabled",  # off at once; on after a restart
    "memory.legacy_",
    "memory.only_scopes",
    "memory.except_scopes",
    "shared.",
)

# One line says all about a setting; the formatter would make four of it.
# A default made by a call (RUF009) is the point: the call carries the documentation.
# ruff: noqa: RUF009
# fmt: off

@dataclass(frozen=True)
class MemorySettings:
    enabled: bool = setting(True,
        "Off: nothing is stored or recalled; queued jobs stay. Turning it on needs a restart.",
        "关闭后不写入也不召回，待处理任务保留。关闭即时生效，开启需重启。")
    only_scopes: str = setting("",
        "Memory is on only for these, such as group:club, user:ann, agent:coder, group:*, "
        "workspace:NAME; empty: for all. user:ID is that user's private chat.",
        "仅对这些作用域启用记忆，如 group:club、user:ann、agent:coder、group:*、workspace:名称；"
        "留空为全部。user:ID 指该用户的私聊。", check=scope_list)
    except_scopes: str = setting("",
        "Memory is off for these, in the same form; users are left out in groups, too.",
        "对这些作用域关闭记忆，写法相同；列出的用户在群里也不记录。", check=scope_list)
    data: str = setting("./data",
        "The data folder, or the address of a database or of a server. Also TAISHI_DATA.",
        "数据目录，或数据库、服务的地址。也可用 TAISHI_DATA。", low=1, check=complaint_about)
    timezone: str = setting("auto", "IANA time zone for times without one; auto: this machine's.",
        "无时区的时间按此 IANA 时区理解；auto 为本机时区。", check=zone_name)
    language: str = setting("auto", "Language of stored texts; auto: that of the conversation.",
        "书写所用的语言；auto 随对话而定。", choices=("auto", "en", "zh"))
    legacy_end_summaries: bool = setting(False,
        "Also keep the old list end_summaries.json; while memory is off, recall reads it.",
        "同时写旧的 end_summaries.json；记忆关闭时从中召回。")
    legacy_keep: int = setting(200, "How many newest entries to keep.", "该列表保留的最新条数。",
        low=1, high=100_000)

@dataclass(frozen=True)
class QuerySettings:
    auto_top_k: int = setting(3,
        "How many events may be among the recall_top_k results of a prompt block.",
        "每轮自动召回的结果中最多几条事件；其余留给事实等。")
    tool_default_top_k: int = setting(12, "Results of a search tool.", "检索工具默认条数。", low=1)
    profile_top_k: int = setting(8, "Results of a profile search.", "画像检索的条数。", low=1)
    recall_top_k: int = setting(5, "Results of one recall, all kinds.", "一次召回的总条数。", low=1)
    recall_timeout: float = setting(0.15, "Seconds for the whole recall; late paths are left out.",
        "一次召回最多几秒；超时的路径不计入。", low=0.001, high=60)
    max_context_tokens: int = setting(800, "Token budget of the prompt block.",
        "提示词块的 token 上限。")
    tokenizer: str = setting("",
        "Counts tokens as your model does: o200k_base or cl100k_base (tiktoken, its file in "
        "the cache), or the path of a tokenizer.json; empty: an upper bound for both. "
        "Nothing is downloaded.",
        "按你的模型计算该上限：o200k_base 或 cl100k_base（需 tiktoken 及其缓存文件），"
        "或 tokenizer.json 的路径；留空则用两者的上界估计。不会下载任何文件。")
    vector_weight: float = setting(0.6, "Weight of search by meaning when results are fused.",
        "融合时语义路径的权重。", high=1)
    keyword_weight: float = setting(0.4, "Weight of keyword search when results are fused.",
        "融合时关键词路径的权重。", high=1)
    rerank_candidate_multiplier: int = setting(3,
        "Candidates per result that go to an external reranker.", "送往外部重排器的候选倍数。",
        low=1)
    min_similarity: float = setting(0.2, "Minimum similarity of a result; 0: no minimum.",
        "低于此相似度不返回；0 为不设下限。", high=1)
    half_life_days_auto: float = setting(14.0, "Age at which automatic recall halves a score.",
        "自动召回的半衰期（天）。", low=0.01)
    half_life_days_tool: float = setting(60.0, "Age at which a tool's search halves a score.",
        "工具检索的半衰期（天）。", low=0.01)
    mmr_lambda: float = setting(0.7, "1: relevance only; 0: variety only.",
        "1 只看相关，0 只看多样。", high=1)

@dataclass(frozen=True)
class HistorianSettings:
    rewrite_max_retry: int = setting(2, "How often a text that the gate refuses is revised.",
        "检查不通过时最多重新改写几次。")
    poll_interval_seconds: float = setting(1.0, "Seconds between two checks of the queue.",
        "查看队列的间隔（秒）。", low=0.01)
    stale_job_timeout_seconds: float = setting(300.0, "Seconds until a claim on a job expires.",
        "任务租约的秒数。", low=1)
    job_max_retries: int = setting(3, "Retries before a job goes to failed/.",
        "任务进入 failed/ 前的重试次数。")
    workers: int = setting(1, "Workers in this process.", "本进程的后台任务数。", low=1, high=64)
    recent_messages: int = setting(12, "Messages kept with a job.", "随任务保存的最近消息数。")
    source_message_chars: int = setting(800, "Characters kept of the source message.",
        "来源消息保留的字符数。")

@dataclass(frozen=True)
class ProfileSettings:
    revision_keep: int = setting(5, "Snapshots kept per user or group.",
        "每个用户或群保留的快照数。")
    max_lines: int = setting(200,
        "Statements on a page; beyond that, lines with a stored fact are removed. 0: no limit.",
        "每页画像的陈述数；超出时，已存为事实的行会移出画像。0 为不限。")
    path: str = setting("profiles", "Folder, inside the data folder.", "目录，位于数据目录内。",
        low=1)

@dataclass(frozen=True)
class QueueSettings:
    path: str = setting("queues", "Folder, inside the data folder.", "目录，位于数据目录内。",
        low=1)
    failed_max_age_days: float = setting(30.0, "Days a failed job is kept; 0: forever.",
        "失败任务保留天数；0 为永久。")
    failed_max_files: int = setting(500, "Failed jobs kept at most; 0: no limit.",
        "失败任务最多保留数；0 为不限。")
    failed_cleanup_interval: int = setting(100, "Jobs between two sweeps of failed/; 0: off.",
        "每处理多少任务清理一次 failed/；0 为不清理。")

@dataclass(frozen=True)
class ObservationSettings:
    queue_max: int = setting(1000, "Tool runs that may wait; beyond, the oldest is dropped.",
        "内存中等待的工具记录上限；满了丢弃最旧的。", low=1)
    preview_chars: int = setting(500, "Characters kept of a tool's result.",
        "工具结果保留的字符数。")
    max_age_days: float = setting(30.0,
        "Days a tool run is kept before it moves to archive/observations-YYYY-MM.jsonl; "
        "0: forever.",
        "工具记录保留天数，之后移入 archive/observations-YYYY-MM.jsonl；0 为永久保留。")

@dataclass(frozen=True)
class SummarySettings:
    interval_seconds: float = setting(300.0, "Seconds between a session's summaries.",
        "会话摘要的间隔（秒）。", low=1)
    min_messages: int = setting(4, "New messages a summary needs.", "生成摘要所需的新消息数。",
        low=1)

@dataclass(frozen=True)
class ShortTermSettings:
    preference_days: float = setting(7.0, "Life of a preference.", "偏好保留几天。", low=0.01)
    decision_days: float = setting(7.0, "Life of a decision.", "决定保留几天。", low=0.01)
    follow_up_days: float = setting(3.0, "Life of a follow-up.", "待跟进事项保留几天。", low=0.01)
    mood_days: float = setting(1.0, "Life of a mood.", "情绪保留几天。", low=0.01)
    promote_after_sessions: int = setting(3, "Sessions that recall it before it becomes a fact.",
        "被多少个会话召回后成为事实。", low=1)

@dataclass(frozen=True)
class CacheSettings:
    embedding_hours: float = setting(24.0, "Life of a query's vector.", "查询向量缓存几小时。")
    results_minutes: float = setting(5.0, "Life of recall results.", "召回结果缓存几分钟。")

@dataclass(frozen=True)
class RedactionSettings:
    secrets: bool = setting(True, "Always on: keys and passwords are removed.",
        "始终开启：去除密钥和密码。", check=only_true)
    email: bool = setting(False, "Remove e-mail addresses too.", "同时去除电子邮箱。")
    phone: bool = setting(False, "Remove phone numbers too.", "同时去除电话号码。")

@dataclass(frozen=True)
class ModelSettings:
    """How to reach one model. The same for embedding, chat and rerank."""

    api_url: str = setting("", "OpenAI-compatible address; empty: none.",
        "兼容 OpenAI 的地址；留空则不用。", check=web_address)
    api_key: str = setting("", "Key for that address; never shown.", "该地址的密钥；从不显示。",
        secret=True, check=header_text)
    model_name: str = setting("", "The model's name.", "模型名称。")
    timeout_seconds: float = setting(30.0, "Seconds to wait for an answer.", "等待回答的秒数。",
        low=0.05)
    concurrency: int = setting(4, "Maximum concurrent requests.", "同时进行的请求数。", low=1)
    queue_interval_seconds: float = setting(0.0, "Seconds between two requests.",
        "两次请求的间隔（秒）。")
    price_in: float = setting(0.0, "Cost of a million tokens sent, for the ledger.",
        "每百万输入 token 的价格，用于账本。")
    price_out: float = setting(0.0, "Cost of a million tokens received.",
        "每百万输出 token 的价格。")
    dimensions: int = setting(0, "Embedding width; 0: the model's own.", "向量维度；0 为模型默认。")
    query_instruction: str = setting("", "Put before a query that is embedded.",
        "嵌入查询前附加的指令。")
    document_instruction: str = setting("", "Put before a text that is embedded.",
        "嵌入文本前附加的指令。")

@dataclass(frozen=True)
class EmbeddingSettings(ModelSettings):
    kind: str = setting("local", "Which embedder is used; with an api_url, local becomes openai.",
        "嵌入方式；填了 api_url 时 local 即为 openai。",
        choices=("local", "openai", "fastembed", "none"))

    def __post_init__(self) -> None:
        if self.kind == "local" and self.api_url:
            object.__setattr__(self, "kind", "openai")

@dataclass(frozen=True)
class RerankSettings(ModelSettings):
    api_url: str = setting("", "A reranker's address, with or without /rerank; empty: none.",
        "重排器的地址，可带 /rerank；留空则不用。", check=web_address)
    # What comes after query.recall_timeout is not used: to wait for long only holds a request.
    timeout_seconds: float = setting(2.0, "Seconds to wait; recall waits for query.recall_timeout.",
        "等待的秒数；召回本身只等 query.recall_timeout。", low=0.05)
    price_call: float = setting(0.0, "Cost of one request, for servers that bill by the search.",
        "每次请求的价格，用于按次计费的服务。")
    kind: str = setting("auto", "Wire format; auto: from the address and first answer.",
        "接口格式；auto 则由地址和首次回答判断。", choices=("auto", "cohere", "jina", "tei"))

def _task(en: str, zh: str) -> Any:
    return section(ModelSettings, en, zh, optional=True)

@dataclass(frozen=True)
class ChatSettings(ModelSettings):
    """The chat model, and the tasks that may have one of their own."""

    rewrite: ModelSettings | None = _task("Rewriting to absolute text.", "改写对话，写清人和日期。")
    extract: ModelSettings | None = _task("Facts and procedures.", "提取事实与流程。")
    merge: ModelSettings | None = _task("Merging profiles.", "合并画像。")
    decide: ModelSettings | None = _task("What is worth keeping.", "判断是否值得记住。")
    summarise: ModelSettings | None = _task("Summaries.", "生成摘要。")
    intent: ModelSettings | None = _task("What a query is after.", "判断查询意图。")
    query: ModelSettings | None = _task("Other words for a question.", "改写对文档的提问。")
    eval_answer: ModelSettings | None = _task("Answers in `taishi eval qa`.",
        "`taishi eval qa` 的作答。")
    eval_judge: ModelSettings | None = _task("Verdicts in `taishi eval qa`.",
        "`taishi eval qa` 的评判。")

    def for_task(self, task: str) -> ModelSettings:
        """The model for a task: its own, or the general one."""
        own = getattr(self, task, None)
        return own if isinstance(own, ModelSettings) else self

@dataclass(frozen=True)
class ModelsSettings:
    embedding: EmbeddingSettings = section(EmbeddingSettings, "Text to vectors.", "文本到向量。")
    chat: ChatSettings = section(ChatSettings, "The historian's model.", "史官所用的模型。")
    rerank: RerankSettings = section(RerankSettings, "An external reranker.", "外部重排器。")

@dataclass(frozen=True)
class IndexSettings:
    memory_mb: int = setting(2048, "Index memory limit, in MB.", "索引内存上限（MB）。", low=1)

@dataclass(frozen=True)
class ProxySettings:
    upstream_url: str = setting("",
        "OpenAI-compatible address that chats are forwarded to, such as https://api.openai.com/v1.",
        "对话转发到的兼容 OpenAI 的地址，如 https://api.openai.com/v1。", check=web_address)
    api_key: str = setting("",
        "Key for that address; empty: the client's own Authorization is passed on.",
        "该地址的密钥；留空则转发客户端自己的 Authorization。", secret=True, check=header_text)
    connect_seconds: float = setting(10.0, "Seconds to reach the upstream.",
        "连接上游的秒数。", low=0.05)
    timeout_seconds: float = setting(600.0, "Maximum seconds between two chunks of its answer.",
        "上游两段回答之间最长的秒数。", low=0.05)
    record: str = setting("auto",
        "What is stored: auto (a chat model decides; without one, every statement), consider, "
        "statements or nothing.",
        "记录什么：auto（有聊天模型则由其判断，否则记下每句陈述）、consider、"
        "statements 或 nothing。",
        choices=("auto", "consider", "statements", "nothing"))

@dataclass(frozen=True)
class MonitoringSettings:
    open_metrics: bool = setting(False, "Serve /metrics without a key.",
        "无需密钥即可读取 /metrics。")
    queue_max_age_seconds: float = setting(900.0,
        "Not ready if a job has waited longer than this; 0: not checked.",
        "有任务等待超过此秒数则未就绪；0 为不检查。")
    min_free_mb: int = setting(64, "Not ready if less disk space is free, in MB.",
        "可用磁盘少于此值（MB）则未就绪。")

@dataclass(frozen=True)
class TelemetrySettings:
    enabled: bool = setting(False, "Spans for OpenTelemetry; needs taishi[telemetry].",
        "输出 OpenTelemetry span；需要 taishi[telemetry]。")

@dataclass(frozen=True)
class Machine:
    """What the machine and its environment say, taken once. Not a setting."""

    zone: str = "UTC"
    role: str = "library"  # of this process: serve, work, cli, or a program of its own
    version: str = ""  # of Taishi, where a command of ours opened the memory

@dataclass(frozen=True)
class Origin:
    """Where settings were read, so that they can be read there again. Not a setting.

    `content` is the file as it was (None: there was none); `given` says of each key that somebody
    set where that was.
    """

    file: Path | None = None
    is_named: bool = False
    content: bytes | None = field(default=None, repr=False)  # these three may hold keys
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    overrides: Mapping[str, Any] = field(default_factory=dict, repr=False)
    given: Mapping[str, str] = field(default_factory=dict)

@dataclass(frozen=True)
class Settings:
    """All of it. Build one with `load`."""

    memory: MemorySettings = section(MemorySettings, "General.", "通用。")
    query: QuerySettings = section(QuerySettings, "Recall.", "召回。")
    historian: HistorianSettings = section(HistorianSettings, "The historian.", "史官。")
    profile: ProfileSettings = section(ProfileSettings, "Profiles.", "画像。")
    queue: QueueSettings = section(QueueSettings, "The queue.", "队列。")
    observation: ObservationSettings = section(ObservationSettings, "Tool runs.", "工具记录。")
    summary: SummarySettings = section(SummarySettings, "Session summaries.", "会话摘要。")
    short_term: ShortTermSettings = section(ShortTermSettings, "Short-term memory.", "短期记忆。")
    knowledge: KnowledgeSettings = section(KnowledgeSettings, "The knowledge base.", "知识库。")
    shared: SharedSettings = section(SharedSettings, "Shared memory.", "共享记忆。")
    working: WorkingSettings = section(WorkingSettings, "Working memory.", "工作记忆。")
    cache: CacheSettings = section(CacheSettings, "Caches.", "缓存。")
    redaction: RedactionSettings = section(RedactionSettings, "Redaction.", "脱敏。")
    models: ModelsSettings = section(ModelsSettings, "Models, all optional.", "模型，均可不填。")
    storage: StorageSettings = section(StorageSettings, "Other engines.", "其他存储引擎。")
    index: IndexSettings = section(IndexSettings, "Indexes in memory.", "内存索引。")
    proxy: ProxySettings = section(ProxySettings, "The OpenAI-compatible proxy.",
        "兼容 OpenAI 的代理。")
    monitoring: MonitoringSettings = section(MonitoringSettings, "Metrics and health.",
        "指标与健康检查。")
    telemetry: TelemetrySettings = section(TelemetrySettings, "OpenTelemetry.", "链路追踪。")
    server: ServerSettings = section(ServerSettings, "The server.", "服务端。")
    machine: Machine = field(
        default_factory=lambda: read_machine(os.environ), repr=False, compare=False)
    origin: Origin = field(default_factory=Origin, repr=False, compare=False)
    # fmt: on

    def zone(self) -> ZoneInfo:
        """The timezone in force."""
        name = self.memory.timezone
        if complaint := zone_name(name):
            raise SettingsError(f"memory.timezone = {name!r}: {complaint}")
        return ZoneInfo(self.machine.zone if name == "auto" else name)


def read_machine(environ: Mapping[str, str]) -> Machine:
    link = os.path.realpath("/etc/localtime")
    names = (at.rpartition("zoneinfo/")[2] for at in (environ.get("TZ", "").lstrip(":"), link))
    return Machine(next(filter(is_zone, names), "UTC"))
