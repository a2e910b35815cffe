-- What changes to notes came to, by the keyed hash of the id that their caller gave them, so that a
-- repeated one changes nothing. The key '' holds the highest version of the notes that are gone.
CREATE TABLE note_receipts (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  place       INTEGER NOT NULL REFERENCES places (no),
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  version     INTEGER NOT NULL,
  count       INTEGER NOT NULL,
  UNIQUE (place, key)
) STRICT;
CREATE INDEX note_receipts_by_place ON note_receipts (place, number);
