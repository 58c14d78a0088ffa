import type { ErrorEvent, GroupingException } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupHash, groupingVersion } from "../../../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";
import { errorEvent, exception, frame } from "../../../support/sentry/error-event.ts";

const library = frame({ filename: "/srv/node_modules/pg/client.js", function: "query", inApp: false });
const handler = frame({ filename: "/srv/src/handler.js", function: "Handler.handle" });
const store = frame({ filename: "/srv/src/store.js", function: "save" });

/** An event of one exception with the stack library, handler, store. */
function thrown(main: Partial<GroupingException> = {}, rest: Partial<ErrorEvent> = {}): ErrorEvent {
  const frames = [library, handler, store];
  return errorEvent({ exceptions: [exception({ type: "TypeError", value: "x is not y", frames, ...main })], ...rest });
}

const message = (text: string, rest: Partial<ErrorEvent> = {}) => errorEvent({ message: text, ...rest });

type Pair = [claim: string, one: ErrorEvent, other: ErrorEvent];

const same = suite("one group");

const alike: Pair[] = [
  ["the value does not matter where there is a stack", thrown(), thrown({ value: "quite another text" })],
  [
    "the folder of a file does not matter",
    thrown({ frames: [store] }),
    thrown({ frames: [frame({ filename: "C:\\app\\STORE.js", function: "save" })] }),
  ],
  [
    "a query behind a file's name does not matter",
    thrown({ frames: [frame({ filename: "https://h/app.js" })] }),
    thrown({ frames: [frame({ filename: "https://h/app.js?v=2#top" })] }),
  ],
  ["a library's frames do not matter where the application has some", thrown(), thrown({ frames: [handler, store] })],
  [
    "a library's frames do not matter in any exception of the chain",
    errorEvent({ exceptions: [exception({ frames: [library] }), exception({ type: "B", frames: [store] })] }),
    errorEvent({
      exceptions: [
        exception({ frames: [frame({ function: "other", inApp: false })] }),
        exception({ type: "B", frames: [store] }),
      ],
    }),
  ],
  ["recursion counts once", thrown({ frames: [store] }), thrown({ frames: [store, store, store] })],
  [
    "a frame that names no place does not matter",
    thrown({ frames: [store] }),
    thrown({ frames: [frame({ filename: "<anonymous>", function: "?" }), store] }),
  ],
  [
    "the type of a synthetic exception does not matter",
    thrown({ synthetic: true, type: "Error" }),
    thrown({ synthetic: true, type: "Warning" }),
  ],
  [
    "level, user, release, tags and title do not matter",
    thrown(),
    thrown({}, { level: "fatal", user: "id:1", release: "2", environment: "test", tags: { a: "b" }, title: "own" }),
  ],
  ["the project does not matter, as hashes are looked up by project", thrown(), thrown({}, { projectId: 2 })],
  ["variable parts of a message do not matter", message("user 1 of 10.0.0.1"), message("user 2 of 10.0.0.2")],
  [
    "a template counts instead of its message",
    message("user ann is gone", { messageTemplate: "user %s is gone" }),
    message("user bob is gone", { messageTemplate: "user %s is gone" }),
  ],
  [
    "variable parts of a value without a stack do not matter",
    thrown({ frames: [], value: "id 1" }),
    thrown({ frames: [], value: "id 2" }),
  ],
  ["an empty fingerprint is none", thrown(), thrown({}, { fingerprint: [] })],
  ["a fingerprint of nothing is none", thrown(), thrown({}, { fingerprint: ["", ""] })],
  ["the fingerprint {{ default }} is none", thrown(), thrown({}, { fingerprint: ["{{ default }}"] })],
  ["{{default}} may be written without spaces", thrown(), thrown({}, { fingerprint: ["{{default}}"] })],
  ["{{ default }} twice is once", thrown(), thrown({}, { fingerprint: ["{{ default }}", "{{default}}"] })],
  [
    "a fingerprint of the application rules over type, stack and platform",
    thrown({}, { fingerprint: ["mine"] }),
    message("another", { fingerprint: ["mine"], platform: "go" }),
  ],
  [
    "{{ default }} beside a part groups as the default does",
    thrown({ value: "a" }, { fingerprint: ["{{ default }}", "mine"] }),
    thrown({ value: "b" }, { fingerprint: ["{{default}}", "mine"] }),
  ],
  [
    "of a fingerprint 16 parts count",
    message("", { fingerprint: Array.from({ length: 16 }, () => "a") }),
    message("", { fingerprint: Array.from({ length: 1000 }, () => "a") }),
  ],
  [
    "of a part 256 characters count",
    message("", { fingerprint: ["a".repeat(256)] }),
    message("", { fingerprint: ["a".repeat(10_000)] }),
  ],
  ["an unlabeled event is grouped with its like", errorEvent(), errorEvent({ payload: Buffer.from("{}") })],
];

