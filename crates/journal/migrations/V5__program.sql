-- The oldest program that knows these tables, 0.2.0: a program that is older still refuses the file and names this version.
-- Every later migration sets it as well: major * 1000000 + minor * 1000 + patch.
PRAGMA user_version = 2000;
