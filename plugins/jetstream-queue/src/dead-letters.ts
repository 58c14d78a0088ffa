import {
  type ChosenLetters,
  type Clock,
  type DeadLetter,
  type DeadLetters,
  type Intake,
  type Log,
  type Replayed,
  ServiceError,
  timestamp,
  millisecondsOf,
} from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { AckPolicy, DeliverPolicy, type StoredMsg } from "@nats-io/jetstream";
import { nanos, nuid, headers, type MsgHdrs } from "@nats-io/transport-node";
import { titleOf } from "@faultline/sentry-event";
import { type Servers, deadLetterStream, deadLetterSubject, deadLetterSubjects } from "./connection.ts";
import { messageOf, packIntake, readMessage, UnreadableMessage } from "./message.ts";

/** Why an item is given up, and its key. */
export interface Failure {
  readonly reason: string;
  /** Equal for every attempt to keep the same item, so that it is kept once. */
  readonly key: string;
}

/** Letters replayed per call: about ten seconds of work on servers that sync each message. */
const replayedAtOnce = 1_000;
const together = 16;

/** Messages per pull, few enough that the server does not close it as a slow reader. */
const pulledAtOnce = 1_000;

/**
 * Items that workers could not store, in a separate stream. They are kept for 90 days unless they are stored after
 * all.
 */
export class DeadLetterStream implements DeadLetters {
  readonly #accept: (intake: Intake) => Promise<void>;
  readonly #count = new Watch(countAll, { everyMs: 5_000, onFault: "the queue does not report its dead letters" });
  #servers: Servers | undefined;
  #clock: Clock = Date;
  #made = 0;

  constructor(accept: (intake: Intake) => Promise<void>) {
    this.#accept = accept;
  }

  start(servers: Servers, { clock, log }: { clock: Clock; log: Log }): void {
    this.#servers = servers;
    this.#clock = clock;
    this.#count.start(servers, log);
  }

  stop(): void {
    this.#count.stop();
  }

  get kept(): number | undefined {
    return this.#count.last;
  }

  get made(): number {
    return this.#made;
  }

  /** Keeps one item with the reason; resolves when the stream has it. */
  async keep(intake: Intake, { reason, key }: Failure): Promise<void> {
    const message = messageOf(packIntake(intake, Number.POSITIVE_INFINITY));
    await this.#publish(message, { ...aboutItem(intake), reason, deadAt: this.#clock.now() }, key);
  }

  /** Keeps bytes that are not a message. */
  async keepUnread(message: Uint8Array, { reason, key }: Failure): Promise<void> {
    await this.#publish(message, { ...unreadable, reason, deadAt: this.#clock.now() }, key);
  }

  /** Reads from the stream's end in growing steps, since it cannot be read backwards and may hold a million. */
  async list({ projectId }: Pick<ChosenLetters, "projectId"> = {}, limit = 100): Promise<DeadLetter[]> {
    const { state } = await this.#connected.manager.streams.info(deadLetterStream);
    for (let width = 2 * limit; ; width *= 8) {
      const from = Math.max(state.last_seq + 1 - width, state.first_seq, 1);
      const isAll = from <= Math.max(state.first_seq, 1);
      const found = await this.#heads(projectId, { from, atLeast: isAll ? 0 : limit });
      if (found) return found.letters.toReversed().slice(0, limit);
    }
  }

  async count({ projectId }: Pick<ChosenLetters, "projectId"> = {}): Promise<number> {
    const filter = projectId === undefined ? deadLetterSubjects : deadLetterSubject(projectId);
    const { state } = await this.#connected.manager.streams.info(deadLetterStream, { subjects_filter: filter });
    return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  }

