"""Profiles on disk: readable, editable, never lost, never outside their folder (P1, P3, P4)."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from taishi.backends.profile_files.files import ProfileFiles
from taishi.backends.profile_files.names import file_name
from taishi.backends.profile_files.text import Fault, parse, render
from taishi.errors import BusyError, CorruptError, InputError, StorageError
from taishi.ports import ProfileKey
from taishi.types import Profile

NOON = datetime(2026, 2, 20, 12, 0, tzinfo=UTC)
ANN = ("default", "user", "1708213363")
FIRST = Profile("user", "1708213363", "Ann", ("climber", "挪威"), "Lives in Oslo.\n\n喜欢爬山。")
SECOND = replace(FIRST, body="Lives in Bergen.")


@pytest.fixture
def files(tmp_path: Path) -> ProfileFiles:
    return ProfileFiles(tmp_path, clock=lambda: NOON)


def snapshot_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_P1_write_and_read_back(files: ProfileFiles) -> None:
    assert files.read(*ANN) is None
    written = files.write(FIRST)
    assert files.read(*ANN) == written
    assert written == replace(FIRST, updated_at="2026-02-20T12:00:00+00:00")


def test_P1_file_is_where_and_as_promised(files: ProfileFiles) -> None:
    files.write(replace(FIRST, source_event_id="r1:1"))
    text = (files.folder / "users" / "1708213363.md").read_text("utf-8")
    assert 'entity_id: "1708213363"\n' in text
    _, front, body = text.split("---\n")
    assert yaml.safe_load(front) == {
        "entity_type": "user",
        "entity_id": "1708213363",
        "name": "Ann",
        "tags": ["climber", "挪威"],
        "updated_at": "2026-02-20T12:00:00+00:00",
        "source_event_id": "r1:1",
    }
    assert body == "\nLives in Oslo.\n\n喜欢爬山。\n"


@pytest.mark.parametrize(
    "odd", ["007", "1e3", "true", "no", "null", "~", "2026-02-20", "0x1F", "1:30"]
)
def test_P1_ids_and_names_never_become_numbers_dates_or_booleans(
    files: ProfileFiles, odd: str
) -> None:
    files.write(Profile("group", odd, name=odd, tags=(odd,), source_event_id=odd))
    found = files.read("default", "group", odd)
    assert found is not None
    assert (found.entity_id, found.name, found.tags, found.source_event_id) == (
        odd,
        odd,
        (odd,),
        odd,
    )
    front = next((files.folder / "groups").glob("*.md")).read_text("utf-8").split("---\n")[1]
    assert yaml.safe_load(front)["entity_id"] == odd


def test_P1_number_as_id_is_stored_as_text(files: ProfileFiles) -> None:
    files.write(FIRST)
    found = files.read("default", "user", 1708213363)  # type: ignore[arg-type]
    assert found is not None
    assert found.entity_id == "1708213363"


def test_P1_an_edit_by_hand_is_picked_up_and_noticed(files: ProfileFiles) -> None:
    assert files.stamp(*ANN) == ()
    files.write(FIRST)
    before = files.stamp(*ANN)
    path = files.folder / "users" / "1708213363.md"
    path.write_bytes(
        b"\xef\xbb\xbf---\r\nentity_id: 1708213363\r\nname: Yes\r\ntags: solo\r\n"
        b"---  \r\n\r\nMine\r\n"
    )
    found = files.read(*ANN)
    assert found is not None
    assert (found.name, found.tags, found.body) == ("Yes", ("solo",), "Mine")
    assert before != files.stamp(*ANN)


def test_P1_a_persons_edit_between_read_and_write_is_not_overwritten(files: ProfileFiles) -> None:
    files.write(FIRST)
    stamp = files.stamp(*ANN)
    path = files.folder / "users" / "1708213363.md"
    path.write_text(path.read_text("utf-8").replace("Oslo", "Tromsø"), "utf-8")
    with pytest.raises(BusyError, match="read it again"):
        files.write(SECOND, since=stamp)
    assert "Tromsø" in path.read_text("utf-8")
    files.write(SECOND, since=files.stamp(*ANN))


def test_P1_workspaces_are_apart(files: ProfileFiles) -> None:
    files.write(FIRST)
    files.write(replace(SECOND, workspace="team/red"))
    assert (files.folder / "workspaces" / "team%2Fred" / "users" / "1708213363.md").is_file()
    assert files.workspaces() == ("default", "team/red")
    assert files.list() == [ProfileKey(*ANN)]
    assert files.list("team/red") == [ProfileKey("team/red", "user", "1708213363")]
    found = files.read("team/red", "user", "1708213363")
    assert found is not None
    assert (found.body, found.workspace) == ("Lives in Bergen.", "team/red")


def test_list_knows_users_and_groups_and_ignores_stray_files(files: ProfileFiles) -> None:
    files.write(FIRST)
    files.write(Profile("group", "!abc:server.org"))
    for stray in ("a%zz.md", "b c.md", ".x.md", "notes.txt", "1.md.12ab.tmp"):
        (files.folder / "users" / stray).write_text("x")
    assert files.list() == [ProfileKey(*ANN), ProfileKey("default", "group", "!abc:server.org")]


PAGE = render(replace(FIRST, updated_at="2026-02-20T12:00:00+00:00"))
TEXT = PAGE.decode()
BODY = FIRST.body
NAMED = ("Ann", ("climber", "挪威"))
# (the file, (name, tags), body, faults as (kind, line)); None: as it was before it was broken
BROKEN = {
    "no front matter": (b"- Likes tea\n", ("", ()), "- Likes tea", [("front_missing", 1)]),
    "only Markdown rules": (b"---\n- a\n- b\n---\nc", ("", ()), "---\n- a\n- b\n---\nc",
                            [("front_missing", 1)]),
    "never closed": (b"---\nname: Ann\ntags: [x, y]\n\n- Likes tea\n", ("Ann", ("x", "y")),
                     "- Likes tea", [("front_open", 1)]),
    "never opened": (b"name: Ann\n---\n- Likes tea\n", ("Ann", ()), "- Likes tea",
                     [("front_open", 1)]),
    "a broken quote": (TEXT.replace('name: "Ann"', 'name: "Ann').encode(), NAMED, BODY,
                       [("front_broken", 5)]),
    "an open list": (TEXT.replace('"挪威"]', '"挪威"').encode(), NAMED, BODY,
                     [("front_broken", 6)]),
    "a colon too many": (TEXT.replace('"Ann"', "Ann: a person").encode(),
                         ("Ann: a person", NAMED[1]), BODY, [("front_broken", 4)]),
    "tabs": (TEXT.replace("tags:", "\ttags:").encode(), None, None, None),
    "not plain text": (TEXT.replace('"Ann"', "{a: b}").encode(), ("", NAMED[1]), BODY,
                       [("label", 2)]),
    "a python object": (TEXT.replace('"Ann"', "!!python/object/apply:os.system [x]").encode(),
                        ("", NAMED[1]), BODY, [("label", 2)]),
    "empty": (b"", ("", ()), "", [("empty", 1)]),
    "blank": (b" \r\n\n", ("", ()), "", [("empty", 1)]),
    "GBK": (TEXT.encode("gbk"), NAMED, BODY, [("encoding", 5)]),
    "UTF-16": (TEXT.encode("utf-16"), NAMED, BODY, [("encoding", 1)]),
    "UTF-16 without a mark": (TEXT.encode("utf-16-le"), NAMED, BODY, [("encoding", 1)]),
    "Windows-1252": ("---\nname: René\n---\n- Café noir\n".encode("cp1252"), ("René", ()),
                     "- Café noir", [("encoding", 2)]),
    "a byte order mark": (b"\xef\xbb\xbf" + PAGE, NAMED, BODY, []),
    "CRLF": (TEXT.replace("\n", "\r\n").encode(), NAMED, BODY, []),
    "CR alone": (TEXT.replace("\n", "\r").encode(), NAMED, BODY, []),
    "blank lines first": (b"\n\n" + PAGE, NAMED, BODY, []),
    "a wrong id": (TEXT.replace("1708213363", "170821336").encode(), NAMED, BODY, [("id", 2)]),
    "a wrong type": (TEXT.replace("entity_type: user", "entity_type: group").encode(), NAMED, BODY,
                     [("id", 2)]),
    "deep": (b"---\na: " + b"[" * 15_000 + b"\n---\nb", ("", ()), None, [("front_missing", 1)]),
    "endless": (b"---\na: " + b"x" * 100_000 + b"\n---\nb", ("", ()), None,
                [("front_missing", 1)]),
    "a zero": (b"---\nname: Ann\n\x00\n---\nb", None, None, None),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_P6_a_page_is_read_as_well_as_it_can_be(
    files: ProfileFiles, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    content, labels, body, faults = BROKEN[kind]
    files.write(FIRST)
    path = files.folder / "users" / "1708213363.md"
    path.write_bytes(content)
    found = files.read(*ANN)
    assert found is not None
    assert (found.entity_type, found.entity_id) == ("user", "1708213363")
    assert labels is None or (found.name, found.tags) == labels
    assert body is None or found.body == body
    told = files.faults(ProfileKey(*ANN))
    assert faults is None or [(one.kind, one.line) for one in told] == faults
    assert path.read_bytes() == content, "to read is not to write"
    files.read(*ANN)
    assert caplog.text.count("1708213363.md") == bool(told), "a warning, once"
    assert not told or f"line {told[0].line}" in caplog.text


@pytest.mark.parametrize("kind", BROKEN)
def test_P6_a_write_keeps_the_text_and_snapshots_the_file_as_it_was(
    files: ProfileFiles, kind: str
) -> None:
    content = BROKEN[kind][0]
    files.write(FIRST)
    path = files.folder / "users" / "1708213363.md"
    path.write_bytes(content)
    before = files.read(*ANN)
    assert before
    written = files.write(replace(before, body=f"{before.body}\n- Sings", updated_at=""))
    again = files.read(*ANN)
    assert again
    assert again.body == f"{before.body}\n- Sings".strip()
    assert again.name == before.name
    assert files.faults(ProfileKey(*ANN)) == ()
    assert files.raw(*ANN, files.revisions(*ANN)[0]) == content
    assert written.entity_id == "1708213363"


def test_P6_what_cannot_be_read_is_named_and_never_overwritten(files: ProfileFiles) -> None:
    path = files.folder / "users" / "1708213363.md"
    path.mkdir(parents=True)
    with pytest.raises(CorruptError, match=r"1708213363\.md.*is a folder"):
        files.read(*ANN)
    with pytest.raises(CorruptError):
        files.write(SECOND)
    assert path.is_dir()
    assert files.faults(ProfileKey(*ANN)) == (Fault("folder", 1),)


def test_P6_a_file_that_may_not_be_read(
    files: ProfileFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(FIRST)

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(CorruptError, match="may not be read"):
        files.read(*ANN)
    assert [one.kind for one in files.faults(ProfileKey(*ANN))] == ["unreadable"]


def test_P6_nobody_is_shown_the_page_of_another(files: ProfileFiles) -> None:
    """A page that was copied and still names its first owner is the owner's."""
    files.write(FIRST)
    users = files.folder / "users"
    (users / "bob.md").write_bytes((users / "1708213363.md").read_bytes())
    with pytest.raises(CorruptError, match="is the page of user '1708213363'"):
        files.read("default", "user", "bob")
    assert [(one.kind, one.line) for one in files.faults(ProfileKey("default", "user", "bob"))] == [
        ("other", 2)
    ]


