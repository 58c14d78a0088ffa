import { emptyIntake, ServiceError, type Intake } from "@faultline/plugin";
import type { ErrorEvent } from "@faultline/proto";
import { reasonName } from "@faultline/proto/grpc";
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { jetstreamQueue, type JetStreamQueue, type Work } from "../../../plugins/jetstream-queue/src/index.ts";
import { errorEvent } from "../sentry/error-event.ts";
import { startNats, type Nats, type NatsOptions } from "./nats.ts";

/** A queue on separate servers, with the means to inspect it. */
export interface QueueUnderTest {
  readonly nats: Nats;
  readonly queue: JetStreamQueue;
  /** The acts of an operator. */
  readonly operator: JetStreamManager;
  readonly connection: NatsConnection;
  /** The lines of the queue's log. */
  readonly lines: readonly string[];
  /** Another process's queue on the same servers. */
  another(): Promise<JetStreamQueue>;
}

/** Runs a test with separate servers, and stops them all. */
export async function withQueue(
  { maxBytes = 256 * 1024 * 1024, ...options }: NatsOptions & { maxBytes?: number },
  run: (parts: QueueUnderTest) => Promise<void>,
): Promise<void> {
  const nats = await startNats(options);
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    const { err } = fields as { err?: unknown };
    lines.push(err === undefined ? message : `${message}: ${String(err)}`);
  };
  const host = { log: { info: write, warn: write, error: write }, clock: Date };
  const started: JetStreamQueue[] = [];
  const another = async () => {
    const queue = jetstreamQueue({ url: nats.url, maxBytes });
    started.push(queue);
    await queue.start(host);
    return queue;
  };
  let connection: NatsConnection | undefined;
  try {
    connection = await connect({ servers: nats.url.split(","), maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    const operator = await jetstreamManager(connection);
    const queue = await another();
    await run({ nats, queue, operator, connection, lines, another });
  } finally {
    await Promise.allSettled(started.map((queue) => queue.stop()));
    await connection?.close();
    await nats.stop();
  }
}

/** A store that keeps events by their ids, like a backend, and fails as the test says. */
export class EventStore implements Work {
  readonly ids = new Set<string>();
  /** The titles of each batch that was stored. */
  readonly batches: string[][] = [];
  /** The fault of a batch; undefined if there is none. */
  fault: (events: readonly ErrorEvent[]) => Error | undefined = () => undefined;

  async storeBatch({ events }: Intake): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const fault = this.fault(events);
    if (fault) throw fault;
    for (const { projectId, eventId } of events) this.ids.add(`${projectId}/${eventId}`);
    this.batches.push(events.map(({ title }) => title));
  }

  isStorageFailure(error: unknown): boolean {
    return String(error).includes("SQLITE_FULL");
  }
}

/** An event with the id that belongs to the number. */
export function numbered(n: number, fields: Partial<ErrorEvent> = {}): ErrorEvent {
  return errorEvent({ eventId: n.toString(16).padStart(32, "0"), title: `event ${n}`, ...fields });
}

export function intake(...events: readonly ErrorEvent[]): Intake {
  return { ...emptyIntake, events };
}

/** The result: accepted, or the reason of the refusal. */
export async function outcome(accepted: Promise<void>): Promise<string> {
  try {
    await accepted;
    return "accepted";
  } catch (error) {
    return error instanceof ServiceError ? reasonName(error.reason) : String(error);
  }
}

/** The number of messages in the intake. */
export async function waitingMessages(operator: JetStreamManager): Promise<number> {
  return (await operator.streams.info("FAULTLINE_INTAKE")).state.messages;
}
