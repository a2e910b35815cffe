"""`taishi hook`, run as Claude Code runs it: a process for each event, JSON on stdin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.served_process import QUIET, served
from taishi import Memory, Scope, tools
from taishi.adapters.claude_code.project import project_id
from taishi.api_keys import Keys

COMMAND = Path(sys.executable).parent / "taishi"
ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "integrations" / "claude-code"


@dataclass
class ClaudeCode:
    """A session of a user in a project, with its transcript, as far as hooks see it."""

    home: Path
    session: str = "5f0c1a3e-0000-4000-8000-000000000001"
    options: tuple[str, ...] = ("--user", "ann", "--deadline", "60")
    environ: dict[str, str] = field(default_factory=dict)
    lines: int = 0

    @property
    def data(self) -> Path:
        return self.home / ".taishi"

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def transcript(self) -> Path:
        return self.home / f"{self.session}.jsonl"

    @property
    def scope(self) -> Scope:
        return Scope(user="ann", group=project_id(self.project))

    def write(self, role: str, content: Any) -> None:
        self.lines += 1
        message = {"role": role, "content": content}
        entry = {"type": role, "uuid": f"{self.session[:8]}-{self.lines}", "message": message}
        entry |= {"timestamp": "2026-02-20T06:30:00.000Z", "isSidechain": False, "version": "2"}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def say(self, prompt: str, answer: str) -> None:
        self.write("user", prompt)
        tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
        self.write("assistant", [tool])
        self.write("user", [{"type": "tool_result", "tool_use_id": "t", "content": "a b c"}])
        self.write("assistant", [{"type": "text", "text": answer}])

    def fire(self, event: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
        given = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": event,
            **more,
        }
        return self.run(json.dumps(given).encode())

    def run(self, stdin: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("TAISHI")}
        environ = {**inherited, **QUIET, "HOME": str(self.home), **self.environ}
        command = [str(COMMAND), "hook", *self.options, *options]
        result = subprocess.run(
            command, input=stdin, capture_output=True, cwd=self.project, env=environ, timeout=120
        )
        assert result.returncode == 0, result.stderr
        return result

    def context(self, event: str, **more: Any) -> str:
        """What the model is shown; empty if the hook said nothing."""
        result = self.fire(event, **more)
        if not result.stdout:
            return ""
        output = json.loads(result.stdout)["hookSpecificOutput"]
        assert output["hookEventName"] == event
        return str(output["additionalContext"])

    def events(self, scope: Scope | None = None) -> list[str]:
        """What the historian made of it, newest first."""
        with Memory.open(self.data) as memory:
            memory.drain()
            found = memory.records.newest(scope or self.scope, kinds=["event"]).records
            return [record.text for record in found]


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeCode:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return ClaudeCode(tmp_path)


def test_what_was_said_in_one_session_is_known_in_the_next(claude: ClaudeCode) -> None:
    assert claude.context("SessionStart", source="startup") == ""
    assert not claude.data.exists()  # reading makes no folder
    claude.say("The invoices are rounded to five cents.", "I changed round_invoice accordingly.")
    assert claude.fire("Stop", stop_hook_active=False).stdout == b""
    assert [path.name for path in claude.project.iterdir()] == [".git"]  # nothing is left there
    claude.session = "9999aaaa-0000-4000-8000-000000000002"
    start = claude.context("SessionStart", source="startup")
    assert "five cents" in start
    assert "round_invoice" in start
    shown = claude.context("UserPromptSubmit", prompt="how are invoices rounded?")
    assert "rounded to five cents" in shown
    assert "not instructions" in shown
    assert claude.context("UserPromptSubmit", prompt="/clear") == ""


@pytest.mark.parametrize("by_server", [False, True])
def test_a_session_begins_with_each_thing_said_once(claude: ClaudeCode, by_server: bool) -> None:
    claude.say("I prefer tabs over spaces.", "Noted, tabs it is.")
    claude.fire("Stop")
    claude.say("发票金额四舍五入到五分钱。", "我已修改取整函数。")
    claude.fire("Stop")
    claude.events()  # the historian has read them
    if by_server:
        with served(claude.data) as address:
            claude.environ = {"TAISHI_HOOK_SERVER": address}
            start = claude.context("SessionStart", source="startup")
    else:
        start = claude.context("SessionStart", source="startup")
    assert start.count("tabs over spaces") == 1 and start.count("五分钱") == 1
    assert str(claude.scope.group) not in start
    dated = [line for line in start.splitlines() if "2026" in line]
    assert len(dated) == 2
    assert all(line.startswith("- [2026-02-20 ") and line.count("2026") == 1 for line in dated)


def test_a_growing_transcript_is_told_once(claude: ClaudeCode) -> None:
    claude.say("The shop opens at nine.", "Noted.")
    claude.fire("Stop")
    claude.fire("Stop", stop_hook_active=True)
    claude.say("The shop closes at six.", "I updated the page.")
    claude.fire("Stop")
    claude.fire("SessionEnd", reason="other")
    texts = claude.events()
    assert len(texts) == 2
    assert "six" in texts[0]
    assert "nine" in texts[1]


def test_turns_are_told_once_even_if_the_position_is_lost(claude: ClaudeCode) -> None:
    claude.say("The shop opens at nine.", "Noted.")
    claude.fire("Stop")
    for file in (claude.data / "hooks").glob("*.json"):
        file.write_bytes(b"{broken")
    claude.fire("Stop")
    assert len(claude.events()) == 1


def test_what_would_be_lost_is_kept_before_a_compaction(claude: ClaudeCode) -> None:
    claude.write("user", "The database moves to Oslo on Friday.")
    claude.write("assistant", [{"type": "text", "text": "I started with the schema."}])
    assert claude.fire("PreCompact", trigger="auto", custom_instructions="").stdout == b""
    claude.write("assistant", [{"type": "text", "text": "The move is prepared."}])
    claude.fire("Stop")
    texts = claude.events()
    assert any("Oslo" in text for text in texts)
    assert any("The move is prepared" in text for text in texts)
    assert "Oslo" in claude.context("SessionStart", source="compact")


def test_an_answer_that_is_not_in_the_file_yet_is_kept_once(claude: ClaudeCode) -> None:
    claude.write("user", "The logo is green.")
    claude.fire("Stop", last_assistant_message="I coloured the logo green.")
    claude.write("assistant", [{"type": "text", "text": "I coloured the logo green."}])
    claude.say("The footer is grey.", "Done.")
    claude.fire("Stop")
    texts = claude.events()
    assert len(texts) == 2
    assert sum("coloured the logo" in text for text in texts) == 1


def test_chinese_is_kept_and_recalled(claude: ClaudeCode) -> None:
    claude.options = (*claude.options, "--lang", "zh")
    claude.say("发票金额四舍五入到五分钱。", "我已修改取整函数。")
    claude.fire("Stop")
    shown = claude.context("UserPromptSubmit", prompt="发票怎么取整？")
    assert "五分钱" in shown
    assert "不是指令" in shown
    note = claude.run(b"{").stderr.decode()
    assert "会话不受影响" in note


def test_projects_are_apart_unless_one_memory_is_asked_for(claude: ClaudeCode) -> None:
    other = claude.home / "blog"
    (other / ".git").mkdir(parents=True)
    claude.say("The invoices are rounded to five cents.", "Noted.")
    claude.fire("Stop")
    asked = {"prompt": "how are invoices rounded?", "cwd": str(other)}
    assert claude.context("UserPromptSubmit", **asked) == ""
    claude.environ = {"TAISHI_HOOK_PROJECT": project_id(claude.project)}
    assert "five cents" in claude.context("UserPromptSubmit", **asked)
    claude.environ = {"TAISHI_HOOK_SCOPE": "user"}
    assert claude.context("UserPromptSubmit", **asked) == ""  # nothing was told there yet
    claude.say("The tea is green.", "Noted.")
    claude.fire("Stop")
    assert "green" in claude.context("UserPromptSubmit", prompt="what tea?", cwd=str(other))
    assert len(claude.events(Scope(user="ann"))) == 1


BROKEN = {
    "no JSON": b"{",
    "nothing": b"",
    "a list": b"[]",
    "wrong types": b'{"hook_event_name": 5}',
    "an unknown event": b'{"hook_event_name": "SubagentStop", "session_id": "s"}',
    "no transcript": b'{"hook_event_name": "Stop", "session_id": "s"}',
    "a missing transcript": b'{"hook_event_name": "Stop", "transcript_path": "/nowhere/t.jsonl"}',
    "a control character": b'{"hook_event_name": "Stop", "session_id": "a\\u0000b"}',
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_input_is_a_note_and_nothing_else(claude: ClaudeCode, name: str) -> None:
    result = claude.run(BROKEN[name])
    assert result.stdout == b""
    assert result.stderr.startswith(b"taishi hook: ")
    assert b"Traceback" not in result.stderr


def test_a_note_is_made_of_whole_sentences(claude: ClaudeCode) -> None:
    nameless = claude.run(b'{"session_id": "s"}').stderr
    assert b"names no event (hook_event_name)" in nameless and b" for ;" not in nameless
    prompt = b'{"hook_event_name": "UserPromptSubmit", "prompt": "tea?"}'
    away = claude.run(prompt, "--server", "http://127.0.0.1:9").stderr.decode()
    assert "?. " not in away and away.endswith("running? The session continues without memory.\n")
    away = claude.run(prompt, "--server", "http://127.0.0.1:9", "--lang", "zh").stderr.decode()
    assert "?。" not in away and away.endswith("会话不受影响，继续进行。\n")


@pytest.mark.parametrize("prompt", ["/clear", "  /compact", "! ls", "# note", "  "])
def test_a_command_is_known_before_a_memory_is_opened(claude: ClaudeCode, prompt: str) -> None:
    claude.say("The tea is green.", "Noted.")
    claude.fire("Stop")
    assert not loaded_by(claude, prompt) & HEAVY
    assert loaded_by(claude, "what tea?") >= HEAVY


HEAVY = {"taishi.memory", "taishi.adapters.claude_code.memories"}


def loaded_by(claude: ClaudeCode, prompt: str) -> set[str]:
    claude.environ = {"PYTHONPROFILEIMPORTTIME": "1"}
    told = claude.fire("UserPromptSubmit", prompt=prompt).stderr.decode()
    return {line.rpartition("|")[2].strip() for line in told.splitlines()}


def test_all_texts_of_a_turn_are_kept(claude: ClaudeCode) -> None:
    claude.write("user", "The logo is green.")
    claude.write("assistant", [{"type": "text", "text": "I look at the stylesheet first."}])
    tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    claude.write("assistant", [tool])
    claude.write("user", [{"type": "tool_result", "tool_use_id": "t", "content": "a b c"}])
    claude.write("assistant", [{"type": "text", "text": "I coloured the logo green."}])
    claude.fire("Stop")
    (text,) = claude.events()
    assert "stylesheet first" in text and "coloured the logo green" in text


def test_wrong_options_never_block_a_prompt(claude: ClaudeCode) -> None:
    event = b'{"hook_event_name": "UserPromptSubmit", "prompt": "x"}'
    assert b"nonsense" in claude.run(event, "--nonsense").stderr
    claude.environ = {"TAISHI_HOOK_MAX_TOKENS": "many"}
    assert b"many" in claude.run(event).stderr


def test_a_data_folder_that_cannot_be_is_a_note(claude: ClaudeCode) -> None:
    (claude.home / "file").write_text("in the way")
    claude.say("The tea is green.", "Noted.")
    claude.options = (*claude.options, "--data", str(claude.home / "file" / "data"))
    assert b"The session continues" in claude.fire("Stop").stderr


def test_the_settings_of_a_strange_project_are_not_read(claude: ClaudeCode) -> None:
    trap = claude.home / "trap"
    (claude.project / "taishi.toml").write_text(f'[memory]\ndata = "{trap.as_posix()}"\n')
    claude.say("The tea is green.", "Noted.")
    claude.fire("Stop")
    assert claude.data.is_dir()
    assert not trap.exists()


def test_it_gives_up_in_time_and_goes_on_the_next_time(claude: ClaudeCode) -> None:
    claude.say("The tea is green.", "Noted.")
    begun = time.monotonic()
    options, claude.options = claude.options, ("--user", "ann", "--deadline", "0.2")
    result = claude.fire("Stop")
    assert b"not done within 0.2 s" in result.stderr
    assert time.monotonic() - begun < 30
    claude.options = options
    claude.fire("Stop")
    assert len(claude.events()) == 1


def test_a_running_server_is_asked_over_http(claude: ClaudeCode) -> None:
    _, secret = Keys(claude.data).create("hooks", rights="write")
    claude.say("The invoices are rounded to five cents.", "I changed round_invoice accordingly.")
    with served(claude.data) as address:
        claude.environ = {"TAISHI_HOOK_SERVER": address, "TAISHI_HOOK_KEY": secret}
        assert not claude.fire("Stop").stderr
        claude.fire("Stop")
        shown = ""
        for _ in range(100):
            shown = claude.context("UserPromptSubmit", prompt="how are invoices rounded?")
            if shown:
                break
            time.sleep(0.1)
        assert "five cents" in shown
        claude.environ["TAISHI_HOOK_KEY"] = "tsk_wrong_key"
        refused = claude.fire("UserPromptSubmit", prompt="invoices?")
        assert b"TAISHI_HOOK_KEY" in refused.stderr
        begun = claude.fire("SessionStart", source="startup")
        assert b"401" in begun.stderr
        assert b"no reason given" not in begun.stderr
    claude.environ["TAISHI_HOOK_KEY"] = secret
    gone = claude.fire("UserPromptSubmit", prompt="invoices?")
    assert b"taishi serve" in gone.stderr
    assert len(claude.events()) == 1


def test_the_plugin_folder_is_whole() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    market = json.loads((PLUGIN / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    assert [one["name"] for one in market["plugins"]] == [manifest["name"]] == ["taishi"]
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    for file in (PLUGIN / "commands").glob("*.md"):
        assert file.read_text("utf-8").startswith("---\ndescription: ")


def test_every_command_of_the_plugin_runs_as_its_shell_would_run_it(claude: ClaudeCode) -> None:
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    commands = {one["command"] for event in hooks.values() for m in event for one in m["hooks"]}
    environ = {**os.environ, "HOME": str(claude.home), "TAISHI_COMMAND": str(COMMAND)}
    event = json.dumps({"hook_event_name": "SessionStart", "cwd": str(claude.project)})
    for command in commands:
        result = subprocess.run(
            command, shell=True, input=event, env=environ, capture_output=True, text=True
        )
        assert (result.returncode, result.stdout) == (0, ""), result.stderr
        assert "No such option" not in result.stderr


def test_the_mcp_server_of_the_plugin_serves_the_same_memory(claude: ClaudeCode) -> None:
    entry = json.loads((PLUGIN / ".mcp.json").read_text("utf-8"))["mcpServers"]["taishi"]
    arguments = [word.replace("${CLAUDE_PROJECT_DIR:-.}", ".") for word in entry["args"]]
    environ = {**os.environ, "HOME": str(claude.home), "TAISHI_HOOK_USER": "ann"}
    environ.pop("TAISHI_DATA", None)
    result = subprocess.run(
        [str(COMMAND), *arguments, "--json"],
        cwd=claude.project,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    given = json.loads(result.stdout)["mcpServers"]["taishi"]["args"]
    assert given[given.index("--group") + 1] == claude.scope.group
    assert given[given.index("--user") + 1] == "ann"
    assert given[given.index("--data") + 1] == str(claude.data)


SAID_AND_DONE = [
    ("Please change the port", "I changed the port to 8080.", "Claude changed", "ann: Please"),
    ("请改用 pnpm", "好的，用 pnpm；我已经改好了。", "Claude已经改好了", "ann：请改用"),
]


@pytest.mark.parametrize(("prompt", "answer", "deed", "wish"), SAID_AND_DONE)
def test_what_the_assistant_did_is_not_told_as_the_users(
    claude: ClaudeCode, prompt: str, answer: str, deed: str, wish: str
) -> None:
    claude.say(prompt, answer)
    claude.fire("Stop")
    with Memory.open(claude.data) as memory:
        memory.drain()
        event = memory.records.newest(claude.scope, kinds=["event"]).records[0].text
        shown = memory.context(claude.scope, prompt)
    for text in (event, shown):
        assert deed in text
        assert wish in text
        assert not any(f"ann{colon}{answer[:2]}" in text for colon in (": ", "："))
        assert not any(f"ann{colon}Claude" in text for colon in (": ", "："))


ANSWERS = [
    ("What is 2+2?", "4", "Claude: 4"),
    ("Who wrote Ulysses?", "James Joyce", "Claude: James Joyce"),
    ("Why does the build fail?", "Missing import in billing.py.", "Claude: Missing import"),
    ("谁写了《尤利西斯》？", "詹姆斯·乔伊斯", "Claude：詹姆斯·乔伊斯"),
]


@pytest.mark.parametrize(("prompt", "answer", "told"), ANSWERS)
def test_a_bare_answer_is_the_assistants(
    claude: ClaudeCode, prompt: str, answer: str, told: str
) -> None:
    claude.say(prompt, answer)
    claude.fire("Stop")
    with Memory.open(claude.data) as memory:
        memory.drain()
        (event,) = memory.records.newest(claude.scope, kinds=["event"]).records
        listed = tools.call(memory, "list_memories", {}, claude.scope, names=tools.ALL_TOOLS)
        shown = memory.context(claude.scope, answer)
    assert told in event.text and "ann" not in event.text
    assert [one["speaker"] for one in listed.data["memories"]] == [None]
    assert told in listed.text and "ann: " not in f"{listed.text}{shown}"


def test_the_deadline_also_covers_the_reading_of_the_input(claude: ClaudeCode) -> None:
    command = [str(COMMAND), "hook", "--deadline", "1"]
    environ = {**os.environ, **QUIET, "HOME": str(claude.home)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=claude.project, env=environ
    ) as process:
        assert process.wait(timeout=60) == 0  # its stdin is open all the while
        assert process.stderr is not None and b"not done within 1 s" in process.stderr.read()


def test_the_entry_of_a_project_looks_for_the_settings_at_each_start(claude: ClaudeCode) -> None:
    environ = {**os.environ, **QUIET, "HOME": str(claude.home)}

    def entry(folder: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(COMMAND), "mcp", "--project", folder, "--json"]
        return subprocess.run(command, capture_output=True, cwd=claude.project, env=environ)

    args = json.loads(entry(".").stdout)["mcpServers"]["taishi"]["args"]
    assert "--config" not in args
    assert args[args.index("--project") + 1] == str(claude.project)
    wrong = entry("/nowhere/at/all")
    assert wrong.returncode == 2 and b"there is no folder" in wrong.stderr


FORGET_TOOL = "mcp__plugin_taishi_taishi__forget"


def forgetting(
    claude: ClaudeCode, prompt: str, answer: str, told: str = "Forgotten: 1 record.", **more: Any
) -> None:
    """A turn in which Claude calls our tool, as it is in the transcript."""
    claude.write("user", prompt)
    use = {"type": "tool_use", "id": "toolu_1", "name": FORGET_TOOL, "input": {"id": "fact-1"}}
    claude.write("assistant", [use])
    content = [{"type": "text", "text": told}]
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, **more}
    claude.write("user", [result])
    claude.write("assistant", [{"type": "text", "text": answer}])


def everything(claude: ClaudeCode) -> str:
    """All that is on disk of it, after the historian and the session's summary."""
    claude.fire("Stop")
    claude.fire("SessionEnd", reason="exit")
    with Memory.open(claude.data) as memory:
        memory.drain(20)
        memory.sessions.end(Scope("ann", claude.scope.group, session=claude.session))
        return "".join(memory.transfer.export()) + memory.context(claude.scope, "who?")


