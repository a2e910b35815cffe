-- What changes to notes came to, by the keyed hash of the id that their caller gave them, so that a
-- repeated one changes nothing. The key '' holds the highest version of the notes that are gone.
CREATE TABLE note_receipts (
  number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition   bigint NOT NULL,
  workspace   text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  version     bigint NOT NULL,
  count       bigint NOT NULL,
  UNIQUE (partition, key)
);
CREATE INDEX note_receipts_in_order ON note_receipts (partition, number);
SELECT taishi_wall('note_receipts');
