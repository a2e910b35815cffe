-- A place is where records live: one private chat, one group, one agent, or the commons.
-- `next` hands out numbers, `seq` counts changes, `floor` is the oldest change still listed.
CREATE TABLE places (
  no        INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  kind      TEXT NOT NULL CHECK (kind IN ('private', 'group', 'agent', 'workspace')),
  id        TEXT NOT NULL,
  next      INTEGER NOT NULL DEFAULT 1,
  seq       INTEGER NOT NULL DEFAULT 0,
  floor     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (workspace, kind, id)
) STRICT;

-- number = place << 32 | n: a place's rows lie together, and no range of one place can reach
-- into another. Numbers are never used twice.
CREATE TABLE records (
  number     INTEGER PRIMARY KEY,
  place      INTEGER NOT NULL REFERENCES places (no),
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  text       TEXT NOT NULL,
  time       REAL,
  since      REAL,
  until      REAL,
  created    REAL NOT NULL,
  user       TEXT,
  speaker    TEXT,
  session    TEXT,
  source     TEXT,
  state      TEXT NOT NULL,
  confidence REAL NOT NULL,
  owner      TEXT,
  redaction  INTEGER NOT NULL,
  data       TEXT NOT NULL,
  UNIQUE (place, id)
) STRICT;

-- What the in-memory index reads, and nothing more: a projection of records, rebuildable.
-- `model` is 0 until the text is embedded; `code` is the int8 vector.
CREATE TABLE shelf (
  number   INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  state    TEXT NOT NULL,
  time     REAL,
  since    REAL,
  until    REAL,
  user     TEXT,
  speaker  TEXT,
  session  TEXT,
  terms    BLOB NOT NULL,
  model    INTEGER NOT NULL DEFAULT 0,
  code     BLOB
) STRICT;
CREATE INDEX shelf_to_embed ON shelf (number) WHERE model = 0;

CREATE TABLE vectors (
  number INTEGER PRIMARY KEY,
  full   BLOB NOT NULL
) STRICT;

CREATE TABLE models (
  no     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE changes (
  place  INTEGER NOT NULL,
  seq    INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (place, seq, number)
) STRICT, WITHOUT ROWID;

-- Users who asked that their private chat and their groups know each other (S2).
CREATE TABLE links (
  workspace TEXT NOT NULL,
  user      TEXT NOT NULL,
  PRIMARY KEY (workspace, user)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX records_by_owner ON records (place, owner) WHERE owner IS NOT NULL;
CREATE INDEX records_by_user ON records (user, place) WHERE user IS NOT NULL;
