"""Handlers of the captures in ``tags.scm``: each lowers one kind of Python statement."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node, Parser

from code_review_graph.facts import NO_EXPRESSION, BindingKind, DefinitionKind, ScopeKind, Tag, Via
from code_review_graph.languages.python import fields, kinds
from code_review_graph.languages.python.conditions import tests_of
from code_review_graph.languages.python.definitions import Definitions
from code_review_graph.languages.python.expressions import BINARY_METHODS, Expressions
from code_review_graph.languages.python.narrowing import Narrowing
from code_review_graph.languages.python.sites import Sites
from code_review_graph.languages.python.syntax import UNKNOWN, is_async, text_of
from code_review_graph.languages.python.targets import MAX_DEPTH, bind_target
from code_review_graph.lowering import Lowering


class Statements:
    """Lowers captured nodes in source order; ``handlers`` maps capture names to methods."""

    def __init__(self, lowering: Lowering, parser: Parser) -> None:
        self.low = lowering
        self.expr = Expressions(lowering, parser)
        self.definitions = Definitions(lowering, self.expr)
        self.sites = Sites(lowering, self.expr, self.definitions.export)
        self.narrowing = Narrowing(lowering, self.expr)
        self._async_items: set[int] = set()
        self.handlers: dict[str, Callable[[Node], None]] = {
            "class": self.definitions.lower_class,
            "function": self.definitions.lower_function,
            "decorated": self.definitions.decorated,
            "lambda": self._lambda,
            "suite": self._suite,
            "import": self._import,
            "import.from": self._import_from,
            "assignment": self._assignment,
            "assignment.augmented": self._augmented,
            "assignment.named": self._named,
            "for": self._for,
            "while": self._while,
            "with": self._with,
            "with.statement": self._with_statement,
            "finally": self._plain_suite,
            "if": self._if,
            "elif": self._condition,
            "logic": self._logic,
            "branch": self._branch,
            "assert": self._assert,
            "except": self._except,
            "case": self.narrowing.case,
            "delete": self._delete,
            "global": self._global,
            "nonlocal": self._nonlocal,
            "type.alias": self._type_alias,
            "comprehension": self._comprehension,
            "comprehension.for": self._comprehension_for,
            "call": self.sites.call,
            "member": self.sites.member,
            "subscript": self.sites.subscript,
            "operator": self.sites.operator,
            "unary": self.sites.operator,
            "comparison": self.sites.comparison,
            "format": self.sites.format,
            "not": self.sites.negation,
            "return": self._return,
            "yield": self._yield,
            "raise": self.sites.raised,
        }

    def release(self) -> None:
        """Break the circles of bound methods: workers run without a collector."""
        self.handlers.clear()
        self.low.regions.clear()

    # -- regions

    def _suite(self, node: Node) -> None:
        kind, index = self.low.pending_regions.pop(node.id, ("branch", 0))
        if kind == "plain":
            return
        if kind == "function":
            draft = self.low.drafts[index].fields
            self.low.enter_body(index, ScopeKind.FUNCTION, node.end_byte, draft.parameters)
        elif kind == "class":
            self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
            for name, value in self.definitions.own_parameters.pop(node.id, ()):
                self.low.bind(name, BindingKind.VALUE, value)
        else:
            self.low.open_block(node.end_byte, is_loop=kind == "loop")
            self.narrowing.bind(self.narrowing.of_suite.pop(node.id, []))

    def _lambda(self, node: Node) -> None:
        index = self.expr.lambda_definition(node)
        parameters = self.low.drafts[index].fields.parameters
        self.low.enter_body(index, ScopeKind.FUNCTION, node.end_byte, parameters)
        self.low.drafts[index].results.append(self.expr.lower(node.child_by_field_id(fields.BODY)))

    def _comprehension(self, node: Node) -> None:
        self.expr.lower(node)
        region = self.low.pending_regions.pop(node.id, None)
        if region is not None:
            self.low.reopen_scope(region[1], node.end_byte)

    def _comprehension_for(self, node: Node) -> None:
        self._iterate(node)

    def _with_statement(self, node: Node) -> None:
        self._plain_suite(node)
        if is_async(node):
            self._async_items.update(item.id for clause in node.named_children for item in clause.named_children)

    def _plain_suite(self, node: Node) -> None:
        for child in node.named_children:
            if child.kind_id == kinds.BLOCK:
                self.low.pending_regions[child.id] = ("plain", 0)

    def _iterate(self, node: Node) -> int:
        sequence = self.expr.lower(node.child_by_field_id(fields.RIGHT))
        marks = (1,) if is_async(node) else ()
        value = self.low.intern((Tag.ITERATE, sequence, *marks))
        self.sites.implicit_site(node, value, sequence, Via.ITERATION)
        return value

    def _for(self, node: Node) -> None:
        self._bind(node.child_by_field_id(fields.LEFT), self._iterate(node))
        self._loop_body(node)

    def _while(self, node: Node) -> None:
        self._condition(node)
        condition = node.child_by_field_id(fields.CONDITION)
        self.narrowing.suite(node.child_by_field_id(fields.BODY), tests_of(condition, self.expr, truth=True))
        self._loop_body(node)

    def _loop_body(self, node: Node) -> None:
        body = node.child_by_field_id(fields.BODY)
        if body is not None:
            self.low.pending_regions[body.id] = ("loop", 0)

    def _with(self, node: Node) -> None:
        item = node.child_by_field_id(fields.VALUE)
        if item is None:
            return
        alias = None
        if item.type == "as_pattern":
            alias = item.child_by_field_id(fields.ALIAS)
            item = item.named_child(0)
        manager = self.expr.lower(item)
        marks = (1,) if node.id in self._async_items else ()
        value = self.low.intern((Tag.ENTER, manager, *marks))
        self.sites.implicit_site(node, value, manager, Via.WITH)
        self._bind(alias, value)

    # -- narrowing

    def _if(self, node: Node) -> None:
        self._condition(node)
        self.narrowing.chain(node)

    def _condition(self, node: Node) -> None:
        self.sites.implicit(node.child_by_field_id(fields.CONDITION), "__bool__")

    def _assert(self, node: Node) -> None:
        condition = node.named_child(0) if node.named_child_count else None
        self.narrowing.bind(tests_of(condition, self.expr, truth=True))

    def _logic(self, node: Node) -> None:
        self.expr.lower(node)

    def _branch(self, node: Node) -> None:
        """An operand that the walk enters in the scope where it was lowered."""
        region = self.low.pending_regions.pop(node.id, None)
        if region is not None:
            self.low.reopen_scope(region[1], node.end_byte)

    # -- bindings

    def _bind(self, target: Node | None, value: int) -> None:
        if target is None:
            return
        if target.kind_id == kinds.IDENTIFIER:
            self.low.bind(self.expr.text(target), BindingKind.VALUE, value)
            return
        self._mark_stored(target)
        if target.kind_id in kinds.PATTERNS:
            items = self.low.intern((Tag.ITERATE, value))
            self.sites.implicit_site(target, items, value, Via.ITERATION)
        bind_target(self.expr, target, value)

    def _mark_stored(self, target: Node, depth: int = 0) -> None:
        kind = target.kind_id
        if kind in kinds.MEMBERS:
            self.sites.stored.add(target.id)
        elif kind != kinds.IDENTIFIER and depth < MAX_DEPTH:
            for child in target.named_children:
                self._mark_stored(child, depth + 1)

    def _assignment(self, node: Node) -> None:
        target = node.child_by_field_id(fields.LEFT)
        annotation = node.child_by_field_id(fields.TYPE)
        right = node.child_by_field_id(fields.RIGHT)
        if target is None:
            return
        if right is not None and right.kind_id == kinds.LAMBDA and target.kind_id == kinds.IDENTIFIER:
            self.expr.lambda_definition(right, self.expr.text(target), target.start_point[0] + 1)
        value = NO_EXPRESSION if right is None else self.expr.lower(right)
        if annotation is not None:
            self._declare(target, self.expr.annotation(annotation), value)
        else:
            self._bind(target, value)
        if target.kind_id == kinds.IDENTIFIER:
            self.definitions.constant(node, target, right)

    def _declare(self, target: Node, annotation: int, value: int) -> None:
        if target.kind_id == kinds.IDENTIFIER:
            self.low.bind(self.expr.text(target), BindingKind.DECLARED, (annotation, value))
        elif target.type == "attribute":
            name = target.child_by_field_id(fields.ATTRIBUTE)
            if name is not None:
                self.sites.stored.add(target.id)
                owner = self.expr.lower(target.child_by_field_id(fields.OBJECT))
                self.low.write_attribute(owner, self.expr.text(name), value, annotation)

    def _augmented(self, node: Node) -> None:
        target = node.child_by_field_id(fields.LEFT)
        operator = node.child_by_field_id(fields.OPERATOR)
        if target is None:
            return
        right = node.child_by_field_id(fields.RIGHT)
        if target.kind_id == kinds.IDENTIFIER and self.expr.text(target) == "__all__":
            self.definitions.export(right)
        left = self.expr.lower(target)
        method = BINARY_METHODS.get(operator.type[:-1] if operator is not None else "", "").replace("__", "__i", 1)
        value = self.low.intern((Tag.OPERATOR, method, left, (self.expr.lower(right),)))
        self.sites.implicit_site(node, value, left, Via.OPERATOR)

    def _named(self, node: Node) -> None:
        name = node.child_by_field_id(fields.NAME)
        if name is not None:
            value = self.expr.lower(node.child_by_field_id(fields.VALUE))
            self.low.bind(self.expr.text(name), BindingKind.VALUE, value, self.low.function_scope())

    def _except(self, node: Node) -> None:
        pattern = node.child_by_field_id(fields.VALUE)
        if pattern is None or pattern.type != "as_pattern":
            return
        alias = pattern.child_by_field_id(fields.ALIAS)
        caught = self.low.intern((Tag.INSTANCE, self.expr.lower(pattern.named_child(0))))
        self._bind(alias, caught)

    def _delete(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "subscript":
                self.sites.deleted.add(child.id)
                base = self.expr.lower(child.child_by_field_id(fields.VALUE))
                value = self.low.intern((Tag.OPERATOR, "__delitem__", base, ()))
                self.sites.implicit_site(child, value, base, Via.OPERATOR)

    def _global(self, node: Node) -> None:
        for child in node.named_children:
            self.low.redirect(self.expr.text(child), 0)

    def _nonlocal(self, node: Node) -> None:
        scopes = self.low.facts.scopes
        for child in node.named_children:
            name = self.expr.text(child)
            scope = scopes[self.low.function_scope()].parent
            while scope > 0 and name not in scopes[scope].bindings:
                scope = scopes[scope].parent
            self.low.redirect(name, max(scope, 0))

    def _type_alias(self, node: Node) -> None:
        left, right = node.child_by_field_id(fields.LEFT), node.child_by_field_id(fields.RIGHT)
        if left is None or left.named_child_count == 0:
            return
        name = left.named_children[0]
        if name.type == "generic_type":
            name = name.named_children[0]
        self.low.bind(self.expr.text(name), BindingKind.VALUE, self.expr.annotation(right))
        self.definitions.simple(DefinitionKind.TYPE, node, name)

    # -- what import statements bind

    def _import(self, node: Node) -> None:
        line = node.start_point[0] + 1
        for child in node.children_by_field_id(fields.NAME):
            if child.kind_id == kinds.ALIASED_IMPORT:
                name, alias = child.child_by_field_id(fields.NAME), child.child_by_field_id(fields.ALIAS)
                if name is not None and alias is not None:
                    module = self.expr.text(name)
                    self.low.bind(self.expr.text(alias), BindingKind.IMPORT, (module, 0, ""))
                    self.low.add_import(line, module, 0, "")
            else:
                module = self.expr.text(child)
                self.low.bind(module.split(".", 1)[0], BindingKind.PACKAGE, module)
                self.low.add_import(line, module, 0, "")

    def _import_from(self, node: Node) -> None:
        source = node.child_by_field_id(fields.MODULE_NAME)
        if source is None:
            return
        module, level = _module_of(source)
        for child in node.named_children:
            kind = child.kind_id
            if kind == kinds.WILDCARD_IMPORT:
                self._import_member(node, module, level, "*", "*")
            elif kind == kinds.ALIASED_IMPORT:
                name, alias = child.child_by_field_id(fields.NAME), child.child_by_field_id(fields.ALIAS)
                if name is not None and alias is not None:
                    self._import_member(child, module, level, self.expr.text(name), self.expr.text(alias))
            elif kind == kinds.DOTTED_NAME and child.start_byte != source.start_byte:
                member = self.expr.text(child)
                self._import_member(child, module, level, member, member)

    def _import_member(self, node: Node, module: str, level: int, member: str, name: str) -> None:
        self.low.bind(name, BindingKind.IMPORT, (module, level, member))
        self.low.add_import(node.start_point[0] + 1, module, level, member)

    def _return(self, node: Node) -> None:
        owner = self.low.owner()
        if owner is not None and node.named_child_count:
            owner.results.append(self.expr.lower(node.named_child(0)))

    def _yield(self, node: Node) -> None:
        owner = self.low.owner()
        if owner is None:
            return
        value = self.expr.lower(node.named_child(0)) if node.named_child_count else UNKNOWN
        if any(child.type == "from" for child in node.children):
            value = self.low.intern((Tag.ITERATE, value))
        owner.yields.append(value)


def _module_of(node: Node) -> tuple[str, int]:
    if node.type != "relative_import":
        return text_of(node), 0
    text = text_of(node).replace(" ", "")
    module = text.lstrip(".")
    return module, len(text) - len(module)
