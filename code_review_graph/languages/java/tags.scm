; What the extractor looks at in a Java file. Each capture names the handler that lowers the node.

(package_declaration) @package
(import_declaration) @import

(class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(record_declaration) @record
(annotation_type_declaration) @annotation.type
(object_creation_expression (class_body) @anonymous)
(enum_constant) @enum.constant

(method_declaration) @method
(constructor_declaration) @constructor
(compact_constructor_declaration) @constructor
(annotation_type_element_declaration) @method
(lambda_expression) @lambda

(field_declaration) @field
(constant_declaration) @field
(local_variable_declaration) @local
(resource) @resource
(enhanced_for_statement) @for
(catch_formal_parameter) @catch
(instanceof_expression) @instanceof
(type_pattern) @pattern
(record_pattern_component) @pattern

(block) @region
(constructor_body) @region
(for_statement) @region
(try_with_resources_statement) @region
(catch_clause) @region
(switch_block_statement_group) @region
(switch_rule) @region

(method_invocation) @call
(explicit_constructor_invocation) @constructor.call
(object_creation_expression) @creation
(method_reference) @reference
(return_statement) @return
(yield_statement) @yield
