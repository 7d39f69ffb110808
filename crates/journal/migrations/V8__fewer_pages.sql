-- Almost every change writes an event and the answer to its request. Each index that such a row is in costs a page of every change,
-- and one in the order of random names costs another page of the file for each.

-- An event's name is drawn at random: no index keeps another one from having it.
CREATE TABLE event_now (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    session TEXT,
    workflow TEXT,
    task TEXT,
    agent TEXT,
    payload TEXT NOT NULL CHECK (json_valid(payload))
) STRICT;
INSERT INTO event_now SELECT seq, id, at, kind, session, workflow, task, agent, payload FROM event;
DROP TABLE event;
ALTER TABLE event_now RENAME TO event;
CREATE INDEX event_kind ON event (kind, seq);
CREATE INDEX event_session ON event (session, seq);
CREATE INDEX event_workflow ON event (workflow, seq);

-- `seq` of `counter` is from now on the number of the last event that was pruned or of an earlier one; the numbers of those that are
-- kept say more. It is written before events are pruned.

-- What was requested and the caller's name for it are in the short `name`: of random keys, many are on a page. The oldest answers
-- have the lowest rowids, so that no index of `created` is needed. `request_name` is a function of the program.
CREATE TABLE idempotency_now (
    name TEXT NOT NULL UNIQUE,
    request_sha256 TEXT NOT NULL,
    status INTEGER,
    created INTEGER NOT NULL,
    version INTEGER NOT NULL,
    -- Last, because what lies behind a long text is found by reading it.
    body TEXT
) STRICT;
INSERT INTO idempotency_now
    SELECT request_name(scope, key), request_sha256, status, created, version, body FROM idempotency ORDER BY created;
DROP TABLE idempotency;
ALTER TABLE idempotency_now RENAME TO idempotency;

PRAGMA user_version = 2000;
