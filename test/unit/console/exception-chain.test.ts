import { suite } from "uvu";
import * as assert from "uvu/assert";
import { chainLinks } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trace/exception-chain.ts";
import type { Exception } from "../../../console/src/lib/messages.ts";
import { exception, mechanism } from "../../support/console/console-messages.ts";

const linksOf = (exceptions: readonly Exception[], newestFirst: boolean) =>
  chainLinks(exceptions, newestFirst).map(({ exception: { type }, relation }) => [type, relation]);

const cause = exception({ type: "KeyError" });
const handled = exception({ type: "KeyError", mechanism: mechanism({ source: "__context__" }) });
const error = exception({ type: "PaymentError" });

const chain = suite("exception chain");

chain("no exceptions are no links", () => assert.equal(chainLinks([], true), []));

chain("the first one shown has no relation", () => {
  for (const newestFirst of [true, false]) assert.equal(linksOf([error], newestFirst), [["PaymentError", ""]]);
});

chain("newest first, the older one is the cause", () => {
  assert.equal(linksOf([cause, error], true), [
    ["PaymentError", ""],
    ["KeyError", "Caused by"],
  ]);
});

chain("oldest first, the older one was the cause", () => {
  assert.equal(linksOf([cause, error], false), [
    ["KeyError", ""],
    ["PaymentError", "The above exception was the direct cause of the following exception"],
  ]);
});

chain("an exception that was being handled is no cause", () => {
  assert.equal(linksOf([handled, error], true), [
    ["PaymentError", ""],
    ["KeyError", "During handling of this exception, the one above occurred"],
  ]);
  assert.equal(linksOf([handled, error], false), [
    ["KeyError", ""],
    ["PaymentError", "During handling of the above exception, another exception occurred"],
  ]);
});

/** As SDKs send a group of two, the first of which has a cause: the group last. */
const group = [
  exception({ type: "TypeError", mechanism: mechanism({ exceptionId: 3, parentId: 0, source: "exceptions[1]" }) }),
  exception({ type: "KeyError", mechanism: mechanism({ exceptionId: 2, parentId: 1, source: "__cause__" }) }),
  exception({ type: "ValueError", mechanism: mechanism({ exceptionId: 1, parentId: 0, source: "exceptions[0]" }) }),
  exception({ type: "ExceptionGroup", mechanism: mechanism({ exceptionId: 0 }) }),
];

chain("the members of a group are distinguished from causes", () => {
  assert.equal(linksOf(group, true), [
    ["ExceptionGroup", ""],
    ["ValueError", "One of the exceptions in ExceptionGroup"],
    ["KeyError", "Caused by"],
    ["TypeError", "One of the exceptions in ExceptionGroup"],
  ]);
  assert.equal(linksOf(group, false), [
    ["TypeError", ""],
    ["KeyError", "The above exception is one of those in ExceptionGroup"],
    ["ValueError", "The above exception was the direct cause of the following exception"],
    ["ExceptionGroup", "The above exception is one of those in ExceptionGroup"],
  ]);
});

chain("a member whose group was not sent says so", () => {
  const lost = exception({ type: "Error", mechanism: mechanism({ source: "errors[0]" }) });
  assert.equal(linksOf([lost, error], true)[1], ["Error", "One of the exceptions in a group"]);
});

chain.run();
