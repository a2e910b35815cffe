-- Lexemes now begin with the number of their partition, so that a search reads nothing of others.
DELETE FROM record_terms;
DELETE FROM record_vectors;
UPDATE partitions SET sql_search = 0 WHERE sql_search != 0;

-- Else every search reads the list of what was written lately.
ALTER INDEX record_terms_by_term SET (fastupdate = off);

-- Below a row-level policy the planner does not use a GIN index for what a query asks, because `@@`
-- is not leakproof. So the search is a policy itself: whoever reads record_terms by this parent sees
-- rows with the terms that the session named, in its own workspace, and nothing if it named none.
-- A restrictive policy comes first and may use the index; the other is checked for each row found.
CREATE TABLE record_terms_search (
  number    bigint NOT NULL,
  partition bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  terms     tsvector NOT NULL
);
ALTER TABLE record_terms INHERIT record_terms_search;
SELECT taishi_wall('record_terms_search');
CREATE POLICY named_terms ON record_terms_search AS RESTRICTIVE
  USING (terms @@ (SELECT nullif(current_setting('taishi.terms', true), '')::tsquery));

CREATE FUNCTION taishi_rows_with_terms(wanted bigint, query tsquery, most integer)
RETURNS SETOF bigint LANGUAGE plpgsql AS $find$
BEGIN
  PERFORM set_config('taishi.terms', query::text, true);
  RETURN QUERY SELECT t.number FROM record_terms_search t WHERE t.partition = wanted LIMIT most;
  PERFORM set_config('taishi.terms', '', true);
END $find$;
