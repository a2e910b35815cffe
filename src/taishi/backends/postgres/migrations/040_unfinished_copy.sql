-- A row as long as a copy of another memory into this one is not complete: where it comes from.
CREATE TABLE unfinished_copy (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    content  bytea NOT NULL
);

SELECT taishi_fleet_wall('unfinished_copy');
