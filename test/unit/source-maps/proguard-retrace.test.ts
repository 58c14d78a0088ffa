import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { FrameSchema, SourceMapVerdict } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { EventBudget } from "../../../plugins/source-maps/src/events/reading.ts";
import { compileMapping } from "../../../plugins/source-maps/src/proguard/mapping-index.ts";
import { lookUpMapping } from "../../../plugins/source-maps/src/proguard/look-up-mapping.ts";
import { retrace, type JavaFrame } from "../../../plugins/source-maps/src/proguard/retrace.ts";
import { shownFrames } from "../../../plugins/source-maps/src/proguard/shown-frames.ts";
import { readerOf } from "../../support/source-maps/reader.ts";

/** Stack traces of ProGuard and R8 in printed form, newest call first. */

const fixture = readFileSync(join(import.meta.dirname, "../../fixtures/source-maps/proguard-7.5.0.txt"), "utf8");

/** Reads all. */
const all = () => new EventBudget(Infinity);

const printed = /^(.+)\.([^.]+)\(([^:)]*):?(\d*)\)$/;

function frameOf(line: string): JavaFrame {
  const [, module = "", name = "", filename = "", lineno = ""] = printed.exec(line) ?? [];
  return { module, function: name, filename, lineno: Number(lineno) };
}

/** The stack as the mapping has it; in front of a frame in doubt why, of a synthesized one `~`. */
async function retraced(mapping: string, stack: readonly string[], thrown?: string): Promise<string[]> {
  const { index } = compileMapping({ mapping: Buffer.from(mapping) });
  const frames = stack.map(frameOf).toReversed();
  const names = frames.map(({ module, function: method }) => ({ className: module, method }));
  const records = await lookUpMapping(readerOf(index), [...names, ...(thrown ? [{ className: thrown }] : [])], all());
  const results = retrace(records, { frames, ...(thrown !== undefined && { thrown }) });
  return results
    .flatMap((result, at) => {
      if (!result) return [stack.toReversed()[at] ?? ""];
      return result.calls.map(({ module, function: name, filename, lineno, isSynthesized }) => {
        const place = lineno === 0 ? filename : `${filename}:${lineno}`;
        return `${result.doubt ? `${result.doubt} ` : ""}${isSynthesized ? "~" : ""}${module}.${name}(${place})`;
      });
    })
    .toReversed();
}

const r8 = String.raw;

