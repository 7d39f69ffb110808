-- Times are milliseconds since 1970. `version` counts the changes of a row, from 1. Ids and times are ours, not the database's.

CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- `seq`: the number of the last event. `pruned`: that of the last one that was forgotten.
INSERT INTO counter VALUES ('seq', 0), ('pruned', 0);

CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    session TEXT,
    workflow TEXT,
    task TEXT,
    agent TEXT,
    payload TEXT NOT NULL CHECK (json_valid(payload))
) STRICT;
CREATE INDEX event_kind ON event (kind, seq);
CREATE INDEX event_session ON event (session, seq);
CREATE INDEX event_workflow ON event (workflow, seq);

CREATE TABLE project (
    id TEXT PRIMARY KEY,
    root TEXT NOT NULL UNIQUE,
    seen INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    project TEXT REFERENCES project (id),
    paused INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    accessed INTEGER NOT NULL,
    context TEXT NOT NULL CHECK (json_valid(context)),
    version INTEGER NOT NULL
) STRICT;
CREATE INDEX session_updated ON session (updated);
CREATE INDEX session_project ON session (project);

CREATE TABLE message (
    session TEXT NOT NULL REFERENCES session (id),
    no INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    at INTEGER NOT NULL,
    workflow TEXT,
    PRIMARY KEY (session, no)
) STRICT;

CREATE TABLE workflow (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id),
    state TEXT NOT NULL,
    previous TEXT,
    task TEXT NOT NULL,
    context TEXT NOT NULL CHECK (json_valid(context)),
    round INTEGER NOT NULL,
    engine INTEGER NOT NULL,
    error TEXT,
    output TEXT CHECK (json_valid(output)),
    cancelled INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    wake_at INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    version INTEGER NOT NULL,
    -- Who works on it, until when, and the number of that claim: it grows with each.
    lease_owner TEXT,
    lease_until INTEGER,
    fence INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX workflow_updated ON workflow (updated);
CREATE INDEX workflow_session ON workflow (session, updated);
CREATE INDEX workflow_state ON workflow (state);
CREATE INDEX workflow_due ON workflow (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE task (
    workflow TEXT NOT NULL REFERENCES workflow (id),
    id TEXT NOT NULL,
    no INTEGER NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    needs TEXT NOT NULL CHECK (json_valid(needs)),
    capabilities TEXT NOT NULL CHECK (json_valid(capabilities)),
    agent TEXT,
    dispatch TEXT UNIQUE,
    attempt INTEGER NOT NULL,
    rejections INTEGER NOT NULL,
    due INTEGER,
    estimate INTEGER,
    started INTEGER,
    finished INTEGER,
    result TEXT CHECK (json_valid(result)),
    error TEXT,
    version INTEGER NOT NULL,
    PRIMARY KEY (workflow, id)
) STRICT;
CREATE UNIQUE INDEX task_no ON task (workflow, no);

CREATE TABLE step (
    workflow TEXT NOT NULL REFERENCES workflow (id),
    no INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    task TEXT,
    name TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT,
    outcome TEXT,
    tokens TEXT CHECK (json_valid(tokens)),
    started INTEGER NOT NULL,
    finished INTEGER,
    version INTEGER NOT NULL,
    PRIMARY KEY (workflow, no, attempt)
) STRICT;

CREATE TABLE agent (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    capabilities TEXT NOT NULL CHECK (json_valid(capabilities)),
    state TEXT NOT NULL,
    status TEXT NOT NULL,
    session TEXT,
    workflow TEXT,
    task TEXT,
    deployed INTEGER,
    deployments INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    last_error TEXT,
    last_error_at INTEGER,
    beat INTEGER,
    version INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_workflow ON agent (workflow) WHERE workflow IS NOT NULL;

CREATE TABLE decision (
    id TEXT PRIMARY KEY,
    workflow TEXT REFERENCES workflow (id),
    session TEXT,
    task TEXT,
    agent TEXT,
    project TEXT REFERENCES project (id),
    ask TEXT NOT NULL UNIQUE,
    questions TEXT NOT NULL CHECK (json_valid(questions)),
    multiple INTEGER NOT NULL,
    fallback TEXT,
    status TEXT NOT NULL,
    draft TEXT CHECK (json_valid(draft)),
    record TEXT CHECK (json_valid(record)),
    response TEXT,
    selected TEXT CHECK (json_valid(selected)),
    via TEXT,
    created INTEGER NOT NULL,
    expires INTEGER,
    ended INTEGER,
    version INTEGER NOT NULL
) STRICT;
CREATE INDEX decision_created ON decision (created);
CREATE INDEX decision_workflow ON decision (workflow, created);
CREATE INDEX decision_session ON decision (session, created);
CREATE INDEX decision_status ON decision (status, created);
CREATE INDEX decision_due ON decision (expires) WHERE status = 'pending';

CREATE TABLE checkpoint (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id),
    no INTEGER NOT NULL,
    workflow TEXT REFERENCES workflow (id),
    at INTEGER NOT NULL,
    state TEXT,
    progress INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;
CREATE UNIQUE INDEX checkpoint_session ON checkpoint (session, no);
CREATE INDEX checkpoint_workflow ON checkpoint (workflow, no);

CREATE TABLE instruction (
    workflow TEXT NOT NULL REFERENCES workflow (id),
    no INTEGER NOT NULL,
    text TEXT NOT NULL,
    used_by TEXT,
    version INTEGER NOT NULL,
    PRIMARY KEY (workflow, no)
) STRICT, WITHOUT ROWID;

CREATE TABLE mailbox (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    sender TEXT,
    callback TEXT UNIQUE,
    content TEXT NOT NULL CHECK (json_valid(content)),
    status TEXT NOT NULL,
    result TEXT CHECK (json_valid(result)),
    error TEXT,
    workflow TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;
CREATE INDEX mailbox_created ON mailbox (created);
CREATE INDEX mailbox_target ON mailbox (target, created);
CREATE INDEX mailbox_status ON mailbox (status, created);
CREATE INDEX mailbox_workflow ON mailbox (workflow) WHERE workflow IS NOT NULL;

CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    status INTEGER,
    body TEXT,
    created INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX idempotency_created ON idempotency (created);

CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    attempts INTEGER NOT NULL,
    next INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_next ON outbox (next);