@pytest.mark.parametrize("by_server", [False, True])
@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        (
            "Forget that my landlord is Pat Byrne and that I like durian.",
            'Forgotten: "root\'s landlord is Pat Byrne".',
        ),
        (
            "Pat Byrne should not be in there as my landlord.",
            'Forgotten: "Ann rents of Pat Byrne".',
        ),
        ("Take the landlord out, please, Pat Byrne minds.", "Forgotten: 2 records."),
        ("把房东 Pat Byrne 那条去掉吧。", "已忘记：“Ann的房东是Pat Byrne”。"),
    ],
)
def test_O2_what_was_forgotten_in_a_turn_is_not_kept_with_it(
    claude: ClaudeCode, prompt: str, told: str, by_server: bool
) -> None:
    if by_server:
        with served(claude.data) as address:
            claude.environ = {"TAISHI_HOOK_SERVER": address}
            _forget_in_a_session(claude, prompt, told)
    else:
        _forget_in_a_session(claude, prompt, told)
    claude.environ = {}
    kept = everything(claude)
    assert "Byrne" not in kept and "durian" not in kept
    assert "five cents" in kept


def _forget_in_a_session(claude: ClaudeCode, prompt: str, told: str) -> None:
    claude.say("The invoices are rounded to five cents.", "I changed round_invoice.")
    claude.fire("Stop")
    forgetting(claude, prompt, "I removed Pat Byrne, your landlord, from memory.", told)
    claude.fire("Stop")


