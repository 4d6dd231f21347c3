"""Reading a disassembly, on one written down by hand."""

from __future__ import annotations

import json

from benchmarks.score_javap import Method, read_graph, read_methods, truth

DISASSEMBLY = """Compiled from "A.java"
public class p.A {
  public p.A();
    descriptor: ()V
    Code:
       0: aload_0
       1: invokespecial #1                  // Method java/lang/Object."<init>":()V
       4: return
    LineNumberTable:
      line 3: 0

  public int run(java.lang.String) throws java.io.IOException;
    descriptor: (Ljava/lang/String;)I
    Code:
       0: aload_0
       1: aload_1
       2: invokevirtual #7                  // Method help:(Ljava/lang/String;)I
       5: invokestatic  #9                  // Method p/B.make:()Lp/B;
       8: ireturn
    LineNumberTable:
      line 5: 0
      line 6: 5

  int help(java.lang.String);
    descriptor: (Ljava/lang/String;)I
    Code:
       0: iconst_0
       1: ireturn
    LineNumberTable:
      line 9: 0
}
Compiled from "B.java"
class p.B {
  static p.B make();
    descriptor: ()Lp/B;
    Code:
       0: aconst_null
       1: areturn
    LineNumberTable:
      line 4: 0
}
"""


def row(number: int, path: str, kind: str, name: str, start: int, end: int) -> str:
    return json.dumps({"type": "node", "id": number, "path": path, "kind": kind, "name": name, "start_line": start,
                       "end_line": end})  # fmt: skip


GRAPH = [
    row(1, "src/p/A.java", "Class", "A", 3, 10),
    row(2, "src/p/A.java", "Method", "run", 4, 7),
    row(3, "src/p/A.java", "Method", "help", 8, 10),
    row(4, "src/p/B.java", "Class", "B", 2, 6),
    row(5, "src/p/B.java", "Method", "make", 3, 5),
    row(6, "other/q/B.java", "Method", "make", 3, 5),
]


def test_methods_and_what_they_invoke() -> None:
    methods = read_methods(DISASSEMBLY.splitlines())
    run = methods[Method("p/A", "run", "(Ljava/lang/String;)I")]
    assert [callee.name for _, _, callee in run.invokes] == ["help", "make"]
    assert run.line_at(5) == 6
    assert Method("p/A", "<init>", "()V") in methods


def test_calls_are_between_nodes_of_the_right_package() -> None:
    found = truth(read_methods(DISASSEMBLY.splitlines()), read_graph(GRAPH))
    assert found == {(2, 3): 5, (2, 5): 6}
