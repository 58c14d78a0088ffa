import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { envelope, sentryAuth } from "../../sentry/send.ts";

/** A worker's record of an event, written before sending: everything that later answers must contain. */
export interface SentEvent {
  readonly id: string;
  readonly worker: number;
  /** Counts the events of the worker. */
  readonly sequence: number;
  readonly project: number;
  /** The era of the event. Errors and releases belong to one era, so that an era can become old as a whole. */
  readonly era: number;
  /** The type of the exception. */
  readonly error: string;
  /** Empty if the event names none. */
  readonly user: string;
  /** Empty if the event names none. */
  readonly release: string;
  readonly environment: string;
  readonly shard: string;
  readonly level: string;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  /** The digest of `extra`, which is unique to this event. */
  readonly digest: string;
  /** How the session in the same envelope ended; empty without a session. */
  readonly session: "" | "exited" | "errored" | "crashed";
  /**
   * Healthy sessions that the same envelope counts, like an SDK on a server. Such an event is sent once, because counts
   * add up.
   */
  readonly countedSessions: number;
  readonly hasFeedback: boolean;
}

/** A project and the client keys that may be used for it. */
export interface LedgerProject {
  readonly id: number;
  readonly keys: readonly string[];
}

const errorsOfEra = 8;
export const shards = ["north", "south", "east", "west"] as const;
export const pastHours = 48;
export const errorOf = (era: number, number: number) => `Era${era}Error${number}`;
export const releaseOf = (era: number, number: number) => `shop@${era}.${number}`;
/** The release of counted sessions. */
export const countedReleaseOf = (era: number) => `counted@${era}.0`;

/** Makes the events of one worker. The same numbers make the same events. */
export class Traffic {
  readonly #worker: number;
  readonly #projects: readonly LedgerProject[];
  readonly #random: () => number;
  #sequence = 0;

  constructor(worker: number, projects: readonly LedgerProject[], random: () => number) {
    this.#worker = worker;
    this.#projects = projects;
    this.#random = random;
  }

  /** A new event and its JSON. */
  next(era: number): { event: SentEvent; json: string } {
    const random = this.#random;
    const below = (count: number) => Math.floor(random() * count);
    const pick = <T>(list: readonly T[]) => list[below(list.length)] as T; // none is empty
    const id = Array.from({ length: 4 }, () =>
      below(2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    ).join("");
    const sequence = this.#sequence++;
    const worker = this.#worker;
    // Usually about 1 kB that barely compresses. One event in twenty is much larger.
    const padding = Array.from({ length: pick([5, 20, 40, 60, 400]) * (random() < 0.2 ? 1 : 0) + 10 }, () =>
      below(2 ** 32).toString(36),
    ).join(" ");
    const extra = { id, worker, sequence, padding };
    const session = random() < 0.25 ? pick(["exited", "errored", "crashed"] as const) : "";
    const countedSessions = session === "" && random() < 0.1 ? 1 + below(3) : 0;
    const event: SentEvent = {
      id,
      worker,
      sequence,
      project: pick(this.#projects).id,
      era,
      error: errorOf(era, below(errorsOfEra)),
      user: random() < 0.1 ? "" : `user-${below(30)}`,
      release: session === "" && random() < 0.3 ? "" : releaseOf(era, below(2)),
      environment: pick(["production", "staging"]),
      shard: pick(shards),
      level: pick(["error", "warning"]),
      occurredAt: (Math.floor(Date.now() / 1000) - below(pastHours * 3600)) * 1000,
      digest: digestOf(extra),
      session,
      countedSessions,
      hasFeedback: random() < 0.1,
    };
    return { event, json: JSON.stringify(eventJson(event, extra)) };
  }
}

/** The digest of the part that is unique to an event. */
export const digestOf = (extra: unknown) => hash("sha256", JSON.stringify(extra));

function eventJson({ id, error, user, release, environment, shard, level, occurredAt }: SentEvent, extra: object) {
  return {
    event_id: id,
    timestamp: occurredAt / 1000,
    level,
    exception: { values: [{ type: error, value: "refused" }] },
    tags: { shard },
    environment,
    ...(user && { user: { id: user } }),
    ...(release && { release }),
    extra,
  };
}

/**
 * The bytes of an HTTP request that sends an event and its other items to one of the entry points, compressed or not.
 */
export function requestBytes(
  { event, json }: { event: SentEvent; json: string },
  { host, key, random }: { host: string; key: string; random: () => number },
): Buffer {
  const beside = itemsBeside(event);
  const isStore = beside.length === 0 && random() < 0.5;
  const text = isStore ? json : envelope(event.id, [{ type: "event" }, JSON.parse(json) as Items], ...beside);
  const isCompressed = random() < 0.5;
  const body = isCompressed ? gzipSync(text, { level: 1 }) : Buffer.from(text);
  const head =
    `POST /api/${event.project}/${isStore ? "store" : "envelope"}/ HTTP/1.1\r\nHost: ${host}\r\n` +
    `X-Sentry-Auth: ${sentryAuth(key)}\r\n${isCompressed ? "Content-Encoding: gzip\r\n" : ""}` +
    `Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

type Items = Readonly<Record<string, unknown>>;

/** The other items of the event's envelope. They are stored with the event or not at all. */
function itemsBeside(event: SentEvent): (readonly [header: Items, payload: Items])[] {
  const { id, era, user, release, environment, occurredAt, session, countedSessions, hasFeedback } = event;
  const started = new Date(occurredAt).toISOString();
  const items: (readonly [Items, Items])[] = [];
  if (session !== "") {
    const status = session === "crashed" ? "crashed" : "exited";
    const attrs = { release, environment };
    const payload = { sid: id, did: user, seq: 1, started, timestamp: started, status, attrs };
    items.push([{ type: "session" }, { ...payload, errors: session === "exited" ? 0 : 1 }]);
  }
  if (countedSessions > 0) {
    const attrs = { release: countedReleaseOf(era), environment };
    items.push([{ type: "sessions" }, { attrs, aggregates: [{ started, exited: countedSessions }] }]);
  }
  if (hasFeedback)
    items.push([{ type: "user_report" }, { event_id: id, name: "Ann", email: "", comments: `about ${id}` }]);
  return items;
}