const rows: [claim: string, mapping: string, stack: string[], expected: string[], thrown?: string][] = [
  [
    "a real trace of ProGuard 7.5 shows the inlined calls",
    fixture,
    ["com.acme.shop.a.a(SourceFile:1023)", "com.acme.shop.Main.main(SourceFile:6)"],
    [
      "com.acme.shop.Checkout.checked(Checkout.java:23)",
      "com.acme.shop.Checkout.charge(Checkout.java:18)",
      "com.acme.shop.Checkout.pay(Checkout.java:14)",
      "com.acme.shop.Main.main(Main.java:6)",
    ],
  ],
  [
    "a class of the runtime stays as it is",
    fixture,
    ["java.util.ArrayList.get(ArrayList.java:427)", "com.acme.shop.c.a(SourceFile:10)"],
    ["java.util.ArrayList.get(ArrayList.java:427)", "com.acme.shop.Till.book(Till.java:10)"],
  ],
  [
    "of methods that share a name the line says which; without it the class alone is known",
    fixture,
    ["com.acme.shop.a.a(SourceFile)", "com.acme.shop.a.a(SourceFile:12)", "com.acme.shop.a.<init>(SourceFile)"],
    [
      "no_line com.acme.shop.Checkout.pay(Checkout.java)",
      "com.acme.shop.Checkout.pay(Checkout.java:12)",
      "no_line com.acme.shop.Checkout.<init>(Checkout.java)",
    ],
  ],
  [
    "several methods of one name without a line are ambiguous",
    `a.B -> x:\n    1:1:void one():10:10 -> a\n    2:2:void two(int):20:20 -> a\n`,
    ["x.a(SourceFile)", "x.a(SourceFile:9)", "x.a(SourceFile:2)"],
    ["ambiguous a.B.a(B.java)", "ambiguous a.B.a(B.java)", "a.B.two(B.java:20)"],
  ],
  [
    "a line outside of the ranges gives the names",
    `a.B -> x:\n    1:5:void one():10:14 -> a\n`,
    ["x.a(SourceFile:9)"],
    ["line_outside a.B.one(B.java)"],
  ],
  [
    "a method without a range keeps the line that was sent, or has its only one",
    `a.B -> x:\n    void one() -> a\n    void other() -> b\n    void single():3 -> c\n    void several():3:5 -> d\n`,
    ["x.a(SourceFile:9)", "x.b(SourceFile)", "x.c(SourceFile)", "x.d(SourceFile:1)"],
    ["a.B.one(B.java:9)", "a.B.other(B.java)", "a.B.single(B.java:3)", "a.B.several(B.java)"],
  ],
  [
    "the range 0:65535 of R8 holds for any line, and a narrower one comes before it",
    `a.B -> x:\n    0:65535:void one():33:33 -> a\n    7:7:void two():70:70 -> b\n    0:65535:void any():1:1 -> b\n`,
    ["x.a(SourceFile)", "x.a(SourceFile:12)", "x.b(SourceFile:7)"],
    ["a.B.one(B.java:33)", "a.B.one(B.java:33)", "a.B.two(B.java:70)"],
  ],
  [
    "inlined calls of another class have its file",
    r8`com.acme.App -> a.a:
# {"id":"sourceFile","fileName":"App.kt"}
    1:1:void com.acme.net.Client.get(java.lang.String):12:12 -> a
    1:1:void start():40 -> a
com.acme.net.Client -> a.b:
# {"id":"sourceFile","fileName":"Http.kt"}
`,
    ["a.a.a(SourceFile:1)"],
    ["com.acme.net.Client.get(Http.kt:12)", "com.acme.App.start(App.kt:40)"],
  ],
  [
    "without a source file the name of the class gives it",
    `com.acme.UtilKt -> a.a:\n    1:1:void one():2:2 -> a\ncom.acme.Shop$Cart -> a.b:\n    1:1:void two():3:3 -> a\n`,
    ["a.a.a(SourceFile:1)", "a.b.a(SourceFile:1)", "a.b.a(Shop.kt:1)"],
    ["com.acme.UtilKt.one(Util.kt:2)", "com.acme.Shop$Cart.two(Shop.java:3)", "com.acme.Shop$Cart.two(Shop.kt:3)"],
  ],
  [
    "synthesized methods are left out where something was inlined into them, and marked where not",
    r8`a.Lambda -> x:
    4:4:void a.Foo.lambda$main$0():225 -> a
    4:4:void run(a.Foo):2 -> a
    # {"id":"com.android.tools.r8.synthesized"}
    5:5:void bridge():3 -> a
    # {"id":"com.android.tools.r8.synthesized"}
`,
    ["x.a(SourceFile:4)", "x.a(SourceFile:5)"],
    ["a.Foo.lambda$main$0(Foo.java:225)", "~a.Lambda.bridge(Lambda.java:3)"],
  ],
  [
    "an outline has the line of its caller",
    r8`# {"id":"com.android.tools.r8.mapping","version":"2.2"}
outline.Class -> a:
    1:2:int outline():0:0 -> a
    # {"id":"com.android.tools.r8.outline"}
some.Class -> b:
    4:4:int outlineCaller(int):98:98 -> s
    5:5:int outlineCaller(int):100:100 -> s
    27:27:int outlineCaller(int):0:0 -> s
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":4,"2":5},"outline":"La;a()I"}
`,
    ["a.a(SourceFile:2)", "b.s(SourceFile:27)"],
    ["~outline.Class.outline(Class.java)", "some.Class.outlineCaller(Class.java:100)"],
  ],
  [
    "a rule about an exception leaves out the call that threw it for the compiler",
    r8`some.Class -> a:
    4:4:void other.Class.inlinee():23:23 -> a
    4:4:void caller(other.Class):7 -> a
    # {"id":"com.android.tools.r8.rewriteFrame","conditions":["throws(Ljava/lang/NullPointerException;)"],"actions":["removeInnerFrames(1)"]}
`,
    ["a.a(SourceFile:4)"],
    ["some.Class.caller(Class.java:7)"],
    "java.lang.NullPointerException",
  ],
  [
    "for another exception the call stays",
    r8`some.Class -> a:
    4:4:void other.Class.inlinee():23:23 -> a
    4:4:void caller(other.Class):7 -> a
    # {"id":"com.android.tools.r8.rewriteFrame","conditions":["throws(Ljava/lang/NullPointerException;)"],"actions":["removeInnerFrames(1)"]}
`,
    ["a.a(SourceFile:4)"],
    ["other.Class.inlinee(Class.java:23)", "some.Class.caller(Class.java:7)"],
    "java.lang.RuntimeException",
  ],
  [
    "comments about fields, unknown ones and signatures change nothing",
    r8`a.B -> x:
# {"id":"com.acme.unknown"}
    int count -> a
    # {"id":"com.android.tools.r8.synthesized"}
    1:1:void one(int):10:10 -> a
    # {"id":"com.android.tools.r8.residualsignature","signature":"(La/b;)V"}
# {broken
    nonsense
`,
    ["x.a(SourceFile:1)"],
    ["a.B.one(B.java:10)"],
  ],
  [
    "lines end as on Windows, names may be those of JavaScript's objects",
    "a.B -> __proto__:\r\n    1:1:void constructor():10:10 -> toString\r\n",
    ["__proto__.toString(SourceFile:1)", "__proto__.valueOf(SourceFile:1)"],
    ["a.B.constructor(B.java:10)", "a.B.valueOf(B.java:1)"],
  ],
  [
    "at most 32 calls of a frame are shown",
    `a.B -> x:\n${Array.from({ length: 500 }, (_, n) => `    1:1:void call${n}():${n + 1} -> a\n`).join("")}`,
    ["x.a(SourceFile:1)"],
    Array.from({ length: 32 }, (_, n) => `a.B.call${n + 468}(B.java:${n + 469})`),
  ],
];

