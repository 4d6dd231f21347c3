"""Handlers of the captures in ``tags.scm``: each lowers one kind of Java statement or declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, BindingKind, ScopeKind, Tag, Via
from code_review_graph.languages.java.annotations import Types
from code_review_graph.languages.java.definitions import Definitions
from code_review_graph.languages.java.expressions import Expressions
from code_review_graph.languages.java.syntax import UNKNOWN, method_key, text_of
from code_review_graph.lowering import Lowering

# Names in a file's own scope that no identifier can be: its imports of everything in a package or a type.
STARS: Final = "import *"
STATIC_STARS: Final = "import static *"


class Statements:
    """Lowers captured nodes in source order; ``handlers`` maps capture names to methods."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.types = Types(lowering)
        self.expr = Expressions(lowering, self.types)
        self.definitions = Definitions(lowering, self.types, self.expr)
        self.handlers: dict[str, Callable[[Node], None]] = {
            "package": self._package,
            "import": self._import,
            "class": self.definitions.class_,
            "interface": self.definitions.interface,
            "annotation.type": self.definitions.interface,
            "enum": self.definitions.enum,
            "record": self.definitions.record,
            "anonymous": self.definitions.anonymous,
            "enum.constant": self.definitions.enum_constant,
            "method": self.definitions.method,
            "constructor": self.definitions.constructor,
            "lambda": self.definitions.lambda_,
            "field": self.definitions.field,
            "local": self._local,
            "resource": self._resource,
            "for": self._for,
            "catch": self._catch,
            "instanceof": self._instanceof,
            "pattern": self._pattern,
            "region": self._region,
            "call": self._call,
            "constructor.call": self._constructor_call,
            "creation": self._creation,
            "reference": self._reference,
            "return": self._return,
            "yield": self._return,
        }

    def release(self) -> None:
        """Break the circles of bound methods: workers run without a collector."""
        self.handlers.clear()
        self.types.release()
        self.expr.release()
        self.low.regions.clear()

    # -- the file

    def _package(self, node: Node) -> None:
        name = next((child for child in node.named_children if child.type in {"identifier", "scoped_identifier"}), None)
        self.low.facts.package = "".join(text_of(name).split())

    def _import(self, node: Node) -> None:
        children = node.children
        name = next((child for child in children if child.type in {"identifier", "scoped_identifier"}), None)
        if name is None:
            return
        dotted, line = "".join(text_of(name).split()), node.start_point[0] + 1
        is_static = any(child.type == "static" for child in children)
        if any(child.type == "asterisk" for child in children):
            self.low.bind(STATIC_STARS if is_static else STARS, BindingKind.IMPORT, (dotted, 0, "*"))
            self.low.add_import(line, dotted, 0, "*")
            return
        holder, _, member = dotted.rpartition(".")
        for key in (member, method_key(member)) if is_static else (member,):
            self.low.bind(key, BindingKind.IMPORT, (holder, 0, key))
            self.low.add_import(line, holder, 0, key)
        self.low.add_import(line, holder if is_static else dotted, 0, "")

    # -- regions and names

    def _region(self, node: Node) -> None:
        if node.id not in self.definitions.bodies:
            self.low.open_scope(ScopeKind.INLINE, NO_EXPRESSION, node.end_byte)

    def _declare(self, name: str, annotation: int, value: int) -> None:
        if annotation > 0:
            self.low.bind(name, BindingKind.DECLARED, (annotation, value))
        else:
            self.low.bind(name, BindingKind.VALUE, max(value, UNKNOWN))

    def _local(self, node: Node) -> None:
        for name, annotation, value in self.definitions.declarators(node):
            self._declare(text_of(name), annotation, value)

    def _resource(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        value = self.expr.field(node, "value") if name is not None else self.expr.lower(node.named_child(0))
        if name is not None:
            self._declare(text_of(name), self.types.lower(node.child_by_field_name("type")), value)
        closed = self.low.name(text_of(name)) if name is not None else value
        call = self.low.intern((int(Tag.CALL), self.expr.member(closed, method_key("close")), (), (), False))
        self.low.site(node.start_point[0] + 1, call, Via.WITH)

    def _for(self, node: Node) -> None:
        """``for (T x : xs)``."""
        sequence = self.expr.field(node, "value")
        step = self.low.intern((int(Tag.ITERATE), sequence))
        self.low.site(node.start_point[0] + 1, step, Via.ITERATION)
        self.low.open_scope(ScopeKind.INLINE, NO_EXPRESSION, node.end_byte)
        self._declare(
            text_of(node.child_by_field_name("name")), self.types.lower(node.child_by_field_name("type")), step
        )

    def _catch(self, node: Node) -> None:
        kind = next((child for child in node.named_children if child.type == "catch_type"), None)
        self._declare(text_of(node.child_by_field_name("name")), self.types.lower(kind), UNKNOWN)

    def _instanceof(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            annotation = self.types.lower(node.child_by_field_name("right"))
            self._declare(text_of(name), annotation, self.expr.field(node, "left"))

    def _pattern(self, node: Node) -> None:
        """``T x`` in a switch label or a record pattern."""
        children = [child for child in node.named_children if child.type != "modifiers"]
        if len(children) == 2 and children[1].type == "identifier":
            self._declare(text_of(children[1]), self.types.lower(children[0]), UNKNOWN)

    # -- sites

    def _call(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        self.low.site((name or node).start_point[0] + 1, self.expr.lower(node))

    def _constructor_call(self, node: Node) -> None:
        self.low.site(node.start_point[0] + 1, self.expr.lower(node))

    def _creation(self, node: Node) -> None:
        kind = node.child_by_field_name("type")
        self.expr.lower(node)
        self.low.site((kind or node).start_point[0] + 1, self.expr.creation(node))

    def _reference(self, node: Node) -> None:
        """A method that is handed over elsewhere than to a call."""
        parent = node.parent
        if parent is not None and parent.type != "argument_list":
            handed = self.expr.lower(node)
            call = self.low.intern((int(Tag.CALL), UNKNOWN, (handed,), (), False))
            self.low.site(node.start_point[0] + 1, call)

    def _return(self, node: Node) -> None:
        owner = self.low.owner()
        if owner is not None and node.named_child_count and node.type == "return_statement":
            value = node.named_child(0)
            self.expr.declare(value, owner.fields.returns)
            owner.results.append(self.expr.lower(value))
