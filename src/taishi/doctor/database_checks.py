"""Health checks of the database: whether it answers, as whom we connect, whether it is whole."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import CorruptError, TaishiError, UnreachableError
from ..settings.addresses import is_postgres
from .findings import NOTHING, Bilingual, Finding, Level


@dataclass(frozen=True, slots=True)
class Connection:
    finding: Finding
    has_memory: bool = False
    is_read_only: bool = False


def connection(address: str) -> Connection:
    """Reach the database, and look whether its second wall between workspaces stands."""
    from ..assembly import probe_database

    try:
        probe = probe_database(address)
    except TaishiError as error:
        # Other errors say what to do: a package to install, an extension to create.
        advice = _CONNECT if isinstance(error, UnreachableError) else NOTHING
        return Connection(Finding("connection", "problem", Bilingual.of(error), advice))
    message = Bilingual(
        f"{probe.host}, version {probe.version}: a query takes {probe.milliseconds:.1f} ms",
        f"{probe.host}，版本 {probe.version}：一次查询 {probe.milliseconds:.1f} 毫秒",
    )
    if probe.bypasses_row_security:
        finding = Finding("connection", "warning", message, _ORDINARY_ROLE)
    else:
        finding = Finding("connection", "ok", message)
    return Connection(finding, probe.has_memory, probe.is_read_only)


def read_only() -> Finding:
    """Of the database: nothing is wrong with it, but nothing new is kept."""
    return Finding(
        "writing",
        "warning",
        Bilingual(
            "the database can only be read: recall works, nothing new is kept",
            "数据库只能读取：召回可用，不再记下新的内容",
        ),
        Bilingual(
            "it is a standby, or default_transaction_read_only is on, for the database, the role "
            "or the server: make it writable (nothing has to be restarted), or connect to the "
            "primary server",
            "它是备库，或数据库、角色、服务器设置了 default_transaction_read_only："
            "请恢复写入（无需重启任何服务），或连接主服务器",
        ),
    )


def no_memory(level: Level) -> Finding:
    """The place is there, and nobody has made a memory in it yet; or it is the wrong place."""
    return Finding(
        "database",
        level,
        Bilingual("there is no memory here yet", "这里还没有记忆"),
        Bilingual(
            "it is made by the first `taishi remember`; or name another place with --data",
            "首次 `taishi remember` 时建立；也可用 --data 指定其他位置",
        ),
    )


def database(answer: str, address: str) -> Finding:
    """`answer` is "ok" or the store's description of the fault. A folder's database that is not
    whole is damaged; for PostgreSQL the description says what to do."""
    if answer == "ok":
        return Finding("database", "ok", Bilingual("whole", "完好"))
    advice = NOTHING if is_postgres(address) else _DAMAGED
    return Finding("database", "problem", Bilingual(answer, answer), advice)


def not_opened(error: TaishiError) -> Finding:
    """The memory cannot be opened. Most errors say what to do: nothing is damaged."""
    advice = _DAMAGED if isinstance(error, CorruptError) else NOTHING
    return Finding("database", "problem", Bilingual.of(error), advice)


_CONNECT = Bilingual(
    "correct memory.data (or PGPASSWORD, ~/.pgpass), or see to the server",
    "请改正 memory.data（或 PGPASSWORD、~/.pgpass），或检查数据库服务器",
)
_ORDINARY_ROLE = Bilingual(
    "nothing is damaged, but this role is a superuser or has BYPASSRLS, so row-level security does "
    "not keep workspaces apart. Use an ordinary role: CREATE ROLE taishi LOGIN PASSWORD '…' "
    "NOSUPERUSER NOBYPASSRLS, with a database of its own (docs/how-to/postgres.md), and `taishi "
    "copy` to move the data there",
    "数据没有损坏，但该角色是超级用户或带有 BYPASSRLS，行级安全无法隔开各工作区。请改用普通角色："
    "CREATE ROLE taishi LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS，并给它自己的数据库"
    "（docs/how-to/postgres.zh-CN.md），再用 `taishi copy` 把数据移过去",
)
_DAMAGED = Bilingual("copy the data, then restore a backup", "请先复制数据，再从备份恢复")
