"""What one file says, in a small language-neutral form that workers make and the resolver reads.

A file becomes scopes, definitions, bindings and sites. Right-hand sides, callees and annotations become tiny
expressions: plain tuples ``(tag, ...)`` whose operands are indexes into ``FileFacts.expressions``. Plain, because a
repository holds a million of them and ``marshal`` moves them between processes many times faster than objects.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, Final, NamedTuple

# Bump when the lowered form changes: stored facts of another version are parsed anew.
FACTS_VERSION: Final = 7

Expression = tuple[Any, ...]
NO_EXPRESSION: Final = -1


class Tag:
    """Kinds of expression; operands in brackets, ``e`` an expression index.

    Plain numbers: the millions of look-ups of an enum's members are felt in the time of a whole repository.
    """

    UNKNOWN: Final = 0  # []
    NAME: Final = 1  # [name, version, block]: the version-th binding of the name in its scope was the latest
    MEMBER: Final = 2  # [e, name]
    CALL: Final = 3  # [e, positional: tuple[e, ...], keywords: tuple[(name, e), ...], has_star]
    INDEX: Final = 4  # [e, key e]
    LITERAL: Final = 5  # [type name, value or None]
    SEQUENCE: Final = 6  # [type name, tuple[e, ...]]: list, tuple or set display
    MAPPING: Final = 7  # [tuple[(key e, value e), ...]]
    LAMBDA: Final = 8  # [definition index]
    DEFINITION: Final = 9  # [definition index]: the bare definition, before its decorators
    ITERATE: Final = 10  # [e]: an element of
    ENTER: Final = 11  # [e]: what a context manager yields
    UNPACK: Final = 12  # [e, position, is_star]: the position-th of an unpacked value
    EITHER: Final = 13  # [tuple[e, ...]]: one of
    INSTANCE: Final = 14  # [type e]: a value of that type
    SELF: Final = 15  # []: the receiver of the function around, past those that have none of their own
    SUPER: Final = 16  # [tuple of argument e]
    OPERATOR: Final = 17  # [method name, e, tuple[operand e, ...]]
    AWAIT: Final = 18  # [e]
    GENERATE: Final = 19  # [element e]: a lazily made sequence
    SLICE: Final = 20  # [e, start or None]
    WITHIN: Final = 21  # [scope index, e]: e, in a scope where a condition holds
    SENT: Final = 22  # []: what a caller sends into the generator that stands here
    TYPE_PARAMETER: Final = 23  # [name, place in the file, bound e]: declared by the definition itself
    TYPE: Final = 24  # [dotted name, tuple[type e, ...]]: as an annotation, a type from outside with its arguments
    CONSTRUCT: Final = 25  # [e]: a class, or a function as the class of the objects that it makes
    IMPORTED: Final = 26  # [module, level, member]: what an import gives where it stands
    VALUE_OF: Final = 28  # [e]: as an annotation, whatever the value of e is
    OBJECT: Final = 27  # [definition index]: the one object that an OBJECT definition describes


class Via(IntEnum):
    """The construct that makes a site; only ``CALL`` is written as a call."""

    CALL = 0
    OPERATOR = 1
    WITH = 2
    ITERATION = 3
    DECORATOR = 4
    RAISE = 5
    PROPERTY = 6
    CALLBACK = 7
    FIXTURE = 8
    SETTER = 9


class ScopeKind(IntEnum):
    """What opens a scope."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    INLINE = 3  # comprehension: runs where it stands


class BindingKind(IntEnum):
    """How a name gets its value; payload in brackets."""

    DEFINITION = 0  # [definition index]
    VALUE = 1  # [e]
    DECLARED = 2  # [annotation e, value e or NO_EXPRESSION]
    PARAMETER = 3  # [position]
    IMPORT = 4  # [module, level, member or ""]: "" binds the module itself
    PACKAGE = 5  # [module]: `import a.b` binds a
    NARROWED = 6  # [type e, e of the name before]: an isinstance test holds here
    EXCLUDED = 7  # [type e, e of the name before]: an isinstance test does not hold here


class DefinitionKind(IntEnum):
    """What is defined."""

    FUNCTION = 0
    CLASS = 1
    CONSTANT = 2
    TYPE = 3
    LAMBDA = 4
    INTERFACE = 5
    OBJECT = 6  # one object with members of its own; its name means the object
    NAMESPACE = 7  # a named region; its name means what holds the names inside


class DefinitionFlag(IntFlag):
    """Properties of a definition that its own text shows."""

    NONE = 0
    STATIC = 1
    CLASS_METHOD = 2
    PROPERTY = 4
    GENERATOR = 8
    ASYNC = 16
    OVERLOAD = 32
    CONTEXT_MANAGER = 64
    FIXTURE = 128
    SETTER = 256
    ABSTRACT = 512
    AUTOUSE = 1024
    RECEIVER_APART = 2048  # the receiver is not among the parameters
    LEXICAL_SELF = 4096  # has no receiver of its own: means that of the code around
    OVERLOADABLE = 8192  # definitions of one name stand beside each other; a call chooses by its arguments
    FINAL = 16384  # class: a value of its type is never one of a subclass; method: nothing overrides it
    STRUCTURAL = 32768  # interface: whatever has its methods implements it
    TEST = 65536  # its own text shows that a runner collects it


class ParameterKind(IntEnum):
    """How an argument reaches a parameter."""

    POSITIONAL = 0
    KEYWORD_ONLY = 1
    STAR = 2
    DOUBLE_STAR = 3


