"""Arrays that grow in place, for one writer and many readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

S = TypeVar("S", bound=np.generic)


def grown(array: NDArray[S], room: int, used: int) -> NDArray[S]:
    bigger = np.empty((room, *array.shape[1:]), array.dtype)
    bigger[:used] = array[:used]
    return bigger


class Column(Generic[S]):
    """One value per row. A view taken once stays valid while others append."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._values: NDArray[Any] = np.zeros(0, dtype)
        self._size = 0

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        end = self._size + len(values)
        if end > len(self._values):
            self._values = grown(self._values, max(end, len(self._values) * 3 // 2), self._size)
        self._values[self._size : end] = values
        self._size = end

    def view(self, rows: int) -> NDArray[S]:
        return self._values[:rows]

    def set(self, rows: Any, values: Any) -> None:
        self._values[rows] = values

    @property
    def nbytes(self) -> int:
        return self._values.nbytes


class Codes(dict[str | None, int]):
    """Strings as small numbers, given on first sight: `codes[name]`. None is -1."""

    def __init__(self) -> None:
        super().__init__({None: -1})
        self.names: list[str] = []

    def all(self, names: Sequence[str | None]) -> NDArray[np.int32]:
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))

    def __missing__(self, name: str | None) -> int:
        number = self[name] = len(self.names)
        self.names.append(str(name))
        return number