def test_P3_rollback_repairs_a_broken_file_and_keeps_it(files: ProfileFiles) -> None:
    files.write(FIRST)
    files.write(SECOND)
    (files.folder / "users" / "1708213363.md").write_bytes(b"broken")
    files.rollback(*ANN, files.revisions(*ANN)[0])
    found = files.read(*ANN)
    assert found is not None
    assert found.body == FIRST.body
    kept = files.folder / "history" / "users" / "1708213363" / f"{files.revisions(*ANN)[0]}.md"
    assert kept.read_bytes() == b"broken"


def test_P3_every_write_keeps_a_snapshot_and_five_are_kept(files: ProfileFiles) -> None:
    for number in range(9):
        files.write(replace(FIRST, body=f"v{number}"))
    revisions = files.revisions(*ANN)
    bodies = [files.read_revision(*ANN, revision).body for revision in revisions]
    assert bodies == ["v7", "v6", "v5", "v4", "v3"]
    folder = files.folder / "history" / "users" / "1708213363"
    assert sorted(p.stem for p in folder.iterdir()) == sorted(revisions)


def test_P3_keep_is_settable(tmp_path: Path) -> None:
    files = ProfileFiles(tmp_path, keep=2)
    for number in range(5):
        files.write(replace(FIRST, body=f"v{number}"))
    assert len(files.revisions(*ANN)) == 2


