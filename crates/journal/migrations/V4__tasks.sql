-- How well whoever does a task must be able to do it.
ALTER TABLE task ADD COLUMN min_level INTEGER CHECK (min_level BETWEEN 1 AND 10);
