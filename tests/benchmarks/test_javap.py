"""Reading a disassembly, on one written down by hand."""

from __future__ import annotations

import json

from benchmarks.score_javap import Method, read_graph, read_program, truth

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
    methods = read_program(DISASSEMBLY.splitlines()).methods
    run = methods[Method("p/A", "run", "(Ljava/lang/String;)I")]
    assert [callee.name for _, callee in run.invokes] == ["help", "make"]
    assert run.line_at(5) == 6
    assert Method("p/A", "<init>", "()V") in methods


def test_calls_are_between_nodes_of_the_right_package() -> None:
    found = truth(read_program(DISASSEMBLY.splitlines()), read_graph(GRAPH)).calls
    assert found == {(2, 3): 5, (2, 5): 6}


DERIVED = """  Compiled from "C.java"
class p.C extends p.A implements java.util.function.Function<java.lang.String, p.B>
  p.C();
    descriptor: ()V
    Code:
       0: aload_0
       1: invokespecial #1                  // Method p/A."<init>":()V
    LineNumberTable:
      line 2: 0

  void all();
    descriptor: ()V
    Code:
       0: aload_0
       1: invokevirtual #7                  // Method run:(Ljava/lang/String;)I
       2: new           #8                  // class p/C$1
       3: invokespecial #9                  // Method p/C$1."<init>":(Lp/C;)V
       4: invokedynamic #10,  0             // InvokeDynamic #0:get:()Ljava/util/function/Supplier;
       5: invokeinterface #11,  1           // InterfaceMethod java/util/Iterator.next:()Ljava/lang/Object;
    LineNumberTable:
      line 5: 0
      line 6: 4
SourceFile: "C.java"
BootstrapMethods:
  0: #52 REF_invokeStatic java/lang/invoke/LambdaMetafactory.metafactory:()Ljava/lang/invoke/CallSite;
    Method arguments:
      #46 ()Ljava/lang/Object;
      #47 REF_invokeStatic p/B.make:()Lp/B;
  Compiled from "C.java"
class p.C$1 extends p.D
  p.C$1(p.C);
    descriptor: (Lp/C;)V
    Code:
       0: aload_0
       1: invokespecial #1                  // Method p/D."<init>":()V
    LineNumberTable:
      line 5: 0
  Compiled from "D.java"
class p.D
  p.D();
    descriptor: ()V
    Code:
       0: return
    LineNumberTable:
      line 3: 0
"""


def test_inherited_methods_references_and_classes_without_a_name() -> None:
    graph = read_graph([
        *GRAPH,
        row(7, "src/p/C.java", "Class", "C", 2, 9),
        row(8, "src/p/C.java", "Method", "all", 4, 7),
        row(9, "src/p/D.java", "Method", "D", 3, 3),
    ])  # fmt: skip
    found = truth(read_program((DISASSEMBLY + DERIVED).splitlines()), graph)
    assert found.calls.items() >= {(8, 2): 5, (8, 9): 5}.items()
    assert found.handed == {(8, 5): 6}
    assert (8, "next") in found.outside
