import type { Event } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Decision } from "../../support/assert/includes.ts";
import {
  ask,
  eventCases,
  testCases,
  times,
  type Conversation,
  type EventCase,
} from "../../support/sentry/robustness.ts";
import { storedErrors } from "../../support/database/stored.ts";

const unlabeled = { title: "<unlabeled event>", level: "error", exceptions: [] };
const boom = { type: "Boom", value: "bang" };
const frame = { function: "run", filename: "app.js", in_app: true };
const withStack = (stacktrace: unknown) => ({ exception: [{ ...boom, stacktrace }] });

/** Cases 72 to 82: what an event reports. */
const reports: readonly EventCase[] = [
  { number: 72, claim: "an event of nothing is an unlabeled error", event: {}, stored: unlabeled },
  ...[[boom], { values: [boom] }, boom, [null, boom, 5, "x"], { values: [null, boom] }].map((exception) => ({
    number: 73,
    claim: `one exception is read from ${JSON.stringify(exception)}`,
    event: { exception },
    stored: { title: "Boom: bang", exceptions: [boom] },
  })),
  ...[{}, [], null, "str", [null], 5, { values: null }, { values: "x" }].map((exception) => ({
    number: 73,
    claim: `no exception is read from ${JSON.stringify(exception)}`,
    event: { exception },
    stored: unlabeled,
  })),
  {
    number: 74,
    claim: "an exception of nulls leaves the title to the message",
    event: { exception: [{ type: null, value: null }], message: "m" },
    stored: { title: "m" },
  },
  {
    number: 74,
    claim: "an exception of nulls and nothing else is an unlabeled error",
    event: { exception: { values: [{ type: null, value: null }] } },
    stored: unlabeled,
  },
  {
    number: 75,
    claim: "an exception's object is shown as JSON",
    event: { exception: [{ type: "E", value: { a: 1 } }] },
    stored: { title: 'E: {"a":1}' },
  },
  {
    number: 75,
    claim: "an exception's number is shown",
    event: { exception: [{ type: "E", value: 42 }] },
    stored: { title: "E: 42" },
  },
  ...[null, { frames: null }, { frames: [] }, { frames: [null] }, { frames: ["x", 5, []] }, "x", { frames: "x" }].map(
    (stacktrace) => ({
      number: 76,
      claim: `no frame is read from ${JSON.stringify(stacktrace)}`,
      event: withStack(stacktrace),
      stored: { title: "Boom: bang", exceptions: [{ ...boom, frames: [] }] },
    }),
  ),
  {
    number: 77,
    claim: "title and culprit may come from different exceptions",
    event: { platform: "node", exception: [{ type: "Root", value: "r", stacktrace: { frames: [frame] } }, boom] },
    stored: { title: "Boom: bang", culprit: "run(app.js)" },
  },
  {
    number: 78,
    claim: "a frame without file name has that of its path",
    event: withStack({ frames: [{ function: "main", abs_path: "/src/main.go" }] }),
    stored: { exceptions: [{ frames: [{ filename: "/src/main.go", absPath: "/src/main.go" }] }] },
  },
  ...(
    [
      ["12", 12],
      [12, 12],
      [-1, 0],
      [1e20, 0],
      ["x", 0],
      [null, 0],
      [{}, 0],
    ] as const
  ).map(([lineno, line]) => ({
    number: 79,
    claim: `line ${JSON.stringify(lineno)} is ${line}`,
    event: withStack({ frames: [{ ...frame, lineno }] }),
    stored: { exceptions: [{ frames: [{ lineno: line }] }] },
  })),
  {
    number: 80,
    claim: "of 5,000 frames the last 250 are kept",
    event: withStack({ frames: times(5_000, (index) => ({ function: `f${index}` })) }),
    stored: {
      exceptions: [
        {
          frames: ((frames: Event["exceptions"][0]["frames"]) =>
            frames.length === 250 && frames.at(-1)?.function === "f4999") as Decision,
        },
      ],
    },
  },
  ...(
    [
      ["text", { message: "plain" }, "plain"],
      ["formatted", { message: { formatted: "done" } }, "done"],
      ["a list of parameters", { message: { message: "%s is %d", params: ["a", 5] } }, "a is 5"],
      ["named parameters", { message: { message: "%(who)s fails", params: { who: "disk" } } }, "disk fails"],
      ["braces", { message: { message: "{} of {1}", params: ["a", "b"] } }, "a of b"],
      ["false", { message: false }, ""],
      ["an empty text", { message: "" }, ""],
      ["a number", { message: 5 }, "5"],
      ["logentry beside message", { logentry: { formatted: "entry" }, message: "other" }, "entry"],
    ] as const
  ).map(([claim, event, message]) => ({
    number: 81,
    claim: `the message may be ${claim}`,
    event,
    stored: { message },
  })),
  ...["%s and %s", "%z", "100 % sure", "%", "%(", "{", "{}{}{}"].map((template) => ({
    number: 82,
    claim: `the template "${template}" stays as it is where its parameters do not fit`,
    event: { logentry: { message: template, params: ["one"] } },
    stored: { message: template },
  })),
];

const conversations: readonly Conversation[] = [
  {
    number: 116,
    claim: "100 posts of a new error at once are one error of 100 events",
    async hold({ server, client, project }) {
      const body = JSON.stringify({ exception: [{ ...boom, stacktrace: { frames: [frame] } }] });
      const answers = await Promise.all(times(100, () => ask(server, project, { body })));
      assert.ok(answers.every((answer) => answer?.status === 200));
      const errors = await storedErrors(client, project.id);
      assert.equal(
        errors.map(({ eventCount }) => eventCount),
        [100],
      );
    },
  },
];

testCases(eventCases(reports), conversations);
test.run();