test("a stack has as many inlined calls as there is room for, its newest frames first", async () => {
  const { index } = compileMapping({ mapping: Buffer.from(fixture) });
  const names = [{ className: "com.acme.shop.a", method: "a" }];
  const records = await lookUpMapping(readerOf(index), names, all());
  const frame = frameOf("com.acme.shop.a.a(SourceFile:1023)");
  const result = retrace(records, { frames: [frame, frame, frame] }, 3);
  assert.equal(
    result.map((one) => one?.calls.map((call) => call.function)),
    [["pay"], ["pay", "charge"], ["pay", "charge", "checked"]],
  );
});

test("a frame whose class exceeds the room of the event says so; a frame of the runtime, which no mapping has, does not", async () => {
  const { index } = compileMapping({ mapping: Buffer.from(fixture) });
  const frames = ["com.acme.shop.a", "java.util.ArrayList"].map((module) =>
    create(FrameSchema, { module, function: "a" }),
  );
  const names = frames.map(({ module, function: method }) => ({ className: module, method }));
  const records = await lookUpMapping(readerOf(index), names, new EventBudget(0));
  const shown = shownFrames(frames, retrace(records, { frames }), { ...records, bundleId: 1 });
  assert.equal(
    shown.map(({ module, sourceMapping }) => [module, sourceMapping?.verdict]),
    [
      ["com.acme.shop.a", SourceMapVerdict.BEYOND_LIMIT],
      ["java.util.ArrayList", undefined],
    ],
  );
  assert.match(shown[0]?.sourceMapping?.cause ?? "", /more than 8 MiB of the mapping/);
});

for (const [claim, mapping, stack, expected, thrown] of rows) {
  test(claim, async () => {
    assert.equal(await retraced(mapping, stack, thrown), expected);
  });
}

test.run();
