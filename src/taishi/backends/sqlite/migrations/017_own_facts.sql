-- The names under which a user's statements about himself are kept: a new one is held against those
-- that were said under another name.
CREATE INDEX own_facts ON records (
  place, user, CASE WHEN json_valid(data) THEN data ->> '$.subject' END
) WHERE kind = 'fact' AND state IN ('approved', 'conflict')
  AND CASE WHEN json_valid(data) THEN data ->> '$.about_user' END = 1;
