"""Writes what the engine knows of Java's own library: ``code_review_graph/languages/java/library.txt``.

    python scripts/make_java_library.py > code_review_graph/languages/java/library.txt

Needs the JDK's ``jimage`` and ``javap``. One line a public type::

    java.util.List<1>:Collection<0> get=0 iterator=Iterator<0> subList=List<0> ...

That is its name, how many type parameters it has, what it derives from, and for each method that gives something the
type of the result: ``0`` is the type's own first parameter, ``?`` is not known. A functional interface has
``@accept=(0,int)void``, one that inherits its method ``@=inherited``; a static field is ``!UTF_8=Charset``. Types of
the table are written without their package.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGES = (
    "java.io", "java.lang", "java.lang.ref", "java.lang.reflect", "java.math", "java.net", "java.net.http", "java.nio",
    "java.nio.channels", "java.nio.charset", "java.nio.file", "java.nio.file.attribute", "java.security", "java.sql",
    "java.text", "java.time", "java.time.chrono", "java.time.format", "java.time.temporal", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks", "java.util.function",
    "java.util.jar", "java.util.logging", "java.util.regex", "java.util.stream", "java.util.zip", "javax.net.ssl",
)  # fmt: skip
BATCH = 150
_HEADER = re.compile(r"^(?:[\w-]+ )*?(class|interface|enum|@interface|record) ([\w.$]+)(.*) \{$")
_METHOD = re.compile(r"^  public (.*?)([\w$]+)\((.*)\)(?: throws .*)?;$")
_FIELD = re.compile(r"^  public static (?:final )?(\S+) (\w+);$")
_WORDS = frozenset({"abstract", "default", "static", "final", "synchronized", "native", "strictfp", "transient"})
_INHERENT = frozenset({"equals", "hashCode", "toString", "clone", "getClass"})


def names() -> Iterator[str]:
    """Names of all classes in the packages."""
    home = Path(subprocess.run(["which", "javac"], capture_output=True, text=True, check=True).stdout.strip())
    modules = home.resolve().parent.parent / "lib" / "modules"
    listing = subprocess.run(["jimage", "list", str(modules)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path = line.strip()
        package = path.rpartition("/")[0].replace("/", ".")
        if path.endswith(".class") and package in PACKAGES and not re.search(r"\$\d", path):
            yield path.removesuffix(".class").replace("/", ".")


def split(text: str) -> list[str]:
    """Parts of a list between commas, past those inside brackets."""
    found, depth = [""], 0
    for character in text:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found if part.strip()]


def head(text: str) -> tuple[str, list[str], str]:
    """``<A, B extends C<A>> rest`` as names and rest."""
    if not text.startswith("<"):
        return "", [], text
    depth = 0
    for place, character in enumerate(text):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if not depth:
            return text[: place + 1], [part.split()[0] for part in split(text[1:place])], text[place + 1 :].strip()
    return "", [], text


class Type:
    """One type while it is read."""

    def __init__(self, name: str, rest: str, *, is_interface: bool, is_public: bool) -> None:
        self.name = name
        self.is_public = is_public
        self.is_interface = is_interface
        _, self.variables, self.bases = head(rest.strip())
        self.results: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
        self.fields: list[tuple[str, str]] = []
        self.abstract: list[tuple[str, list[str], str]] = []

    def add(self, before: str, name: str, parameters: str) -> None:
        """A method as ``javap`` prints it."""
        words = before.split()
        flags = [word for word in words if word in _WORDS]
        text = before
        for flag in flags:
            text = text.replace(f"{flag} ", "", 1)
        _, own, result = head(text.strip())
        if not result or result.endswith(".") or name in _INHERENT:
            return  # a constructor; what every object has
        given = [self.short(item, own) for item in split(parameters)]
        if "abstract" in flags and self.is_interface:
            self.abstract.append((name, given, self.short(result, own)))
        if result != "void":
            kind, erased = self.short(result, own), tuple(item.partition("<")[0] for item in given)
            # Of one method with several results the compiler added those that a base declares.
            if erased not in self.results[name] or kind.partition("<")[0] == self.name:
                self.results[name][erased] = kind

    def short(self, text: str, own: list[str]) -> str:
        """A type in the form of the table."""
        text = text.strip().removesuffix("...")
        if text.startswith("?"):
            _, _, text = text.partition(" extends ") if " extends " in text else text.partition(" super ")
            text = text.split(" & ")[0]
        if text.endswith("[]"):
            return f"{self.short(text[:-2], own)}[]"
        name, bracket, rest = text.partition("<")
        if not name or name in own:
            return "?"
        if name in self.variables:
            return str(self.variables.index(name))
        arguments = ",".join(self.short(item, own) for item in split(rest[:-1])) if bracket else ""
        return f"{name}<{arguments}>" if arguments.strip("?,") else name

    def fewest(self, name: str) -> int:
        """Number of parameters of the shortest overload; many for none."""
        return min(map(len, self.results.get(name, ())), default=99)

    def chosen(self, inherited: list[Type]) -> Iterator[str]:
        """Each method with its result: of overloads the one with the fewest parameters, a type parameter first."""
        for name, results in sorted(self.results.items()):
            fewest = self.fewest(name)
            if any(base.fewest(name) < fewest for base in inherited):
                continue  # the base has the shorter one
            kinds = set(results.values())
            least = sorted({kind for given, kind in results.items() if len(given) == fewest})
            kind = next((item for item in least if item[0].isdigit()), least[0] if len(least) == 1 else "")
            if len(kinds) == 1 or kind:
                yield f"{name}={kind or kinds.pop()}"

    def base_names(self) -> list[str]:
        """Names of what a type derives from."""
        written = re.sub(r"\b(extends|implements)\b", ",", self.bases)
        return [item for item in split(written) if item != "java.lang.Object"]

    def line(self, inherited: list[Type]) -> str:
        """The line of the table."""
        bases = [self.short(item, []) for item in self.base_names()]
        count = f"<{len(self.variables)}>" if self.variables else ""
        fields = [f"!{name}={self.short(kind, [])}" for kind, name in self.fields]
        parts = [f"{self.name}{count}:{','.join(bases)}", *self.chosen(inherited), *fields]
        left_open = {name for item in (self, *inherited) for name, _, _ in item.abstract}
        if self.is_interface and len(left_open) == 1:
            own = [f"@{name}=({','.join(given)}){result}" for name, given, result in self.abstract[:1]]
            parts[1:1] = own or ["@=inherited"]
        return " ".join(parts)


def read(lines: Iterator[str]) -> Iterator[Type]:
    """Types of a print of ``javap``."""
    current: Type | None = None
    for line in lines:
        if match := _HEADER.match(line):
            is_interface, is_public = match[1] == "interface", line.startswith("public ")
            current = Type(match[2], match[3], is_interface=is_interface, is_public=is_public)
            yield current
        elif line == "}":
            current = None
        elif current is not None and (match := _METHOD.match(line)):
            current.add(match[1], match[2], match[3])
        elif current is not None and (match := _FIELD.match(line)):
            current.fields.append((match[1], match[2]))


def needed(types: dict[str, Type]) -> dict[str, list[Type]]:
    """Public types and what they derive from, each with all of its own bases in the table."""
    found: dict[str, list[Type]] = {}
    waiting = [name for name, item in types.items() if item.is_public]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        bases = [base.partition("<")[0] for base in types[name].base_names()]
        waiting += [base for base in bases if base in types]
        for base in bases:
            bases += [item.partition("<")[0] for item in types[base].base_names()] if base in types else []
        found[name] = [types[base] for base in bases if base in types]
    return found


def printed(classes: list[str]) -> Iterator[str]:
    """What ``javap`` prints of some classes."""
    for start in range(0, len(classes), BATCH):
        command = ["javap", "-public", *classes[start : start + BATCH]]
        yield from subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def main() -> None:
    """Print the table."""
    types = {item.name: item for item in list(read(printed(sorted(names()))))}
    lines = [types[name].line(bases).replace("$", ".") for name, bases in sorted(needed(types).items())]
    known = [re.split(r"[<:]", line, maxsplit=1)[0] for line in lines]
    prefix = re.compile(
        rf"\b(?:{'|'.join(re.escape(item) for item in sorted(PACKAGES, key=len, reverse=True))})\.(?=[A-Z])"
    )
    simple: dict[str, set[str]] = defaultdict(set)
    for name in known:
        simple[prefix.sub("", name)].add(name)
    clashing = [name for names in simple.values() if len(names) > 1 for name in names]
    for name, line in zip(known, lines, strict=True):
        rest = line[len(name) :]
        for place, other in enumerate(clashing):
            rest = re.sub(rf"\b{re.escape(other)}\b", f"\0{place}\0", rest)
        rest = prefix.sub("", rest)
        for place, other in enumerate(clashing):
            rest = rest.replace(f"\0{place}\0", other)
        sys.stdout.write(f"{name}{rest}\n")


if __name__ == "__main__":
    main()
