import { shownException, type JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boom, details, head } from "../../support/sentry/sentry-event.ts";

const shapes = suite("exceptions");

const exceptionShapes: [claim: string, sent: JsonValue, found: string[]][] = [
  ["a list, as Go sends it", [{ type: "Root", value: "r" }, boom], ["Root: r", "Boom: bang"]],
  ["an object of values", { values: [boom] }, ["Boom: bang"]],
  ["a lone object", boom, ["Boom: bang"]],
  ["an empty object", {}, []],
  ["an empty list", [], []],
  ["null", null, []],
  ["values of null", { values: null }, []],
  ["text", "str", []],
  ["a list of null", [null], []],
  ["a list of all sorts", [null, "x", 1, [], boom], ["Boom: bang"]],
  ["neither type nor value", [{ type: null, value: null }], []],
  ["a value that is an object", [{ type: "T", value: { a: 1 } }], ['T: {"a":1}']],
  ["a value that is a number", [{ type: "T", value: 0 }], ["T: 0"]],
  ["a value that is a list", [{ type: "T", value: [1, "a", null] }], ['T: [1,"a",null]']],
  ["a type alone", [{ type: "T" }], ["T: "]],
  ["a value alone", [{ value: "v" }], [": v"]],
];

for (const [claim, sent, found] of exceptionShapes) {
  shapes(`${claim} gives ${found.length || "no"} exception(s), in head and details alike`, () => {
    for (const key of ["exception", "sentry.interfaces.Exception"]) {
      const both = [head({ [key]: sent }).exceptions, details({ [key]: sent }).exceptions];
      for (const exceptions of both) {
        assert.equal(
          exceptions.map(({ type, value }) => `${type}: ${value}`),
          found,
        );
      }
    }
  });
}

shapes("the last 50 exceptions are kept", () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({ type: `E${index}` }));
  assert.is(head({ exception: many }).exceptions.length, 50);
  assert.is(head({ exception: many }).exceptions[0]?.type, "E950");
  assert.is(details({ exception: many }).exceptions.at(-1)?.type, "E999");
});

shapes("a mechanism is read as far as the event states it", () => {
  const mechanism = {
    type: "onerror",
    handled: false,
    exception_id: 1,
    parent_id: 0,
    source: "cause",
    synthetic: null,
  };
  assert.equal(details({ exception: [{ ...boom, mechanism }] }).exceptions[0]?.mechanism, {
    $typeName: "faultline.v1.Mechanism",
    type: "onerror",
    handled: false,
    synthetic: false,
    exceptionId: 1,
    parentId: 0,
    source: "cause",
  });
  const odd = details({
    exception: [{ ...boom, mechanism: { handled: "no", exception_id: 1.5, parent_id: 2 ** 40 } }],
  });
  assert.equal(odd.exceptions[0]?.mechanism, {
    $typeName: "faultline.v1.Mechanism",
    type: "",
    synthetic: false,
    source: "",
  });
  assert.is(details({ exception: [{ ...boom, mechanism: "x" }] }).exceptions[0]?.mechanism, undefined);
});

const ids = (exception_id: number, parent_id?: number, type = "chained") => ({
  mechanism: { type, exception_id, ...(parent_id !== undefined && { parent_id }) },
});
const shown: [claim: string, sent: JsonValue, type: string | undefined][] = [
  ["no exception", [], undefined],
  ["a chain without ids", [{ type: "Root" }, { type: "Caught" }], "Caught"],
  [
    "ids in the opposite order",
    [
      { type: "Caught", ...ids(0) },
      { type: "Root", ...ids(1, 0) },
    ],
    "Caught",
  ],
  [
    "a suppressed one at the end",
    [
      { type: "Caught", ...ids(0) },
      { type: "Other", ...ids(1, 0, "suppressed") },
    ],
    "Caught",
  ],
  ["a diagnostic one at the end", [{ type: "Caught" }, { type: "x.DiagnosticCoroutineContextException" }], "Caught"],
];

for (const [claim, sent, type] of shown) {
  shapes(`the exception that names a shown event: ${claim}`, () => {
    assert.is(shownException(details({ exception: sent }).exceptions)?.type, type);
  });
}

shapes.run();