for (const [claim, one, other] of alike) same(claim, () => assert.is(groupHash(one), groupHash(other)));

const differ = suite("two groups");

const unlike: Pair[] = [
  ["another type is another group", thrown(), thrown({ type: "RangeError" })],
  ["another platform is another group", thrown(), thrown({}, { platform: "javascript" })],
  ["another function of the application is another group", thrown(), thrown({ frames: [handler] })],
  [
    "another file of the application is another group",
    thrown(),
    thrown({ frames: [handler, frame({ filename: "/srv/src/cache.js", function: "save" })] }),
  ],
  [
    "a module counts before its file",
    thrown({ frames: [frame({ module: "shop.cart" })] }),
    thrown({ frames: [frame({ module: "shop.order" })] }),
  ],
  [
    "without frames of the application all frames count",
    thrown({ frames: [library] }),
    thrown({ frames: [{ ...library, function: "connect" }] }),
  ],
  ["the order of frames counts", thrown({ frames: [handler, store] }), thrown({ frames: [store, handler] })],
  [
    "recursion over two functions is not taken apart",
    thrown({ frames: [handler, store] }),
    thrown({ frames: [handler, store, handler, store] }),
  ],
  [
    "a cause makes another group",
    thrown(),
    errorEvent({ exceptions: [exception({ type: "Cause" }), ...thrown().exceptions] }),
  ],
  [
    "another value counts where there is no stack",
    thrown({ frames: [], value: "disk full" }),
    thrown({ frames: [], value: "no memory" }),
  ],
  ["another message is another group", message("disk full"), message("no memory")],
  [
    "another template is another group",
    message("gone: ann", { messageTemplate: "gone: %s" }),
    message("gone: ann", { messageTemplate: "%s: ann" }),
  ],
  [
    "a message is not an exception with that value",
    message("x"),
    errorEvent({ exceptions: [exception({ type: "", value: "x" })] }),
  ],
  [
    "a stack without an exception is not the same as with one",
    thrown({ type: "" }),
    errorEvent({ frames: [handler, store] }),
  ],
  ["another fingerprint is another group", thrown({}, { fingerprint: ["a"] }), thrown({}, { fingerprint: ["b"] })],
  [
    "parts of a fingerprint are not run together",
    message("", { fingerprint: ["ab", "c"] }),
    message("", { fingerprint: ["a", "bc"] }),
  ],
  [
    "{{ default }} beside a part keeps default groups apart",
    thrown({}, { fingerprint: ["{{ default }}", "mine"] }),
    thrown({ type: "RangeError" }, { fingerprint: ["{{ default }}", "mine"] }),
  ],
  ["{{ default }} beside a part is not the default", thrown(), thrown({}, { fingerprint: ["{{ default }}", "mine"] })],
  ["unlabeled events differ by level", errorEvent(), errorEvent({ level: "fatal" })],
];

for (const [claim, one, other] of unlike) differ(claim, () => assert.is.not(groupHash(one), groupHash(other)));

const variables = suite("fingerprint variables");

