"""A page says what is known of its own person, whatever the others of a group say (S4, P5, O2)."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from support.scripted_model import ScriptedModel, WiseScript
from taishi import Memory, Scope
from taishi.doctor.profile_checks import profile_findings
from taishi.domain.profile_owners import ProfileOwner

OpenMemory = Callable[..., Memory]
Turn = tuple[str, str, str]
NAMES = {"ann-4711": "Ann", "cleo-0815": "Cleo"}
ANN, CLEO = (Scope(group="harbour", user=user) for user in NAMES)


def _turns(*said: tuple[Scope, str], names: tuple[str, str] = ("Ann", "Cleo")) -> list[Turn]:
    return [(str(scope.user), names[scope is CLEO], text) for scope, text in said]


def _swapped(first: str, second: str, names: tuple[str, str] = ("Ann", "Cleo")) -> list[Turn]:
    said = ((CLEO, first), (ANN, second), (CLEO, second), (ANN, first))
    return _turns(*said, names=names)


ZH = ("阿强", "小美")
SWAPS = {
    "homes": _swapped("I moved to Galway.", "I moved to Porto."),
    "employers": _swapped("I work at Acme now.", "I work at Initech now."),
    "names": _swapped("My name is Bea.", "My name is Dora."),
    "ages": _turns(
        (CLEO, "I am 30 years old."), (ANN, "I am 31 years old."),
        (CLEO, "I am 31 years old."), (ANN, "I am 32 years old."),
    ),
    "住处": _swapped("我搬到了成都。", "我搬到了杭州。", ZH),
    "工作": _swapped("我现在在腾讯工作。", "我现在在华为工作。", ZH),
    "年龄": _turns(
        (CLEO, "我今年30岁。"), (ANN, "我今年31岁。"),
        (CLEO, "我今年31岁。"), (ANN, "我今年32岁。"),
        names=ZH,
    ),
    "one home of both": _turns(
        (ANN, "I live in Porto."), (CLEO, "I live in Porto."),
        (CLEO, "I moved to Galway."), (ANN, "I moved to Cork."),
    ),
}  # fmt: skip


def _tell(memory: Memory, turns: Iterable[Turn], at_once: bool = False) -> None:
    for user, name, text in turns:
        scope = Scope(group="harbour", user=user)
        memory.end_turn(scope, f"{name}: {text}", new_info=text, sender_name=name)
        if not at_once:
            memory.drain()
    memory.drain()


def _pages(memory: Memory) -> dict[str, str]:
    """Each page with its snapshots, by whom it is about."""
    found = {}
    for line in map(json.loads, memory.transfer.export()):
        if line["type"] == "profile":
            texts = [line["page"], *(str(old) for old in line["snapshots"])]
            found[line["entity_id"]] = "\n".join(filter(None, texts))
    return found


def _assert_own(memory: Memory, turns: Iterable[Turn]) -> None:
    names = {user: name for user, name, _ in turns}
    pages = _pages(memory)
    for user, name in names.items():
        others = [other for other in names.values() if other != name]
        lines = [line for line in pages[user].splitlines() if line.startswith("- ")]
        assert lines and all(name in line for line in lines)
        assert not any(other in line for line in lines for other in others)


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("what", SWAPS)
def test_S4_two_who_swap_a_value_keep_to_their_own_pages(
    memory: Memory, what: str, at_once: bool
) -> None:
    _tell(memory, SWAPS[what], at_once)
    _assert_own(memory, SWAPS[what])
    last = {user: memory.profiles.source(Scope(user=user)) for user in NAMES}
    for page in last.values():
        assert page is not None and page.body.count("\n") == 0, "one value each, the last"


@pytest.mark.parametrize("what", ["homes", "employers", "住处"])
def test_S4_a_model_that_writes_pages_is_given_their_own_lines_alone(
    open_memory: OpenMemory, what: str
) -> None:
    with ScriptedModel(WiseScript()) as server:
        settings = {
            "models.chat.api_url": server.url,
            "models.chat.api_key": "a-key",
            "models.chat.model_name": "scripted",
        }
        memory = open_memory(settings, embedder=None)
        _tell(memory, SWAPS[what])
        _assert_own(memory, SWAPS[what])


def test_S4_an_import_that_learns_keeps_to_their_pages(memory: Memory) -> None:
    messages = [
        {
            "id": number, "type": "message", "date_unixtime": str(1_600_000_000 + 90 * number),
            "from": name, "from_id": f"user{user}", "text": text,
        }
        for number, (user, name, text) in enumerate(SWAPS["homes"])
    ]  # fmt: skip
    chat = {"name": "Harbour", "type": "private_group", "id": 3, "messages": messages}
    memory.transfer.import_chats(io.BytesIO(json.dumps(chat).encode()), "telegram", learn=True)
    memory.drain()
    people = {user: text for user, text in _pages(memory).items() if "lives in" in text}
    assert len(people) == 2
    for text in people.values():
        assert ("Ann lives" in text) != ("Cleo lives" in text)


def test_S4_a_relative_stands_on_the_page_of_who_tells(memory: Memory) -> None:
    _tell(memory, _turns(
        (ANN, "My brother Tom lives in Porto."), (CLEO, "I live in Porto."),
        (ANN, "I live in Porto."), (CLEO, "I moved to Cork."), (ANN, "I moved to Galway."),
    ))  # fmt: skip
    page = memory.profiles.source(Scope(user="ann-4711"))
    assert page is not None and "Ann's brother Tom lives in Porto" in page.body
    assert "Ann lives in Galway" in page.body and "Cleo" not in page.body


def test_S4_what_somebody_says_of_himself_is_not_on_the_groups_page(memory: Memory) -> None:
    _tell(memory, _turns(
        (ANN, "Tom lives in Porto."), (CLEO, "I moved to Porto."), (ANN, "I live in Porto."),
        (ANN, "Tom moved to Galway."), (ANN, "I moved to Cork."),
    ))  # fmt: skip
    pages = _pages(memory)
    assert "Tom lives in Galway" in pages["harbour"]
    assert "Cleo" not in pages["harbour"] and "Ann" not in pages["harbour"]
    assert "Tom" not in pages["ann-4711"] and "Tom" not in pages["cleo-0815"]


def test_P5_what_is_put_right_of_one_is_not_noted_of_another(memory: Memory) -> None:
    _tell(memory, SWAPS["homes"])
    wrong = next(one for one in memory.facts.list(ANN) if one.text == "Cleo lives in Porto")
    memory.facts.reject(ANN, wrong.id)
    _tell(memory, _turns((ANN, "I moved to Porto.")))
    events = memory.recall(ANN, "moved to Porto", kinds=["event"], top_k=20, floor=0.0).hits
    own = [one.text for one in events if "Ann" in one.text]
    assert own and not any("Cleo" in text for text in own)
    assert any("withdrawn: Cleo lives in Porto" in one.text for one in events)


# -- forgetting, and lines of an older version ---------------------------------------------------


def _stray(memory: Memory, text: str) -> None:
    """As an older version left it on Ann's page: there is no fact of hers."""
    memory._services.pages.add(ProfileOwner("default", "user", "ann-4711"), [text], ANN)


