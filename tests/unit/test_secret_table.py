"""R1: the table of sentences with and without secrets, and the time that any text takes."""

from __future__ import annotations

import time

import pytest
from benchmarks.secrets import (
    FALSE_PERCENT,
    FOUND_PERCENT,
    Judged,
    found_of,
    judge,
    ordinary,
    tables,
)

from taishi.language.redaction.folded_text import folded
from taishi.language.redaction.placeholders import is_placeholder
from taishi.language.redaction.redactor import Redactor

WIDER_PERCENT = 3.0
REDACTOR = Redactor()
ALL = Redactor(email=True, phone=True)
TABLES = tables()


def judged(table: str, language: str) -> list[Judged]:
    return [judge(one, REDACTOR) for one in TABLES[table] if one.language == language]


def test_R1_the_table_is_large_enough() -> None:
    assert len(TABLES["before"]) >= 400 and len(TABLES["after"]) >= 150
    texts = [one.text for table in TABLES.values() for one in table]
    assert len(set(texts)) > 0.99 * len(texts)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("table", ["before", "after", "classes"])
def test_R1_secrets_of_the_table_are_found(table: str, language: str) -> None:
    mine = judged(table, language)
    found, secrets = found_of(mine)
    missed = [one.sentence.text for one in mine if one.missed]
    assert secrets >= 60
    assert 100 * found / secrets >= FOUND_PERCENT, missed


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("table", ["before", "after", "classes"])
def test_R1_no_more_than_the_secret_goes(table: str, language: str) -> None:
    """Else whoever blanks the whole sentence would have found everything."""
    secret = [one for one in judged(table, language) if one.sentence.spans]
    wider = [(one.sentence.text, one.redacted) for one in secret if one.wider]
    assert 100 * len(wider) / len(secret) <= WIDER_PERCENT, wider


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("table", ["before", "after", "classes"])
def test_R1_harmless_sentences_of_the_table_stay(table: str, language: str) -> None:
    harmless = [one for one in judged(table, language) if not one.sentence.spans]
    taken = [(one.sentence.text, one.redacted) for one in harmless if one.wider]
    assert len(harmless) >= 60
    assert 100 * len(taken) / len(harmless) <= FALSE_PERCENT, taken


def test_R1_ordinary_chat_stays() -> None:
    taken = [text for text in ordinary() if REDACTOR.text(text) != text]
    assert len(ordinary()) >= 800
    assert 100 * len(taken) / len(ordinary()) <= FALSE_PERCENT, taken


def test_R1_redacting_the_table_twice_changes_nothing() -> None:
    for table in TABLES.values():
        for one in table:
            once = REDACTOR.text(one.text)
            assert REDACTOR.text(once) == once, one.id


@pytest.mark.parametrize(
    "value",
    ["YOUR_API_KEY", "your_secret_key", "<token>", "xxxx", "${{ secrets.X }}", "db.Column(",
     "request.json[", "os.environ['X']", "getpass()", "hashed_password", "config.apiKey",
     "你的密码", "密码", "数据库密码", "sk-你的key", "[REDACTED]", "[MASKED", "●●●●", "[已脱敏]"],
)  # fmt: skip
def test_R1_a_placeholder_or_a_piece_of_code_is_no_secret(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    ["hunter2", "Tr0ub4dor&3", "monkey", "swordfish", "123456", "xxHunter2024", "**S3cret99",
     "(Tr0ub4dor", "abc(def99", "$Summer2024", "<S3cret99", "{S3cret99", "{{S3cret99", "%S3cret99",
     "[Secret99", "$(S3cret99", "xxxS3cr"],
)  # fmt: skip
def test_R1_a_bad_password_is_no_placeholder(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    "command",
    ["docker exec -it db mysql -u root -pS3cret99", "docker exec db redis-cli -a S3cret99 ping",
     "sudo docker run x; mysql -uroot -pS3cret99", "mysql -u mysql -pS3cret99",
     "docker login -u docker -p S3cret99", "zip a b && docker exec db bash -c 'mysql -pS3cret99'"],
)  # fmt: skip
def test_R1_a_command_that_another_one_starts_is_read_too(command: str) -> None:
    assert "S3cret99" not in REDACTOR.text(command)
    assert REDACTOR.text("docker exec db mysql -u root") == "docker exec db mysql -u root"


