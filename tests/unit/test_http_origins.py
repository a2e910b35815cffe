"""Host and Origin are parsed: what begins like our address is not ours."""

from __future__ import annotations

import pytest

from taishi.http_origins import is_trusted

PORT = 8321
HERE = f"127.0.0.1:{PORT}"
STRANGE_HOSTS = f"""{HERE}.evil.example 127.0.0.1.evil.example localhost.evil.example
    localhost:{PORT}@evil.example evil.example evil.example:{PORT} 127.0.0.1:{PORT}:1 127.0.0.1:
    127.0.0.1:99999 [::1 [::1]x [::1].evil.example ::1 http://127.0.0.1 127.0.0.1/x 127.0.0.1#x
    127.0.0.1:80a user@127.0.0.1 127.0.0.1,evil.example 2130706433 0x7f000001
    127.1 0.0.0.0""".split()
STRANGE_ORIGINS = f"""http://localhost:{PORT}@evil.example http://{HERE}.evil.example
    http://localhost.evil.example:{PORT} http://localhost:3000 http://127.0.0.1 https://evil.example
    null file:// http://localhost:{PORT}/x http://localhost:{PORT}#@x http://user@localhost:{PORT}
    ftp://localhost:{PORT} localhost:{PORT} //localhost:{PORT} http:localhost:{PORT}
    chrome-extension://abc http://[::1]:{PORT}.evil.example http://localhost:{PORT}\\@x""".split()


@pytest.mark.parametrize("host", [HERE, "localhost:8321", "[::1]:8321", "LOCALHOST:8321", "my.lan"])
def test_S_our_own_names_are_taken(host: str) -> None:
    assert is_trusted({"host": host}, ["my.lan"])


@pytest.mark.parametrize("host", ["", *STRANGE_HOSTS])
def test_S_no_other_name_is(host: str) -> None:
    assert not is_trusted({"host": host}, [])


@pytest.mark.parametrize("origin", [f"http://{HERE}", f"http://localhost:{PORT}"])
def test_S_a_page_of_our_own_may_ask(origin: str) -> None:
    assert is_trusted({"host": HERE, "origin": origin, "sec-fetch-site": "same-origin"}, [])


@pytest.mark.parametrize("origin", ["", *STRANGE_ORIGINS])
def test_S_no_other_page_may(origin: str) -> None:
    assert not is_trusted({"host": HERE, "origin": origin}, [])


def test_S_a_cross_site_request_is_refused_unless_its_origin_is_allowed() -> None:
    crossing = {"host": HERE, "sec-fetch-site": "cross-site"}
    assert not is_trusted(crossing, [])
    assert is_trusted({**crossing, "origin": "https://app.example"}, [], ["https://app.example"])
    assert not is_trusted(
        {**crossing, "origin": "https://other.example"}, [], ["https://app.example"]
    )
    assert is_trusted({"host": HERE, "sec-fetch-site": "none"}, [])


def test_S_default_ports_are_the_schemes_own() -> None:
    assert is_trusted({"host": "localhost", "origin": "http://localhost:80"}, [])
    assert is_trusted({"host": "localhost:443", "origin": "https://localhost"}, [])
    assert not is_trusted({"host": "localhost", "origin": "http://localhost:443"}, [])
