import { createInbox, nanos, type Msg, type Subscription } from "@nats-io/transport-node";
import type { Servers } from "./connection.ts";
import { Delivery } from "./delivery.ts";
import { intakeStream, storeConsumer } from "./names.ts";

/** Messages per request at most. The largest message fits in. */
const requestMessages = 500;
const requestBytes = 9 * 1024 * 1024;

/** A request that brought nothing ends after this time and is repeated. */
const requestMs = 5_000;

/** The servers' heartbeat on an open request. A request without one for longer is lost. */
const heartbeatMs = 500;
const lostAfterMs = 1_500;

/**
 * Requests messages whenever there is room. It keeps one inbox, since the notice that a request has ended can overtake
 * the messages it brought: the client's own `fetch` leaves these unread, and they return only after `ack_wait`.
 */
export class Puller {
  readonly #servers: Servers;
  readonly #take: (delivery: Delivery) => void;
  readonly #hasRoom: () => boolean;
  readonly #onFault: (text: string) => void;
  #subscription: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #inbox: string;
  #left = 0;
  #isStopping = false;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(parts: {
    servers: Servers;
    take: (delivery: Delivery) => void;
    hasRoom: () => boolean;
    onFault: (text: string) => void;
  }) {
    this.#servers = parts.servers;
    this.#take = parts.take;
    this.#hasRoom = parts.hasRoom;
    this.#onFault = parts.onFault;
    this.#inbox = createInbox();
  }

  start(): void {
    const callback = (error: Error | null, message: Msg) => {
      if (error) this.#onFault(error.message);
      else this.#heard(message);
    };
    this.#subscription = this.#servers.connection.subscribe(this.#inbox, { callback });
    this.#timer = setInterval(() => this.ask(), heartbeatMs);
    this.ask();
  }

  /** Sends no more requests; resolves when the messages under way were taken. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopping = true;
    await this.#subscription?.drain();
  }

  /** Sends a request unless one is open. Call it when there is room again. */
  ask(): void {
    const now = performance.now();
    const isOpen = this.#left > 0 && now - this.#heardAt < lostAfterMs;
    if (isOpen || this.#isStopping || !this.#hasRoom() || !this.#servers.isConnected()) return;
    this.#left = requestMessages;
    this.#heardAt = now;
    const request = {
      batch: requestMessages,
      max_bytes: requestBytes,
      expires: nanos(requestMs),
      idle_heartbeat: nanos(heartbeatMs),
    };
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${intakeStream}.${storeConsumer}`;
    this.#servers.connection.publish(subject, JSON.stringify(request), { reply: this.#inbox });
  }

  #heard(message: Msg): void {
    this.#heardAt = performance.now();
    const delivery = Delivery.of(message, this.#servers.connection);
    if (delivery) {
      this.#left--;
      this.#take(delivery);
      if (this.#left === 0) this.ask();
      return;
    }
    const { code = 0, description = "" } = message.headers ?? {};
    if (code < 400) return; // a heartbeat
    const hasBrought = this.#left < requestMessages;
    this.#left = 0;
    const isEnd = code === 408 || /batch completed|exceeds maxbytes/i.test(description);
    if (!isEnd)
      this.#onFault(`${code} ${description}`.trim()); // no leader, no consumer: the timer repeats the request
    else if (hasBrought || code === 408) this.ask();
  }
}