def test_P3_names_stay_in_order_when_the_clock_goes_back(tmp_path: Path) -> None:
    moments = iter(NOON - timedelta(hours=n) for n in range(20))
    files = ProfileFiles(tmp_path, clock=lambda: next(moments))
    for number in range(4):
        files.write(replace(FIRST, body=f"v{number}", updated_at="t"))
    bodies = [files.read_revision(*ANN, r).body for r in files.revisions(*ANN)]
    assert bodies == ["v2", "v1", "v0"]


def test_P3_diff(files: ProfileFiles) -> None:
    for profile in (FIRST, SECOND, replace(FIRST, body="Lives in 北京.")):
        files.write(profile)
    newest, oldest = files.revisions(*ANN)
    assert "-Lives in Bergen.\n+Lives in 北京.\n" in files.diff(*ANN, newest)
    between = files.diff(*ANN, oldest, newest)
    assert "+Lives in Bergen.\n" in between
    assert "北京" not in between


def test_P3_rollback_is_itself_kept(files: ProfileFiles) -> None:
    files.write(FIRST)
    files.write(SECOND)
    restored = files.rollback(*ANN, files.revisions(*ANN)[0])
    assert restored.body == FIRST.body
    assert files.read(*ANN) == restored
    assert files.read_revision(*ANN, files.revisions(*ANN)[0]).body == SECOND.body


