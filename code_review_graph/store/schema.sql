-- Facts: what parsing found in each file. No query reads these tables.
CREATE TABLE file (
    id            INTEGER PRIMARY KEY,
    path          TEXT NOT NULL UNIQUE,
    language      TEXT NOT NULL,
    content_hash  TEXT NOT NULL,
    size          INTEGER NOT NULL,
    mtime_ns      INTEGER NOT NULL,
    rules_version TEXT NOT NULL
) STRICT;

CREATE TABLE facts (
    file_id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    facts   BLOB NOT NULL
) STRICT;

-- A diagnostic without a file speaks of something that was never parsed.
CREATE TABLE diagnostic (
    id      INTEGER PRIMARY KEY,
    file_id INTEGER REFERENCES file (id) ON DELETE CASCADE,
    path    TEXT NOT NULL,
    message TEXT NOT NULL,
    line    INTEGER
) STRICT;
CREATE INDEX diagnostic_file ON diagnostic (file_id);

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- Graph: replaced whole, in one transaction.
CREATE TABLE path (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL
) STRICT;

CREATE TABLE node (
    id             INTEGER PRIMARY KEY,
    name           TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    kind           INTEGER NOT NULL,
    path_id        INTEGER NOT NULL REFERENCES path (id),
    start_line     INTEGER NOT NULL,
    end_line       INTEGER NOT NULL,
    language       TEXT NOT NULL,
    parent         INTEGER REFERENCES node (id) DEFERRABLE INITIALLY DEFERRED,
    is_test        INTEGER NOT NULL,
    signature      TEXT NOT NULL,
    docstring      TEXT NOT NULL
) STRICT;

-- lines: an integer, or integers joined by commas, or null.
CREATE TABLE edge (
    id         INTEGER PRIMARY KEY,
    kind       INTEGER NOT NULL,
    source     INTEGER NOT NULL REFERENCES node (id),
    target     INTEGER NOT NULL REFERENCES node (id),
    lines      ANY,
    resolution INTEGER NOT NULL,
    distance   INTEGER,
    via        TEXT
) STRICT;

CREATE TABLE reference (
    id     INTEGER PRIMARY KEY,
    kind   INTEGER NOT NULL,
    source INTEGER NOT NULL REFERENCES node (id),
    name   TEXT NOT NULL,
    lines  ANY,
    -- Of unresolved ones, the last part of the name: a call of `client.get` may be one of any `get`.
    member TEXT
) STRICT;

-- The words arrive split and lower-cased, so the tokenizer has only to stem. Contentless: nothing is stored twice.
CREATE VIRTUAL TABLE full_text USING fts5 (
    name, qualified_name, signature, docstring, path, body,
    content = '', tokenize = 'porter ascii'
);

-- Vectors: keyed by what was embedded, so that they outlive a rebuild of the graph.
CREATE TABLE vector (
    id        INTEGER PRIMARY KEY,
    text_hash BLOB NOT NULL UNIQUE,
    embedding BLOB NOT NULL
) STRICT;

CREATE TABLE node_vector (
    node_id   INTEGER PRIMARY KEY REFERENCES node (id),
    vector_id INTEGER NOT NULL REFERENCES vector (id)
) STRICT;
