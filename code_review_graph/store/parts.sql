-- What resolving a part of the graph anew rests on. No query reads these tables.

-- Of a file's facts, what is asked without unpacking them.
CREATE TABLE outline (
    file_id     INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    scopes      INTEGER NOT NULL,
    definitions INTEGER NOT NULL,
    marks       BLOB NOT NULL,
    mentions    BLOB NOT NULL
) STRICT;

-- Which node each definition of a file became, and the numbers that stand for its parts in the tables below.
CREATE TABLE numbering (
    file_id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    nodes   BLOB NOT NULL,
    slots   BLOB
) STRICT;

-- What one file brings to the definitions of another: calls, attributes, elements, heirs.
CREATE TABLE link (
    target  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    kind    INTEGER NOT NULL,
    source  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    entries BLOB NOT NULL,
    PRIMARY KEY (target, kind, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_source ON link (source);

-- What callers pass for the parameters of a file's functions, by level.
CREATE TABLE passed (
    file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    level   INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (file_id, level)
) STRICT, WITHOUT ROWID;
