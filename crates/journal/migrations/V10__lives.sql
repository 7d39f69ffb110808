-- `driven` is from now on the number of the daemon that has driven a workflow: a daemon that starts knows by it which workflows others
-- have left behind, and notes that with them later. What was 1 was driven by an earlier daemon in any case.
DROP INDEX workflow_driven;
CREATE INDEX workflow_driven ON workflow (driven, id) WHERE driven > 0;
PRAGMA user_version = 2000;
