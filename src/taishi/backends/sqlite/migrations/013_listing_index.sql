-- Everything a listing is narrowed by except the text, in the order of the listing: a filter that
-- matches few old records, or none, reads this instead of every row with its text.
CREATE INDEX records_listing ON records (
  number, kind, state, user, time, created, until, confidence,
  CASE WHEN json_valid(data) THEN data -> '$.tags' END
);