@pytest.mark.parametrize(
    ("prompt", "word"),
    [
        ("Please forget that I live at 12 Elm Street, Cork.", "Elm"),
        ("Forget my bank, it was Banca Sella.", "Sella"),
        ("I told you my salary is 90k, remove it from your memory please", "90k"),
        ("别记住我的工资是三万。", "三万"),
        ("忘掉我的老板叫王刚，他今年五十岁。", "王刚"),
        ("Actually forget the thing about Tom.", "Tom"),
        ("Never mind the Lisbon offsite, forget that.", "Lisbon"),
        ("把里斯本的事忘了吧。", "里斯本"),
    ],
)
def test_O2_a_request_without_a_tool_is_not_kept_either(
    claude: ClaudeCode, prompt: str, word: str
) -> None:
    told = {"三万": "好的，您的工资三万不会再提。", "王刚": "好的，老板王刚的事已忘掉。"}
    claude.say(prompt, told.get(word, f"All right, no more of {word}."))
    claude.say("I prefer tabs over spaces.", "Noted.")
    kept = everything(claude)
    assert word not in kept and "tabs" in kept


def test_O2_the_rest_of_a_turn_that_forgets_is_kept(claude: ClaudeCode) -> None:
    said = "Our deploy day is Friday. Forget that my landlord is Pat Byrne."
    forgetting(claude, said, "Done.", 'Forgotten: "Ann\'s landlord is Pat Byrne".')
    kept = everything(claude)
    assert "Friday" in kept and "Byrne" not in kept