def test_P3_rollback_brings_back_a_file_that_a_person_removed(files: ProfileFiles) -> None:
    files.write(FIRST)
    files.write(SECOND)
    (files.folder / "users" / "1708213363.md").unlink()
    assert files.read(*ANN) is None
    assert files.rollback(*ANN, files.revisions(*ANN)[0]).body == FIRST.body


@pytest.mark.parametrize(
    "revision", ["../../users/1", "", "20260220T120000.000000Z", "x\0y", "a" * 10**6]
)
def test_P3_unknown_revision_is_refused(files: ProfileFiles, revision: str) -> None:
    files.write(FIRST)
    for verb in (files.read_revision, files.diff, files.rollback):
        with pytest.raises(InputError, match="taishi profile history"):
            verb(*ANN, revision)


@pytest.mark.parametrize("call", ["replace", "fsync", "write", "open"])
@pytest.mark.parametrize("failing", [1, 2])
def test_P3_failed_snapshot_or_write_leaves_the_old_file_whole(
    files: ProfileFiles, monkeypatch: pytest.MonkeyPatch, call: str, failing: int
) -> None:
    files.write(FIRST)
    files.write(SECOND)
    before = snapshot_of(files.folder)
    real, calls = getattr(os, call), []

    def breaks(*args: object, **more: object) -> object:
        calls.append(args)
        if len(calls) >= failing:
            raise OSError(28, "No space left on device")
        return real(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, breaks)
        with pytest.raises(StorageError, match="as it was"):
            files.write(replace(FIRST, body="third"))
    after = snapshot_of(files.folder)
    assert before.items() <= after.items()
    assert not [name for name in after if name.endswith(".tmp")]
    found = files.read(*ANN)
    assert found is not None
    assert found.body == SECOND.body
    files.write(replace(FIRST, body="third"))
    bodies = [files.read_revision(*ANN, r).body for r in files.revisions(*ANN)]
    assert bodies == [SECOND.body, FIRST.body]


