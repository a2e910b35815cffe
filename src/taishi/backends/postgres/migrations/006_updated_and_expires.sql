-- When a record was last written (NULL: when it was created), and when it is to be deleted.
ALTER TABLE records ADD COLUMN updated double precision;
ALTER TABLE records ADD COLUMN expires double precision;
CREATE INDEX records_expiring ON records (expires) WHERE expires IS NOT NULL;

-- Listings by these times and by session, newest first. None has the columns `partition` first or
-- `number`, or a planner without statistics would take it for the index of a look-up.
CREATE INDEX records_created ON records ((number >> 32), created);
CREATE INDEX records_updated ON records ((number >> 32), (coalesce(updated, created)));
CREATE INDEX records_of_session ON records (session, partition) WHERE session IS NOT NULL;
