"""What annotations say of a definition to test runners."""

from __future__ import annotations

from typing import Final, NamedTuple

from tree_sitter import Node

from code_review_graph.facts import DefinitionFlag
from code_review_graph.languages.java.syntax import annotations_of, simple_name, text_of

# Annotations of JUnit 4, JUnit 5, TestNG and jqwik.
TESTS: Final = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory",
                          "Property", "Example", "CartesianTest", "RetryingTest"})  # fmt: skip
AROUND: Final = frozenset({
    "Before", "After", "BeforeClass", "AfterClass", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll", "BeforeMethod",
    "AfterMethod", "BeforeTest", "AfterTest", "BeforeSuite", "AfterSuite", "BeforeGroups", "AfterGroups",
    "BeforeProperty", "BeforeTry", "BeforeContainer",
})  # fmt: skip
NESTED: Final = "Nested"
_PROVIDER: Final = "MethodSource"
_DATA_PROVIDER: Final = "DataProvider"


class Marks(NamedTuple):
    """Flags, the name of a provider, and the providers that a test uses."""

    flags: DefinitionFlag
    alias: str = ""
    uses: tuple[str, ...] = ()


def marks_of(node: Node) -> Marks:
    """What the annotations of a declaration say."""
    flags, alias = DefinitionFlag.NONE, ""
    uses: list[str] = []
    for annotation in annotations_of(node):
        name = simple_name(annotation.child_by_field_name("name"))
        if name in TESTS:
            flags |= DefinitionFlag.TEST
            uses += _values(annotation, "dataProvider")
        elif name in AROUND:
            flags |= DefinitionFlag.FIXTURE | DefinitionFlag.AUTOUSE
        elif name == _PROVIDER:
            uses += _values(annotation, "value") or [text_of(node.child_by_field_name("name"))]
        elif name == _DATA_PROVIDER:
            flags |= DefinitionFlag.FIXTURE
            alias = next(iter(_values(annotation, "name")), "")
        elif name == NESTED:
            alias = NESTED
    return Marks(flags, alias, tuple(uses))


def _values(annotation: Node, key: str) -> list[str]:
    """Strings that an annotation gives for one of its elements, the only one or a named one."""
    arguments = annotation.child_by_field_name("arguments")
    found: list[str] = []
    for child in arguments.named_children if arguments is not None else ():
        if child.type == "element_value_pair":
            if text_of(child.child_by_field_name("key")) != key:
                continue
            value = child.child_by_field_name("value")
        else:
            value = child if key == "value" else None
        if value is None:
            continue
        items = value.named_children if value.type == "element_value_array_initializer" else [value]
        found += [text_of(item).strip('"').rpartition("#")[2] for item in items if item.type == "string_literal"]
    return found
