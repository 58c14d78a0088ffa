import { type Clock, type Intake, millisecondsOf, ServiceError, timestamp } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { AckPolicy, type StoredMsg } from "@nats-io/jetstream";
import { headers, nanos, nuid, type MsgHdrs } from "@nats-io/transport-node";
import type { Servers } from "./connection.ts";
import { messageOf, packIntake, readMessage } from "./message.ts";
import { deadLetterStream, deadLetterSubject, deadLetterSubjects } from "./names.ts";

/** Something that was accepted and could not be stored. */
export interface DeadLetter {
  /** Its place in the stream; grows with time. */
  readonly id: number;
  /** 0: not known. */
  readonly projectId: number;
  /** Of an event or of the event that feedback is about. Empty: it is none. */
  readonly eventId: string;
  readonly reason: string;
  /** When it was received, in milliseconds since 1970. Absent: not known. */
  readonly receivedAt?: number | undefined;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadAt: number;
}

/** Which dead letters; absent: all. */
export interface Chosen {
  readonly projectId?: number;
  readonly ids?: readonly number[];
}

/** Why an item is given up, and what tells it from the others. */
export interface Failure {
  readonly reason: string;
  /** The same for each try to keep the same item, so that it is kept once. */
  readonly key: string;
}

const header = "Faultline-Dead-Letter";
const longestReason = 500;
const shownAtOnce = 100;

/** What workers could not store. Kept for 90 days unless it is stored after all. */
export class DeadLetters {
  readonly #accept: (intake: Intake) => Promise<void>;
  #servers: Servers | undefined;
  #clock: Clock = Date;

  constructor(accept: (intake: Intake) => Promise<void>) {
    this.#accept = accept;
  }

  use(servers: Servers | undefined, clock: Clock): void {
    this.#servers = servers;
    this.#clock = clock;
  }

  /** Keeps one item with the reason; resolves when the stream has it. */
  async keep(intake: Intake, { reason, key }: Failure): Promise<void> {
    await this.#publish(messageOf(packIntake(intake, Number.POSITIVE_INFINITY)), describe(intake), reason, key);
  }

  /** Keeps bytes that are no message. */
  async keepUnread(message: Uint8Array, { reason, key }: Failure): Promise<void> {
    await this.#publish(message, { projectId: 0, eventId: "" }, reason, key);
  }

  /** The newest first. */
  async list({ projectId, ids }: Chosen = {}, limit = shownAtOnce): Promise<DeadLetter[]> {
    const { manager, client } = this.#connected;
    const consumer = await manager.consumers.add(deadLetterStream, {
      name: nuid.next(),
      ack_policy: AckPolicy.None,
      filter_subject: projectId === undefined ? deadLetterSubjects : deadLetterSubject(projectId),
      headers_only: true,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(60_000),
    });
    try {
      const found: DeadLetter[] = [];
      let left = consumer.num_pending;
      const pull = await client.consumers.get(deadLetterStream, consumer.name);
      // A pull brings at most so many messages that the server does not close it as a slow reader.
      while (left > 0) {
        let got = 0;
        for await (const message of await pull.fetch({ max_messages: Math.min(left, 1_000), expires: 5_000 })) {
          got++;
          found.push(read(message.seq, message.headers));
        }
        if (got === 0) break;
        left -= got;
      }
      const wanted = ids ? found.filter(({ id }) => ids.includes(id)) : found;
      return wanted.toReversed().slice(0, limit);
    } finally {
      await manager.consumers.delete(deadLetterStream, consumer.name);
    }
  }

  /**
   * Accepts them anew and forgets them; answers how many. What is still poison comes back with its new reason. An event is
   * received now: it is kept as long as any other from when it can be seen.
   */
  async replay(chosen: Chosen = {}): Promise<number> {
    let replayed = 0;
    for (const { id } of (await this.list(chosen, Number.POSITIVE_INFINITY)).toReversed()) {
      const message = await this.#read(id);
      if (!message) continue; // another replay was faster
      const intake = readMessage(message.data);
      const receivedTime = timestamp(this.#clock.now());
      await this.#accept({ ...intake, events: intake.events.map((event) => ({ ...event, receivedTime })) });
      await this.#forget(id);
      replayed++;
    }
    return replayed;
  }

  /** Forgets them; answers how many. */
  async delete(chosen: Chosen = {}): Promise<number> {
    const found = await this.list(chosen, Number.POSITIVE_INFINITY);
    for (const { id } of found) await this.#forget(id);
    return found.length;
  }

  /** Deletes those of a project that is gone for good; true as none is left then. */
  async deleteProject(projectId: number): Promise<boolean> {
    await this.#connected.manager.streams.purge(deadLetterStream, { filter: deadLetterSubject(projectId) });
    return true;
  }

  async #publish(message: Uint8Array, about: About, reason: string, key: string): Promise<void> {
    const described = { ...about, reason: reason.slice(0, longestReason), deadAt: this.#clock.now() };
    const fields = headers();
    fields.set(header, encodeURIComponent(JSON.stringify(described).toWellFormed())); // headers are lines of plain characters
    await this.#connected.client.publish(deadLetterSubject(about.projectId), message, {
      msgID: key,
      headers: fields,
      expect: { streamName: deadLetterStream },
    });
  }

  async #read(id: number): Promise<StoredMsg | null> {
    return this.#connected.manager.streams.getMessage(deadLetterStream, { seq: id });
  }

  async #forget(id: number): Promise<void> {
    await this.#connected.manager.streams.deleteMessage(deadLetterStream, id);
  }

  get #connected(): Servers {
    if (this.#servers?.isConnected()) return this.#servers;
    throw new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, "The queue is not connected. Try again in a moment.");
  }
}

type About = Pick<DeadLetter, "projectId" | "eventId" | "receivedAt">;

/** What identifies the one item of an intake. */
function describe({ events, sessions, aggregates, feedback }: Intake): About {
  const [event] = events;
  const [other] = [...feedback, ...events];
  const projectId = [...events, ...sessions, ...aggregates, ...feedback][0]?.projectId ?? 0;
  const received = event?.receivedTime ?? sessions[0]?.receivedTime ?? feedback[0]?.receivedTime;
  return { projectId, eventId: other?.eventId ?? "", receivedAt: received && millisecondsOf(received) };
}

function read(id: number, fields: MsgHdrs | undefined): DeadLetter {
  const described = JSON.parse(decodeURIComponent(fields?.get(header) || "{}")) as Partial<DeadLetter>;
  return { projectId: 0, eventId: "", reason: "", deadAt: 0, ...described, id };
}
