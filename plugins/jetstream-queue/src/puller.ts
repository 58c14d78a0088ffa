import { createInbox, nanos, type Msg, type Subscription, type NatsConnection } from "@nats-io/transport-node";
import { type Servers, intakeStream, storeConsumer } from "./connection.ts";

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

/** A delivery of a message of the stream. Its replies are JetStream's (ADR-13). */
export class Delivery {
  readonly #message: Msg;
  readonly #connection: NatsConnection;
  /** How often it was delivered, this delivery included. */
  readonly deliveries: number;
  /**
   * The message's sequence number and the time at which the stream took it: a stream that is created again repeats the
   * numbers.
   */
  readonly id: string;

  private constructor(message: Msg, connection: NatsConnection, tokens: readonly string[]) {
    const [deliveries, seq, , takenAt = ""] = tokens;
    this.#message = message;
    this.#connection = connection;
    this.deliveries = Number(deliveries);
    this.id = `${seq}-${takenAt}`;
  }

  /**
   * Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<seq>.<consumer's seq>.<time>.<pending>`, or the same with domain
   * and account before the stream (nats-server 2.15, server/consumer.go); undefined when it is not a message of a
   * stream.
   */
  static of(message: Msg, connection: NatsConnection): Delivery | undefined {
    const tokens = message.reply?.split(".") ?? [];
    if (tokens[0] !== "$JS" || tokens[1] !== "ACK" || tokens.length < 9) return undefined;
    return new Delivery(message, connection, tokens.slice(tokens.length === 9 ? 4 : 6));
  }

  /** The id under which it was published: equal when the stream has taken the same publication twice. */
  get publication(): string {
    return this.#message.headers?.get("Nats-Msg-Id") || this.id;
  }

  get data(): Uint8Array {
    return this.#message.data;
  }

  /** Resolves when the servers have confirmed the acknowledgement. */
  async acknowledge(timeoutMs: number): Promise<void> {
    await this.#connection.request(this.#message.reply ?? "", "+ACK", { timeout: timeoutMs });
  }

  /** Reports work in progress: the time until it is delivered to another worker starts again. */
  reportWorking(): void {
    this.#message.respond("+WPI");
  }

  /** Gives it to any worker, after some time. */
  giveBack(afterMs = 0): void {
    this.#message.respond(afterMs > 0 ? `-NAK ${JSON.stringify({ delay: nanos(afterMs) })}` : "-NAK");
  }
}
