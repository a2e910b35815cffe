-- The names under which a user's statements about himself are kept: a new one is held against those
-- that were said under another name.
ALTER TABLE records ADD COLUMN own_user text COLLATE "C";
CREATE INDEX own_facts ON records (partition, own_user, subject)
  WHERE kind = 'fact' AND state IN ('approved', 'conflict') AND own_user IS NOT NULL;