@pytest.fixture
def strayed(memory: Memory) -> Memory:
    _tell(memory, SWAPS["homes"])
    _stray(memory, "Cleo lives in Porto")
    _stray(memory, "Ann collects old sextants")
    assert _pages(memory)["ann-4711"].count("Cleo lives in Porto") == 2, "a snapshot has it, too"
    return memory


def test_O2_a_line_on_anothers_page_goes_with_who_said_it(strayed: Memory) -> None:
    cleo = Scope(user="cleo-0815")
    words = strayed.deletions.traces(cleo)
    strayed.forget(cleo)
    proof = strayed.deletions.prove(cleo, words)
    assert not proof.found
    assert {one.what for one in proof.elsewhere} == {"I moved to Porto", "I moved to Galway"}
    assert "Cleo" not in "".join(strayed.transfer.export())
    page = _pages(strayed)["ann-4711"]
    assert "Ann lives in Galway" in page and "Ann collects old sextants" in page
    assert "Cleo" not in strayed.context(ANN, "Where does Cleo live?")


def test_O2_the_proof_finds_a_line_that_stands_on_a_page_alone(strayed: Memory) -> None:
    cleo = Scope(user="cleo-0815")
    words = strayed.deletions.traces(cleo)
    strayed.forget(cleo)
    _stray(strayed, "Cleo lives in Porto")
    proof = strayed.deletions.prove(cleo, words)
    assert "Cleo lives in Porto" in {one.what for one in proof.found}
    assert "Cleo lives in Porto" not in {one.what for one in proof.elsewhere}