const rich = thrown(
  {},
  { culprit: "GET /a", level: "fatal", logger: "app.db", message: "hello", tags: { shard: "7" } },
);
const filledIn: [variable: string, value: string][] = [
  ["{{ type }}", "TypeError"],
  ["{{ error.type }}", "TypeError"],
  ["{{error.value}}", "x is not y"],
  ["{{ value }}", "x is not y"],
  ["{{ transaction }}", "GET /a"],
  ["{{ function }}", "save"],
  ["{{ stack.function }}", "save"],
  ["{{ module }}", ""],
  ["{{ level }}", "fatal"],
  ["{{ logger }}", "app.db"],
  ["{{ message }}", "hello"],
  ["{{ tags.shard }}", "7"],
  ["{{ tags.none }}", ""],
  ["{{ unknown }}", "{{ unknown }}"],
  ["before {{ type }}", "before {{ type }}"],
];

for (const [variable, value] of filledIn) {
  variables(`${variable} stands for "${value}"`, () => {
    // The second part keeps an empty value from being no fingerprint at all.
    assert.is(groupHash({ ...rich, fingerprint: [variable, "x"] }), hashOfParts(value));
  });
}

/** The hash of the fingerprint `value`, "x"; a value that text cannot express comes in by a variable. */
function hashOfParts(value: string): string {
  const isPlain = value !== "" && !value.startsWith("{{");
  return groupHash(errorEvent({ culprit: value, fingerprint: [isPlain ? value : "{{ transaction }}", "x"] }));
}

variables.run();
same.run();
differ.run();

const frozen = suite("grouping version 1");

// These hashes are in people's databases: a version with other hashes would open each of their errors a second time and
// lose its status. A better algorithm is a new version in addition to this one. Never edit these lines.
const hashes: [what: string, event: ErrorEvent, hash: string][] = [
  ["exception with a stack", thrown(), "fd05ad82a5fa0ad8b145c875a1f7bd96"],
  ["exception without frames of the application", thrown({ frames: [library] }), "1fd7108693cc741df687383f5db6a099"],
  ["exception without a stack", thrown({ frames: [], value: "user 42 is gone" }), "d2001b0317389a8ad8f549b3d8d32d54"],
  ["synthetic exception", thrown({ synthetic: true }), "88efde5ea713f56a6cfb497350d69ed4"],
  [
    "chain of exceptions",
    errorEvent({ exceptions: [exception({ type: "Cause", frames: [handler] }), exception({ frames: [store] })] }),
    "5616b810e4843b48c2708628d2fdb737",
  ],
  [
    "Java's modules",
    thrown({ frames: [frame({ module: "com.example.Shop", function: "lambda$pay$0" })] }, { platform: "java" }),
    "32de538a5e6f5f060d84310ee2b8af3f",
  ],
  ["recursion", thrown({ frames: [handler, store, store] }), "fd05ad82a5fa0ad8b145c875a1f7bd96"],
  [
    "stack without an exception",
    errorEvent({ frames: [library, store], platform: "go" }),
    "4692a6ac9c97a34a7b22b0ca4dabce10",
  ],
  ["message", message("user 42 is gone since 2024-02-29", { platform: "python" }), "348c48804df57202d09b64d43e0ebecd"],
  [
    "message with a template",
    message("user ann is gone", { messageTemplate: "user %s is gone" }),
    "beecbac89a36166978e85ee70acdbfeb",
  ],
  ["message beyond ASCII", message("東京 🗼 größer"), "caea32423b3adac2c3706be80f679f0c"],
  ["fingerprint", thrown({}, { fingerprint: ["payment", "card"] }), "ec1140c4ea780334934e93657ae83e9a"],
  [
    "fingerprint with default and variables",
    { ...rich, fingerprint: ["{{ default }}", "{{ tags.shard }}"] },
    "378b3ce630234b9cf605d7d1b0eca60a",
  ],
  ["unlabeled event", errorEvent(), "ce8a67c3b2484a9041fe860fe46bdb41"],
];

frozen("is the version that is stored", () => assert.is(groupingVersion, 1));

for (const [what, event, hash] of hashes) frozen(`${what}: ${hash}`, () => assert.is(groupHash(event), hash));

frozen.run();
