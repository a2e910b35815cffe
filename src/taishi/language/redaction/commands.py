"""Finds secrets in shell commands and SQL: `mysql -pX`, `sshpass -p X`, `IDENTIFIED BY 'X'`.

`-p` is a port for one command and a password for another, so the command decides. A command is
read to the end of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .assignments import is_sensitive_key
from .placeholders import is_placeholder

Span = tuple[int, int, str]
LONGEST_LINE = 400


@dataclass(frozen=True, slots=True)
class _Command:
    """Options of one program that carry a password: glued to it, or as the next word."""

    glued: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    needs: str = ""


_MYSQL = _Command(glued=("-p",))
_COMMANDS = {
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb"), _MYSQL),
    "sshpass": _Command(("-p",), ("-p",)),
    "redis-cli": _Command(next=("-a", "--pass")),
    **dict.fromkeys(
        ("mongo", "mongosh", "mongodump", "mongorestore"), _Command(next=("-p", "--password"))
    ),
    **dict.fromkeys(
        ("docker", "podman", "nerdctl", "helm", "az", "oc"), _Command(next=("-p",), needs="login")
    ),
    **dict.fromkeys(("7z", "7za", "rar", "unrar"), _Command(glued=("-p",))),
    **dict.fromkeys(("unzip", "zip"), _Command(next=("-P",))),
    "openssl": _Command(("pass:",), ("-k", "-K")),
    "keytool": _Command(next=("-storepass", "-keypass", "-srcstorepass", "-deststorepass")),
    "jarsigner": _Command(next=("-storepass", "-keypass")),
    **dict.fromkeys(("ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami"), _Command(next=("-w",))),
    **dict.fromkeys(("rdesktop", "winexe"), _Command(next=("-p",))),
    "xfreerdp": _Command(glued=("/p:",)),
    "sqlcmd": _Command(next=("-P",)),
    "bcp": _Command(next=("-P",)),
    **dict.fromkeys(("plink", "pscp", "psftp"), _Command(next=("-pw",))),
    "snmpget": _Command(next=("-A", "-X")),
    "svn": _Command(next=("--password",)),
    "nmcli": _Command(
        next=("password", "wifi-sec.psk", "802-11-wireless-security.psk", "wifi-sec.wep-key0")
    ),
    "wpa_cli": _Command(next=("psk",)),
    "ipmitool": _Command(next=("-P",)),
    "psexec": _Command(next=("-p",)),
}
_PROGRAM = re.compile(r"(?<![\w.-])(" + "|".join(map(re.escape, _COMMANDS)) + r")(?=[ \t])")
_ARGUMENT = re.compile(r"'[^'\r\n]*'|\"[^\"\r\n]*\"|(?:[^\s'\"|;&]|'[^'\r\n]*'|\"[^\"\r\n]*\")+")
# Words are apart by a blank or two; a value ends where its quotes or the word do.
_GAP, _QUOTED = r"\s{1,3}", r"'([^'\r\n]{1,128})'"
_BY = rf"identified{_GAP}(?:with{_GAP}\S{{1,40}}{_GAP})?"
_ECHO = rf"\becho{_GAP}[\"']?"
_PIPED = r"[\"']?\s{0,3}\|\s{0,3}"
# What must occur, and the pattern whose first group is the secret.
_PLACES = tuple(
    (literal, re.compile(pattern, re.I))
    for literal, pattern in (
        ("identified", rf"{_BY}(?:by|as){_GAP}(?:password{_GAP})?{_QUOTED}"),
        ("identified", rf"{_BY}by{_GAP}\"([^\"\r\n]{{1,128}})\""),
        ("identified", rf"\buser\b[^\r\n;]{{1,80}}?{_BY}by{_GAP}([\w#$!@%^*+-]{{4,64}})"),
        ("password", rf"password(?:{_GAP}=?\s{{0,3}}|\s{{0,3}}\(\s{{0,3}}){_QUOTED}"),
        ("sudo", rf"{_ECHO}([^\s\"'|$]{{1,128}}){_PIPED}sudo{_GAP}-S"),
        (
            "chpasswd",
            rf"{_ECHO}[\w.-]{{1,64}}:([^\s\"'|$]{{1,128}}){_PIPED}(?:sudo{_GAP})?chpasswd",
        ),
        ("smbclient", r"\bsmbclient\b[^\r\n%]{1,160}%([^\s\"'$]{1,128})"),
        (
            "htpasswd",
            rf"\bhtpasswd{_GAP}-\w*b\w*(?:{_GAP}-\w{{1,4}}){{0,3}}{_GAP}\S{{1,128}}"
            rf"{_GAP}\S{{1,64}}{_GAP}([^\s$]{{1,128}})",
        ),
        ("wpa_passphrase", rf"\bwpa_passphrase{_GAP}\S{{1,64}}{_GAP}([^\s$<]{{8,64}})"),
        ("net use", rf"\bnet{_GAP}use\s[^\r\n]{{1,120}}?\s([^\s/\\*:]{{4,64}}){_GAP}/user:"),
        (
            "net use",
            rf"\bnet{_GAP}use\s[^\r\n]{{1,120}}?/user:\S{{1,64}}{_GAP}([^\s/\\*:]{{4,64}})",
        ),
        ("net user", rf"\bnet{_GAP}user{_GAP}(?!/)\S{{1,64}}{_GAP}([^\s/\\*]{{4,64}})(?={_GAP}/)"),
        ("lftp", rf"\blftp\s[^\r\n]{{0,80}}?-u{_GAP}[\w.@-]{{1,64}},([^\s$]{{1,128}})"),
        (
            "networksetup",
            rf"-setairportnetwork{_GAP}\w{{1,12}}{_GAP}(?:'[^'\r\n]{{1,64}}'|\"[^\"\r\n]{{1,64}}\"|[^\s'\"]{{1,64}})"
            rf"{_GAP}[\"']?([^\s\"'$]{{8,64}})",
        ),
        ("vault login", rf"\bvault{_GAP}login{_GAP}(?:-no-store{_GAP})?([A-Za-z0-9._-]{{16,200}})"),
        (
            "sqlplus",
            rf"\bsqlplus{_GAP}(?:-\w{{1,4}}{_GAP}){{0,3}}[\w.]{{1,64}}/([^\s@/\"']{{1,64}})@",
        ),
        ("jdbc:oracle", r"jdbc:oracle:\w{1,10}:[\w.]{1,64}/([^\s@/\"']{1,64})@"),
        (
            "aws configure",
            rf"\baws{_GAP}configure{_GAP}set{_GAP}[\w.-]{{0,60}}"
            rf"(?:secret_access_key|session_token){_GAP}([^\s$]{{8,1024}})",
        ),
        ("://", r"://([A-Za-z0-9_-]{20,256})@(?=[\[\w])"),
    )
)
_INSERT = re.compile(
    r"insert\s{1,3}into\s{1,3}\S{1,80}\s{0,3}\(([^()\r\n]{1,400})\)\s{0,3}values\s{0,3}\(", re.I
)
_SQL_VALUE = re.compile(
    r"\s{0,4}(?:'([^'\r\n]{0,400})'|\"([^\"\r\n]{0,400})\"|[^,()'\"\r\n]{1,200})\s{0,4}(,|\))"
)


def find_in_commands(text: str, lowered: str) -> Iterator[Span]:
    for literal, pattern in _PLACES:
        if literal in lowered:
            for match in pattern.finditer(text):
                if not is_placeholder(match[1]):
                    yield match.start(1), match.end(1), "password"
    if "insert" in lowered:
        yield from _inserted(text)
    yield from _commands(text, lowered)


def _commands(text: str, lowered: str) -> Iterator[Span]:
    """One program may start another on the same line: `docker exec db mysql -pX`. Each is read to
    the line's end, or to where it is named again and read from there."""
    next_one: dict[_Command, int] = {}
    for program in reversed(list(_PROGRAM.finditer(lowered))):
        command = _COMMANDS[program[1]]
        end = _line_end(text, program.end())
        if not command.needs:
            end = min(end, next_one.get(command, end))
            next_one[command] = program.start()
        yield from _arguments(text, command, program.end(), end)


