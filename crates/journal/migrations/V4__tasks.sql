-- How well whoever does a task must be able to do it.
ALTER TABLE task ADD COLUMN min_level INTEGER CHECK (min_level BETWEEN 1 AND 10);

-- Whoever says what is next asks for the steps of one task, and for those that wait for a person: without reading all others.
CREATE INDEX step_task ON step (workflow, task, no, attempt);
CREATE INDEX step_asked ON step (workflow, no, attempt) WHERE outcome IS NOT NULL;
