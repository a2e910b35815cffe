-- Originals of documents, where no object store is configured.
CREATE TABLE stored_files (
    key  text COLLATE "C" PRIMARY KEY,
    data bytea NOT NULL
);

-- What left the records: lines in the order of their bytes. `start` is the place of the first one.
CREATE TABLE archive_pieces (
    name  text COLLATE "C" NOT NULL,
    start bigint NOT NULL,
    data  bytea NOT NULL,
    PRIMARY KEY (name, start)
);

-- API keys: one document with what each opens and the hash of its secret.
CREATE TABLE api_keys (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version  bigint NOT NULL,
    document bytea NOT NULL
);

SELECT taishi_fleet_wall('stored_files');
SELECT taishi_fleet_wall('archive_pieces');
SELECT taishi_fleet_wall('api_keys');