def test_O2_what_a_person_wrote_on_the_page_by_hand_stays(memory: Memory) -> None:
    _tell(memory, SWAPS["homes"])
    ann, cleo = Scope(user="ann-4711"), Scope(user="cleo-0815")
    page = memory.profiles.source(ann)
    assert page is not None
    hand = f"{page.body}\n- Cleo lives in Porto <!-- group:harbour -->"
    memory.profiles.edit(ann, hand, page)
    assert memory.profiles.faults() == []
    words = memory.deletions.traces(cleo)
    memory.forget(cleo)
    left = memory.profiles.source(ann)
    assert left is not None and "Cleo lives in Porto" in left.body
    proof = memory.deletions.prove(cleo, words)
    assert not proof.found
    assert any("Cleo lives in Porto" in one.what for one in proof.elsewhere)


def test_O2_a_drawn_together_line_keeps_what_is_its_own(memory: Memory) -> None:
    _tell(memory, SWAPS["homes"])
    _stray(memory, "Collects old sextants; Cleo lives in Porto")
    memory.forget(Scope(user="cleo-0815"))
    page = memory.profiles.source(Scope(user="ann-4711"))
    assert page is not None and "- Collects old sextants <!--" in page.body
    assert "Cleo" not in page.body


def test_O2_what_others_say_of_the_person_stays_without_what_the_person_said(
    memory: Memory,
) -> None:
    bob = Scope(group="harbour", user="bob-2323")
    memory.end_turn(bob, new_info="Cleo lives in Galway.", sender_name="Bob")
    memory.drain()
    _tell(memory, _turns((CLEO, "I live in Galway."), (CLEO, "I moved to Porto.")))
    memory.forget(Scope(user="cleo-0815"))
    events = [one.text for one in memory.recall(bob, "Cleo Galway", floor=0.0).hits]
    assert any("Cleo lives in Galway" in text for text in events)
    assert "Porto" not in "".join(memory.transfer.export())


def test_O2_what_the_person_it_is_about_said_too_stays_theirs(memory: Memory) -> None:
    _tell(memory, _turns((CLEO, "Ann lives in Porto."), (ANN, "I moved to Porto.")))
    cleo = Scope(user="cleo-0815")
    words = memory.deletions.traces(cleo)
    memory.forget(cleo)
    assert [one.text for one in memory.facts.list(ANN)] == ["Ann lives in Porto"]
    page = memory.profiles.source(Scope(user="ann-4711"))
    assert page is not None and "Ann lives in Porto" in page.body
    assert not memory.deletions.prove(cleo, words).found


def test_S4_doctor_names_such_a_line_and_a_rebuild_takes_it_out(strayed: Memory) -> None:
    (fault,) = strayed.profiles.faults()
    assert fault.kind == "stray" and fault.file.endswith("ann-4711.md")
    lines = Path(fault.file).read_text(encoding="utf-8").splitlines()
    assert "Cleo lives in Porto" in lines[fault.line - 1]
    (finding,) = profile_findings([fault])
    assert "taishi rebuild" in str(finding.advice)
    assert strayed.maintenance.rebuild(dry_run=True).pages == 1
    assert "Cleo" in _pages(strayed)["ann-4711"]
    strayed.maintenance.rebuild()
    page = _pages(strayed)["ann-4711"]
    assert "Cleo" not in page and "Ann collects old sextants" in page
    assert "Cleo lives in Porto" in _pages(strayed)["cleo-0815"]
    assert strayed.profiles.faults() == []


def test_S4_a_rebuild_leaves_what_both_said(memory: Memory) -> None:
    namesakes = [("ann-4711", "Ann", "I live in Porto."), ("cleo-0815", "Ann", "I live in Porto.")]
    _tell(memory, namesakes)
    before = _pages(memory)
    assert memory.profiles.faults() == []
    memory.maintenance.rebuild()
    assert _pages(memory) == before