def test_P3_a_failed_snapshot_stops_the_write(
    files: ProfileFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(FIRST)
    (files.folder / "history").write_text("a file where the folder should be")
    with pytest.raises(StorageError):
        files.write(SECOND)
    found = files.read(*ANN)
    assert found is not None
    assert found.body == FIRST.body


def _die_at(folder: Path, call: str, number: int) -> None:
    """Write until the `number`th call of os.`call`, then die as under kill -9."""
    real, calls = getattr(os, call), []

    def dies(*args: object, **more: object) -> object:
        calls.append(args)
        if len(calls) == number:
            os._exit(9)
        return real(*args, **more)

    setattr(os, call, dies)
    ProfileFiles(folder).write(replace(SECOND, body="second " * 1000))


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
@pytest.mark.parametrize("number", [1, 2])
def test_P3_killed_while_writing_the_profile_is_whole(
    files: ProfileFiles, call: str, number: int
) -> None:
    files.write(FIRST)
    child = multiprocessing.get_context("spawn").Process(
        target=_die_at, args=(files.folder, call, number)
    )
    child.start()
    child.join(30)
    assert child.exitcode == 9
    found = files.read(*ANN)
    assert found is not None
    assert found.body in (FIRST.body, ("second " * 1000).strip())
    for left in files.folder.rglob("*.tmp"):
        os.utime(left, (0, 0))
    files.sweep()
    assert not list(files.folder.rglob("*.tmp"))
    files.write(replace(FIRST, body="third"))


def test_delete_removes_profile_history_and_leftovers(files: ProfileFiles) -> None:
    files.write(FIRST)
    files.write(SECOND)
    files.write(Profile("user", "1708213363.md", body="somebody else"))
    (files.folder / "users" / "1708213363.md.0badc0de.tmp").write_text("left")
    with files.locked(*ANN):
        assert files.delete(*ANN)
    assert not files.delete(*ANN)
    left = snapshot_of(files.folder)
    assert list(left) == [str(Path("users", "1708213363.md.md"))]
    assert files.revisions(*ANN) == ()


def test_delete_works_on_a_broken_file(files: ProfileFiles) -> None:
    files.write(FIRST)
    (files.folder / "users" / "1708213363.md").write_bytes(b"\xff")
    assert files.delete(*ANN)
    assert files.read(*ANN) is None


@pytest.mark.parametrize(
    "hostile",
    [
        "", " ", ".", "..", "../x", "a/../b", "a/..", "..\\x", "a\\..\\b", "/etc/passwd", "\\x",
        "C:\\x", "c:/x", "./x", "a\0b", "a\nb", "a\rb", "\x1b[2J", "\udcff", "a" * 201, "长" * 67,
        "x" * 1_000_000, None, True, 1.5,
    ],
)  # fmt: skip
def test_P4_ids_that_could_leave_the_folder_are_refused(files: ProfileFiles, hostile: str) -> None:
    for verb in (files.read, files.stamp, files.revisions, files.delete):
        with pytest.raises(InputError):
            verb("default", "user", hostile)
        with pytest.raises(InputError):
            verb(hostile, "user", "1")
    with pytest.raises(InputError):
        files.write(Profile("user", hostile))
    with pytest.raises(InputError), files.locked("default", "user", hostile):
        pass
    assert snapshot_of(files.folder) == {}


@pytest.mark.parametrize("entity_type", ["users", "", "../user", "agent", "x" * 10**6])
def test_P4_unknown_entity_type_is_refused(files: ProfileFiles, entity_type: str) -> None:
    with pytest.raises(InputError, match="'user' or 'group'") as caught:
        files.read("default", entity_type, "1")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("awkward", "name"),
    [
        ("!abc:server.org", "!abc%3Aserver.org"),
        ("@ann:server.org", "@ann%3Aserver.org"),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("100%", "100%25"),
        ("%2e%2e%2f", "%252e%252e%252f"),
        (".hidden", "%2Ehidden"),
        ("...", "%2E.%2E"),
        ("end.", "end%2E"),
        ("a b ", "a%20b%20"),
        ("CON", "%43ON"),
        ("nul.txt", "%6Eul.txt"),
        ("console", "console"),
        ("小明", "小明"),
        ("a\u202eb", "a%E2%80%AEb"),
        ("a\u2028b", "a%E2%80%A8b"),
        ("-100123", "-100123"),
        ("😀", "%F0%9F%98%80"),
    ],
)
def test_P4_awkward_ids_get_reversible_names(files: ProfileFiles, awkward: str, name: str) -> None:
    files.write(Profile("user", awkward, body="x"))
    assert (files.folder / "users" / f"{name}.md").is_file()
    assert files.list() == [ProfileKey("default", "user", awkward)]
    found = files.read("default", "user", awkward)
    assert found is not None
    assert found.entity_id == awkward
    files.write(Profile("user", awkward, body="y"))
    assert files.read_revision(
        "default", "user", awkward, files.revisions("default", "user", awkward)[0]
    )


