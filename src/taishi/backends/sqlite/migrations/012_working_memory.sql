-- Working memory: messages in the shape of the OpenAI chat format (M1). `role` is empty for messages
-- that came with a turn or for a summary alone; `body` is JSON: parts, tool calls, the id of a tool
-- call that is answered. `learned`: it was handed to the historian.
ALTER TABLE messages ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN body TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN learned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX messages_appended ON messages (place, session, number) WHERE role != '';

-- The scratchpad of a session, as JSON, and when the session was last active (M3).
ALTER TABLE sessions ADD COLUMN scratchpad TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN scratchpad_time REAL;

-- What stands for older messages when a conversation is too long to be sent (M2): derived from
-- messages, one row for each segment of them. `body` is JSON: the segment's summary, and an overview
-- of everything up to its end.
CREATE TABLE compressions (
  place   INTEGER NOT NULL REFERENCES places (no),
  session TEXT NOT NULL,
  last    INTEGER NOT NULL,
  first   INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  body    TEXT NOT NULL,
  made_by TEXT NOT NULL,
  time    REAL NOT NULL,
  PRIMARY KEY (place, session, last)
) STRICT, WITHOUT ROWID;
