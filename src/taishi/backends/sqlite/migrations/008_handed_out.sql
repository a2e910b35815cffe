-- What recall handed out lately, as hashes, so that it is not taken in again as new (H6).
CREATE TABLE handed_out (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  place  INTEGER NOT NULL REFERENCES places (no),
  key    TEXT NOT NULL,
  told   TEXT NOT NULL,
  UNIQUE (place, key)
) STRICT;
CREATE INDEX handed_out_by_place ON handed_out (place, number);
