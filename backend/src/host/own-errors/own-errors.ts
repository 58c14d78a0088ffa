import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  type Clock,
  type Log,
  type Outbound,
  ClientKeyRefusal,
  emptyIntake,
  OutboundFailure,
  type Admission,
  type EventDoor,
} from "@faultline/plugin";
import { RecentTimes, TokenBucket } from "@faultline/plugin/flow";
import { readErrorEvent, type JsonObject } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import type { Dsn } from "./dsn.ts";
import { identityOf, ownEvent, type Failure } from "./own-event.ts";

/** How long the end of the process waits for reports. */
const stopMs = 2_000;

/** The receiver of reports. */
export interface Target {
  readonly dsn: Dsn;
  readonly environment: string;
  /** Whether the platform's rule allows sending to the system behind the DSN now. */
  isSupported(): Promise<boolean>;
}

/**
 * Reports the service's own failures (specification 9.1). Reporting never throws, never makes its caller wait, and is
 * bounded: a storm of failures, or a target that does not answer, costs a handful of requests.
 */
export class OwnErrors {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #limits: ReportLimits;
  /**
   * Set during all work that a report causes. A failure there is logged and not reported; otherwise one report would
   * cause the next.
   */
  readonly #reporting = new AsyncLocalStorage<true>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #ways: { readonly door: OwnDoor; readonly outbound: Outbound } | undefined;
  #target: Target | undefined;
  #reported = 0;
  #leftOut = 0;

  /** `log` must not report itself. */
  constructor({ log, clock, version }: { log: Log; clock: Clock; version: string }) {
    this.#log = log;
    this.#clock = clock;
    this.#version = version;
    this.#limits = new ReportLimits(clock);
  }

