-- When a record was last written (NULL: when it was created), and when it is to be deleted.
ALTER TABLE records ADD COLUMN updated REAL;
ALTER TABLE records ADD COLUMN expires REAL;
CREATE INDEX records_expiring ON records (expires) WHERE expires IS NOT NULL;

-- As before, and what is to be deleted.
DROP INDEX records_listing;
CREATE INDEX records_listing ON records (
  number, kind, state, user, time, created, until, expires, confidence,
  CASE WHEN json_valid(data) THEN data -> '$.tags' END
);

-- Listings by these times and by session, newest first; the number comes last in every index.
CREATE INDEX records_created ON records (place, created);
CREATE INDEX records_updated ON records (place, coalesce(updated, created));
CREATE INDEX records_of_session ON records (place, session) WHERE session IS NOT NULL;
