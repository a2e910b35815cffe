-- Who told a turn or an event: asked for when a user is forgotten.
CREATE INDEX records_by_teller ON records (told_by, partition) WHERE told_by IS NOT NULL;
