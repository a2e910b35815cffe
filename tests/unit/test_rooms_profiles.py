"""Profiles on real files and the real store: merged under one lock, seen where they may be,
corrected for good, rolled back with their search (P1–P5, S4)."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from taishi.backends.profile_files.files import ProfileFiles
from taishi.backends.sqlite import SqliteStore
from taishi.domain import fact_decisions, facts
from taishi.domain.profiles import ProfileOwner, Profiles, entity_of, user_of
from taishi.errors import BusyError, InputError, StorageError
from taishi.types import Edit, Partition, Profile, Scope

ANN = ProfileOwner("default", "user", "ann")
HOME = Scope(user="ann")
GROUP = Scope(group="g42", user="ann")
PAGE = Path("users/ann.md")


@dataclass
class House:
    files: ProfileFiles
    store: SqliteStore
    profiles: Profiles

    @property
    def path(self) -> Path:
        return self.files.folder / PAGE

    def body(self) -> str:
        page = self.files.read(*ANN)
        return page.body if page else ""

    def indexed(self) -> str:
        record = self.store.get(ANN.place, "user:ann")
        return record.text if record else ""

    def by_hand(self, old: str, new: str) -> None:
        time.sleep(0.002)
        self.path.write_text(self.path.read_text("utf-8").replace(old, new), "utf-8")


def open_house(folder: Path) -> House:
    files = ProfileFiles(folder / "profiles")
    store = SqliteStore(folder / "taishi.db")
    return House(files, store, Profiles(files, store, time.time))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = open_house(tmp_path)
    yield opened
    opened.store.close()


# -- merging


def test_P2_merge_reads_changes_writes_and_indexes(house: House) -> None:
    def change(page: Profile) -> Profile:
        assert (page.entity_id, page.body) == ("ann", "")
        return replace(page, name="Ann", tags=("engineer",), body="- Lives in Oslo")

    written = house.profiles.merge(ANN, change, "r:1")
    assert written == house.files.read(*ANN)
    assert written
    assert (written.name, written.source_event_id) == ("Ann", "r:1")
    assert house.indexed() == "Ann engineer\n- Lives in Oslo"


def test_P2_nothing_to_change_writes_nothing(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo"], HOME, "r:1")
    stamp = house.files.stamp(*ANN)
    assert house.profiles.merge(ANN, lambda page: None, "r:2") is None
    assert house.profiles.merge(ANN, lambda page: replace(page), "r:2") is None
    assert house.profiles.add(ANN, ["lives in Oslo!"], HOME, "r:2") is None
    assert house.files.stamp(*ANN) == stamp
    assert house.profiles.revisions(ANN) == ()


def test_P2_the_model_cannot_write_another_ones_page(house: House) -> None:
    other = Profile("group", "g1", "Eve", (), "- x", workspace="w2")
    written = house.profiles.merge(ANN, lambda page: other, "r:1")
    assert written
    assert (written.entity_type, written.entity_id, written.workspace) == ("user", "ann", "default")


def test_P1_names_that_change_are_kept_as_tags(house: House) -> None:
    for name in ("Ann", "Anna", "", "安娜", "Anna"):
        house.profiles.merge(ANN, lambda p, n=name: replace(p, name=n, tags=("x",)), "r")
    page = house.files.read(*ANN)
    assert page
    assert page.name == "Anna"
    assert page.tags == ("x", "formerly:Ann", "曾用名:Anna", "曾用名:安娜")


def _learn(folder: Path, worker: int, turns: int) -> None:
    house = open_house(folder)
    for turn in range(turns):
        entity = ProfileOwner("default", "user", f"u{turn % 5}")

        def change(page: Profile, said: str = f"- w{worker} t{turn}") -> Profile:
            time.sleep(0.004)  # a model thinks here
            return replace(page, body=f"{page.body}\n{said}".strip())

        house.profiles.merge(entity, change, f"{worker}:{turn}")
    house.store.close()


def test_H5_two_processes_about_five_people_lose_no_update(tmp_path: Path) -> None:
    open_house(tmp_path).store.close()
    spawn = multiprocessing.get_context("spawn")
    children = [spawn.Process(target=_learn, args=(tmp_path, n, 50)) for n in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
    assert [child.exitcode for child in children] == [0, 0]
    house = open_house(tmp_path)
    lines = []
    for n in range(5):
        page = house.files.read("default", "user", f"u{n}")
        assert page
        record = house.store.get(Partition("default", "private", f"u{n}"), f"user:u{n}")
        assert record
        assert record.text == page.body
        lines += page.body.splitlines()
    house.store.close()
    assert sorted(lines) == sorted(f"- w{w} t{t}" for w in range(2) for t in range(50))


def test_H5_it_is_the_lock_that_saves_them(tmp_path: Path) -> None:
    """Without the lock (and the check of the stamp) an update is lost."""
    house = open_house(tmp_path)
    house.files.locked = lambda *args, **more: nullcontext()  # type: ignore[method-assign]
    plain = house.files.write
    house.files.write = lambda profile, since=None: plain(profile)  # type: ignore[method-assign]
    barrier = threading.Barrier(2)

    def learn(said: str) -> None:
        def change(page: Profile) -> Profile:
            barrier.wait(10)
            return replace(page, body=f"{page.body}\n{said}".strip())

        house.profiles.merge(ANN, change, said)

    threads = [threading.Thread(target=learn, args=(word,)) for word in ("- one", "- two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert house.body() in ("- one", "- two")
    house.store.close()


def test_P1_an_edit_by_hand_during_the_merge_is_not_overwritten(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo"], HOME)

    def slow(page: Profile) -> Profile:
        house.by_hand("Oslo", "Bergen")
        return replace(page, body="- Lives in Rome")

    with pytest.raises(BusyError, match="reapply your change"):
        house.profiles.merge(ANN, slow, "r:2")
    assert house.body() == "- Lives in Bergen"


def test_P3_a_snapshot_that_cannot_be_written_stops_the_write(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.profiles.add(ANN, ["Lives in Oslo"], HOME)

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(house.files, "_snapshot", full)
    with pytest.raises(StorageError, match="as it was"):
        house.profiles.add(ANN, ["Likes tea"], HOME)
    assert house.body() == "- Lives in Oslo"
    assert "tea" not in house.indexed()


def test_P3_rollback_restores_text_and_search_together(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo"], HOME)
    house.profiles.merge(ANN, lambda page: replace(page, body="- Lives in Rome"))
    (revision,) = house.profiles.revisions(ANN)
    assert "+- Lives in Rome" in house.profiles.diff(ANN, revision)
    house.profiles.rollback(ANN, revision)
    assert house.body() == "- Lives in Oslo"
    assert house.indexed() == "- Lives in Oslo"
    assert len(house.profiles.revisions(ANN)) == 2


@pytest.mark.parametrize("id", ["../../x", "..", "/etc/x", "a/../../b", "C:\\x"])
def test_P4_ids_that_leave_the_folder_are_refused(house: House, id: str) -> None:
    entity = ProfileOwner("default", "user", id)
    with pytest.raises(InputError):
        house.profiles.merge(entity, lambda page: replace(page, body="x"))
    with pytest.raises(InputError):
        house.profiles.add(entity, ["x"], HOME)
    with pytest.raises(InputError):
        house.profiles.rollback(entity, "20260220T143000.000000Z")
    assert not list(house.files.folder.rglob("*.md"))


# -- who sees it (S4)


def test_S4_in_a_group_only_what_was_learned_there(house: House) -> None:
    house.profiles.merge(ANN, lambda p: replace(p, name="Secret Name", tags=("secret",)))
    house.profiles.add(ANN, ["Has two cats"], HOME)
    assert house.profiles.read(GROUP, "user", "ann") is None
    assert house.profiles.own(GROUP) == []
    house.profiles.add(ANN, ["Likes tea"], GROUP, "r:2")
    seen = house.profiles.read(GROUP, "user", "ann")
    assert seen
    assert (seen.name, seen.tags, seen.body) == ("", (), "- Likes tea")
    assert house.profiles.read(Scope(group="g7", user="ann"), "user", "ann") is None
    assert house.profiles.read(Scope(user="bob"), "user", "ann") is None
    whole = house.profiles.read(HOME, "user", "ann")
    assert whole
    assert (whole.name, whole.body) == ("Secret Name", "- Has two cats")
    assert house.indexed() == "Secret Name secret\n- Has two cats"
    house.store.set_link("default", "ann", True)
    linked = house.profiles.read(HOME, "user", "ann")
    assert linked
    assert linked.body == "- Has two cats\n- Likes tea"


def test_P4_a_group_finds_what_it_may_know_of_its_members(house: House) -> None:
    house.profiles.add(ANN, ["Has two cats"], HOME)
    house.profiles.add(ANN, ["Ann likes tea"], GROUP)
    house.profiles.merge(ANN, lambda page: replace(page, name="Ann", tags=("tea", "cats")))
    found = house.store.get(GROUP.home, "user:ann")
    assert found
    assert found.text == "Ann tea\n- Ann likes tea", "name and tags that the lines say, no others"
    house.by_hand("- Ann likes tea <!-- group:g42 -->\n", "")
    house.profiles.follow_edits(HOME)
    assert house.store.get(GROUP.home, "user:ann") is None


def test_S4_a_prompt_in_a_group_has_both_pages(house: House) -> None:
    group = entity_of(GROUP)
    assert group
    assert user_of(GROUP) == ANN
    house.profiles.add(group, ["Meets on Fridays"], GROUP)
    house.profiles.add(ANN, ["Likes tea"], GROUP)
    pages = house.profiles.own(GROUP)
    assert [(p.entity_type, p.body) for p in pages] == [
        ("group", "- Meets on Fridays"), ("user", "- Likes tea")
    ]  # fmt: skip
    assert [p.body for p in house.profiles.own(HOME)] == [""], "it was not said in private"
    assert house.profiles.own(Scope(agent="a", workspace="default")) == []


def test_Q3_a_damaged_page_is_left_out_of_the_prompt(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.profiles.add(ANN, ["Likes tea"], GROUP)
    house.path.unlink()
    house.path.mkdir()
    assert house.profiles.own(GROUP) == []
    house.profiles.own(GROUP)
    assert caplog.text.count("left out") == 1


def test_P6_a_garbled_page_withdraws_nothing(house: House) -> None:
    fact = facts.new_fact("Likes tea", ANN.place, "r:1", 1.0, "ann")
    house.store.apply([Edit("put", fact)])
    house.profiles.add(ANN, ["Likes tea"], HOME)
    text = house.path.read_bytes()
    for broken in (b"\xff\xff", b"", b"   \n", text.replace(b"Likes", b"\xa9Lik\xc3es")):
        house.path.write_bytes(broken)
        house.profiles.follow_edits(HOME)
        assert [one.state for one in house.store.find(ANN.place, ("fact",))] == ["approved"]
    house.path.write_bytes(text.replace(b"Likes tea", b"Likes jazz"))
    house.profiles.follow_edits(HOME)
    known = {one.text: one.state for one in house.store.find(ANN.place, ("fact",))}
    assert known == {"Likes tea": "rejected", "Likes jazz": "approved"}, "then the person is heard"


# -- a person's correction sticks (P5)


def test_P5_a_line_taken_out_by_hand_is_not_learned_again(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo", "Likes tea"], HOME)
    house.by_hand("- Lives in Oslo\n", "")
    house.profiles.follow_edits(HOME)
    assert house.profiles.rejected(ANN) == ["Lives in Oslo"]
    for n in range(20):
        assert house.profiles.add(ANN, ["Lives in Oslo."], GROUP if n % 2 else HOME, "r") is None
    # a model that writes the whole page anew has no other way in
    house.profiles.merge(ANN, lambda p: replace(p, body="- lives in OSLO\n- Likes tea\n- Sings"))
    assert house.body() == "- Likes tea\n- Sings"


def test_P5_it_is_noticed_by_the_merge_itself(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo", "Likes tea"], HOME)
    house.by_hand("- Lives in Oslo\n", "")
    assert house.profiles.add(ANN, ["Lives in Oslo"], HOME) is None


def test_P5_put_back_by_hand_it_may_be_learned_again(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo", "Likes tea"], HOME)
    house.by_hand("- Lives in Oslo\n", "")
    house.profiles.follow_edits(HOME)
    house.by_hand("- Likes tea", "- Likes tea\n- Lives in Oslo")
    house.profiles.follow_edits(HOME)
    assert house.profiles.rejected(ANN) == []
    assert "Oslo" in house.indexed()


def test_P5_what_a_merge_took_out_is_no_persons_word(house: House, tmp_path: Path) -> None:
    house.profiles.add(ANN, ["Lives in Oslo"], HOME)
    other = open_house(tmp_path)
    other.profiles.merge(ANN, lambda page: replace(page, body="- Lives in Rome"))
    other.store.close()
    house.profiles.follow_edits(HOME)
    assert house.profiles.rejected(ANN) == []
    assert house.profiles.add(ANN, ["Lives in Oslo"], HOME)


def test_P5_a_rejected_fact_does_not_reach_the_page(house: House) -> None:
    fact = facts.new_fact("Ann lives in Oslo", GROUP.home, "r:1", 1.0, "ann")
    house.store.apply(fact_decisions.reject(fact, 2.0))
    assert house.profiles.add(ANN, ["Ann lives in Oslo"], GROUP) is None
    assert house.profiles.add(ANN, ["Ann lives in Oslo"], HOME)  # nobody rejected it here


def test_P5_edit_writes_with_a_snapshot_and_buries_what_is_gone(house: House) -> None:
    house.profiles.add(ANN, ["Lives in Oslo", "Likes tea"], HOME)
    before = house.profiles.source(ANN)
    assert house.profiles.edit(ANN, "- Likes coffee", before).body == "- Likes coffee"
    assert house.indexed() == "- Likes coffee"
    assert len(house.profiles.revisions(ANN)) == 1
    assert sorted(house.profiles.rejected(ANN)) == ["Likes tea", "Lives in Oslo"]
    with pytest.raises(BusyError, match="in the meantime"):
        house.profiles.edit(ANN, "- x", before)
    assert house.profiles.edit(ProfileOwner("default", "user", "new"), "- x", None).body == "- x"