@pytest.mark.parametrize("failed", [True, False])
def test_O2_a_forget_that_failed_changes_nothing(claude: ClaudeCode, failed: bool) -> None:
    said = "The staging host of Pat Byrne is called heron."
    forgetting(claude, said, "There is no such record.", "No record.", is_error=failed)
    assert ("heron" in everything(claude)) == failed


@pytest.mark.parametrize(
    ("prompt", "answer", "word"),
    [
        ("Forget everything about Petra.", "Done: Petra, your dentist, is gone.", "dentist"),
        ("Please delete everything about Petra", "She was your dentist; that is gone.", "dentist"),
        ("Thanks! Delete all memories of Petra.", "All about your dentist is gone.", "dentist"),
        ("把关于小佩的都忘掉吧", "好的，您的牙医小佩的内容都已忘掉。", "牙医"),
        ("请删除关于小佩的所有记忆。", "您的牙医已经删掉了。", "牙医"),
    ],
)
def test_O2_a_request_to_forget_a_matter_is_not_kept_with_its_answer(
    claude: ClaudeCode, prompt: str, answer: str, word: str
) -> None:
    claude.say(prompt, answer)
    claude.say("I prefer tabs over spaces.", "Noted.")
    kept = everything(claude)
    assert word not in kept and "Petra" not in kept and "小佩" not in kept
    assert "tabs" in kept


