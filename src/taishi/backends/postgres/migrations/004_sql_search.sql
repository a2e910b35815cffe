-- For partitions too large for an index in memory: what a search in SQL reads, derived from
-- index_rows. Rows are written, in the transaction of the record, for partitions that ask for it:
-- `sql_search` is 0 (off), 1 (earlier rows are still being filled in) or 2 (complete). A writer reads
-- it while it holds the partition's row, so that no row is left out.
--
-- Dimensions vary by model, so the column has none; an index is made for one model, when wanted:
--   CREATE INDEX … ON record_vectors USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)
--   WHERE model = 3;
-- Terms are the same hashes of words as in index_rows.terms, as decimal lexemes. `@@` is not
-- leakproof, so below a row-level policy the planner uses the GIN index only if an administrator
-- declares it so: ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF.
CREATE EXTENSION IF NOT EXISTS vector;
ALTER TABLE partitions ADD COLUMN sql_search smallint NOT NULL DEFAULT 0;

CREATE TABLE record_vectors (
  number    bigint PRIMARY KEY,
  partition bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  model     integer NOT NULL,
  embedding halfvec NOT NULL
);
SELECT taishi_wall('record_vectors');

CREATE TABLE record_terms (
  number    bigint PRIMARY KEY,
  partition bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  terms     tsvector NOT NULL
);
CREATE INDEX record_terms_by_term ON record_terms USING gin (terms);
SELECT taishi_wall('record_terms');
