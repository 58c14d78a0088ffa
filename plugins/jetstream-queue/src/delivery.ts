import { nanos, type Msg, type NatsConnection } from "@nats-io/transport-node";

/** A delivery of a message of the stream; the answers are JetStream's (ADR-13). */
export class Delivery {
  readonly #message: Msg;
  readonly #connection: NatsConnection;
  /** How often it was delivered, with this time. */
  readonly deliveries: number;
  /** The message's place in the stream and when the stream took it: the place alone comes again in a stream that was made anew. */
  readonly id: string;

  private constructor(message: Msg, connection: NatsConnection, tokens: readonly string[]) {
    const [deliveries, seq, , takenAt = ""] = tokens;
    this.#message = message;
    this.#connection = connection;
    this.deliveries = Number(deliveries);
    this.id = `${seq}-${takenAt}`;
  }

  /**
   * Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<seq>.<consumer's seq>.<time>.<pending>`, or the same with domain and account
   * before the stream (nats-server 2.15, server/consumer.go); undefined when it is no message of a stream.
   */
  static of(message: Msg, connection: NatsConnection): Delivery | undefined {
    const tokens = message.reply?.split(".") ?? [];
    if (tokens[0] !== "$JS" || tokens[1] !== "ACK" || tokens.length < 9) return undefined;
    return new Delivery(message, connection, tokens.slice(tokens.length === 9 ? 4 : 6));
  }

  /** The id under which it was published: the same when the stream has taken the same publication twice. */
  get publication(): string {
    return this.#message.headers?.get("Nats-Msg-Id") || this.id;
  }

  get data(): Uint8Array {
    return this.#message.data;
  }

  /** Resolves when the servers know that it is settled. */
  async acknowledge(timeoutMs: number): Promise<void> {
    await this.#connection.request(this.#message.reply ?? "", "+ACK", { timeout: timeoutMs });
  }

  /** Tells that it is worked on: the time until it is delivered to another worker begins anew. */
  tellWorking(): void {
    this.#message.respond("+WPI");
  }

  /** Lets any worker have it, after some time. */
  giveBack(afterMs = 0): void {
    this.#message.respond(afterMs > 0 ? `-NAK ${JSON.stringify({ delay: nanos(afterMs) })}` : "-NAK");
  }
}
