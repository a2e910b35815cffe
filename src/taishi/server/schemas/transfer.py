"""Models for export, import, backup, rebuild, erasure proofs and settings."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import ConfigDict, Field

from ...exported import Backup, Deletion, ErasureProof, Imported, Rebuilt
from .common import MAX_ITEMS, Data, Id, RequestModel, ResponseModel, ScopedIn, ScopeQuery, Time


class ExportQuery(ScopeQuery):
    """What to export: a scope's partition; without a scope, the workspace or, with a key for every
    workspace and none named, everything."""

    vectors: bool = Field(
        default=False,
        description="With the vectors: a larger file, but ready sooner after an import.",
    )


class ImportQuery(RequestModel):
    """How to import the lines."""

    model_config = ConfigDict(strict=False)

    workspace: Id | None = Field(
        default=None,
        description="Lines of any other workspace are refused; the key's workspace if left out.",
    )
    from_workspace: Id | None = Field(
        default=None, description="Lines of this workspace go into `workspace`."
    )
    replace: bool = Field(
        default=False, description="Overwrite records that differ; else they are kept."
    )
    dry_run: bool = Field(default=False, description="Only say what would happen.")
    skip_bad: bool = Field(
        default=False, description="Skip wrong lines instead of refusing the import."
    )
    even_forgotten: bool = Field(
        default=False, description="Also import what was forgotten here since; this is recorded."
    )


class BadLineOut(ResponseModel):
    line: int
    reason: str


class ImportOut(ResponseModel):
    """What became of the lines, by type."""

    added: dict[str, int]
    same: dict[str, int] = Field(description="Was here already.")
    kept: dict[str, int] = Field(description="Another record has the same id here, and was kept.")
    replaced: dict[str, int]
    forgotten: dict[str, int] = Field(description="Was deleted here since, and was skipped.")
    bad: list[BadLineOut]
    dry_run: bool

    @classmethod
    def of(cls, report: Imported) -> ImportOut:
        return cls(
            added=dict(report.added),
            same=dict(report.same),
            kept=dict(report.kept),
            replaced=dict(report.replaced),
            forgotten=dict(report.forgotten),
            bad=[BadLineOut(line=bad.line, reason=bad.reason) for bad in report.bad],
            dry_run=report.dry_run,
        )


class DeletionOut(ResponseModel):
    """One deletion, without what was deleted."""

    time: float
    actor: str = Field(description="The key's id, `person` or `model`; empty: the host program.")
    door: str
    what: str = Field(
        description="scope, record, derived (its source was deleted), copy, rebuild, or import"
    )
    kind: str = Field(description="private, group, agent or workspace")
    scope: str = Field(description="A keyed hash of the scope.")
    removed: int

    @classmethod
    def of(cls, deletion: Deletion) -> DeletionOut:
        return cls(**asdict(deletion))


class DeletionsOut(ResponseModel):
    deletions: list[DeletionOut]


class OfferedIn(ScopedIn):
    """Records that a host may offer again."""

    ids: dict[Id, Time | None] = Field(
        max_length=MAX_ITEMS,
        description="When each was written, by its id; null if that is not known.",
        examples=[{"m-1": "2026-03-02T19:12:00Z", "m-2": None}],
    )


class ForgottenIdsOut(ResponseModel):
    ids: list[str] = Field(description="Those that were deleted, in order.")


class SimilarUsersOut(ResponseModel):
    users: dict[str, int] = Field(description="How many records each of them has, by id.")


class BackupOut(ResponseModel):
    """A complete and checked copy of the data folder. Open it to restore it."""

    path: str = Field(description="On the server's machine.")
    files: int
    bytes: int
    jobs: int
    records: dict[str, int]

    @classmethod
    def of(cls, backup: Backup) -> BackupOut:
        return cls(
            path=backup.path,
            files=backup.files,
            bytes=backup.bytes,
            jobs=backup.jobs,
            records=dict(backup.records),
        )


class ReembedOut(ResponseModel):
    waiting: int = Field(description="Texts without a vector yet; found by keyword until then.")


class RebuildQuery(RequestModel):
    """What to rebuild."""

    model_config = ConfigDict(strict=False)

    workspace: Id | None = Field(default=None, description="Only this workspace; all if left out.")
    dry_run: bool = Field(default=False, description="Only say what would change.")


class FieldChangeOut(ResponseModel):
    field: str
    before: str = Field(description="Empty where it is not set.")
    after: str = Field(description="Empty where it is not set.")


class ChangeOut(ResponseModel):
    op: str = Field(description="added, changed or removed")
    kind: str
    id: str
    text: str
    fields: list[FieldChangeOut] = Field(
        description="Of one that is changed: state, confidence, recorded_by, by_self, "
        "evidence_count, valid_from and valid_to, those of them that differ."
    )


class RebuiltOut(ResponseModel):
    """What was rebuilt, by kind of record."""

    events: int = Field(description="Events that were read again.")
    added: dict[str, int]
    changed: dict[str, int]
    removed: dict[str, int] = Field(description="No event supports them.")
    pages: int
    indexed: int = Field(description="Records whose index entries were rebuilt.")
    changes: list[ChangeOut] = Field(description="The first 500 of them.")
    dry_run: bool

    @classmethod
    def of(cls, report: Rebuilt) -> RebuiltOut:
        changes = [ChangeOut(**asdict(change)) for change in report.changes]
        return cls(
            events=report.events,
            added=dict(report.added),
            changed=dict(report.changed),
            removed=dict(report.removed),
            pages=report.pages,
            indexed=report.indexed,
            changes=changes,
            dry_run=report.dry_run,
        )


class TraceOut(ResponseModel):
    place: str
    what: str


class ProofOut(ResponseModel):
    """What was searched after forgetting, and what was found."""

    absent: bool
    places: list[str]
    files: int
    bytes: int
    phrases: int = Field(description="Their phrases that were searched for.")
    found: list[TraceOut]
    elsewhere: list[TraceOut] = Field(description="The same words, but said by others; they stay.")

    @classmethod
    def of(cls, proof: ErasureProof) -> ProofOut:
        return cls(
            absent=bool(proof),
            places=list(proof.places),
            files=proof.files,
            bytes=proof.bytes,
            phrases=proof.phrases,
            found=[TraceOut(place=remnant.place, what=remnant.what) for remnant in proof.found],
            elsewhere=[
                TraceOut(place=remnant.place, what=remnant.what) for remnant in proof.elsewhere
            ],
        )


class ForgottenOut(ResponseModel):
    removed: int = Field(description="How many records, jobs, pages and keys were removed.")
    keys: int = Field(
        default=0, description="How many of them are API keys, which were bound to the scope."
    )
    proof: ProofOut | None = Field(description="If it was asked for.")


class SettingsOut(ResponseModel):
    """The settings in force. Keys are shown as ***."""

    settings: Data
    file: str | None = Field(description="The file they were read from, if there was one.")


class SettingsIn(RequestModel):
    """Dotted keys and their new values; null removes a key from the file."""

    changes: Data = Field(min_length=1, examples=[{"query.recall_top_k": 8}])


class ChangedOut(ResponseModel):
    """What became of a change. No value is shown."""

    applied: list[str] = Field(description="In force now.")
    need_restart: list[str] = Field(description="Written; in force after a restart.")
    overridden: dict[str, str] = Field(description="Written, but something else overrides them.")
    file: str
