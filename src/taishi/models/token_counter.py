"""A model's own count of tokens, where one is named; nothing is ever fetched for it.

`tiktoken` downloads a vocabulary that is not in its cache. So it is asked only when the file is
there and whole; else the error says how to get it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..errors import MissingExtraError, ModelError, ModelMissingError, TaishiError
from ..language.text import well_formed
from ..language.token_bound import Counter, token_bound

log = logging.getLogger("taishi")
EXTRA = "tokens"
CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")  # in the order of tiktoken's own
OWN_BOUND = "upper bound (no query.tokenizer)"
GIVEN = "given by the program"


class Vocabulary(NamedTuple):
    """Where tiktoken takes a vocabulary from, and what it must be."""

    url: str
    sha256: str


_BLOBS = "https://openaipublic.blob.core.windows.net/encodings"
VOCABULARIES = {
    "o200k_base": Vocabulary(
        f"{_BLOBS}/o200k_base.tiktoken",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": Vocabulary(
        f"{_BLOBS}/cl100k_base.tiktoken",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


class TokenCounters:
    """Who counts: what the program gave, what the settings name, or our own upper bound."""

    def __init__(self, given: Counter | None = None) -> None:
        self._given = given
        self._lock = threading.Lock()
        self._named: dict[str, tuple[Counter, str]] = {}

    def chosen(self, name: str) -> Counter:
        """A name that cannot be used is told in the log, once, and the bound counts instead."""
        return self._chosen(name)[0]

    def note(self, name: str) -> str:
        """Who counts, or why it is not whom the settings name."""
        return self._chosen(name)[1]

    def _chosen(self, name: str) -> tuple[Counter, str]:
        if self._given is not None:
            return self._given, GIVEN
        if not name:
            return token_bound, OWN_BOUND
        with self._lock:
            if name not in self._named:
                try:
                    self._named[name] = (named_counter(name), name)
                except TaishiError as error:
                    log.warning("tokens are counted by our own upper bound: %s", error)
                    self._named[name] = (token_bound, str(error))
            return self._named[name]


def named_counter(name: str) -> Counter:
    """The counter of a tiktoken encoding, or of a tokenizer.json."""
    if name in VOCABULARIES:
        return _by_tiktoken(name, VOCABULARIES[name])
    return _by_file(name)


def _by_tiktoken(name: str, vocabulary: Vocabulary) -> Counter:
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtraError(f"query.tokenizer = {name!r}", EXTRA) from error
    _check_cached(name, vocabulary)
    try:
        encode: Callable[..., list[int]] = tiktoken.get_encoding(name).encode
    except Exception as error:  # whatever the driver raises, the bound can count
        raise ModelError(
            f"query.tokenizer: {name} cannot be loaded: {type(error).__name__}: {error}; "
            "see to the installed tiktoken, or leave query.tokenizer out"
        ) from error
    return lambda text: len(encode(well_formed(text), disallowed_special=()))


def _check_cached(name: str, vocabulary: Vocabulary) -> None:
    """Where tiktoken looks before it downloads; it downloads a damaged file again."""
    cache = _cache()
    file = cache / hashlib.sha1(vocabulary.url.encode(), usedforsecurity=False).hexdigest()
    try:
        found = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        found = ""
    if found != vocabulary.sha256:
        raise ModelMissingError(
            f"the vocabulary of {name} is not in {cache}; on a machine with a network run "
            f"TIKTOKEN_CACHE_DIR=FOLDER python -c 'import tiktoken; "
            f'tiktoken.get_encoding("{name}")\', copy that folder here and set TIKTOKEN_CACHE_DIR'
        )


def _cache() -> Path:
    """The first variable that is there counts. One that is empty means no cache: tiktoken would
    download the vocabulary each time."""
    for variable in CACHE_VARIABLES:
        folder = os.environ.get(variable)
        if folder == "":
            raise ModelMissingError(
                f"{variable} is set to nothing, so that tiktoken keeps no vocabulary and would "
                "download it; name a folder there that holds it, or unset it"
            )
        if folder is not None:
            return Path(folder)
    return Path(tempfile.gettempdir()) / "data-gym-cache"


def _by_file(name: str) -> Counter:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError(f"query.tokenizer = {name!r:.200}", EXTRA) from error
    path = _file(name)
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the driver raises plain Exception
        raise ModelError(
            f"query.tokenizer: {path} cannot be read: {error}; correct the path"
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(well_formed(text), add_special_tokens=False).ids)


def _file(name: str) -> Path:
    try:
        path = Path(name).expanduser()
        is_file = path.is_file()
    except (OSError, RuntimeError, ValueError):  # a name too long, nobody's home, not to be seen
        is_file = False
    if not is_file:
        raise ModelMissingError(
            f"query.tokenizer: {name[:200]} is no file that can be read; name o200k_base, "
            "cl100k_base or the path of a tokenizer.json"
        )
    return path
