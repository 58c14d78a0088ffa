import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readEvent, readEventSummaries, readIssues } from "../../../plugins/external-backend/src/reading/index.ts";
import {
  contextOf,
  daySeries,
  event2024,
  eventSummary,
  frame,
  issue2021,
} from "../../support/external/sentry-answers.ts";

const work = suite("work");

interface Count {
  reads: number;
}

/** The answer, each read of a field or an entry of which is counted. */
function counted<Value extends JsonValue>(value: Value, count: Count): Value {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      count.reads++;
      const read = Reflect.get(target, key, receiver) as JsonValue;
      return typeof read === "object" ? counted(read, count) : read;
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      count.reads += keys.length;
      return keys;
    },
  });
}

/** How many reads an answer of this size takes. */
function readsOf(read: (answer: JsonValue) => unknown, answer: JsonValue): number {
  const count: Count = { reads: 0 };
  read(counted(answer, count));
  return count.reads;
}

const repeated = <Item extends JsonValue>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

const readOne = (json: JsonValue) => readEvent(json, contextOf());
const exception = (fields: JsonObject) => ({ type: "E", value: "v", mechanism: null, module: null, ...fields });
const entry = (type: string, data: JsonObject) => event2024({ entries: [{ type, data }] });

const growing: [name: string, read: (answer: JsonValue) => unknown, answer: (size: number) => JsonValue][] = [
  [
    "frames",
    readOne,
    (size) => entry("exception", { values: [exception({ stacktrace: { frames: repeated(size, () => frame()) } })] }),
  ],
  ["exceptions", readOne, (size) => entry("exception", { values: repeated(size, () => exception({})) })],
  [
    "source lines",
    readOne,
    (size) => entry("stacktrace", { frames: [frame({ context: repeated(size, (line) => [line, "x"]) })] }),
  ],
  [
    "variables",
    readOne,
    (size) =>
      entry("stacktrace", { frames: [frame({ vars: Object.fromEntries(repeated(size, (at) => [`v${at}`, at])) })] }),
  ],
  [
    "breadcrumbs",
    readOne,
    (size) =>
      entry("breadcrumbs", { values: repeated(size, () => ({ message: "m", timestamp: "2026-11-21T09:15:29Z" })) }),
  ],
  [
    "threads",
    readOne,
    (size) => entry("threads", { values: repeated(size, (id) => ({ id, stacktrace: { frames: [frame()] } })) }),
  ],
  [
    "headers",
    readOne,
    (size) => entry("request", { url: "http://x/", headers: repeated(size, (at) => [`h${at}`, "x"]) }),
  ],
  ["entries", readOne, (size) => event2024({ entries: repeated(size, (at) => ({ type: `t${at}`, data: {} })) })],
  ["tags", readOne, (size) => event2024({ tags: repeated(size, (at) => ({ key: `t${at}`, value: "x" })) })],
  ["one tag", readOne, (size) => event2024({ tags: repeated(size, () => ({ key: "t", value: "x" })) })],
  [
    "contexts",
    readOne,
    (size) => event2024({ contexts: Object.fromEntries(repeated(size, (at) => [`c${at}`, { a: 1 }])) }),
  ],
  ["packages", readOne, (size) => event2024({ packages: Object.fromEntries(repeated(size, (at) => [`p${at}`, "1"])) })],
  [
    "hours",
    (json) => readIssues(json, contextOf()),
    (size) => [issue2021({ stats: { "24h": repeated(size, () => [1, 2]) } })],
  ],
];

for (const [name, read, answer] of growing) {
  work(`twice as many ${name} are at most twice the work`, () => {
    const [small, large] = [readsOf(read, answer(500)), readsOf(read, answer(1000))];
    assert.ok(large <= 2.1 * small, `${small} reads for 500, ${large} for 1,000`);
  });
}

work("of long lists 100 items are read, however long they are", () => {
  const issues = (size: number) =>
    readsOf(
      (json) => readIssues(json, contextOf()),
      repeated(size, (at) => issue2021({ id: at })),
    );
  const summaries = (size: number) =>
    readsOf(
      readEventSummaries,
      repeated(size, () => eventSummary()),
    );
  assert.is(issues(100), issues(5000));
  assert.is(summaries(100), summaries(5000));
});

work("100 issues take at most 200 reads each", () => {
  const issues = repeated(100, (id) => issue2021({ id, stats: { "24h": daySeries({ 0: id }) } }));
  const reads = readsOf((json) => readIssues(json, contextOf()), issues);
  assert.ok(reads <= 100 * 200, `${reads} reads`);
});

work("an event of 1 MiB takes at most five reads a value", () => {
  const frames = repeated(2000, (line) =>
    frame({ lineNo: line, context: repeated(11, (at) => [line - 5 + at, "some source"]) }),
  );
  const event = entry("exception", { values: [exception({ stacktrace: { frames } })] });
  const text = JSON.stringify(event);
  assert.ok(text.length > 1_000_000, `${text.length} characters`);
  const values = text.match(/[,:[]/g)?.length ?? 0;
  const reads = readsOf(readOne, event);
  assert.ok(reads <= 5 * values, `${reads} reads of ${values} values`);
});

work.run();
