-- A new fact is held against those of the same person, by category, newest first: not to be found
-- by reading every fact of the place. Data that is no JSON has neither subject nor category.
CREATE INDEX facts_by_subject ON records (
  place, CASE WHEN json_valid(data) THEN data ->> '$.subject' END
) WHERE kind = 'fact' AND state IN ('approved', 'conflict');
CREATE INDEX facts_by_category ON records (
  place,
  CASE WHEN json_valid(data) THEN data ->> '$.subject' END,
  CASE WHEN json_valid(data) THEN data ->> '$.category' END
) WHERE kind = 'fact' AND state IN ('approved', 'conflict');

-- What a person rejected is looked up whenever a page gets new lines.
CREATE INDEX IF NOT EXISTS records_rejected ON records (place, number) WHERE state = 'rejected';