def _line_end(text: str, start: int) -> int:
    stop = min(len(text), start + LONGEST_LINE)
    ends = [at for sign in "\r\n" if (at := text.find(sign, start, stop)) >= 0]
    return min(ends, default=stop)


def _arguments(text: str, command: _Command, start: int, end: int) -> Iterator[Span]:
    found = _ARGUMENT.finditer(text, start, end)
    words = list(islice(found, 3))
    if command.needs and not any(word[0] == command.needs for word in words):
        return
    words.extend(found)
    for number, word in enumerate(words):
        if word[0] in command.next and number + 1 < len(words):
            yield from _unquoted(text, words[number + 1].start(), words[number + 1].end())
            continue
        for option in command.glued:
            if word[0].startswith(option) and len(word[0]) > len(option):
                yield from _unquoted(text, word.start() + len(option), word.end())


def _unquoted(text: str, start: int, end: int) -> Iterator[Span]:
    value = text[start:end]
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        start, end, value = start + 1, end - 1, value[1:-1]
    if value and not value.startswith("-") and not is_placeholder(value):
        yield start, end, "password"


def _inserted(text: str) -> Iterator[Span]:
    """A column's name says what the value at its place is."""
    for match in _INSERT.finditer(text):
        columns = [name.strip(' `"[]') for name in match[1].split(",")]
        wanted = {at for at, name in enumerate(columns) if is_sensitive_key(name)}
        position = match.end()
        for at in range(len(columns)):
            value = _SQL_VALUE.match(text, position)
            if value is None:
                break
            group = 1 if value[1] is not None else 2
            if at in wanted and value[group] and not is_placeholder(value[group]):
                yield value.start(group), value.end(group), "password"
            position = value.end()
