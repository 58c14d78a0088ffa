import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Project } from "../support/core/project.ts";
import { chunked, chunkedHeaders, type RawRequest } from "../support/http/raw-request.ts";
import { fill, wide, worstEvents } from "./worst-events.ts";

/** A request that makes as much work as its size allows. */
export interface WorstRequest {
  readonly claim: string;
  readonly request: (project: Project) => RawRequest;
}

const mebibyte = 1024 * 1024;
const now = Date.now();
const attrs = (release: string) => ({ attrs: { release } });
const started = new Date(now).toISOString();
const session = (more: object) => `{"type":"session"}\n${JSON.stringify({ started, ...attrs("r"), ...more })}\n`;
const buckets = (release: string) => {
  const aggregates = Array.from({ length: 100 }, (_, hour) => ({
    started: new Date(now - hour * 3_600_000).toISOString(),
    did: `u${hour}`,
    exited: 1,
    crashed: 1,
  }));
  return `{"type":"sessions"}\n${JSON.stringify({ ...attrs(release), aggregates })}\n`;
};

const envelopes: Readonly<Record<string, string>> = {
  "blank lines": "\n".repeat(10 * mebibyte),
  "199 long headers": `{"type":"foo","x":"${"x".repeat(16_000)}"}\n\n`.repeat(199),
  "199 headers of many keys": `{"type":"foo",${fill((index) => `"${index}":1`, ",", 16_000)}}\n\n`.repeat(199),
  "items that are no items": "{}\n\n".repeat(4 * mebibyte),
  "one long line": `{"type":"attachment"}\n${"x".repeat(19 * mebibyte)}`,
  "100 sessions": session({}).repeat(100),
  "100 sessions of 10 kB": session({ x: Array.from({ length: 3_000 }, () => ({})) }).repeat(100),
  "7,000 buckets of sessions": Array.from({ length: 70 }, (_, index) => buckets(`r${index}`)).join(""),
  "190 user reports":
    `{"type":"user_report"}\n{"event_id":"${"a".repeat(32)}","comments":"${"x".repeat(500)}"}\n`.repeat(190),
};

const unpacked: Readonly<Record<string, string>> = {
  "40 MiB of blank lines": "\n".repeat(40 * mebibyte),
  "48 MiB of an attachment": `{"type":"attachment"}\n${"x".repeat(48 * mebibyte)}`,
  "an event before blank lines": `{"type":"event"}\n{"extra":${wide}}${"\n".repeat(40 * mebibyte)}`,
};

const violation = (body: string) => `{"type":"csp-violation","body":${body}}`;
const securityReports: Readonly<Record<string, string>> = {
  "20,000 reports": fill(() => violation('{"blockedURL":"a"}')),
  "20,000 reports of different origins": fill((index) => violation(`{"blockedURL":"https://h${index}.example"}`)),
  "a report of 100,000 keys": violation(wide),
};

/** Requests of all kinds of work: parsing, repairing, reading, grouping, decompressing, framing, storing. */
export const worstRequests: readonly WorstRequest[] = [
  ...rows(worstEvents, "an event of", (body) => ({ body })),
  ...rows(envelopes, "an envelope of", (items) => ({ door: "envelope", body: `{}\n${items}` })),
  ...rows(unpacked, "an envelope in gzip of", (items) => ({
    door: "envelope",
    body: gzipSync(`{}\n${items}`, { level: 1 }),
  })),
  ...rows(securityReports, "a list of", (reports, { id, key }) => ({
    target: `/api/${id}/security/?sentry_key=${key}`,
    headers: { "X-Sentry-Auth": null },
    body: `[${reports}]`,
  })),
  { claim: "gzip of a wide event", request: () => ({ body: gzipSync(`{"extra":${wide}}`) }) },
  {
    claim: "br of a wide event",
    request: () => ({ headers: { "Content-Encoding": "br" }, body: brotliCompressSync(`{"extra":${wide}}`) }),
  },
  {
    claim: "half a million chunks of one byte",
    request: () => ({ headers: chunkedHeaders, body: chunked(`{"a":"${"x".repeat(500_000)}"}`, 1) }),
  },
  {
    claim: "a query of 1,000 keys",
    request: ({ id }) => ({ target: `/api/${id}/store/?${"sentry_key=a&".repeat(1_000)}`, body: "{}" }),
  },
  {
    claim: "an X-Sentry-Auth of 3,500 fields",
    request: () => ({ headers: { "X-Sentry-Auth": `Sentry ${"a=b,".repeat(3_500)}` }, body: "{}" }),
  },
  {
    claim: "a Content-Encoding of 7,000 layers",
    request: () => ({ headers: { "Content-Encoding": "a,".repeat(7_000) }, body: "{}" }),
  },
];

function rows<T>(
  table: Readonly<Record<string, T>>,
  kind: string,
  request: (value: T, project: Project) => RawRequest,
): WorstRequest[] {
  return Object.entries(table).map(([claim, value]) => ({
    claim: `${kind} ${claim}`,
    request: (project) => request(value, project),
  }));
}
