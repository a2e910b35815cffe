-- The queue. `at` is the earliest time of the next try (pending), the end of the lease (processing)
-- or the time of giving up (failed), in epoch seconds. `owner` is the thread that holds a claim.
-- `lane` and `person` are hashes of the partition that a job writes to and of the person whose
-- page it may change: jobs that share one are worked in the order in which they came.
CREATE TABLE jobs (
    id        text COLLATE "C" PRIMARY KEY,
    job_id    text NOT NULL DEFAULT '',
    workspace text NOT NULL,
    lane      bytea NOT NULL,
    person    bytea,
    state     text NOT NULL CHECK (state IN ('pending', 'processing', 'failed')),
    attempt   integer NOT NULL DEFAULT 0,
    lost      integer NOT NULL DEFAULT 0,
    at        double precision NOT NULL DEFAULT 0,
    owner     text NOT NULL DEFAULT '',
    claim     text NOT NULL DEFAULT '',
    reason    text NOT NULL DEFAULT '',
    data      bytea NOT NULL
);

CREATE UNIQUE INDEX jobs_job_id ON jobs (job_id) WHERE job_id <> '';
CREATE INDEX jobs_pending ON jobs (workspace, id) WHERE state = 'pending';
CREATE INDEX jobs_lane ON jobs (lane, id) WHERE state <> 'failed';
CREATE INDEX jobs_person ON jobs (person, id) WHERE state <> 'failed' AND person IS NOT NULL;
CREATE INDEX jobs_processing ON jobs (lane, person) WHERE state = 'processing';
CREATE INDEX jobs_failed ON jobs (at, id) WHERE state = 'failed';

-- When each workspace last had a job claimed: the one that waits longest is next.
CREATE TABLE job_workspaces (
    workspace text PRIMARY KEY,
    served    bigint NOT NULL DEFAULT 0
);

CREATE SEQUENCE job_servings;

SELECT taishi_wall('jobs');
SELECT taishi_wall('job_workspaces');

-- For tables of no single workspace: only maintenance, which sees all of them, may read these.
CREATE FUNCTION taishi_fleet_wall(target regclass) RETURNS void LANGUAGE plpgsql AS $wall$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format(
    'CREATE POLICY fleet ON %s USING (
       (SELECT current_setting(''taishi.all_workspaces'', true)) = ''on'')', target);
END $wall$;
