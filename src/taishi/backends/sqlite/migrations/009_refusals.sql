-- What a person rejected is looked up at every write of the same place, what has ended when an old
-- turn is told.
CREATE INDEX records_rejected ON records (place, number) WHERE state = 'rejected';
CREATE INDEX records_superseded ON records (place, number) WHERE state = 'superseded';

-- Writes that were not let in: who, by which door, why; never what was to be written.
CREATE TABLE refusals (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  time   REAL NOT NULL,
  actor  TEXT NOT NULL,
  door   TEXT NOT NULL,
  reason TEXT NOT NULL,
  kind   TEXT NOT NULL,
  scope  TEXT NOT NULL
) STRICT;
