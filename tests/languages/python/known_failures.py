"""Expectations that the resolver does not meet yet, under what it gets wrong; each must fail until it is taken out."""

from __future__ import annotations

_FAILURES: dict[str, tuple[str, ...]] = {
    "type arguments of a generic class do not reach its methods": (
        "classes/abstract.py::typed_box -> abstract.py::Square.area",
        "classes/abstract.py::typed_box -> abstract.py::Square.area (2)",
        "classes/abstract.py::typed_box -> abstract.py::Circle.area (3)",
        "classes/abstract.py::inherited_argument -> abstract.py::Circle.area",
        "classes/abstract.py::inherited_argument -> abstract.py::Circle.area (2)",
    ),
    "`cls()` in an inherited class method also means the class that defines it": (
        "classes/constructors.py::use not-> constructors.py::Point.show",
        "classes/mro.py::use not-> mro.py::Left.setup",
        "classes/mro.py::use not-> mro.py::Right.setup",
    ),
    "`__new__` is not run by a constructor call, and its `super().__new__(cls)` has no type": (
        "classes/constructors.py::New.__new__ -> constructors.py::New.prepare",
        "classes/constructors.py::make_new -> constructors.py::New.__new__",
        "classes/constructors.py::make_new -> constructors.py::OnlyNew.__new__",
    ),
    "methods of a metaclass are not members of its classes": (
        "classes/hooks.py::use -> hooks.py::Meta.make",
        "classes/hooks.py::use -> hooks.py::Made.run",
    ),
    "a descriptor's `__get__` and `__set__` are not called": (
        "classes/hooks.py::use -> hooks.py::Descriptor.__set__",
        "classes/hooks.py::use -> hooks.py::Descriptor.__get__",
    ),
    "the constructor of a dataclass does not run `__post_init__`": (
        "classes/members.py::make_house -> members.py::House.__post_init__",
    ),
    "`dataclasses.replace` and `_replace` have no result": (
        "classes/members.py::make_house -> members.py::House.check (2)",
        "classes/members.py::make_house -> members.py::Row.area (2)",
    ),
    "a named tuple is not unpacked or indexed by its fields": (
        "classes/members.py::make_house -> members.py::Door.open",
        "classes/members.py::make_house -> members.py::Door.open (2)",
    ),
    "iterating an Enum, indexing it, and members with tuple or computed values": (
        "classes/members.py::enums -> members.py::Color.hex (3)",
        "classes/members.py::enums -> members.py::Color.hex (5)",
        "classes/members.py::enums -> members.py::Planet.gravity",
        "classes/members.py::enums -> members.py::Color.hex (6)",
        "classes/members.py::enums -> members.py::Color.hex (7)",
    ),
    "`property(getter, setter)` as a class attribute": (
        "classes/members.py::old_style -> members.py::Door.open",
        "classes/members.py::old_style -> members.py::OldStyle.get_x",
        "classes/members.py::old_style -> members.py::OldStyle.set_x",
        "classes/members.py::old_style -> members.py::Door.open (2)",
    ),
    "an assignment does not call the setter of a property": (
        "classes/members.py::properties -> members.py::Temperature.door#2",
    ),
    "keys of a TypedDict have no type": ("classes/members.py::typed_dict -> members.py::Door.open",),
    "`super().name` does not call the property": ("classes/members.py::Derived.client -> members.py::Base.client",),
    "a mixin does not see its siblings in the look-up order of the classes that use it": (
        "classes/mixins.py::LogMixin.log -> mixins.py::JsonMixin.to_json",
        "classes/mixins.py::Cooperative.save -> mixins.py::Model.save",
    ),
    "`super()` also means overriders below, which it never reaches": (
        "classes/mro.py::Left.setup not-> mro.py::Bottom.setup",
        "classes/mro.py::Right.setup only-> mro.py::Root.setup",
    ),
    "`*args` hold nothing": (
        "functions/callbacks.py::star_apply -> callbacks.py::shout",
        "functions/callbacks.py::star_apply -> callbacks.py::whisper",
    ),
    "`Executor.map` does not call its argument": ("functions/callbacks.py::main -> callbacks.py::whisper (6)",),
    "`__wrapped__` is not the decorated function": ("functions/decorators.py::use -> decorators.py::work (2)",),
    "a decorator in the class body that wraps a method": (
        "functions/decorators.py::Service.guarded.inner -> decorators.py::Service.run",
    ),
    "`asyncio.gather` has no result": ("functions/flow.py::asyncs -> flow.py::Row.value (6)",),
    "the value of `yield from`": ("functions/flow.py::delegating -> flow.py::Session.query",),
    "narrowing by `else`, early return, `and`, a conditional expression, a `case`, `type() is`, or of an attribute": (
        "functions/flow.py::narrow_same only-> flow.py::Same2.act",
        "functions/flow.py::narrow_same only-> flow.py::Same2.act (2)",
        "functions/flow.py::narrow_same only-> flow.py::Same1.act (2)",
        "functions/flow.py::narrow_same -> flow.py::Same1.act (4)",
        "functions/flow.py::narrow_same -> flow.py::Same2.act (4)",
        "functions/flow.py::narrow_same only-> flow.py::Same2.act (3)",
        "functions/flow.py::narrow_same only-> flow.py::Same1.act (6)",
        "functions/flow.py::narrow_same -> flow.py::Same1.act (8)",
    ),
    "`dict(key=...)`, `list + list`, `list * n`": (
        "functions/flow.py::inferred -> flow.py::Row.value (12)",
        "functions/flow.py::inferred -> flow.py::Row.value (14)",
        "functions/flow.py::inferred -> flow.py::Row.value (15)",
    ),
    "overload signatures do not give their results": (
        "functions/flow.py::overloaded -> flow.py::Row.value",
        "functions/flow.py::overloaded -> flow.py::Session.query",
    ),
    "the first of two methods of one name in a class body stays a member": (
        "functions/redefined.py::Widget.measure only-> redefined.py::Widget.size#2",
    ),
    "`__all__.append` and `__all__.extend`": (
        "imports/all_extended_use.py::go -> shop/stock.py::put",
        "imports/all_extended_use.py::go -> all_extended.py::extra",
    ),
    "a star import below a definition replaces it": (
        "imports/star_late.py::replaced -> shop/pricing.py::net",
        "imports/star_late.py::replaced only-> shop/pricing.py::net",
    ),
    "a fixture of a class is seen outside of it": (
        "testing/store.py::Client tested-by 1 tests/test_client.py::test_get",
        "testing/tests/test_isolated.py::test_class_fixture_not_visible none",
    ),
    "a fixture of another test module is seen without an import": (
        "testing/tests/test_isolated.py::test_not_visible none",
    ),
    "`usefixtures` does not use the fixture": (
        "testing/store.py::Client.login tested-by 1 tests/test_client.py::test_uses",
        "testing/store.py::Client.login tested-by 1 tests/test_client.py::TestUses.test_marked",
    ),
    "autouse fixtures are not used": (
        "testing/store.py::seed tested-by 1 tests/test_client.py::test_other",
        "testing/store.py::seed tested-by 1 tests/test_client.py::test_get",
    ),
    "functions that a parametrised argument passes": (
        "testing/store.py::parsed tested-by 0 tests/test_client.py::test_function_param",
        "testing/store.py::rendered tested-by 0 tests/test_client.py::test_function_param",
        "testing/tests/test_client.py::test_function_param -> store.py::parsed",
        "testing/tests/test_client.py::test_function_param -> store.py::rendered",
    ),
    "`pytest.raises(E, f)` and `assertRaises(E, f)` do not call f": (
        "testing/store.py::passed_by_reference tested-by 0 tests/test_client.py::test_reference",
        "testing/tests/test_client.py::test_reference -> store.py::passed_by_reference",
        "unit/tests/test_shop.py::ShopTests.test_patched -> shop.py::Shop.sell",
    ),
    "`request.getfixturevalue`": ("testing/tests/test_client.py::test_request -> store.py::Client.get",),
    "`tearDown` belongs to no test": ("unit/shop.py::Shop.shut tested-by 1 tests/test_shop.py::ShopTests.test_sell",),
    "`setup_module` belongs to no test": ("unit/shop.py::module_setup tested-by 1 tests/test_module.py::test_a",),
    "`del a[k]` also sets": ("functions/operators.py::use only-> operators.py::Money.__delitem__",),
    "`a += b` does not prefer `__iadd__`": (
        "functions/operators.py::use -> operators.py::Money.__iadd__",
        "functions/operators.py::use only-> operators.py::Money.__iadd__",
    ),
    "reflected operators": (
        "functions/operators.py::use -> operators.py::Money.__rmul__",
        "functions/operators.py::use -> operators.py::Money.__radd__",
    ),
    "`!=` by `__eq__`, and what `total_ordering` derives": (
        "functions/operators.py::use -> operators.py::Money.__eq__ (2)",
        "functions/operators.py::ordered -> operators.py::Version.__lt__ (2)",
    ),
    "truth tests do not call `__bool__`": (
        "functions/operators.py::use -> operators.py::Money.__bool__ (2)",
        "functions/operators.py::use -> operators.py::Money.__bool__ (3)",
        "functions/operators.py::use -> operators.py::Money.__bool__ (4)",
    ),
    "builtins do not call the protocol methods of their argument (`len`, `str`, `iter`, `list`, f-strings ...)": (
        "functions/operators.py::use -> operators.py::Money.__len__",
        "functions/operators.py::use -> operators.py::Money.__str__",
        "functions/operators.py::use -> operators.py::Money.__repr__",
        "functions/operators.py::use -> operators.py::Money.__bool__",
        "functions/operators.py::use -> operators.py::Money.__hash__",
        "functions/operators.py::use -> operators.py::Money.__int__",
        "functions/operators.py::use -> operators.py::Money.__format__",
        "functions/operators.py::use -> operators.py::Money.__repr__ (2)",
        "functions/operators.py::use -> operators.py::Money.__iter__",
        "functions/operators.py::use -> operators.py::Wallet.__next__",
        "functions/operators.py::use -> operators.py::Money.__iter__ (2)",
        "functions/operators.py::use -> operators.py::Money.__reversed__",
        "functions/operators.py::use -> operators.py::Wallet.__iter__ (2)",
        "functions/operators.py::use -> operators.py::Wallet.__iter__ (3)",
        "functions/operators.py::use -> operators.py::Money.__lt__ (2)",
        "functions/operators.py::use -> operators.py::Money.__str__ (2)",
    ),
}

KNOWN_FAILURES: dict[str, str] = {name: reason for reason, names in _FAILURES.items() for name in names}
