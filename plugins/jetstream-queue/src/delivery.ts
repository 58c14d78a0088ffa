import { nanos, type Msg, type NatsConnection } from "@nats-io/transport-node";

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
