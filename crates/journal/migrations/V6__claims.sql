-- The engine asks again and again which workflows may be claimed: without passing over those that are claimed already.
DROP INDEX workflow_due;
CREATE INDEX workflow_claim ON workflow (max(wake_at, coalesce(lease_until, wake_at)), id) WHERE wake_at IS NOT NULL;
PRAGMA user_version = 2000;
