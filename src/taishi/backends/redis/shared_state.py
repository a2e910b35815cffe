"""Limits, claims and small values of a fleet in Redis or Valkey; each call is one script."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ...ports.shared_state import Claim, SharedStateError
from .cache import names_in, unknown
from .link import RedisLink
from .sealing import Sealing

# A token bucket by the server's own clock. ARGV: per minute, what to do.
BUCKET = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local capacity = tonumber(ARGV[1])
local rate = capacity / 60
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'time')
local tokens = capacity
if kept[1] then
  tokens = math.min(capacity, tonumber(kept[1]) + math.max(0, now - tonumber(kept[2])) * rate)
end
local wait = 0
if tokens < 1 then wait = math.ceil((1 - tokens) / rate) end
if ARGV[2] == 'wait' or (ARGV[2] == 'take' and wait > 0) then return wait end
tokens = math.max(0, tokens - 1)
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'time', tostring(now))
redis.call('PEXPIRE', KEYS[1], 61000)
if tokens < 1 and ARGV[2] == 'spend' then return math.ceil((1 - tokens) / rate) end
return 0
"""
# ARGV: digest, owner, lease in milliseconds.
CLAIM = """
local kept = redis.call('HMGET', KEYS[1], 'digest', 'owner', 'answer')
if not kept[1] then
  redis.call('HSET', KEYS[1], 'digest', ARGV[1], 'owner', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {ARGV[1], ARGV[2], false}
end
return kept
"""
# ARGV: owner, lease in milliseconds.
RENEW = """
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
# ARGV: owner, answer, life in milliseconds.
FINISH = """
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'owner')
redis.call('HSET', KEYS[1], 'answer', ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
"""
# ARGV: owner.
RELEASE = """
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1])
"""
# What was answered goes, that it was answered stays.
ERASE = """
if redis.call('HEXISTS', KEYS[1], 'answer') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'answer', '')
return 1
"""
SCRIPTS = {
    "bucket": BUCKET,
    "claim": CLAIM,
    "renew": RENEW,
    "finish": FINISH,
    "release": RELEASE,
    "erase": ERASE,
}
BUCKETS, CLAIMS, VALUES = "limit", "once", "value"
CLEARED = "when texts were last cleared"


class RedisSharedState:
    """Implements ports.SharedState and ports.TextCache."""

    def __init__(self, link: RedisLink, sealing: Sealing) -> None:
        self._link = link
        self.sealing = sealing
        self._scripts: dict[str, Any] = {}
        self._claims = f"{sealing.prefix}{CLAIMS}:"
        link.before_use(self._erase)

    def take(self, bucket: str, per_minute: int) -> int:
        return self._bucket(bucket, per_minute, "take")

    def spend(self, bucket: str, per_minute: int) -> int:
        return self._bucket(bucket, per_minute, "spend")

    def wait(self, bucket: str, per_minute: int) -> int:
        return self._bucket(bucket, per_minute, "wait")

    def _bucket(self, bucket: str, per_minute: int, verb: str) -> int:
        name = self.sealing.name(BUCKETS, bucket)
        return int(self._run("bucket", name, (per_minute, verb)))

    def claim(self, name: str, digest: bytes, owner: str, lease: float) -> Claim:
        key = self.sealing.name(CLAIMS, name)
        first, holder, answer = self._run("claim", key, (digest, owner, _milliseconds(lease)))
        if holder is not None:
            return Claim(first, mine=holder == owner.encode())
        return Claim(first, done=True, answer=self.sealing.open(key, answer))

    def renew(self, name: str, owner: str, lease: float) -> bool:
        key = self.sealing.name(CLAIMS, name)
        return bool(self._run("renew", key, (owner, _milliseconds(lease))))

    def finish(self, name: str, owner: str, answer: bytes, ttl: float) -> None:
        key = self.sealing.name(CLAIMS, name)
        self._run("finish", key, (owner, self.sealing.seal(key, answer), _milliseconds(ttl)))

    def release(self, name: str, owner: str) -> None:
        self._run("release", self.sealing.name(CLAIMS, name), (owner,))

    def put(self, name: str, value: str, ttl: float) -> None:
        key = self.sealing.name(VALUES, name)
        sealed = self.sealing.seal(key, value.encode())
        self._link.run(lambda client: client.set(key, sealed, px=_milliseconds(ttl)))

    def get(self, name: str) -> str | None:
        key = self.sealing.name(VALUES, name)
        found = self.sealing.open(key, self._link.run(lambda client: client.get(key)))
        return None if found is None else found.decode()

    def delete(self, name: str) -> None:
        key = self.sealing.name(VALUES, name)
        self._link.run(lambda client: client.unlink(key))

    def cached_texts(self) -> list[str]:
        """The answers that are kept. Raises StorageError if the server does not answer."""
        try:
            found = self._link.run_patiently(
                lambda client: [
                    client.hget(name, "answer") for name in names_in(client, self._claims)
                ]
            )
        except SharedStateError as error:
            raise unknown(self._link.address) from error
        return [one.decode("utf-8", "replace") for one in found if one]

    def clear_text(self) -> None:
        """At once, or when the server is back."""
        try:
            self._link.run(self._erase)
        except SharedStateError:
            self._link.catch_up()

    def catch_up(self, deleted: float | None) -> None:
        """Something was deleted at that time. If the server could not be told then, and whoever
        deleted it has ended since, everything is cleared now."""
        if deleted is None:
            return
        try:
            cleared = float(self.get(CLEARED) or 0)
        except SharedStateError:
            cleared = 0.0
        if cleared < deleted:
            self._link.catch_up()

    def _erase(self, client: Any) -> None:
        erase = client.register_script(ERASE)
        for name in names_in(client, self._claims):
            erase(keys=[name], client=client)
        key = self.sealing.name(VALUES, CLEARED)
        client.set(key, self.sealing.seal(key, repr(time.time()).encode()))

    def _run(self, script: str, key: str, values: Sequence[Any]) -> Any:
        def call(client: Any) -> Any:
            known = self._scripts.get(script)
            if known is None:
                known = self._scripts[script] = client.register_script(SCRIPTS[script])
            return known(keys=[key], args=list(values), client=client)

        return self._link.run(call)


def _milliseconds(seconds: float) -> int:
    return max(1, int(seconds * 1000))
