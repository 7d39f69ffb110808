-- What a person has said of a tool, and what was configured of it at that time: what is configured later counts again.
CREATE TABLE tool (
    name TEXT PRIMARY KEY,
    policy TEXT NOT NULL,
    configured TEXT NOT NULL,
    changed INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
