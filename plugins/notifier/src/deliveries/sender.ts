import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { Host } from "@faultline/plugin";
import { BoundedMap, FairQueue, type Turn } from "@faultline/plugin/flow";
import { NotificationChannelState, NotificationDeliveryState } from "@faultline/proto";
import type { Message } from "../messages/message.ts";
import type { ChannelRow, Tables, DeliveryRow } from "../tables.ts";
import { failingFrom, noteTry, takeTry } from "../channels/failing-servers.ts";
import type { Transport } from "./transport.ts";
import { verdictOf, type Verdict } from "../channels/verdict.ts";
import type { Tried } from "../channels/call-channel.ts";

/** Projects and people have separate senders, so that a mail server that hangs does not delay chats. */
interface SenderOptions {
  /** Which channels it serves: the channels that projects set up, or the mail of people. */
  readonly of: "projects" | "people";
  /**
   * Channels that a process sends to concurrently: in total, of one project, and to servers that are not known to be
   * quick.
   */
  readonly atOnce: { readonly all: number; readonly ofProject: number; readonly unproven: number };
  readonly transportOf: (channel: ChannelRow) => Transport;
}

/** A server is quick if it answered its last call within this time. */
const quickMs = 1_000;
const serversRemembered = 10_000;

/** Channels that a process sends to concurrently on one server that is not known to be quick. */
const ofServer = 2;

/** Channels that are checked together. */
const lookedAt = 1_000;

const unproven = "servers not known to be quick";

/**
 * Sends due messages, one per channel at a time, in order. A process leases the channel for it; a result counts only
 * during the lease, so that a slow process cannot overwrite its successor's work. Projects take turns. Channels with
 * servers that recently answered quickly go ahead, and have some reserved places: of 16 places, hanging receivers hold
 * at most 12.
 */
