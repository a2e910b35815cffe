-- Who may see a row: the workspace that the session named, or maintenance that asked for all of
-- them. Sub-selects, so that a query reads the setting once and not for each row. FORCE, so that
-- the owner of the tables is bound, too; superusers never are.
CREATE FUNCTION taishi_wall(target regclass) RETURNS void LANGUAGE plpgsql AS $wall$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format(
    'CREATE POLICY own_workspace ON %s USING (
       workspace = (SELECT current_setting(''taishi.workspace'', true))
       OR (SELECT current_setting(''taishi.all_workspaces'', true)) = ''on'')', target);
END $wall$;

-- A partition is where records live: one private chat, one group, one agent, or what a workspace
-- shares. `next` hands out numbers, `seq` counts changes, `floor` is the oldest change still listed.
-- A writer locks its row first: numbers and changes become visible in their order.
CREATE TABLE partitions (
  no        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (no < 2147483648),
  workspace text COLLATE "C" NOT NULL,
  kind      text COLLATE "C" NOT NULL CHECK (kind IN ('private', 'group', 'agent', 'workspace')),
  id        text COLLATE "C" NOT NULL,
  next      bigint NOT NULL DEFAULT 1,
  seq       bigint NOT NULL DEFAULT 0,
  floor     bigint NOT NULL DEFAULT 0,
  UNIQUE (workspace, kind, id)
) WITH (fillfactor = 50);
SELECT taishi_wall('partitions');

-- number = partition << 32 | n: no range of one partition can reach into another. Numbers are never
-- used twice. `data` is JSON, as text: jsonb refuses \u0000. What is searched for in it has a column
-- of its own; a long value stands there as its hash.
CREATE TABLE records (
  number      bigint PRIMARY KEY,
  partition   bigint NOT NULL,
  workspace   text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  text        text COLLATE "C" NOT NULL,
  time        double precision,
  since       double precision,
  until       double precision,
  created     double precision NOT NULL,
  user_id     text COLLATE "C",
  speaker     text COLLATE "C",
  session     text COLLATE "C",
  source      text COLLATE "C",
  state       text COLLATE "C" NOT NULL,
  confidence  double precision NOT NULL,
  owner       text COLLATE "C",
  redaction   bigint NOT NULL,
  data        text COLLATE "C" NOT NULL,
  subject     text COLLATE "C",
  category    text COLLATE "C",
  told_by     text COLLATE "C",
  copied_from text COLLATE "C",
  tags        text[] COLLATE "C",
  UNIQUE (partition, id)
);
CREATE UNIQUE INDEX records_by_owner ON records (partition, owner) WHERE owner IS NOT NULL;
CREATE INDEX records_by_user ON records (user_id, partition) WHERE user_id IS NOT NULL;
CREATE INDEX records_rejected ON records (partition, number) WHERE state = 'rejected';
CREATE INDEX records_superseded ON records (partition, number) WHERE state = 'superseded';
CREATE INDEX facts_by_subject ON records (partition, subject, category)
  WHERE kind = 'fact' AND state IN ('approved', 'conflict');
CREATE INDEX records_copied ON records (partition) WHERE copied_from IS NOT NULL;
SELECT taishi_wall('records');

-- What an index in memory reads, and nothing more: derived from records. `model` is 0 until the
-- text is embedded; `code` is the vector as the index keeps it, `passages` those of a long text.
CREATE TABLE index_rows (
  number    bigint PRIMARY KEY,
  workspace text COLLATE "C" NOT NULL,
  revision  bigint NOT NULL,
  kind      text COLLATE "C" NOT NULL,
  state     text COLLATE "C" NOT NULL,
  time      double precision,
  since     double precision,
  until     double precision,
  user_id   text COLLATE "C",
  speaker   text COLLATE "C",
  session   text COLLATE "C",
  trust     double precision NOT NULL DEFAULT 1,
  uses      bigint NOT NULL DEFAULT 0,
  terms     bytea NOT NULL,
  model     integer NOT NULL DEFAULT 0,
  code      bytea,
  passages  bytea
);
ALTER TABLE index_rows ALTER COLUMN terms SET STORAGE EXTERNAL,
  ALTER COLUMN code SET STORAGE EXTERNAL, ALTER COLUMN passages SET STORAGE EXTERNAL;
CREATE INDEX index_rows_to_embed ON index_rows (number) WHERE model = 0;
SELECT taishi_wall('index_rows');

CREATE TABLE models (
  no   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE
);

-- Column batches of 1,024 index rows: chunk = number >> 10. Dropped by the write that changes a row.
CREATE TABLE index_packs (
  chunk     bigint PRIMARY KEY,
  workspace text COLLATE "C" NOT NULL,
  model     text COLLATE "C" NOT NULL,
  data      bytea NOT NULL
);
ALTER TABLE index_packs ALTER COLUMN data SET STORAGE EXTERNAL;
SELECT taishi_wall('index_packs');

CREATE TABLE changes (
  partition bigint NOT NULL,
  seq       bigint NOT NULL,
  number    bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  PRIMARY KEY (partition, seq, number)
);
SELECT taishi_wall('changes');

-- Users who asked that their private chat and their groups know each other (S2).
CREATE TABLE links (
  workspace text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, user_id)
);
SELECT taishi_wall('links');