def test_O2_work_on_files_is_kept(claude: ClaudeCode) -> None:
    claude.say("Delete everything about the cache in utils.py.", "I removed three functions.")
    claude.say("删除关于旧缓存的代码。", "已删除两个函数。")
    kept = everything(claude)
    assert "utils.py" in kept or "three functions" in kept
    assert "两个函数" in kept


END_TOOL = "mcp__plugin_taishi_taishi__end"


def ending(
    claude: ClaudeCode,
    name: str,
    given: dict[str, Any],
    answer: str = "I changed the calendar.",
    **more: Any,
) -> None:
    claude.write("user", "Our deploy day is Friday.")
    use = {"type": "tool_use", "id": "toolu_9", "name": name, "input": given}
    claude.write("assistant", [use])
    content = [{"type": "text", "text": "The turn is over and will be remembered."}]
    result = {"type": "tool_result", "tool_use_id": "toolu_9", "content": content, **more}
    claude.write("user", [result])
    claude.write("assistant", [{"type": "text", "text": answer}])
    claude.fire("Stop")


@pytest.mark.parametrize(
    ("name", "given", "failed", "kept"),
    [
        (END_TOOL, {"action_summary": "a", "new_info": ["b"]}, False, []),
        (END_TOOL, {"new_info": ["b"]}, False, ["calendar"]),
        (END_TOOL, {"action_summary": "a"}, False, ["Friday"]),
        (END_TOOL, {"action_summary": "a", "new_info": []}, False, ["Friday"]),
        (END_TOOL, {"action_summary": "a", "new_info": ["b"]}, True, ["calendar", "Friday"]),
        ("mcp__other__end", {"action_summary": "a", "new_info": ["b"]}, False,
         ["calendar", "Friday"]),
    ],
)  # fmt: skip
def test_W1_what_the_tool_end_kept_is_not_kept_again(
    claude: ClaudeCode, name: str, given: dict[str, Any], failed: bool, kept: list[str]
) -> None:
    ending(claude, name, given, is_error=failed)
    told = "\n".join(claude.events())
    assert [word for word in ("calendar", "Friday") if word in told] == kept


@pytest.mark.parametrize(
    "answer", ["Thanks, noted.", "Got it, I'll remember that.", "好的，记住了。"]
)
def test_W1_that_it_was_noted_is_no_event(claude: ClaudeCode, answer: str) -> None:
    ending(claude, END_TOOL, {"new_info": ["b"]}, answer)
    assert claude.events() == []
