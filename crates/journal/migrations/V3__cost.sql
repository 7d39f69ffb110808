-- What steps have cost is added up for whoever watches, again and again: without reading what was asked and answered in each.
CREATE INDEX step_tokens ON step (workflow, tokens) WHERE tokens IS NOT NULL;