  /** The numbers of failures reported and left out since the start. */
  get counts(): { reported: number; leftOut: number } {
    return { reported: this.#reported, leftOut: this.#leftOut };
  }

  /** Sets the door for DSNs of this installation, and the way to other systems. Nothing is reported until then. */
  useWays(door: OwnDoor, outbound: Outbound): void {
    this.#ways = { door, outbound };
  }

  /** Sets the target of further reports; undefined for no reports. */
  sendTo(target: Target | undefined): void {
    this.#target = target;
  }

  /** Reports a failure in the background. */
  report(failure: Failure): void {
    const [ways, target] = [this.#ways, this.#target];
    if (!ways || !target || this.#reporting.getStore() || this.#stopped.signal.aborted) return;
    if (!this.#limits.take(identityOf(failure.thrown))) {
      this.#leftOut++;
      return;
    }
    const running = this.#reporting
      .run(true, () => this.#send(failure, target, ways))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Reports the failure that ends the process. Resolves when the process may end, after two seconds at most. */
  async lastReport(thrown: unknown): Promise<void> {
    this.report({ thrown, part: "core", during: "nobody caught it", level: "fatal" });
    await this.#settled();
  }

  /** Waits for reports under way, for two seconds at most, and drops the rest. */
  async stop(): Promise<void> {
    await this.#settled();
    this.#stopped.abort();
  }

  async #send(
    failure: Failure,
    { dsn, environment, isSupported }: Target,
    ways: { door: OwnDoor; outbound: Outbound },
  ): Promise<void> {
    try {
      const names = { eventId: randomUUID().replaceAll("-", ""), now: this.#clock.now() };
      const event = ownEvent(failure, { version: this.#version, environment }, names);
      const { signal } = this.#stopped;
      await deliver(event, dsn, { ...ways, clock: this.#clock, version: this.#version, signal, isSupported });
      this.#reported++;
    } catch (error) {
      this.#leftOut++;
      this.#log.warn({ err: error }, "a failure of the service could not be reported");
    }
  }

  async #settled(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, stopMs);
    await Promise.race([Promise.all(this.#running), late]);
    clearTimeout(timer);
  }
}

const burst = 10;
const perHour = 100;
const sameErrorMs = 60_000;
const hourMs = 3_600_000;

const all = "all errors";

/** Limits reports to one a second with bursts of ten, 100 an hour, and the same error once a minute. */
export class ReportLimits {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  /** The reports of all errors together, under one key. */
  readonly #made: RecentTimes;
  readonly #madeOf: RecentTimes;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(burst, 1, clock.now());
    this.#made = new RecentTimes(clock, { windowMs: hourMs, timesKept: perHour });
    this.#madeOf = new RecentTimes(clock, { windowMs: sameErrorMs, timesKept: 1 });
  }

  /** Counts one report of an error. Returns false, and counts nothing, if a limit is reached. */
  take(identity: string): boolean {
    this.#bucket.fill(this.#clock.now());
    const isRepeated = this.#madeOf.of(identity).length > 0;
    if (isRepeated || this.#bucket.tokens < 1 || this.#made.of(all).length >= perHour) return false;
    this.#bucket.take(1);
    this.#made.note(all);
    this.#madeOf.note(identity);
    return true;
  }
}

const timeoutMs = 5_000;

/** Answers of error-tracking systems are short. A longer answer is cut, and the event counts as not delivered. */
const maxBytes = 65_536;

/**
 * Sends an event to the address of a DSN: through the event door if the key belongs to this installation, otherwise to
 * the other system. Throws if it was not delivered.
 */
async function deliver(
  event: JsonObject,
  dsn: Dsn,
  {
    door,
    outbound,
    clock,
    version,
    signal,
    isSupported,
  }: {
    door: OwnDoor;
    outbound: Outbound;
    clock: Clock;
    version: string;
    signal: AbortSignal;
    /** Whether the platform's rule allows sending to the other system. */
    isSupported: () => Promise<boolean>;
  },
): Promise<void> {
  const own = await ownKey(dsn.publicKey, door);
  if (own === undefined) {
    if (!(await isSupported())) throw new Error("the platform does not support the version of the other system");
    return post(event, dsn, { outbound, version, signal });
  }
  const { projectId, keyId } = own;
  if (String(projectId) !== dsn.projectId) throw new Error("the DSN names a different project than its key");
  const eventId = String(event["event_id"]);
  await door.accept({
    ...emptyIntake,
    events: [
      readErrorEvent(event, {
        projectId,
        keyId,
        payload: {
          content: Buffer.from(JSON.stringify(event)),
          encoding: PayloadEncoding.UNSPECIFIED,
          offset: 0,
          length: 0,
        },
        receivedAt: clock.now(),
        newEventId: () => eventId,
      }),
    ],
  });
}

const refused =
  "the address of the DSN was not found or is blocked: FAULTLINE_OUTBOUND_NETWORKS allows private networks, FAULTLINE_OUTBOUND_PORTS allows ports";

/** The part of the event door that own events use. */
type OwnDoor = Pick<EventDoor, "admit" | "accept">;

/** A key of this installation and its project; undefined for any other key. Throws for a key that accepts no events. */
async function ownKey(publicKey: string, door: OwnDoor): Promise<Admission | undefined> {
  try {
    return await door.admit(publicKey);
  } catch (error) {
    if (error instanceof ClientKeyRefusal && error.outcome === "unknown_key") return undefined;
    throw error;
  }
}

/** Posts an envelope like an SDK. Ignores the body of the answer, and does not follow redirects. */
async function post(
  event: JsonObject,
  dsn: Dsn,
  { outbound, version, signal }: { outbound: Outbound; version: string; signal: AbortSignal },
): Promise<void> {
  const lines = [{ event_id: event["event_id"], sent_at: new Date().toISOString() }, { type: "event" }, event];
  const { status } = await outbound
    .request({
      method: "POST",
      url: `${dsn.baseUrl}/api/${dsn.projectId}/envelope/`,
      headers: {
        "content-type": "application/x-sentry-envelope",
        "user-agent": `faultline/${version}`,
        "x-sentry-auth": `Sentry sentry_version=7, sentry_client=faultline/${version}, sentry_key=${dsn.publicKey}`,
      },
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
      maxBytes,
      timeoutMs,
      signal,
    })
    .catch((error: unknown) => {
      throw error instanceof OutboundFailure && error.fault === "address"
        ? new Error(refused, { cause: error })
        : error;
    });
  if (status < 200 || status > 299) throw new Error(`the other system answered ${status}`);
}