  async replay({ projectId, ids }: ChosenLetters = {}): Promise<Replayed> {
    const oldest = ids ? undefined : await this.#heads(projectId, { from: 1, atMost: replayedAtOnce });
    const chosen = ids ?? oldest?.letters.map(({ id }) => id) ?? [];
    let [accepted, failed] = [0, 0];
    for (let start = 0; start < chosen.length; start += together) {
      const tried = await Promise.allSettled(
        chosen.slice(start, start + together).map((id) => this.#replayOne(id, projectId)),
      );
      for (const one of tried) {
        if (one.status === "fulfilled" && one.value === "accepted") accepted++;
        if (one.status === "fulfilled" && one.value === "failed") failed++;
      }
      const refused = tried.filter(({ status }) => status === "rejected");
      const [first] = refused;
      if (first?.status === "rejected") {
        // The queue is full or gone: this reports the letters done so far and stops.
        if (accepted + failed === 0) throw first.reason;
        return { accepted, failed, left: chosen.length - accepted - failed + (oldest?.left ?? 0) };
      }
    }
    return { accepted, failed, left: oldest?.left ?? 0 };
  }

  async delete({ projectId, ids }: ChosenLetters = {}): Promise<number> {
    if (!ids) return this.#purge(projectId);
    const deleted = await Promise.all(
      ids.map(async (id) => {
        const letter = await this.#read(id, projectId);
        if (letter) await this.#forget(id);
        return letter !== null;
      }),
    );
    return deleted.filter(Boolean).length;
  }

  async deleteProject(projectId: number): Promise<boolean> {
    await this.#purge(projectId);
    return true;
  }

  async #replayOne(id: number, projectId: number | undefined): Promise<"accepted" | "failed" | "gone"> {
    const letter = await this.#read(id, projectId);
    if (!letter) return "gone"; // another replay was faster
    try {
      const intake = readMessage(letter.data);
      const receivedTime = timestamp(this.#clock.now());
      await this.#accept({ ...intake, events: intake.events.map((event) => ({ ...event, receivedTime })) });
      await this.#forget(id);
      return "accepted";
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      const before = fromHeaders(id, letter.header);
      const reason = shortReason(error.message);
      if (reason !== before.reason) {
        await this.#publish(letter.data, { ...before, reason, deadAt: this.#clock.now() }, `again-${id}`);
        await this.#forget(id);
      }
      return "failed";
    }
  }

  async #publish(message: Uint8Array, description: Description, key: string): Promise<void> {
    await this.#connected.client.publish(deadLetterSubject(description.projectId), message, {
      msgID: key,
      headers: toHeaders(description),
      expect: { streamName: deadLetterStream },
    });
    this.#made++;
  }

  /** The fields of the letters from a place in the stream on; undefined when there are fewer than `atLeast`. */
  async #heads(
    projectId: number | undefined,
    { from, atLeast = 0, atMost = Infinity }: { from: number; atLeast?: number; atMost?: number },
  ): Promise<{ letters: DeadLetter[]; left: number } | undefined> {
    const { manager, client } = this.#connected;
    const consumer = await manager.consumers.add(deadLetterStream, {
      name: nuid.next(),
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      filter_subject: projectId === undefined ? deadLetterSubjects : deadLetterSubject(projectId),
      headers_only: true,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(60_000),
    });
    try {
      const { num_pending: waiting } = consumer;
      if (waiting < atLeast) return undefined;
      const letters: DeadLetter[] = [];
      const wanted = Math.min(waiting, atMost);
      const pull = await client.consumers.get(deadLetterStream, consumer.name);
      while (letters.length < wanted) {
        const before = letters.length;
        const count = Math.min(wanted - before, pulledAtOnce);
        for await (const message of await pull.fetch({ max_messages: count, expires: 5_000 })) {
          letters.push(fromHeaders(message.seq, message.headers));
        }
        if (letters.length === before) break; // the others were deleted meanwhile
      }
      return { letters, left: waiting - wanted };
    } finally {
      await manager.consumers.delete(deadLetterStream, consumer.name);
    }
  }

  /** Null if the project has no such letter. */
  async #read(id: number, projectId: number | undefined): Promise<StoredMsg | null> {
    const letter = await this.#connected.manager.streams.getMessage(deadLetterStream, { seq: id });
    const isOfProject = projectId === undefined || letter?.subject === deadLetterSubject(projectId);
    return isOfProject ? letter : null;
  }

  async #forget(id: number): Promise<void> {
    await this.#connected.manager.streams.deleteMessage(deadLetterStream, id);
  }

  async #purge(projectId: number | undefined): Promise<number> {
    const filter = projectId === undefined ? deadLetterSubjects : deadLetterSubject(projectId);
    const { purged } = await this.#connected.manager.streams.purge(deadLetterStream, { filter });
    return purged;
  }

  get #connected(): Servers {
    if (this.#servers?.isConnected()) return this.#servers;
    throw new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, "The queue is not connected. Try again in a moment.");
  }
}

