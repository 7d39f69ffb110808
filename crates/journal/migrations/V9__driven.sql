-- A daemon that starts interrupts the workflows that were driven: without reading all others that are open. What seldom changes is
-- in an index of its own, which other changes do not write.
ALTER TABLE workflow ADD COLUMN driven INTEGER NOT NULL DEFAULT 0;
UPDATE workflow SET driven = 1
WHERE state = 'paused'
    OR state NOT IN ('idle', 'completed', 'failed') AND NOT coalesce(json_extract(context, '$.interrupted') = 1, 0);
CREATE INDEX workflow_driven ON workflow (id) WHERE driven = 1;
PRAGMA user_version = 2000;
