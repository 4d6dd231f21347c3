CREATE INDEX path_path ON path (path);
CREATE INDEX node_name ON node (name COLLATE NOCASE);
CREATE INDEX node_qualified_name ON node (qualified_name COLLATE NOCASE);
CREATE INDEX node_path ON node (path_id, start_line);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind);
CREATE INDEX reference_source ON reference (source);
CREATE INDEX reference_member ON reference (member) WHERE member IS NOT NULL;