async function countAll({ manager }: Servers): Promise<number> {
  return (await manager.streams.info(deadLetterStream)).state.messages;
}

/** Polls the servers, so that readers of the answer need not wait for it. */
export class Watch<Answer> {
  readonly #ask: (servers: Servers) => Promise<Answer>;
  readonly #everyMs: number;
  readonly #onFault: string;
  #last: Answer | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onFault` is the log message of the first consecutive failure. */
  constructor(ask: (servers: Servers) => Promise<Answer>, parts: { everyMs: number; onFault: string }) {
    this.#ask = ask;
    this.#everyMs = parts.everyMs;
    this.#onFault = parts.onFault;
  }

  /** The last answer; undefined before the first. */
  get last(): Answer | undefined {
    return this.#last;
  }

  start(servers: Servers, log: Log): void {
    let isAsking = false;
    let hasFailed = false;
    const ask = async () => {
      if (isAsking || !servers.isConnected()) return;
      isAsking = true;
      try {
        this.#last = await this.#ask(servers);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, this.#onFault);
        hasFailed = true;
      } finally {
        isAsking = false;
      }
    };
    this.#timer = setInterval(() => void ask(), this.#everyMs);
    void ask();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

const header = "Faultline-Dead-Letter";
const longestReason = 500;
const longestTitle = 256;

/** The fields of a dead letter without its place in the stream. */
type Description = Omit<DeadLetter, "id">;

type About = Omit<Description, "reason" | "deadAt">;

const unreadable: About = { projectId: 0, kind: "unreadable", eventId: "", title: "" };

/** Identifies the one item of an intake. */
function aboutItem({ events, sessions, aggregates, feedback }: Intake): About {
  for (const event of events) {
    const { projectId, eventId, receivedTime } = event;
    return { projectId, kind: "event", eventId, title: titleOf(event), ...received(receivedTime) };
  }
  for (const { projectId, eventId, comments, receivedTime } of feedback) {
    return { projectId, kind: "feedback", eventId, title: comments, ...received(receivedTime) };
  }
  for (const { projectId, release, receivedTime } of sessions) {
    return { projectId, kind: "session", eventId: "", title: release, ...received(receivedTime) };
  }
  for (const { projectId, release } of aggregates) return { projectId, kind: "session", eventId: "", title: release };
  return unreadable;
}

function received(time: Parameters<typeof millisecondsOf>[0] | undefined): Pick<About, "receivedAt"> {
  return time ? { receivedAt: millisecondsOf(time) } : {};
}

/** The reason, cut to the length that is kept. */
function shortReason(reason: string): string {
  return reason.slice(0, longestReason);
}

/** Headers are lines of printable ASCII. */
function toHeaders({ reason, title, ...rest }: Description): MsgHdrs {
  const short = { ...rest, title: title.slice(0, longestTitle), reason: shortReason(reason) };
  const fields = headers();
  fields.set(header, encodeURIComponent(JSON.stringify(short).toWellFormed()));
  return fields;
}

function fromHeaders(id: number, fields: MsgHdrs | undefined): DeadLetter {
  const described = JSON.parse(decodeURIComponent(fields?.get(header) || "{}")) as Partial<Description>;
  return { ...unreadable, reason: "", deadAt: 0, ...described, id };
}
