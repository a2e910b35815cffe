"""Models for notes."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ...ports.knowledge import Note, NoteMatch, NoteRemoval
from .common import Done, ResponseModel, ScopedIn, ScopeQuery, to_utc

EXPECTED = "Refused with 409 if the note has another version; 0: there is no note yet."
OPERATION = (
    "Your own id of this change: sent again, the change is not made twice; with other content, it "
    "is a 409."
)
FINGERPRINT = "Identifies what the operation does; derived from its content if left out."
PREFIX = "Only paths that start with this."


class NotesQuery(ScopeQuery):
    prefix: str = Field(default="", max_length=250, description=PREFIX)
    limit: int | None = Field(default=None, ge=1, le=10_000)


class NoteIn(ScopedIn):
    """A whole note, or lines to append to it."""

    text: str = Field(max_length=200_000)
    append: bool = False
    expected_version: int | None = Field(default=None, ge=0, description=EXPECTED)
    description: str | None = Field(
        default=None, max_length=2_000, description="Stays until another is sent."
    )
    max_chars: int | None = Field(
        default=None,
        ge=0,
        le=200_000,
        description="The most characters this note may have; 0: no limit.",
    )
    operation: str | None = Field(default=None, max_length=256, description=OPERATION)
    fingerprint: str | None = Field(default=None, max_length=1024, description=FINGERPRINT)


class NoteSearchIn(ScopedIn):
    """A question to notes."""

    query: str = Field(max_length=20_000, examples=["When does the parser ship?"])
    prefix: str = Field(default="", max_length=250, description=PREFIX)
    limit: int = Field(default=10, ge=1, le=100)


class NoteRenameIn(ScopedIn):
    """From where to where: a note, or a folder with everything below it."""

    path: str = Field(max_length=250, examples=["drafts/plan.md"])
    new_path: str = Field(max_length=250, examples=["notes/plan.md"])
    expected_version: int | None = Field(default=None, ge=0, description=EXPECTED)
    operation: str | None = Field(default=None, max_length=256, description=OPERATION)
    fingerprint: str | None = Field(default=None, max_length=1024, description=FINGERPRINT)


class NoteRemovalQuery(ScopeQuery):
    folder: bool = Field(default=False, description="All notes below the path.")
    expected_version: int | None = Field(default=None, ge=0, description=EXPECTED)
    operation: str | None = Field(default=None, max_length=256, description=OPERATION)
    fingerprint: str | None = Field(default=None, max_length=1024, description=FINGERPRINT)


class NoteOperationQuery(ScopeQuery):
    operation: str = Field(max_length=256, description="The id that the change was sent with.")
    fingerprint: str | None = Field(
        default=None, max_length=1024, description="Refused with 409 if it had another."
    )


class NoteOperationOut(ResponseModel):
    """What an operation came to."""

    id: str
    version: int = Field(description="Which it made; 0: it removed.")
    count: int = Field(description="How many notes there were to change.")


class NoteOut(ResponseModel):
    """A note. The last three fields are about the write that answers with it."""

    path: str
    text: str
    version: int
    updated: datetime | None
    description: str
    max_chars: int | None
    operation: str = Field(description="The id of the operation that wrote it, if it had one.")
    redacted: list[str] = Field(description="Kinds of secrets that were removed from the text.")
    existed: bool = Field(description="Whether there was a note under the path before.")
    replayed: bool = Field(description="Whether this is the answer to an earlier request.")

    @classmethod
    def of(cls, note: Note) -> NoteOut:
        names = (name for name in cls.model_fields if name not in ("updated", "redacted"))
        return cls(
            updated=to_utc(note.updated),
            redacted=list(note.redacted),
            **{name: getattr(note, name) for name in names},
        )


class NotesOut(ResponseModel):
    """Notes by path, or the versions of one, the newest first."""

    notes: list[NoteOut]

    @classmethod
    def of(cls, notes: list[Note]) -> NotesOut:
        return cls(notes=[NoteOut.of(note) for note in notes])


class WrittenOut(ResponseModel):
    """The note as it is now; null where memory is off."""

    note: NoteOut | None


class NoteMatchOut(ResponseModel):
    """A note that was found, and the passage that matched."""

    path: str
    snippet: str
    score: float = Field(description="0 to 1; higher is better.")
    version: int


class NoteMatchesOut(ResponseModel):
    """The best first."""

    matches: list[NoteMatchOut]

    @classmethod
    def of(cls, matches: list[NoteMatch]) -> NoteMatchesOut:
        return cls(
            matches=[
                NoteMatchOut(
                    path=one.path, snippet=one.snippet, score=one.score, version=one.version
                )
                for one in matches
            ]
        )


class NotesRemovedOut(Done):
    """How many notes were removed."""

    removed: int
    replayed: bool

    @classmethod
    def of(cls, removal: NoteRemoval) -> NotesRemovedOut:
        return cls(removed=removal.removed, replayed=removal.replayed)