def test_R1_a_password_that_begins_like_a_mask_goes() -> None:
    for value in ("xxHunter2024", "**S3cret99", "(Tr0ub4dor", "abc(def99", "$Summer2024"):
        for text in (f"password={value}", f"password: {value}"):
            assert value[-4:] not in REDACTOR.text(text), text
    for value in ("xxxx", "****", "$DB_PASSWORD_2", "$password", "(see", "getpass()", "%s"):
        assert REDACTOR.text(f"password={value}") == f"password={value}"


def test_a_folded_text_knows_where_it_came_from() -> None:
    text = "密\u200b码＝ａ\u00ad１"
    view = folded(text)
    assert view.text == "密码=a1"
    start, end = view.span(view.text.index("a"), len(view.text))
    assert text[start:end] == "ａ\u00ad１"
    assert folded("plain").origins is None


SEEDS = [
    "password is ", "a=", "0123456789abcdef", "-p ", "mysql -p", "mysql ", "zip ",
    "docker mysql zip ", "docker login ",
    "sshpass -p x ",
    "key is ", "the code is 1", "pin ", "your code is 48 ", "is my password", "a1 ", "s k ", "x ",
    "ghp_ a1", "AKIA ", "密码", "密码是", "密码是a", "验证码", "a是我的密码", "助记词 a b ",
    "seed phrase is abc ", "insert into t (password) values ('a','", "identified by '",
    "net use a b ", "vault login ", "://aaaaaaaaaaaaaaaaaaaaaaaa", "password for a b c d e ",
    "credentials: a / ", "\u200b", "ａ", "\u5bc6\u200b\u7801", "'", "“密码", "A3-", "==",
    "1/1234567890123456:", "eyJ.", "backup codes: a1b2-", "openssl pass:",
    "Authorization: Bearer ", "${{", "YOUR_API_KEY=", "password=a.b.", "password=a(", "token: a.",
    "password is all ", "combination 1-2-", "login a/b1 ", "lock lock 1 ", "safe press 1234 ",
    "press 1234 on the ", "left 4, right 5, ", "3 digits on the back ", "password from a1b2c ",
    "password was a1b2c, now ", "use a1b2c for all accounts ", "set all accounts to ",
    "code it sent me ", "backup codes: 1234 5678, ", "seed phrase for a b c ", "password, it ",
    "密码其实就", "密码以前是a1b2c，", "用a1b2c这个", "密码锁是1", "锁按1234", "左1右2",
    "备用验证码：1234 5678、", "助记词我抄：河 苹 ", "密保我填", "appsecret a1", "nmcli password ",
    "net user a b ", "lftp -u a,", "security question I ",
    "it's either a1b2c or ", "log in as a with ", "wifi: a/b1 ", "get in with 1234 ",
    "code to the a? ", "password is a1b2c or ", "password, a a, ", "authenticator shows 1 ",
]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS, ids=ascii)
def test_R1_any_text_takes_as_long_as_it_is(seed: str) -> None:
    """0.3 s for 100 kB; a machine that is busy is given more, as a multiple of its own pace."""

    def took(size: int) -> float:
        text = (seed * (size // len(seed) + 1))[:size]
        started = time.thread_time()
        ALL.text(text)
        return time.thread_time() - started

    took(1_000)
    # The better of two: a collection of all the garbage of other tests may fall into one of them.
    assert min(took(100_000), took(100_000)) < max(0.3, 25 * took(10_000))