export class Sender {
  readonly #host: Host;
  readonly #options: SenderOptions;
  readonly #queue: FairQueue;
  /** Channels that are being sent to, or wait for their turn. */
  readonly #running = new Map<number, Promise<void>>();
  readonly #quickServers = new BoundedMap<string, true>(serversRemembered);
  readonly #stopped = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(host: Host, options: SenderOptions) {
    this.#host = host;
    this.#options = options;
    const { all, ofProject, unproven: ofUnproven } = options.atOnce;
    const most = (owner: string) => {
      if (owner === unproven) return ofUnproven;
      return owner.startsWith("project ") ? ofProject : ofServer;
    };
    this.#queue = new FairQueue({ atOnce: all, ofOwner: most });
  }

  /** Begins to send to due channels that are not being sent to here; does not wait for them. */
  begin(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#looking;
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const due = await this.#due();
    const isMore = due.length === lookedAt || due.some(({ place }) => Number(place) === this.#options.atOnce.ofProject);
    for (const { id: channelId, ...of } of due) {
      if (this.#running.has(channelId)) continue;
      const work = this.#queue
        .run(this.#turnOf(of), () => this.#sendOne(channelId))
        .catch((error: unknown) => this.#note(error, channelId))
        .finally(() => {
          this.#running.delete(channelId);
          // Further due channels need not wait for the next scheduled check.
          if (isMore) void this.begin().catch((error: unknown) => this.#note(error, channelId));
        });
      this.#running.set(channelId, work);
    }
  }

  #note(error: unknown, channelId: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#host.log.error({ err: error, channelId }, "a notification could not be sent");
  }

  #turnOf({ project_id: projectId, server }: Pick<ChannelRow, "project_id" | "server">): Turn {
    const project = `project ${projectId}`;
    const { signal } = this.#stopped;
    if (this.#quickServers.has(server)) return { owners: [project], isAhead: true, signal };
    const ofOne = server === "" ? [] : [`server ${server}`]; // a channel has no server before its first try
    return { owners: [project, unproven, ...ofOne], signal };
  }

  /**
   * For each project, the longest-waiting channels up to its limit, so that a project with many channels does not delay
   * other projects.
   */
  async #due() {
    const now = this.#host.clock.now();
    const due = this.#host.database
      .read<Tables>()
      .selectFrom("notifier_channel")
      .select(["id", "project_id", "server", "next_try_at"])
      .select(({ fn }) =>
        fn
          .agg<number>("row_number")
          .over((over) => over.partitionBy("project_id").orderBy("next_try_at").orderBy("id"))
          .as("place"),
      )
      .where("user_id", this.#options.of === "people" ? "is not" : "is", null)
      .where("state", "=", NotificationChannelState.ACTIVE)
      .where("next_try_at", "<=", now)
      .where("lease_until", "<=", now)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("notifier_delivery")
            .select("notifier_delivery.id")
            .whereRef("notifier_delivery.channel_id", "=", "notifier_channel.id")
            .where("notifier_delivery.finished_at", "is", null),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("notifier_server")
              .select("notifier_server.server")
              .whereRef("notifier_server.server", "=", "notifier_channel.server")
              .where("notifier_server.failed_tries", ">=", failingFrom)
              .where("notifier_server.next_try_at", ">", now),
          ),
        ),
      )
      .as("due");
    return this.#host.database
      .read<Tables>()
      .selectFrom(due)
      .selectAll()
      .where("place", "<=", this.#options.atOnce.ofProject)
      .orderBy("place")
      .orderBy("next_try_at")
      .limit(lookedAt)
      .execute();
  }

  async #sendOne(channelId: number): Promise<void> {
    const { database, clock } = this.#host;
    const write = database.write<Tables>();
    const token = randomUUID();
    const claimed = await claim(write, { channelId, token, now: clock.now() });
    if (!claimed) return;
    try {
      await finish(write, await this.#try(claimed), { token, now: clock.now() });
    } catch (error) {
      // On shutdown the next process begins immediately. After a fault the lease stays, so that the fault does not
      // repeat in a loop.
      if (this.#stopped.signal.aborted) await release(write, { channelId, token });
      throw error;
    }
  }

  #notePace(server: string, durationMs: number): void {
    if (server === "") return;
    if (durationMs <= quickMs) this.#quickServers.set(server, true);
    else this.#quickServers.delete(server);
  }

  async #try(claimed: Claimed) {
    const { channel, delivery } = claimed;
    const transport = this.#options.transportOf(channel);
    const begunAt = this.#host.clock.now();
    const began = performance.now();
    const message = JSON.parse(delivery.message) as Message; // written by newDelivery
    const tried = await transport.send(message, { uid: delivery.uid, at: begunAt, signal: this.#stopped.signal });
    const durationMs = Math.round(performance.now() - began);
    this.#notePace(tried.server ?? "", durationMs);
    const verdict = verdictOf(tried, { kind: transport, channel, delivery, now: this.#host.clock.now() });
    return { ...claimed, tried, verdict, begunAt, durationMs };
  }
}

/** Longer than a try takes, so that another process takes over only after a crash. */
const leaseMs = 60_000;

/** The minimum time between two messages of a channel, because the slowest chats take one per second. */
const paceMs = 1_000;

/** A channel that this process sends to, and the due message. */
interface Claimed {
  readonly channel: ChannelRow;
  readonly delivery: DeliveryRow;
}

/** The result of a try. */
interface Done extends Claimed {
  readonly tried: Tried;
  readonly verdict: Verdict;
  readonly begunAt: number;
  readonly durationMs: number;
}

/** Leases a channel and takes its oldest message. Undefined if another process was first, or if nothing may be sent. */
function claim(
  write: Kysely<Tables>,
  { channelId, token, now }: { channelId: number; token: string; now: number },
): Promise<Claimed | undefined> {
  return write.transaction().execute(async (transaction) => {
    const channel = await transaction
      .updateTable("notifier_channel")
      .set({ lease_token: token, lease_until: now + leaseMs })
      .where("id", "=", channelId)
      .where("state", "=", NotificationChannelState.ACTIVE)
      .where("next_try_at", "<=", now)
      .where("lease_until", "<=", now)
      .returningAll()
      .executeTakeFirst();
    if (!channel) return undefined;
    const delivery = (await takeTry(transaction, channel.server, { now, leaseMs }))
      ? await takeOldest(transaction, channelId)
      : undefined;
    if (delivery) return { channel, delivery };
    await release(transaction, { channelId, token });
    return undefined;
  });
}

async function takeOldest(transaction: Kysely<Tables>, channelId: number): Promise<DeliveryRow | undefined> {
  const oldest = transaction
    .selectFrom("notifier_delivery")
    .select("id")
    .where("channel_id", "=", channelId)
    .where("finished_at", "is", null)
    .orderBy("id")
    .limit(1);
  // Counted before sending, because a try that a kill interrupts has an unknown outcome.
  return transaction
    .updateTable("notifier_delivery")
    .set(({ eb }) => ({ tries: eb("tries", "+", 1) }))
    .where("id", "in", oldest)
    .returningAll()
    .executeTakeFirst();
}

/** Releases a lease. */
async function release(
  write: Kysely<Tables>,
  { channelId, token }: { channelId: number; token: string },
): Promise<void> {
  await write
    .updateTable("notifier_channel")
    .set({ lease_token: null, lease_until: 0 })
    .where("id", "=", channelId)
    .where("lease_token", "=", token)
    .execute();
}

/**
 * Stores the result of a try and ends the lease. Returns false and stores nothing if another process took over
 * meanwhile.
 */
function finish(write: Kysely<Tables>, done: Done, { token, now }: { token: string; now: number }) {
  const { channel, delivery, tried, verdict, begunAt, durationMs } = done;
  const { server = "", httpStatus, answer } = tried;
  const isPending = verdict.state === NotificationDeliveryState.PENDING;
  return write.transaction().execute(async (transaction): Promise<boolean> => {
    const mine = await transaction
      .updateTable("notifier_channel")
      .set({
        lease_token: null,
        lease_until: 0,
        next_try_at: now + Math.max(paceMs, verdict.waitMs),
        failed_tries: isPending ? channel.failed_tries + 1 : 0,
        server,
        ...(verdict.isAccepted && { last_sent_at: now }),
        ...(verdict.disabledBecause !== undefined && {
          state: NotificationChannelState.DISABLED,
          state_reason: verdict.disabledBecause,
        }),
      })
      .where("id", "=", channel.id)
      .where("lease_token", "=", token)
      .returning("id")
      .execute();
    if (mine.length === 0) return false;
    if (server !== "") await noteTry(transaction, server, { hasFailed: httpStatus === 0 || httpStatus >= 500, now });
    await transaction
      .insertInto("notifier_attempt")
      .values({
        delivery_id: delivery.id,
        begun_at: begunAt,
        duration_ms: durationMs,
        http_status: httpStatus,
        answer,
      })
      .execute();
    if (isPending) return true;
    await transaction
      .updateTable("notifier_delivery")
      .set({ state: verdict.state, reason: verdict.reason, finished_at: now })
      .where("id", "=", delivery.id)
      .execute();
    return true;
  });
}
