; What the extractor looks at in every dialect. Each capture names the handler that lowers the node.

[(function_declaration) (generator_function_declaration)] @function.declared
[(function_expression) (generator_function) (arrow_function)] @function
(method_definition) @function
[(class_declaration) (class)] @class
(class_body) @class.body
(class_static_block) @class.static
(object) @object

(statement_block) @block
(else_clause) @branch
(switch_body) @switch
[(switch_case) (switch_default)] @case
(catch_clause) @catch
(if_statement) @if
(for_statement) @for
(for_in_statement) @for.in
[(while_statement) (do_statement)] @while
; The bare word: a pattern of the expression around it costs the square of the depth of a chain of operators.
"instanceof" @instance.test

(import_statement) @import
(export_statement) @export
(variable_declarator) @variable
(assignment_expression) @assignment
(augmented_assignment_expression) @assignment

(call_expression) @call
(new_expression) @new
(member_expression) @member
(decorator) @decorator
(return_statement) @return
(yield_expression) @yield
