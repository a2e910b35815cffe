-- Messages of sessions: those that came with a turn, and working memory in the shape of the OpenAI
-- chat format (M1), which have a `role`; `body` is JSON. Numbers are given while the partition's row
-- is locked, so that they are in the order in which a reader sees them.
CREATE TABLE messages (
  number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition  bigint NOT NULL,
  workspace  text COLLATE "C" NOT NULL,
  session    text COLLATE "C" NOT NULL,
  speaker    text COLLATE "C",
  speaker_id text COLLATE "C",
  text       text COLLATE "C" NOT NULL,
  time       double precision NOT NULL,
  id         text COLLATE "C",
  summarised boolean NOT NULL DEFAULT false,
  role       text COLLATE "C" NOT NULL DEFAULT '',
  body       text COLLATE "C" NOT NULL DEFAULT '',
  learned    boolean NOT NULL DEFAULT false,
  UNIQUE (partition, session, id)
);
CREATE INDEX messages_in_order ON messages (partition, session, number);
CREATE INDEX messages_waiting ON messages (partition, session, number) WHERE NOT summarised;
CREATE INDEX messages_appended ON messages (partition, session, number) WHERE role != '';
CREATE INDEX messages_by_speaker ON messages (speaker_id, partition) WHERE speaker_id IS NOT NULL;
SELECT taishi_wall('messages');

CREATE TABLE sessions (
  partition       bigint NOT NULL,
  session         text COLLATE "C" NOT NULL,
  workspace       text COLLATE "C" NOT NULL,
  last_summary    double precision,
  summary         text COLLATE "C" NOT NULL DEFAULT '',
  scratchpad      text COLLATE "C" NOT NULL DEFAULT '',
  scratchpad_time double precision,
  PRIMARY KEY (partition, session)
);
CREATE INDEX sessions_scratchpads ON sessions (scratchpad_time) WHERE scratchpad != '';
SELECT taishi_wall('sessions');

-- What stands for older messages when a conversation is too long to be sent (M2); derived.
CREATE TABLE compressions (
  partition bigint NOT NULL,
  session   text COLLATE "C" NOT NULL,
  last      bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  first     bigint NOT NULL,
  count     bigint NOT NULL,
  body      text COLLATE "C" NOT NULL,
  made_by   text COLLATE "C" NOT NULL,
  time      double precision NOT NULL,
  PRIMARY KEY (partition, session, last)
);
SELECT taishi_wall('compressions');

-- Hashes of what recall returned lately (H6).
CREATE TABLE recalled_hashes (
  number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition bigint NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  key       text COLLATE "C" NOT NULL,
  told      text COLLATE "C" NOT NULL,
  UNIQUE (partition, key)
);
CREATE INDEX recalled_hashes_in_order ON recalled_hashes (partition, number);
SELECT taishi_wall('recalled_hashes');
