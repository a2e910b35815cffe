"""What a told change ends, and what it leaves alone (P5)."""

from __future__ import annotations

import time

import pytest

from taishi.language.told_changes import change_told


@pytest.mark.parametrize(
    "told, before",
    [
        ("The shop moved from Kafka to NATS.", "The shop uses Kafka."),
        ("We switched from Bazel to Make last week", "Our builds run on Bazel"),
        ("The site was migrated from Heroku to Fly.io", "The site is hosted on Heroku in Europe"),
        ("They replaced Sentry with GlitchTip", "Errors are reported to Sentry"),
        ("The team dropped Slack in favour of Zulip", "The team talks on Slack"),
        ("The API uses gRPC instead of REST", "The API is REST"),
        ("We moved the builds from Travis to Buildkite.", "CI is Travis"),
        ("商店从 Kafka 迁移到了 NATS。", "商店用 Kafka。"),
        ("我们把 Sentry 换成了 GlitchTip", "错误上报到 Sentry"),
        ("团队用飞书取代了钉钉", "团队沟通用钉钉"),
        ("网站从阿里云搬到了腾讯云", "网站部署在阿里云上"),
    ],
)
def test_it_ends_what_says_the_old_value(told: str, before: str) -> None:
    change = change_told(told)
    assert change is not None
    assert change.ends(before)
    assert not change.ends(told)


@pytest.mark.parametrize(
    "told, other",
    [
        ("The shop moved from Kafka to NATS.", "The shop uses Redis."),
        ("The shop moved from Kafka to NATS.", "Kafka is hard to operate."),
        ("The shop moved from Kafka to NATS.", "The shop replaced Kafka by NATS"),
        ("The shop did not move from Kafka to NATS.", "The shop uses Kafka."),
        ("The shop might switch from Kafka to NATS.", "The shop uses Kafka."),
        ("The meeting moved from 3 to 4", "The team has 3"),
        ("I walked from Cork to Kinsale", "Ann lives in Cork"),
        ("We started from scratch", "We work from scratch"),
        ("She plans to switch from tea to coffee", "She drinks tea"),
        ("商店从 Kafka 迁移到了 NATS。", "商店用 Redis。"),
        ("商店打算从 Kafka 迁移到 NATS。", "商店用 Kafka。"),
        ("商店没有从 Kafka 迁移到 NATS。", "商店用 Kafka。"),
        ("我从上海走到了苏州", "小安住在上海"),
        ("商店从 Kafka 迁移到了 NATS。", "Kafka 很难维护"),
    ],
)
def test_it_ends_nothing_else(told: str, other: str) -> None:
    change = change_told(told)
    assert change is None or not change.ends(other)


@pytest.mark.parametrize("text", ["moved from a " * 40, "从" * 300, "replaced a b c d e " * 30])
def test_long_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    change_told(text * 30)
    assert time.perf_counter() - started < 0.5
