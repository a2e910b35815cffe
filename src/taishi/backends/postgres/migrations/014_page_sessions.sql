-- What signs the sessions of the web pages, and which ended early: whoever signed in at one server is
-- known by all.
CREATE TABLE page_sessions (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version  bigint NOT NULL,
    document bytea NOT NULL
);

SELECT taishi_fleet_wall('page_sessions');
