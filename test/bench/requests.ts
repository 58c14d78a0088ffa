import { randomBytes } from "node:crypto";
import type { LoadRequest } from "../support/service/load.ts";
import { GzipTemplate } from "./gzip-template.ts";
import { nodeEvent, randomFrom } from "./node-event.ts";

export interface RequestOptions {
  readonly url: string;
  /** Path and query of the envelope door. */
  readonly target: string;
  /** Length of an event's JSON. */
  readonly bytes: number;
  /** The errors its events belong to: one, the same 200, 200 of this seed, or another one with each event. */
  readonly groups: "one" | "200" | "200 new" | "new";
  readonly count: number;
  /** The number of compressed bodies. Requests use them in turn, with new ids. Default: 1,000. */
  readonly bodies?: number | undefined;
  readonly seed: number;
}

/** Makes envelopes as SDKs send them, gzipped, each with a new event id. All are made before the first is sent. */
export function makeRequests({
  url,
  target,
  bytes,
  groups,
  count,
  bodies = 1_000,
  seed,
}: RequestOptions): LoadRequest[] {
  const random = randomFrom(seed);
  const beginningBytes = groups === "new" ? 110 : 50; // of JSON in front of what is compressed once
  const templates = Array.from({ length: Math.min(bodies, count) }, (_, index) => {
    const group = groups === "one" ? 0 : (groups === "200 new" ? 200 * seed : 0) + (index % 200);
    const event = nodeEvent({ bytes: bytes - beginningBytes, group, random });
    return new GzipTemplate(JSON.stringify(event).slice(1));
  });
  const ids = randomBytes(16 * count).toString("hex"); // random, not counted up: the index sees what it sees in life
  const sentAt = new Date().toISOString();
  const { host } = new URL(url);
  return Array.from({ length: count }, (_, index) => {
    const id = ids.slice(32 * index, 32 * index + 32);
    const header = `{"event_id":"${id}","sent_at":"${sentAt}","sdk":{"name":"sentry.javascript.node","version":"7.38.0"}}`;
    // The default grouping is computed as well and then split by the id.
    const fingerprint = groups === "new" ? `"fingerprint":["{{ default }}","${id}"],` : "";
    const beginning = Buffer.from(`${header}\n{"type":"event"}\n{"event_id":"${id}",${fingerprint}`);
    const template = templates[index % templates.length] as GzipTemplate;
    const body = template.body(beginning);
    const length = body.reduce((sum, part) => sum + part.length, 0);
    const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Encoding: gzip\r\nContent-Length: ${length}\r\n\r\n`;
    return { id, parts: [Buffer.concat([Buffer.from(head), body[0]]), body[1], body[2]] };
  });
}
