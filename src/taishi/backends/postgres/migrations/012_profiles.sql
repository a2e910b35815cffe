-- Pages about users and groups, as Markdown that a person edits; `stamp` differs after any edit.
CREATE SEQUENCE profile_stamps;

CREATE TABLE profiles (
    workspace   text NOT NULL,
    entity_type text NOT NULL CHECK (entity_type IN ('user', 'group')),
    entity_id   text NOT NULL,
    page        bytea NOT NULL,
    stamp       bigint NOT NULL DEFAULT nextval('profile_stamps'),
    PRIMARY KEY (workspace, entity_type, entity_id)
);

-- What a page was before: `revision` is the time, so that names sort.
CREATE TABLE profile_revisions (
    workspace   text NOT NULL,
    entity_type text NOT NULL,
    entity_id   text NOT NULL,
    revision    text COLLATE "C" NOT NULL,
    page        bytea NOT NULL,
    PRIMARY KEY (workspace, entity_type, entity_id, revision)
);

SELECT taishi_wall('profiles');
SELECT taishi_wall('profile_revisions');