@given(st.text(max_size=60), st.text(max_size=60))
@effort(max_examples=300, deadline=None)
def test_P4_names_stay_inside_and_distinct_ids_have_distinct_names(one: str, two: str) -> None:
    try:
        names = file_name(one), file_name(two)
    except InputError:
        return
    assert (names[0] == names[1]) == (one == two)
    for name in names:
        assert Path("base", f"{name}.md").parent == Path("base")
        assert not set(name) & set('/\\:*?"<>|\0')


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=3), ANY_TEXT, ANY_TEXT)
@effort(max_examples=300, deadline=None)
def test_P1_any_text_survives_the_file(name: str, tags: list[str], body: str, event: str) -> None:
    profile = Profile("user", "1", name, tuple(tags), body, "t", event)
    found = parse(render(profile), ProfileKey("default", "user", "1")).profile
    assert (found.name, found.tags, found.source_event_id) == (name, tuple(tags), event)
    kept = body.encode(errors="replace").decode().replace("\r\n", "\n").strip()
    assert found.body == kept


def test_hostile_body_of_a_megabyte(files: ProfileFiles) -> None:
    body = "---\n---\nentity_id: 2\n\0\udc80" * 50_000
    files.write(replace(FIRST, body=body))
    found = files.read(*ANN)
    assert found is not None
    assert found.entity_id == "1708213363"
    assert len(found.body) > 1_000_000


def test_two_hundred_tags_are_fine(files: ProfileFiles) -> None:
    tags = tuple(f"标签😀{n}" for n in range(200))
    files.write(replace(FIRST, tags=tags))
    found = files.read(*ANN)
    assert found is not None
    assert found.tags == tags


def test_the_longest_front_matter_that_is_written_can_be_read(files: ProfileFiles) -> None:
    profile = Profile("user", "1", name="\U0010ffff" * 5300, source_event_id="e")
    found = parse(render(profile), ProfileKey("default", "user", "1")).profile
    assert found.name == profile.name


def test_name_of_a_megabyte_is_refused_before_anything_is_written(files: ProfileFiles) -> None:
    with pytest.raises(InputError, match="too long"):
        files.write(replace(FIRST, name="x" * 1_000_000))
    assert files.read(*ANN) is None


def test_two_ids_in_one_file_are_not_mixed_up(files: ProfileFiles) -> None:
    """As on a file system that takes Ann and ann for the same name."""
    files.write(Profile("user", "Ann", body="upper"))
    (files.folder / "users" / "Ann.md").rename(files.folder / "users" / "ann.md")
    with pytest.raises(CorruptError, match="page of user 'Ann'"):
        files.write(Profile("user", "ann", body="lower"))


def test_H5_lock_serialises_read_merge_write_between_threads(files: ProfileFiles) -> None:
    files.write(replace(FIRST, body="0"))

    def add() -> None:
        for _ in range(10):
            with files.locked(*ANN):
                found = files.read(*ANN)
                assert found is not None
                files.write(replace(found, body=str(int(found.body) + 1)))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = files.read(*ANN)
    assert found is not None
    assert found.body == "40"
    assert not list((files.folder / "locks").iterdir())


def _add(folder: Path) -> None:
    files = ProfileFiles(folder)
    for _ in range(10):
        with files.locked(*ANN):
            found = files.read(*ANN)
            assert found is not None
            files.write(replace(found, body=str(int(found.body) + 1)))


def test_H5_lock_serialises_between_processes(files: ProfileFiles) -> None:
    files.write(replace(FIRST, body="0"))
    spawn = multiprocessing.get_context("spawn")
    children = [spawn.Process(target=_add, args=(files.folder,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0, 0]
    found = files.read(*ANN)
    assert found is not None
    assert found.body == "20"


def test_H5_lock_gives_up_in_time_and_is_free_after_an_error(files: ProfileFiles) -> None:
    with pytest.raises(ZeroDivisionError), files.locked(*ANN):
        with files.locked("default", "group", "1708213363", timeout=0):
            pass
        with pytest.raises(BusyError, match="try again"), files.locked(*ANN, timeout=0.03):
            pass
        raise ZeroDivisionError
    with files.locked(*ANN, timeout=0):
        pass


def test_H5_lock_taken_on_a_file_just_removed_does_not_count(
    files: ProfileFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = fcntl.flock, []

    def slow(handle: int, operation: int) -> None:
        if operation & fcntl.LOCK_EX:
            tries.append(handle)
            if len(tries) == 1:
                next((files.folder / "locks").iterdir()).unlink()
        real(handle, operation)

    monkeypatch.setattr(fcntl, "flock", slow)
    with files.locked(*ANN):
        assert len(tries) == 2
        assert len(list((files.folder / "locks").iterdir())) == 1
