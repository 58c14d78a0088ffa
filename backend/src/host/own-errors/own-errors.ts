import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Clock, Log, Outbound } from "@faultline/plugin";
import { deliver, type OwnDoor } from "./deliver.ts";
import type { Dsn } from "./dsn.ts";
import { identityOf, ownEvent, type Failure } from "./own-event.ts";
import { ReportLimits } from "./report-limits.ts";

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
   * Set during everything a report causes. A failure there is logged and not reported, otherwise one report would cause
   * the next.
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

  /** How many failures were reported, and left out, since the start. */
  get counts(): { reported: number; leftOut: number } {
    return { reported: this.#reported, leftOut: this.#leftOut };
  }

  /**
   * Sets the door for events whose DSN is one of this installation, and the way to others. Until then nothing is
   * reported.
   */
  useWays(door: OwnDoor, outbound: Outbound): void {
    this.#ways = { door, outbound };
  }

  /** Sets the target of reports from now on; undefined: none. */
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

  /** Reports the failure that ends the process, and resolves when it may end: after two seconds at most. */
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
