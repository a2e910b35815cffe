"""The settings of engines outside the data folder."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import setting

# One line says all about a setting; the formatter would make four of it.
# A default made by a call (RUF009) is the point: the call carries the documentation.
# fmt: off

@dataclass(frozen=True)
class StorageSettings:
    vectors: str = setting("",
        "Where vectors are searched: milvus://HOST:PORT or milvus:///FILE.db, lancedb:///FOLDER, "
        "chroma://HOST:PORT or chroma:///FOLDER; empty: in this process.",
        "向量检索引擎：milvus://主机:端口 或 milvus:///文件.db、lancedb:///目录、"
        "chroma://主机:端口 或 chroma:///目录；留空则在本进程内检索。")
    cache: str = setting("",
        "A cache that several servers share: redis://HOST:PORT/0; empty: in this process.",
        "多个服务共用的缓存：redis://主机:端口/0；留空则在本进程内。", secret=True)
    files: str = setting("",
        "Where originals of documents, exports and archives are kept: s3://BUCKET/PREFIX; "
        "empty: with the records.",
        "文档原件、导出与归档的存放处：s3://桶/前缀；留空则与记录放在一起。")
    folder: str = setting("",
        "With a database as data: the local folder for prompts and temporary files; empty: one of "
        "the user's state folder.",
        "以数据库存储时，存放提示词与临时文件的本地目录；留空则用用户状态目录。")
    index_records: int = setting(200_000,
        "With PostgreSQL: chats and groups with more records than this are searched in the "
        "database, smaller ones in this process. Takes effect after a restart.",
        "使用 PostgreSQL 时，记录数超过此值的私聊或群在数据库内检索，"
        "较小的在本进程内检索。重启后生效。",
        low=0)
