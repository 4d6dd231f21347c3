"""Numbers of the node kinds that are asked for most."""

from __future__ import annotations

from typing import Final

from code_review_graph.languages.python.grammar import kind

ALIASED_IMPORT: Final = kind("aliased_import")
ASSIGNMENT: Final = kind("assignment")
ASYNC: Final = kind("async", named=False)
ATTRIBUTE: Final = kind("attribute")
BLOCK: Final = kind("block")
BOOLEAN: Final = kind("boolean_operator")
CALL: Final = kind("call")
COMMENT: Final = kind("comment")
COMPARISON: Final = kind("comparison_operator")
CONCATENATED_STRING: Final = kind("concatenated_string")
DECORATOR: Final = kind("decorator")
DICTIONARY_SPLAT: Final = kind("dictionary_splat")
DOTTED_NAME: Final = kind("dotted_name")
EXPRESSION_STATEMENT: Final = kind("expression_statement")
GENERATOR: Final = kind("generator_expression")
IDENTIFIER: Final = kind("identifier")
INTERPOLATION: Final = kind("interpolation")
KEYWORD_ARGUMENT: Final = kind("keyword_argument")
LAMBDA: Final = kind("lambda")
LIST_SPLAT: Final = kind("list_splat")
NOT: Final = kind("not_operator")
PAIR: Final = kind("pair")
PARENTHESIZED: Final = kind("parenthesized_expression")
STRING: Final = kind("string")
STRING_CONTENT: Final = kind("string_content")
SUBSCRIPT: Final = kind("subscript")
WILDCARD_IMPORT: Final = kind("wildcard_import")

# What may be an object of the repository.
VALUES: Final = frozenset({IDENTIFIER, ATTRIBUTE, CALL, SUBSCRIPT})
MEMBERS: Final = frozenset({ATTRIBUTE, SUBSCRIPT})
SPLATS: Final = frozenset({LIST_SPLAT, DICTIONARY_SPLAT})
STRINGS: Final = frozenset({STRING, CONCATENATED_STRING})
PATTERNS: Final = frozenset({kind("pattern_list"), kind("tuple_pattern"), kind("list_pattern")})
