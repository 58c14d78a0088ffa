import { create, toJson } from "@bufbuild/protobuf";
import { SourceMapVerdict as Verdict, EventSchema, type Event, type Frame } from "@faultline/proto";
import type { JsonObject } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readEvent } from "../../../plugins/external-backend/src/reading/index.ts";
import { entriesOf } from "../../../plugins/sentry-api/src/shapes/entries.ts";
import { contextOf, event2024, frame } from "../../support/external/sentry-answers.ts";

/** Frames that the external system mapped: `rawStacktrace` has them as they were sent. */

type Fields = JsonObject;

const exceptionEvent = (exception: Fields, platform = "javascript"): JsonObject =>
  event2024({
    platform,
    entries: [{ type: "exception", data: { values: [{ type: "Error", value: "x", ...exception }] } }],
  });

const stack = (...frames: Fields[]) => ({
  frames: frames.map((fields) => frame({ context: [], vars: null, ...fields })),
});

const read = (event: JsonObject) => create(EventSchema, readEvent(event, contextOf()).event);

/** A frame as `function line`; behind a mapped one what was sent, behind an inlined one `+`. */
const words = ({ exceptions, threads }: Event) =>
  [...exceptions, ...threads].flatMap(({ frames }) =>
    frames.map(({ function: name, lineno, sourceMapping: mapping }) => {
      if (!mapping) return `${name} ${lineno}`;
      assert.is(mapping.verdict, Verdict.MAPPED);
      return mapping.inlined
        ? `${name} ${lineno} +`
        : `${name} ${lineno} < ${mapping.minified?.function} ${mapping.minified?.lineno}`;
    }),
  );

const library = { function: "run", filename: "lib.js", lineNo: 7 };
const rows: [claim: string, mapped: Fields[], sent: Fields[] | undefined, expected: string[]][] = [
  ["without a raw stack nothing is said", [library], undefined, ["run 7"]],
  ["with an equal raw stack nothing is said", [library], [library], ["run 7"]],
  [
    "a mapped frame has what was sent",
    [library, { function: "total", filename: "./cart.ts", lineNo: 3 }],
    [library, { function: "t", filename: "app.js", lineNo: 1, colNo: 40 }],
    ["run 7", "total 3 < t 1"],
  ],
  [
    "one frame became several calls",
    [library, { function: "pay", lineNo: 14 }, { function: "charge", lineNo: 18 }, { ...library, lineNo: 8 }],
    [library, { function: "a", lineNo: 1023 }, { ...library, lineNo: 8 }],
    ["run 7", "pay 14 < a 1023", "charge 18 +", "run 8"],
  ],
  [
    "where several frames became more, nothing shows which became which",
    [{ function: "one" }, { function: "two" }, { function: "three" }],
    [{ function: "a" }, { function: "b" }],
    ["one 12", "two 12", "three 12"],
  ],
  ["where frames were taken out, nothing is said", [library], [{ function: "a" }, library], ["run 7"]],
  ["a raw stack without frames says nothing", [library], [], ["run 7"]],
];

for (const [claim, mapped, sent, expected] of rows) {
  test(claim, () => {
    const event = exceptionEvent({
      stacktrace: stack(...mapped),
      rawStacktrace: sent === undefined ? null : stack(...sent),
    });
    assert.equal(words(read(event)), expected);
  });
}

test("threads have what was sent as well", () => {
  const thread = {
    id: "1",
    current: true,
    stacktrace: stack({ function: "total" }),
    rawStacktrace: stack({ function: "t" }),
  };
  const event = event2024({ entries: [{ type: "threads", data: { values: [thread] } }] });
  assert.equal(words(read(event)), ["total 12 < t 12"]);
});

test("the type of an obfuscated exception is shown with the type that was sent", () => {
  const exception = { type: "PaymentError", module: "com.acme", rawType: "b", rawModule: "a" };
  const [shown] = read(exceptionEvent(exception, "java")).exceptions;
  assert.equal([shown?.type, shown?.module], ["PaymentError", "com.acme"]);
  assert.equal([shown?.obfuscated?.type, shown?.obfuscated?.module], ["b", "a"]);
});

const hostile: [claim: string, raw: unknown][] = [
  ["a text", "frames"],
  ["a list", [1, 2]],
  ["frames that are none", { frames: [null, 7, "x"] }],
  ["frames with other types", { frames: [{ lineNo: "<b>", function: {}, filename: 7, context: 3 }] }],
];

for (const [claim, raw] of hostile) {
  test(`a raw stack that is ${claim} breaks nothing`, () => {
    const exception = { stacktrace: stack(library), rawStacktrace: raw } as JsonObject;
    const [shown] = read(exceptionEvent(exception)).exceptions;
    assert.is(shown?.frames[0]?.function, "run");
  });
}

test("frames that another Faultline mapped are read from its API as they are shown there", () => {
  const exception = exceptionEvent({
    stacktrace: stack(library, { function: "pay", lineNo: 14 }, { function: "charge", lineNo: 18 }),
    rawStacktrace: stack(library, { function: "a", lineNo: 1023 }),
    rawType: "b",
  });
  const there = read(exception);
  const here = read(event2024({ platform: "javascript", entries: entriesOf(there) as JsonObject[] }));
  const shown = (event: Event) => toJson(EventSchema, create(EventSchema, { exceptions: event.exceptions }));
  assert.equal(shown(here), shown(there));
  assert.equal(words(here), ["run 7", "pay 14 < a 1023", "charge 18 +"]);
  const frames: readonly Frame[] = here.exceptions[0]?.frames ?? [];
  assert.is(frames[1]?.sourceMapping?.minified?.module, "app.cart");
});

test.run();
