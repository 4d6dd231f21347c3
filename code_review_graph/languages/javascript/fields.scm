; What only the dialect without types has.

(field_definition) @field
