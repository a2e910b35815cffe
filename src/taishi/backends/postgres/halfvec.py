"""Vectors as pgvector's type `halfvec`, 16 bits a number, sent in binary form."""

from __future__ import annotations

import numpy as np
from pgvector import HalfVector
from psycopg.adapt import AdaptersMap, Dumper
from psycopg.pq import Format

SCALE_BYTES = 4


def halfvec(code: bytes) -> HalfVector:
    """An encoded vector (recall/vector_codec.py)."""
    scale = np.frombuffer(code, np.float32, 1)
    upper, lower = np.frombuffer(code, np.int8, offset=SCALE_BYTES).reshape(2, -1)
    return HalfVector((upper + lower * np.float32(1 / 256)) * scale)


class _BinaryDumper(Dumper):
    """Of no type by itself: a statement casts its parameter to `halfvec`."""

    format = Format.BINARY

    def dump(self, obj: HalfVector) -> bytes:
        return obj.to_binary()


def register(adapters: AdaptersMap) -> None:
    adapters.register_dumper(HalfVector, _BinaryDumper)
