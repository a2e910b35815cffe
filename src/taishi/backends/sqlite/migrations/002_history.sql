-- What models were asked, by day: calls, tokens, time and cost, and the last thing that went wrong.
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

-- Messages that wait for their session's summary, and the session's last one (W8).
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
