; What only dialects with types have.

(abstract_class_declaration) @class
(public_field_definition) @field
(interface_declaration) @interface
(type_alias_declaration) @type
(enum_declaration) @enumeration
[(internal_module) (module)] @namespace
(import_alias) @import.alias
(function_signature) @function.signature
