"""Which key of a bot's configuration is which setting of ours, as tables."""

from __future__ import annotations

BOT_NAME = "cognitive.bot_name"
TIME_DECAY = "cognitive.query.time_decay_enabled"
RERANK_SWITCH = "cognitive.query.enable_rerank"
# Without decay: a hundred years to halve a score.
NO_DECAY_DAYS = 36_500.0

RENAMED = {
    "cognitive.enabled": "memory.enabled",
    "cognitive.timezone": "memory.timezone",
    "cognitive.query.auto_top_k": "query.auto_top_k",
    "cognitive.query.tool_default_top_k": "query.tool_default_top_k",
    "cognitive.query.profile_top_k": "query.profile_top_k",
    "cognitive.query.rerank_candidate_multiplier": "query.rerank_candidate_multiplier",
    "cognitive.query.time_decay_half_life_days_auto": "query.half_life_days_auto",
    "cognitive.query.time_decay_half_life_days_tool": "query.half_life_days_tool",
    "cognitive.historian.rewrite_max_retry": "historian.rewrite_max_retry",
    "cognitive.historian.recent_messages_inject_k": "historian.recent_messages",
    "cognitive.historian.source_message_max_len": "historian.source_message_chars",
    "cognitive.historian.poll_interval_seconds": "historian.poll_interval_seconds",
    "cognitive.historian.stale_job_timeout_seconds": "historian.stale_job_timeout_seconds",
    "cognitive.profile.revision_keep": "profile.revision_keep",
    "cognitive.queue.failed_max_age_days": "queue.failed_max_age_days",
    "cognitive.queue.failed_max_files": "queue.failed_max_files",
    "cognitive.queue.failed_cleanup_interval": "queue.failed_cleanup_interval",
    "cognitive.queue.job_max_retries": "historian.job_max_retries",
}

MODEL_KEYS = (
    "api_url",
    "api_key",
    "model_name",
    "queue_interval_seconds",
    "dimensions",
    "query_instruction",
    "document_instruction",
)
# Whose model the historian uses, the first that is set.
CHAT_MODELS = ("historian", "agent")

_OWN_FOLDER = "Taishi has a folder and formats of its own; see memory.data"
_OWN_SCOPE = "a chat only ever recalls its own records, so there is nothing to weigh against them"
_OWN_SCORE = "age counts through the half-lives alone"

MEANINGLESS = {
    "cognitive.vector_store.path": _OWN_FOLDER,
    "cognitive.vector_store.scheduler_foreground_burst": "there is no vector database to schedule",
    "cognitive.profile.path": _OWN_FOLDER,
    "cognitive.queue.path": _OWN_FOLDER,
    "cognitive.query.auto_scope_candidate_multiplier": _OWN_SCOPE,
    "cognitive.query.auto_current_group_boost": _OWN_SCOPE,
    "cognitive.query.auto_current_private_boost": _OWN_SCOPE,
    "cognitive.query.time_decay_boost": _OWN_SCORE,
    "cognitive.query.time_decay_min_similarity": _OWN_SCORE,
    "cognitive.query.recent_end_summaries_inject_k": (
        "the block chooses what bears on the message, within query.max_context_tokens"
    ),
    "cognitive.historian.recent_message_line_max_len": (
        "historian.source_message_chars limits every message"
    ),
}
