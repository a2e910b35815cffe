-- Clients that connected by OAuth, and the hashes of their tokens: one document for all servers.
CREATE TABLE oauth_connections (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version  bigint NOT NULL,
    document bytea NOT NULL
);

SELECT taishi_fleet_wall('oauth_connections');
