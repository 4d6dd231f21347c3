"""Numbers of the fields that are asked for."""

from __future__ import annotations

from typing import Final

from code_review_graph.languages.python.grammar import field

ALIAS: Final = field("alias")
ALTERNATIVE: Final = field("alternative")
ARGUMENT: Final = field("argument")
ARGUMENTS: Final = field("arguments")
ATTRIBUTE: Final = field("attribute")
BODY: Final = field("body")
CONDITION: Final = field("condition")
CONSEQUENCE: Final = field("consequence")
DEFINITION: Final = field("definition")
EXPRESSION: Final = field("expression")
FUNCTION: Final = field("function")
KEY: Final = field("key")
LEFT: Final = field("left")
MODULE_NAME: Final = field("module_name")
NAME: Final = field("name")
OBJECT: Final = field("object")
OPERATOR: Final = field("operator")
PARAMETERS: Final = field("parameters")
RETURN_TYPE: Final = field("return_type")
RIGHT: Final = field("right")
SUBJECT: Final = field("subject")
SUBSCRIPT: Final = field("subscript")
SUPERCLASSES: Final = field("superclasses")
TYPE: Final = field("type")
TYPE_CONVERSION: Final = field("type_conversion")
TYPE_PARAMETERS: Final = field("type_parameters")
VALUE: Final = field("value")
