-- The tables of a folder of schema 10, word for word as its database lists them in sqlite_schema.
-- Not to be changed: a folder that was written once stays as it is.
PRAGMA page_size = 8192;
PRAGMA journal_mode = wal;
PRAGMA user_version = 10;

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
, trust REAL NOT NULL DEFAULT 1, uses INTEGER NOT NULL DEFAULT 0, passages BLOB) STRICT;

CREATE INDEX shelf_to_embed ON shelf (number) WHERE model = 0;

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

CREATE TABLE links (
  workspace TEXT NOT NULL,
  user      TEXT NOT NULL,
  PRIMARY KEY (workspace, user)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX records_by_owner ON records (place, owner) WHERE owner IS NOT NULL;

CREATE INDEX records_by_user ON records (user, place) WHERE user IS NOT NULL;

CREATE TABLE ledger (
  day               TEXT NOT NULL,
  task              TEXT NOT NULL,
  model             TEXT NOT NULL,
  mode              TEXT NOT NULL,
  calls             INTEGER NOT NULL DEFAULT 0,
  failed            INTEGER NOT NULL DEFAULT 0,
  prompt_tokens     INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  seconds           REAL NOT NULL DEFAULT 0,
  cost              REAL NOT NULL DEFAULT 0,
  last_error        TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (day, task, model, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  place      INTEGER NOT NULL REFERENCES places (no),
  session    TEXT NOT NULL,
  speaker    TEXT,
  speaker_id TEXT,
  text       TEXT NOT NULL,
  time       REAL NOT NULL,
  id         TEXT,
  summarised INTEGER NOT NULL DEFAULT 0,
  UNIQUE (place, session, id)
) STRICT;

CREATE INDEX messages_waiting ON messages (place, session, number) WHERE summarised = 0;

CREATE INDEX messages_by_speaker ON messages (speaker_id, place) WHERE speaker_id IS NOT NULL;

CREATE TABLE sessions (
  place        INTEGER NOT NULL REFERENCES places (no),
  session      TEXT NOT NULL,
  last_summary REAL,
  summary      TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (place, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE packs (
  chunk INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  data  BLOB NOT NULL
) STRICT;

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

CREATE TABLE forgotten (
  mark BLOB PRIMARY KEY,
  time REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE forgotten_key (
  no  INTEGER PRIMARY KEY CHECK (no = 1),
  key BLOB NOT NULL
) STRICT;

CREATE TABLE handed_out (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  place  INTEGER NOT NULL REFERENCES places (no),
  key    TEXT NOT NULL,
  told   TEXT NOT NULL,
  UNIQUE (place, key)
) STRICT;

CREATE INDEX handed_out_by_place ON handed_out (place, number);

CREATE INDEX records_rejected ON records (place, number) WHERE state = 'rejected';

CREATE INDEX records_superseded ON records (place, number) WHERE state = 'superseded';

CREATE TABLE refusals (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  time   REAL NOT NULL,
  actor  TEXT NOT NULL,
  door   TEXT NOT NULL,
  reason TEXT NOT NULL,
  kind   TEXT NOT NULL,
  scope  TEXT NOT NULL
) STRICT;

CREATE INDEX facts_by_subject ON records (
  place, CASE WHEN json_valid(data) THEN data ->> '$.subject' END
) WHERE kind = 'fact' AND state IN ('approved', 'conflict');

CREATE INDEX facts_by_category ON records (
  place,
  CASE WHEN json_valid(data) THEN data ->> '$.subject' END,
  CASE WHEN json_valid(data) THEN data ->> '$.category' END
) WHERE kind = 'fact' AND state IN ('approved', 'conflict');
