-- Every deletion, without what was deleted: the scope is a keyed hash, never its id.
CREATE TABLE deletions (
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  time    REAL NOT NULL,
  actor   TEXT NOT NULL,
  door    TEXT NOT NULL,
  what    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  scope   TEXT NOT NULL,
  removed INTEGER NOT NULL
) STRICT;

-- Marks (keyed hashes) of forgotten places, people, records and statements: what is older than
-- `time` is not taken in again by an import.
CREATE TABLE forgotten (
  mark BLOB PRIMARY KEY,
  time REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- The key of these hashes; made once for each folder.
CREATE TABLE forgotten_key (
  no  INTEGER PRIMARY KEY CHECK (no = 1),
  key BLOB NOT NULL
) STRICT;
INSERT INTO forgotten_key VALUES (1, randomblob(32));
