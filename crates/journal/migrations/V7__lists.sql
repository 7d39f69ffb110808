-- Lists are read page by page in their order, which ends with the id: what has changed at the same moment is not sorted for each.
DROP INDEX session_updated;
CREATE INDEX session_updated ON session (updated, id);
DROP INDEX workflow_updated;
CREATE INDEX workflow_updated ON workflow (updated, id);
-- What changes in every transition is in one index only: of a session there are few workflows.
DROP INDEX workflow_session;
CREATE INDEX workflow_session ON workflow (session);
DROP INDEX decision_created;
CREATE INDEX decision_created ON decision (created, id);
DROP INDEX decision_workflow;
CREATE INDEX decision_workflow ON decision (workflow, created, id);
DROP INDEX decision_status;
CREATE INDEX decision_status ON decision (status, created, id);
DROP INDEX mailbox_created;
CREATE INDEX mailbox_created ON mailbox (created, id);
DROP INDEX mailbox_target;
CREATE INDEX mailbox_target ON mailbox (target, created, id);
DROP INDEX mailbox_status;
CREATE INDEX mailbox_status ON mailbox (status, created, id);

-- The program that knows these tables.
PRAGMA user_version = 2000;
