"""Where something is stored, as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from taishi.types import Partition

NAMES = st.text("a/%2F:privategroupshared5", min_size=1, max_size=12)
PARTITIONS = st.builds(Partition, NAMES, st.sampled_from(["private", "group", "agent"]), NAMES)


@given(PARTITIONS, PARTITIONS)
def test_S1_no_two_partitions_read_alike(one: Partition, other: Partition) -> None:
    assert (str(one) == str(other)) == (one == other)


def test_S1_a_slash_in_a_name_is_no_border() -> None:
    one, other = Partition("a/private:b", "private", "c"), Partition("a", "private", "b/private:c")
    assert str(one) != str(other)
    assert str(Partition("default", "private", "ann")) == "default/private:ann"
