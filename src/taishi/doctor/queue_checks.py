"""Health check of the queue: what waits, and whether anybody works it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .findings import Bilingual, Finding

OLD_JOB_SECONDS = 3600.0
SILENT_CLAIM_SECONDS = 60.0


def queue(counts: Mapping[str, Any], silence: float = 0.0, workers: int = 1) -> Finding:
    """`silence`: seconds since the claim that was renewed longest ago was renewed. `workers`: the
    historian's threads in all processes that have the memory open."""
    waiting = counts["pending"] + counts["processing"]
    oldest, failed = counts["oldest_seconds"], counts["failed"]
    message = Bilingual(
        f"{waiting} waiting (oldest {oldest:.0f} s), {failed} failed",
        f"{waiting} 个等待（最久 {oldest:.0f} 秒），{failed} 个失败",
    )
    if failed:
        advice = Bilingual("see why: `taishi jobs list`", "请用 `taishi jobs list` 查看原因")
        return Finding("queue", "warning", message, advice)
    if waiting and not workers:
        noun = "job waits" if waiting == 1 else "jobs wait"
        advice = Bilingual(
            f"{waiting} {noun} and no process runs the historian: run `taishi work`, or `taishi "
            "serve` without --no-worker",
            f"{waiting} 个任务在等待，而没有进程在运行史官：请运行 `taishi work`，或不带 "
            "--no-worker 的 `taishi serve`",
        )
        return Finding("queue", "warning", message, advice)
    if waiting and oldest > OLD_JOB_SECONDS:
        advice = Bilingual(
            "the historian does not keep up, or its model does not answer",
            "史官来不及处理，或其模型没有响应",
        )
        return Finding("queue", "warning", message, advice)
    if silence > SILENT_CLAIM_SECONDS:
        advice = Bilingual(
            f"a worker claimed a job and has not renewed its claim for {silence:.0f} s: its model "
            "is slow, or it is stuck (`taishi status` lists the workers); another worker takes the "
            "job when the claim ends (historian.stale_job_timeout_seconds)",
            f"有任务已被领取，但 {silence:.0f} 秒未续期：模型太慢，或后台任务卡住"
            "（见 `taishi status`）；领取到期（historian.stale_job_timeout_seconds）后由其他"
            "后台任务接手",
        )
        return Finding("queue", "warning", message, advice)
    return Finding("queue", "ok", message)
