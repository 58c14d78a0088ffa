import type { Event } from "@faultline/proto";
import { test } from "uvu";
import { hasSize, type Decision } from "../../support/assert/includes.ts";
import { eventCases, testCases, times, type EventCase } from "../../support/sentry/robustness.ts";

const isEmpty = hasSize(0);

/** Cases 90 to 98: what surrounds an event. */
const surroundings: readonly EventCase[] = [
  {
    number: 90,
    claim: "of 10,000 breadcrumbs the last 100 are kept",
    event: { breadcrumbs: times(10_000, (index) => ({ message: `${index}` })) },
    stored: {
      breadcrumbs: ((crumbs: Event["breadcrumbs"]) =>
        crumbs.length === 100 && crumbs.at(-1)?.message === "9999") as Decision,
    },
  },
  {
    number: 90,
    claim: "a bad breadcrumb is dropped alone",
    event: { breadcrumbs: { values: [null, "x", { message: "kept", data: [] }] } },
    stored: { breadcrumbs: [{ message: "kept" }] },
  },
  ...[{ "x-a": ["b", "c"] }, [["x-a", "b,c"]]].map((headers) => ({
    number: 91,
    claim: `request headers may be ${JSON.stringify(headers)}`,
    event: { request: { headers } },
    stored: { request: { headers: { "X-A": "b,c" } } },
  })),
  {
    number: 91,
    claim: "request headers of text are none",
    event: { request: { headers: "x: y", url: "/" } },
    stored: { request: { headers: isEmpty } },
  },
  {
    number: 91,
    claim: "cookies may be text",
    event: { request: { cookies: "a=1; b=2" } },
    stored: { request: { cookies: { a: "1", b: "2" } } },
  },
  {
    number: 91,
    claim: "request data is cut",
    event: { request: { data: "x".repeat(900_000) } },
    stored: { request: { data: hasSize(8192) } },
  },
  ...(
    [
      [" ", ""],
      ["a/b", "a/b"],
      ["x\ny", ""],
      ["x".repeat(300), `${"x".repeat(197)}...`],
      [123, "123"],
      [{}, ""],
    ] as const
  ).map(([release, kept]) => ({
    number: 92,
    claim: `release ${JSON.stringify(release).slice(0, 20)} is "${kept.slice(0, 20)}"`,
    event: { release },
    stored: { release: kept },
  })),
  ...(
    [
      ["", ""],
      ["None", "None"],
      ["x".repeat(200), ""],
      ["a/b", "a/b"],
      [5, "5"],
    ] as const
  ).map(([environment, kept]) => ({
    number: 93,
    claim: `environment ${JSON.stringify(environment).slice(0, 20)} is "${kept}"`,
    event: { environment },
    stored: { environment: kept },
  })),
  ...[[1, 2], "x", 5, null].map((bag) => ({
    number: 94,
    claim: `contexts and extra of ${JSON.stringify(bag)} are none`,
    event: { contexts: bag, extra: bag },
    stored: { contexts: isEmpty, extra: isEmpty },
  })),
  ...[5, null, {}, ""].map((platform) => ({
    number: 96,
    claim: `platform ${JSON.stringify(platform)} is other`,
    event: { platform },
    stored: { platform: "other" },
  })),
  {
    number: 97,
    claim: "a module without a name is none",
    event: { modules: { "": "" } },
    stored: { modules: isEmpty },
  },
  {
    number: 98,
    claim: "script is text",
    event: { message: "<script>alert(1)</script>", tags: { a: "<img onerror=alert(1)>" } },
    stored: { message: "<script>alert(1)</script>", tags: { a: "<img onerror=alert(1)>" } },
  },
  {
    number: "A44",
    claim: "40,000 keys are trimmed",
    event: { extra: Object.fromEntries(times(40_000, (index) => [`${index}`, 1])), message: "wide" },
    stored: { message: "wide" },
  },
  {
    number: "A44",
    claim: "of 500 exceptions the last 50 are kept",
    event: { exception: times(500, (index) => ({ type: `E${index}` })) },
    stored: { title: "E499", exceptions: hasSize(50) },
  },
  {
    number: "A45",
    claim: "half a million unprintable characters are cut",
    event: { message: "\u202e\u001b[31m".repeat(80_000) },
    stored: { message: hasSize(8192) },
  },
  {
    number: "A51",
    claim: "a user of objects and of a million characters is read",
    event: { user: { id: { $gt: "" }, email: "x".repeat(500_000) } },
    stored: { user: { id: "", email: `${"x".repeat(72)}...` } },
  },
  {
    number: "A52",
    claim: "a fingerprint of 40,000 parts groups",
    event: { fingerprint: times(40_000, String), message: "printed" },
    stored: { title: "printed" },
  },
];

testCases(eventCases(surroundings));
test.run();
