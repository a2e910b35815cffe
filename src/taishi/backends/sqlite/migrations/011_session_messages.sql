-- All messages of a session are read in order, a page at a time, those in a summary, too.
CREATE INDEX messages_in_order ON messages (place, session, number);
