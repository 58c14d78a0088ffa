import { suite } from "uvu";
import * as assert from "uvu/assert";
import { chainLinks } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trace/exception-chain.ts";
import type { Exception } from "../../../console/src/lib/messages.ts";
import { exception, mechanism } from "../../support/console/console-messages.ts";

const linksOf = (exceptions: readonly Exception[]) =>
  chainLinks(exceptions).map(({ exception: { type }, relation, depth }) => [type, relation, depth]);

const cause = exception({ type: "KeyError" });
const handled = exception({ type: "KeyError", mechanism: mechanism({ source: "__context__" }) });
const error = exception({ type: "PaymentError" });

const chain = suite("exception chain");

chain("no exceptions are no links", () => assert.equal(chainLinks([]), []));

chain("the first one shown has no relation", () => assert.equal(linksOf([error]), [["PaymentError", "", 0]]));

chain("the older one is the cause", () => {
  assert.equal(linksOf([cause, error]), [
    ["PaymentError", "", 0],
    ["KeyError", "Caused by", 0],
  ]);
});

chain("an exception that was being handled is no cause", () => {
  assert.equal(linksOf([handled, error]), [
    ["PaymentError", "", 0],
    ["KeyError", "During handling of this exception, the one above occurred", 0],
  ]);
});

const inTree = (type: string, exceptionId: number, given: Parameters<typeof mechanism>[0] = {}) =>
  exception({ type, mechanism: mechanism({ exceptionId, ...given }) });

/** As SDKs send a group of two, the first of which has a cause: the group last. Python's SDK names 0 as parent of each cause. */
for (const causeOf of [0, 1]) {
  chain(`the members of a group are distinguished from causes, with ${causeOf} as the parent of the cause`, () => {
    const group = [
      inTree("TypeError", 3, { parentId: 0, source: "exceptions[1]" }),
      inTree("KeyError", 2, { parentId: causeOf, source: "__cause__" }),
      inTree("ValueError", 1, { parentId: 0, source: "exceptions[0]" }),
      inTree("ExceptionGroup", 0),
    ];
    assert.equal(linksOf(group), [
      ["ExceptionGroup", "", 0],
      ["ValueError", "One of the exceptions in ExceptionGroup", 1],
      ["KeyError", "Caused by", 1],
      ["TypeError", "One of the exceptions in ExceptionGroup", 1],
    ]);
  });
}

/** As the SDK of Java sends it: the second suppressed exception names the exception numbered before it. */
chain("suppressed exceptions of Java are no causes, and lie below the exception that was thrown", () => {
  const suppressed = { type: "suppressed" };
  const sent = [
    inTree("Cause", 4, { parentId: 0, type: "chained" }),
    inTree("CloseB", 3, { parentId: 2, ...suppressed }),
    inTree("WhyA", 2, { parentId: 1, type: "chained" }),
    inTree("CloseA", 1, { parentId: 0, ...suppressed }),
    inTree("Thrown", 0),
  ];
  assert.equal(linksOf(sent), [
    ["Thrown", "", 0],
    ["CloseA", "Suppressed in Thrown", 1],
    ["WhyA", "Caused by", 1],
    ["CloseB", "Suppressed in Thrown", 1],
    ["Cause", "Caused by", 0],
  ]);
});

chain("a suppressed exception that was sent last is not the one thrown", () => {
  const sent = [inTree("Thrown", 0), inTree("Diagnostic", 1, { parentId: 0, type: "suppressed" })];
  assert.equal(linksOf(sent), [
    ["Thrown", "", 0],
    ["Diagnostic", "Suppressed in Thrown", 1],
  ]);
});

chain("exceptions that name each other as parent are all shown, as a plain chain", () => {
  const sent = [
    inTree("C", 2, { parentId: 1 }),
    inTree("B", 1, { parentId: 2 }),
    inTree("Self", 0, { parentId: 0 }),
    inTree("Suppressed", -2, { parentId: -3, type: "suppressed" }),
  ];
  assert.equal(linksOf(sent), [
    ["Suppressed", "", 0],
    ["Self", "Caused by", 0],
    ["B", "Caused by", 0],
    ["C", "Caused by", 0],
  ]);
});

chain("a member whose group was not sent says so", () => {
  const lost = exception({ type: "Error", mechanism: mechanism({ source: "errors[0]" }) });
  assert.equal(linksOf([lost, exception()])[1], ["Error", "One of the exceptions in a group", 1]);
});

chain.run();
