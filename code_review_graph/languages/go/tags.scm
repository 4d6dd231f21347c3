; What the extractor looks at in a Go file. Each capture names the handler that lowers the node.

(package_clause) @package
(import_spec) @import
(function_declaration) @function
(method_declaration) @method
(func_literal) @closure
(type_spec) @type
(type_alias) @alias
(const_declaration) @const
(var_spec) @var

; Bodies of functions and loops are regions already.
(if_statement initializer: (_)) @region
(expression_switch_statement initializer: (_)) @region
(type_switch_statement initializer: (_)) @region
(if_statement (block) @region)
(statement_list (block) @region)
(for_statement) @loop
(expression_case) @region
(default_case) @case
(type_case) @case
(communication_case) @region
(type_switch_statement) @switch

(short_var_declaration) @define
(assignment_statement) @assign
(range_clause) @range
(receive_statement) @receive
(return_statement) @return

(call_expression) @call
(type_conversion_expression type: (generic_type)) @call
(composite_literal) @literal
