-- Runs of shelf rows as the in-memory index keeps them, so that a cold index is a few large reads.
-- chunk = number >> 10. A copy of what is in shelf: dropped by the write that touches one of its
-- rows, made again in the background.
CREATE TABLE packs (
  chunk INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  data  BLOB NOT NULL
) STRICT;
