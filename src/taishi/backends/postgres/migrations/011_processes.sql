-- Which processes have the memory open. A row older than a minute is of one that was killed.
CREATE TABLE processes (
    id   text PRIMARY KEY,
    host text NOT NULL,
    pid  integer NOT NULL,
    told text NOT NULL,
    seen timestamptz NOT NULL DEFAULT now()
);

SELECT taishi_fleet_wall('processes');
