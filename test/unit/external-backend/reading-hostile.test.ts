import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { asObject, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { ErrorSchema, EventSchema, EventSummarySchema, ExternalProjectSchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as reading from "../../../plugins/external-backend/src/reading/index.ts";
import { polyglots } from "../../support/sentry/polyglots.ts";
import {
  contextOf,
  event2024,
  eventSummary,
  faultlineEvent,
  faultlineIssue,
  issue2024,
  issueDetails2021,
  message2021,
  parsed,
  project,
} from "../../support/external/sentry-answers.ts";

const hostile = suite("hostile answers");

/** Everything that is read from an answer, as the bytes that a caller gets. */
const readers: readonly [name: string, answer: () => JsonObject, read: (answer: JsonValue) => unknown][] = [
  ["issue of a list", issue2024, (json) => sent(ErrorSchema, reading.readIssues([json], contextOf()))],
  ["issue", issueDetails2021, (json) => sent(ErrorSchema, [reading.readIssue(json, contextOf()).error])],
  ["issue of a Faultline", faultlineIssue, (json) => sent(ErrorSchema, [reading.readIssue(json, contextOf()).error])],
  ["event of a Faultline", faultlineEvent, (json) => sent(EventSchema, [reading.readEvent(json, contextOf()).event])],
  ["event", event2024, (json) => sent(EventSchema, [reading.readEvent(json, contextOf()).event])],
  ["message", message2021, (json) => sent(EventSchema, [reading.readEvent(json, contextOf()).event])],
  ["event of a list", eventSummary, (json) => sent(EventSummarySchema, reading.readEventSummaries([json]))],
  ["project", project, (json) => sent(ExternalProjectSchema, reading.readProjects([json]))],
];

function sent<Desc extends DescMessage>(schema: Desc, messages: readonly MessageInitShape<Desc>[]) {
  return messages.map((message) => fromBinary(schema, toBinary(schema, create(schema, message))));
}

const deep = parsed(`${"[".repeat(80)}${"]".repeat(80)}`);

const wrong: readonly JsonValue[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  "",
  "a\0\ud800b\udc00\u202e\u001b[31m",
  "9".repeat(40),
  "x".repeat(20_000),
  "2026-11-21T12:00:00Z",
  [],
  [null, 1, "x", [], [[]], ["a", "b"], [1, 2], {}],
  {},
  { values: [null, 1, "x", [], {}], frames: [null, {}, { context: [[]] }] },
  parsed('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"toString":1}'),
  deep,
];

for (const [name, answer, read] of readers) {
  for (const path of pathsOf(answer()).filter(([key]) => !name.endsWith("Faultline") || key === "faultline")) {
    hostile(`${name}: whatever is at ${path.join(".")} ends as our message or as a recorded refusal`, () => {
      for (const value of wrong) readSafely(read, replaced(answer(), path, value));
      readSafely(read, without(answer(), path));
    });
  }

  hostile(`${name}: no text in any field leaves its limit, breaks the encoding or appears in a refusal`, () => {
    for (const text of polyglots) readSafely(read, filled(answer(), text));
  });

  hostile(`${name}: names of every object's members are plain names`, () => {
    for (const key of ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"]) {
      for (const path of pathsOf(answer())) {
        const place = at(answer(), path);
        const member = `${JSON.stringify(key)}:{"polluted":"yes","0":1}`;
        if (!asObject(place)) continue;
        const rest = JSON.stringify(place).slice(1);
        const value = parsed(rest === "}" ? `{${member}}` : `{${member},${rest}`);
        readSafely(read, replaced(answer(), path, value));
      }
    }
  });

  hostile(`${name}: an answer that is not hostile is read`, () => {
    assert.ok(JSON.stringify(read(answer()), plain).length > 20);
  });
}

hostile("nesting of 80 levels is shown as far as free data of integrated events is", () => {
  const { event } = reading.readEvent(event2024({ context: { cart: deep } }), contextOf());
  assert.is(JSON.stringify(event.extra).includes("..."), true);
});

/** A message as JSON: its big integers as texts. */
function plain(_: string, value: unknown) {
  return typeof value === "bigint" ? String(value) : value;
}

/** Reads; what comes is a message within its limits, or a refusal in the recorded words. */
function readSafely(read: (answer: JsonValue) => unknown, answer: JsonValue): void {
  let found: unknown;
  try {
    found = read(answer);
  } catch (error) {
    assert.instance(error, reading.InvalidAnswer);
    assert.match((error as Error).message, recorded);
  }
  assertBounded(found, "");
  assert.is(Reflect.get({}, "polluted"), undefined);
}

const keys = "(?:id|eventID|groupID|projectID|dateCreated|firstSeen|lastSeen|name|slug|organization\\.(?:name|slug))";
const recorded = new RegExp(
  `^Sentry API response (?:is missing keys\\. (?:Required and not found: ${keys}(?:, ${keys})*\\.|` +
    `It should be (?:a list|an object)\\.)|contains invalid value for field "${keys}": it is not numeric)$`,
);

function assertBounded(value: unknown, place: string): void {
  if (typeof value === "string") {
    assert.ok(value.isWellFormed(), `${place} holds half a character`);
    if (place.endsWith(".payloadJson")) return;
    assert.not.ok(value.includes("\0"), `${place} holds NUL`);
    assert.ok(value.length <= 16_384, `${place} has ${value.length} characters`);
    if (place.endsWith(".externalUrl")) assert.match(value, /^https:\/\/(?:[\w-]+\.)*sentry\.example\.com\//);
    if (/\.(?:errorId|id)$/.test(place) && place.split(".").length === 3) assert.match(value, /^\d{1,20}$/);
    if (place.endsWith("ventId")) assert.match(value, /^[0-9a-f]{32}$/);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, entry] of Object.entries(value)) assertBounded(entry, `${place}.${key}`);
}

type Path = readonly (string | number)[];

/** The way to each value of an answer; of a list the first suffices. */
function pathsOf(value: JsonValue, path: Path = []): Path[] {
  const inner = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(asObject(value) ?? {});
  const below = [...inner].flatMap(([key, entry]) => pathsOf(entry, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function at(value: JsonValue | undefined, [key, ...rest]: Path): JsonValue | undefined {
  if (key === undefined || typeof value !== "object" || value === null) return value;
  return at((value as JsonObject)[key], rest);
}

function replaced(answer: JsonObject, path: Path, value: JsonValue): JsonValue {
  const holder = at(answer, path.slice(0, -1)) as JsonObject;
  holder[path.at(-1) ?? ""] = value;
  return answer;
}

function without(answer: JsonObject, path: Path): JsonValue {
  const holder = at(answer, path.slice(0, -1)) as JsonObject;
  delete holder[path.at(-1) ?? ""];
  return answer;
}

/** The answer with this text in place of every text and in every name that is free. */
function filled(value: JsonValue, text: string, key = ""): JsonValue {
  if (typeof value === "string") return kept.has(key) ? value : text;
  if (Array.isArray(value)) return value.map((entry) => filled(entry, text, key));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, entry]): [string, JsonValue] => [name, filled(entry, text, name)]);
  return Object.fromEntries(free.has(key) ? [...entries, [text, text]] : entries);
}

/** Without these nothing is read at all; each of them has its own tests above. */
const kept = new Set(["id", "eventID", "groupID", "projectID", "dateCreated", "firstSeen", "lastSeen", "type", "key"]);
const free = new Set(["", "vars", "context", "contexts", "packages", "data", "env", "user", "metadata"]);

hostile.run();
