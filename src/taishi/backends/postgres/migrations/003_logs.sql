-- These belong to no workspace. What models were asked, by day: calls, tokens, time and cost.
CREATE TABLE ledger (
  day               text COLLATE "C" NOT NULL,
  task              text COLLATE "C" NOT NULL,
  model             text COLLATE "C" NOT NULL,
  mode              text COLLATE "C" NOT NULL,
  calls             bigint NOT NULL DEFAULT 0,
  failed            bigint NOT NULL DEFAULT 0,
  prompt_tokens     bigint NOT NULL DEFAULT 0,
  completion_tokens bigint NOT NULL DEFAULT 0,
  seconds           double precision NOT NULL DEFAULT 0,
  cost              double precision NOT NULL DEFAULT 0,
  last_error        text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (day, task, model, mode)
);

-- Every deletion, without what was deleted: the scope is a keyed hash.
CREATE TABLE deletions (
  number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time    double precision NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  door    text COLLATE "C" NOT NULL,
  what    text COLLATE "C" NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  scope   text COLLATE "C" NOT NULL,
  removed bigint NOT NULL
);

-- Keyed hashes of forgotten partitions, people, records and statements, and the key.
CREATE TABLE forgotten (
  mark bytea PRIMARY KEY,
  time double precision NOT NULL
);
CREATE TABLE forgotten_key (
  no  integer PRIMARY KEY CHECK (no = 1),
  key bytea NOT NULL
);
INSERT INTO forgotten_key VALUES (1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Writes that were not let in: who, by which door, why; never what was to be written.
CREATE TABLE refusals (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time   double precision NOT NULL,
  actor  text COLLATE "C" NOT NULL,
  door   text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  kind   text COLLATE "C" NOT NULL,
  scope  text COLLATE "C" NOT NULL
);