class Parameter(NamedTuple):
    """One parameter; annotation and default are expression indexes in the scope around the definition."""

    name: str
    kind: int
    annotation: int
    default: int


class Definition(NamedTuple):
    """One definition. Lines are 1-based; ``scope`` is where its name is bound, ``body`` the scope it opens (or -1)."""

    kind: int
    name: str
    scope: int
    body: int
    line: int
    end_line: int
    flags: int
    signature: str
    docstring: str
    decorated: int  # expression: the definition after its decorators (NO_EXPRESSION: none)
    decorators: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    returns: int  # annotation
    bases: tuple[int, ...]
    results: tuple[int, ...]  # returned expressions, in the body scope
    yields: tuple[int, ...]
    body_words: str
    alias: str = ""  # the name under which a test framework knows it
    uses: tuple[str, ...] = ()  # fixtures that it uses without taking them as parameters
    owner: int = NO_EXPRESSION  # expression of the class or object of which it is a member, where not the scope says so
    qualifier: str = ""  # that owner as written
    key: str = ""  # name under which it is bound, where that is not its own
    parameter_types: str = ""  # "int,String": tells overloads apart
    underlying: int = NO_EXPRESSION  # annotation of what a named type is made of, or of what a lambda is declared as


Binding = tuple[int, Any, int]  # (BindingKind, payload, block)


class Scope(NamedTuple):
    """A region with names of its own. ``bindings`` keep source order; ``definition`` is the owner (-1: the module)."""

    kind: int
    parent: int
    definition: int
    bindings: dict[str, list[Binding]]
    block: int


class Site(NamedTuple):
    """A place where code may run other code: ``expression`` evaluated in ``scope``."""

    scope: int
    line: int
    expression: int
    via: int


class AttributeWrite(NamedTuple):
    """``target.name = value`` (annotation optional)."""

    scope: int
    target: int
    name: str
    value: int
    annotation: int


class ItemWrite(NamedTuple):
    """``target[key] = value``; ``key`` NO_EXPRESSION: some element (append, add ...)."""

    scope: int
    target: int
    key: int
    value: int
    block: int


class Extension(NamedTuple):
    """The class or object that ``target`` means also has the members of ``base``."""

    scope: int
    target: int
    base: int


class Import(NamedTuple):
    """One import as written. ``member`` "" imports the module, "*" everything public."""

    scope: int
    line: int
    module: str
    level: int
    member: str


class Block(NamedTuple):
    """A branch or loop body; a binding in it reaches uses outside only perhaps."""

    parent: int
    is_loop: bool


@dataclass(slots=True)
class FileFacts:
    """Everything the resolver needs of one file."""

    path: str
    language: str
    line_count: int = 1
    docstring: str = ""
    body_words: str = ""
    expressions: list[Expression] = field(default_factory=list[Expression])
    scopes: list[Scope] = field(default_factory=list[Scope])
    blocks: list[Block] = field(default_factory=list[Block])
    definitions: list[Definition] = field(default_factory=list[Definition])
    sites: list[Site] = field(default_factory=list[Site])
    loads: list[Site] = field(default_factory=list[Site])  # member reads, which a property may answer
    attribute_writes: list[AttributeWrite] = field(default_factory=list[AttributeWrite])
    item_writes: list[ItemWrite] = field(default_factory=list[ItemWrite])
    imports: list[Import] = field(default_factory=list[Import])
    exports: list[str] | None = None  # what `__all__` lists
    extensions: list[Extension] = field(default_factory=list[Extension])
    package: str = ""  # the package that the file says it belongs to


def pack(facts: FileFacts) -> bytes:
    """Facts as bytes, for the store and between processes."""
    return marshal.dumps(
        (
            facts.path,
            facts.language,
            facts.line_count,
            facts.docstring,
            facts.body_words,
            facts.expressions,
            [tuple(scope) for scope in facts.scopes],
            [tuple(block) for block in facts.blocks],
            [
                (*definition[:11], tuple(tuple(p) for p in definition.parameters), *definition[12:])
                for definition in facts.definitions
            ],
            [tuple(site) for site in facts.sites],
            [tuple(site) for site in facts.loads],
            [tuple(write) for write in facts.attribute_writes],
            [tuple(write) for write in facts.item_writes],
            [tuple(item) for item in facts.imports],
            facts.exports,
            [tuple(item) for item in facts.extensions],
            facts.package,
        )
    )


def unpack(data: bytes) -> FileFacts:
    """Inverse of :func:`pack`. Only for bytes that this program made: marshal is not safe on foreign data."""
    raw = marshal.loads(data)  # noqa: S302
    definitions = [
        Definition._make((*item[:11], tuple([Parameter._make(p) for p in item[11]]), *item[12:])) for item in raw[8]
    ]
    path, language, line_count, docstring, body_words, expressions = raw[:6]
    return FileFacts(
        path=path,
        language=language,
        line_count=line_count,
        docstring=docstring,
        body_words=body_words,
        expressions=expressions,
        scopes=[Scope._make(item) for item in raw[6]],
        blocks=[Block._make(item) for item in raw[7]],
        definitions=definitions,
        sites=[Site._make(item) for item in raw[9]],
        loads=[Site._make(item) for item in raw[10]],
        attribute_writes=[AttributeWrite._make(item) for item in raw[11]],
        item_writes=[ItemWrite._make(item) for item in raw[12]],
        imports=[Import._make(item) for item in raw[13]],
        exports=raw[14],
        extensions=[Extension._make(item) for item in raw[15]],
        package=raw[16],
    )
