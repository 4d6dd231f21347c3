; What the extractor looks at in a Python file. Each capture names the handler that lowers the node.

(decorated_definition) @decorated
(class_definition) @class
(function_definition) @function
(lambda) @lambda
(block) @suite

(import_statement) @import
(import_from_statement) @import.from

(assignment) @assignment
(augmented_assignment) @assignment.augmented
(named_expression) @assignment.named
(for_statement) @for
(while_statement) @while
(with_item) @with
(with_statement) @with.statement
(finally_clause) @finally
(if_statement) @if
(elif_clause) @elif
(assert_statement) @assert
(except_clause) @except
(case_clause) @case
(delete_statement) @delete
(global_statement) @global
(nonlocal_statement) @nonlocal
(type_alias_statement) @type.alias

(list_comprehension) @comprehension
(set_comprehension) @comprehension
(dictionary_comprehension) @comprehension
(generator_expression) @comprehension
(for_in_clause) @comprehension.for

(call) @call
(attribute) @member
(subscript) @subscript
(binary_operator) @operator
(comparison_operator) @comparison
(boolean_operator) @logic
(boolean_operator right: (_) @branch)
(conditional_expression) @logic
(conditional_expression (_) @branch)
(not_operator) @not
(interpolation) @format
(unary_operator) @unary
(return_statement) @return
(yield) @yield
(raise_statement) @raise
