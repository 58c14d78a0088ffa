import { suite } from "uvu";
import * as assert from "uvu/assert";
import { refusedCallMessage, refusedCallRetry } from "../../../console/src/lib/failures/refused-call.ts";

const refused = suite("refused call");

const offline = "The service cannot be reached. Check your connection and try again.";
const unknown = "Something went wrong on our side.";

/** An error as tRPC throws it, with what the server sent along. */
const failed = (data: unknown) => Object.assign(new Error("internal text"), { data });

const calls: [what: string, error: unknown, message: string][] = [
  ["a refusal has the server's sentence", failed({ refusal: { message: "Not allowed." } }), "Not allowed."],
  ["no answer means no connection", failed(undefined), offline],
  ["an answer without data means no connection", failed(null), offline],
  ["a script that cannot be loaded means no connection", new TypeError("Failed to fetch"), offline],
  ["what was thrown need not be an error", "text", offline],
  ["an answer without a refusal is our fault", failed({ code: "INTERNAL_SERVER_ERROR" }), unknown],
  ["a refusal without a sentence is our fault", failed({ refusal: { reason: "FORBIDDEN" } }), unknown],
  ["data that is no object is our fault", failed("<html>"), unknown],
];

for (const [what, error, message] of calls) refused(what, () => assert.is(refusedCallMessage(error), message));

const waits: [what: string, error: unknown, seconds: number][] = [
  ["a refusal may say when to try again", failed({ refusal: { message: "Wait.", retryAfterSeconds: 28 } }), 28],
  ["a refusal need not say when to try again", failed({ refusal: { message: "No.", retryAfterSeconds: 0 } }), 0],
  ["without an answer nobody knows when to try again", failed(undefined), 0],
];

for (const [what, error, seconds] of waits) refused(what, () => assert.is(refusedCallRetry(error), seconds));

refused.run();
