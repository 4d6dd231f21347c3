"""Java expressions, lowered to the neutral form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, Definition, DefinitionFlag, DefinitionKind, Tag
from code_review_graph.languages.java.annotations import QUALIFIED, Types
from code_review_graph.languages.java.syntax import CONSTRUCTOR, UNKNOWN, method_key, one_line, text_of
from code_review_graph.lowering import Lowering

RECEIVER: Final = "."  # keyword under which a call carries what a function argument is fed from
PAIRED: Final = ".."  # likewise for the second parameter of the function
STRING: Final = "java.lang.String"
MAX_DEPTH: Final = 150
MAX_LITERAL: Final = 60
_TESTS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_FUNCTIONS: Final = frozenset({"lambda_expression", "method_reference"})
# Types whose static methods make a function of the functions that they take, or work on their first argument.
_COMBINERS: Final = frozenset({"Collectors", "Comparator"})
_WORKERS: Final = frozenset({"Collections", "Arrays", "Stream", "Optional"})
# Methods of a map whose function takes a key and a value; where it takes two values.
_ENTRIES: Final = frozenset({"forEach", "replaceAll", "computeIfPresent", "compute"})
_MERGING: Final = "merge"
# Methods that keep what they are given: a function among it is of the type of what is inside.
_KEEPING: Final = frozenset({"add", "addFirst", "addLast", "offer", "offerFirst", "offerLast", "push", "set", "orElse"})
_KEEPING_PAIRS: Final = frozenset({"put", "putIfAbsent", "replace", "getOrDefault"})
_MAKER: Final = "function1"  # ``int[]::new``
_LITERALS: Final = {
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "true": "boolean",
    "false": "boolean",
    "character_literal": "char",
}


class Expressions:
    """Lowers expression nodes; one instance a file."""

    def __init__(self, lowering: Lowering, types: Types) -> None:
        self.low = lowering
        self.types = types
        self.objects: dict[int, int] = {}  # bodies of nameless classes -> their definitions
        self.lambdas: dict[int, int] = {}
        self._depth = 0
        self._self = lowering.intern((int(Tag.SELF),))
        self._super = lowering.intern((int(Tag.SUPER), ()))
        self._handlers: dict[str, Callable[[Node], int]] = {
            "identifier": lambda node: lowering.name(text_of(node)),
            "type_identifier": lambda node: lowering.name(text_of(node)),
            "this": lambda _: self._self,
            "super": lambda _: self._super,
            "parenthesized_expression": self._inner,
            "method_invocation": self._call,
            "object_creation_expression": self._creation,
            "field_access": self._field_access,
            "scoped_identifier": types.qualified,
            "scoped_type_identifier": types.qualified,
            "generic_type": types.head,
            "array_access": self._index,
            "array_creation_expression": self._array,
            "array_initializer": self._items,
            "method_reference": self._reference,
            "lambda_expression": self._lambda,
            "cast_expression": self._cast,
            "ternary_expression": self._ternary,
            "assignment_expression": lambda node: self.field(node, "right"),
            "binary_expression": self._binary,
            "unary_expression": self._unary,
            "update_expression": self._inner,
            "instanceof_expression": lambda _: self.literal("boolean"),
            "null_literal": lambda _: self.literal("None"),
            "class_literal": lambda _: self.literal("java.lang.Class"),
            "string_literal": self._text,
            "text_block": self._text,
            "switch_expression": self._switch,
            "explicit_constructor_invocation": self._constructor_call,
            **dict.fromkeys(_LITERALS, self._plain),
        }

    def release(self) -> None:
        """Let go of the handlers."""
        self._handlers.clear()

    def lower(self, node: Node | None) -> int:
        """Expression of a node; ``UNKNOWN`` for what says nothing."""
        handler = self._handlers.get(node.type) if node is not None else None
        if node is None or handler is None or self._depth > MAX_DEPTH:
            return UNKNOWN
        cache = self.low.node_expressions
        index = cache.get(node.id)
        if index is None:
            self._depth += 1
            index = cache[node.id] = handler(node)
            self._depth -= 1
        return index

    def field(self, node: Node, name: str) -> int:
        """Expression of a named part of a node."""
        return self.lower(node.child_by_field_name(name))

    def literal(self, kind: str, value: object = None) -> int:
        """A value of a plain type."""
        return self.low.intern((int(Tag.LITERAL), kind, value))

    def member(self, owner: int, name: str) -> int:
        """``owner.name``."""
        return self.low.intern((int(Tag.MEMBER), owner, name))

    def made(self, annotation: int) -> int:
        """A value of a type."""
        return UNKNOWN if annotation <= 0 else self.low.intern((int(Tag.INSTANCE), annotation))

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_child(0)) if node.named_child_count else UNKNOWN

    # -- calls

    def arguments(self, node: Node) -> tuple[int, ...]:
        """Arguments of a call."""
        listed = node.child_by_field_name("arguments")
        children = listed.named_children if listed is not None else ()
        return tuple([self.lower(child) for child in children if "comment" not in child.type])

    def _call(self, node: Node) -> int:
        name = method_key(text_of(node.child_by_field_name("name")))
        holder = node.child_by_field_name("object")
        is_super = any(child.type == "super" for child in node.children) and holder is not None
        if holder is None:
            owner, callee = UNKNOWN, self.low.name(name)
        else:
            owner = self.lower(holder)
            is_own_super = is_super and holder.type == "super"
            callee = self.member(self._super if is_own_super else owner, name)
        keywords = self.types.keywords(self.types.listed(node.child_by_field_name("type_arguments")))
        listed = node.child_by_field_name("arguments")
        functions = [c for c in listed.named_children if c.type in _FUNCTIONS] if holder is not None and listed else []
        kept = self._kept(name, owner) if functions else UNKNOWN
        for function in functions if kept else ():
            if function.type == "lambda_expression":
                self.lambda_(function, kept)
        positional = self.arguments(node)
        if functions and not kept:
            keywords += self._feeding(node, owner, positional)
        return self.low.intern((int(Tag.CALL), callee, positional, keywords, False))

    def _kept(self, name: str, owner: int) -> int:
        """Type of a function that a method of a container keeps; nothing for other methods."""
        plain = name.removesuffix("()")
        if not owner or (plain not in _KEEPING and plain not in _KEEPING_PAIRS):
            return UNKNOWN
        if plain in _KEEPING_PAIRS:
            owner = self._values(owner)
        return self.low.intern((int(Tag.VALUE_OF), self.low.intern((int(Tag.ITERATE), owner))))

    def _values(self, owner: int) -> int:
        return self.low.intern((int(Tag.CALL), self.member(owner, method_key("values")), (), (), False))

    def _feeding(self, node: Node, owner: int, positional: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
        """What the functions among the arguments of a call are called with."""
        holder = node.child_by_field_name("object")
        root = holder
        while root is not None and root.type == "method_invocation":
            root = root.child_by_field_name("object")
        name = text_of(root) if root is not None and root.type == "identifier" else ""
        if name in _COMBINERS:
            owner = self._taking(node)
        elif name in _WORKERS and root is holder:
            owner = positional[0]
        method = text_of(node.child_by_field_name("name"))
        if not owner:
            return ()
        if method in _ENTRIES or method == _MERGING:
            values = self._values(owner)
            return ((RECEIVER, values if method == _MERGING else owner), (PAIRED, values))
        return ((RECEIVER, owner),)

    def _taking(self, node: Node) -> int:
        """The object whose method takes what a call makes: of ``xs.sort(Comparator.comparing(f))``, ``xs``."""
        around = node.parent
        while around is not None and around.type in {"argument_list", "method_invocation"}:
            if around.type == "method_invocation":
                holder = around.child_by_field_name("object")
                first = holder
                while first is not None and first.type == "method_invocation" and first.id != node.id:
                    first = first.child_by_field_name("object")
                is_link = first is None or first.id == node.id or text_of(first) in _COMBINERS
                if not is_link and holder is not None:
                    is_static = holder.type == "identifier" and text_of(holder) in _WORKERS
                    return self.arguments(around)[0] if is_static else self.lower(holder)
            around = around.parent
        return UNKNOWN

    def creation(self, node: Node) -> int:
        """The call of the constructor that an object creation makes."""
        kind = node.child_by_field_name("type")
        keywords = self.types.keywords(self.types.arguments(kind))
        made = self.types.head(kind)
        outer = node.named_child(0)
        if outer is not None and outer.id != getattr(kind, "id", -1) and node.children[0].type != "new":
            made = self.member(self.lower(outer), text_of(kind).partition("<")[0])  # outer.new Inner()
        return self.low.intern((int(Tag.CALL), made, self.arguments(node), keywords, False))

    def _creation(self, node: Node) -> int:
        body = next((child for child in node.named_children if child.type == "class_body"), None)
        if body is None:
            return self.creation(node)
        return self.low.intern((int(Tag.OBJECT), self.nameless(body, node, node.child_by_field_name("type"))))

    def nameless(self, body: Node, node: Node, base: Node | int | None) -> int:
        """Definition of the one object that a class body without a name describes."""
        index = self.objects.get(body.id)
        if index is None:
            expression = base if isinstance(base, int) else self.types.lower(base)
            definition = Definition(
                int(DefinitionKind.OBJECT), "", self.low.scope, -1, node.start_point[0] + 1, body.end_point[0] + 1,
                0, "", "", NO_EXPRESSION, (), (), NO_EXPRESSION, (expression,), (), (), "",
            )  # fmt: skip
            index = self.objects[body.id] = self.low.define(definition, (body.start_byte, body.end_byte))
        return index

    def _constructor_call(self, node: Node) -> int:
        chosen = node.child_by_field_name("constructor")
        owner = self._super if chosen is not None and chosen.type == "super" else self._self
        return self.low.intern((int(Tag.CALL), self.member(owner, CONSTRUCTOR), self.arguments(node), (), False))

    # -- functions

    def _reference(self, node: Node) -> int:
        children = [child for child in node.children if child.is_named or child.type == "new"]
        if len(children) < 2:
            return UNKNOWN
        holder, name = children[0], children[-1]
        if name.type == "new":
            return self.literal(_MAKER) if holder.type == "array_type" else self.types.head(holder)
        return self.member(self.lower(holder), method_key(text_of(name)))

    def _lambda(self, node: Node) -> int:
        return self.low.intern((int(Tag.LAMBDA), self.lambda_(node)))

    def lambda_(self, node: Node, declared: int = NO_EXPRESSION) -> int:
        """Definition of a lambda; where it stands may declare the function type that it has."""
        index = self.lambdas.get(node.id)
        if index is None:
            parameters = self.types.parameters(node.child_by_field_name("parameters"))
            flags = DefinitionFlag.RECEIVER_APART | DefinitionFlag.LEXICAL_SELF
            definition = Definition(
                int(DefinitionKind.LAMBDA), "", self.low.scope, -1, node.start_point[0] + 1, node.end_point[0] + 1,
                int(flags), one_line(self.low.source, node.start_byte, min(node.end_byte, node.start_byte + 80)), "",
                NO_EXPRESSION, (), parameters, NO_EXPRESSION, (), (), (), "", underlying=declared,
            )  # fmt: skip
            index = self.lambdas[node.id] = self.low.define(definition, (node.start_byte, node.end_byte))
        return index

    # -- members and elements

    def _field_access(self, node: Node) -> int:
        holder, name = node.child_by_field_name("object"), node.child_by_field_name("field")
        if holder is None or name is None:
            return UNKNOWN
        if name.type == "this":  # Outer.this
            return self.made(self.types.lower(holder) if holder.type == "identifier" else self.lower(holder))
        if QUALIFIED.fullmatch(text_of(node)):
            return self.types.qualified(node)
        return self.member(self.lower(holder), text_of(name))

    def _index(self, node: Node) -> int:
        return self.low.intern((int(Tag.INDEX), self.field(node, "array"), self.field(node, "index")))

    def _array(self, node: Node) -> int:
        dimensions = [child for child in node.named_children if child.type in {"dimensions", "dimensions_expr"}]
        count = sum(max(text_of(child).count("["), 1) for child in dimensions)
        return self.made(self.types.array(node.child_by_field_name("type"), count))

    def _items(self, node: Node) -> int:
        items = tuple([self.lower(child) for child in node.named_children if "comment" not in child.type])
        return self.low.intern((int(Tag.SEQUENCE), "list", items))

    # -- operators and literals

    def _cast(self, node: Node) -> int:
        value, annotation = node.child_by_field_name("value"), self.types.lower(node.child_by_field_name("type"))
        self.declare(value, annotation)
        return self.made(annotation)

    def declare(self, value: Node | None, annotation: int) -> None:
        """A lambda has the function type that is declared where it stands."""
        if value is not None and value.type == "lambda_expression" and annotation > 0:
            self.lambda_(value, annotation)

    def _ternary(self, node: Node) -> int:
        return self._either([self.field(node, "consequence"), self.field(node, "alternative")])

    def _either(self, items: list[int]) -> int:
        known = tuple(dict.fromkeys(item for item in items if item != UNKNOWN))
        if len(known) == 1:
            return known[0]
        return self.low.intern((int(Tag.EITHER), known)) if known else UNKNOWN

    def _binary(self, node: Node) -> int:
        operator = text_of(node.child_by_field_name("operator"))
        if operator in _TESTS:
            return self.literal("boolean")
        left, right = self.field(node, "left"), self.field(node, "right")
        if operator == "+" and any(self._is_text(item) for item in (left, right)):
            return self.literal(STRING)
        return self._either([left, right])

    def _is_text(self, expression: int) -> bool:
        shape = self.low.facts.expressions[expression]
        return bool(shape[0] == Tag.LITERAL and shape[1] == STRING)

    def _unary(self, node: Node) -> int:
        operator = text_of(node.child_by_field_name("operator"))
        return self.literal("boolean") if operator == "!" else self.field(node, "operand")

    def _text(self, node: Node) -> int:
        value = text_of(node).strip('"')
        return self.literal(STRING, value if len(value) <= MAX_LITERAL else None)

    def _plain(self, node: Node) -> int:
        kind, text = _LITERALS[node.type], text_of(node)
        if kind == "int" and text[-1:] in {"L", "l"}:
            return self.literal("long")
        if kind == "double" and text[-1:] in {"F", "f"}:
            return self.literal("float")
        value = int(text) if kind == "int" and text.isascii() and text.isdecimal() and len(text) < 10 else None
        return self.literal(kind, value)

    def _switch(self, node: Node) -> int:
        """Values of the rules of a switch that is an expression."""
        body = node.child_by_field_name("body")
        found: list[int] = []
        for rule in body.named_children if body is not None else ():
            last = rule.named_children[-1] if rule.type == "switch_rule" and rule.named_child_count else None
            if last is not None and last.type == "expression_statement":
                found.append(self._inner(last))
        return self._either(found)
