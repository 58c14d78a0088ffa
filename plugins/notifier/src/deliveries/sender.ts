import { randomUUID } from "node:crypto";
import type { Host } from "@faultline/plugin";
import { NotificationChannelState } from "@faultline/proto";
import type { Message } from "../messages/message.ts";
import type { ChannelRow, Tables } from "../tables.ts";
import { failingFrom } from "./failing-servers.ts";
import { claim, finish, release, type Claimed } from "./lease.ts";
import type { Transport } from "./transport.ts";
import { verdictOf } from "./verdict.ts";

/** Projects and people have a sender each, so that a mail server that hangs keeps no chat waiting. */
interface SenderOptions {
  /** Whose channels: those that projects set up, or the mail of people. */
  readonly of: "projects" | "people";
  /** Channels that a process sends to at once. */
  readonly channelsAtOnce: number;
  readonly transportOf: (channel: ChannelRow) => Transport;
}

/**
 * Sends what is due, one message of a channel at a time, in their order. A process leases the channel for it; a finish counts only
 * while it has the lease, so that one that was slow cannot overwrite what its successor did. A hanging receiver keeps its own
 * channel alone.
 */
export class Sender {
  readonly #host: Host;
  readonly #options: SenderOptions;
  readonly #running = new Map<number, Promise<void>>();
  readonly #stopped = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(host: Host, options: SenderOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** Begins to send to the channels that are due and not being sent to here; does not wait for them. */
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
    const { channelsAtOnce } = this.#options;
    const free = channelsAtOnce - this.#running.size;
    if (free <= 0 || this.#stopped.signal.aborted) return;
    const due = await this.#due(channelsAtOnce);
    const isMore = due.length === channelsAtOnce;
    for (const channelId of due) {
      if (this.#running.size >= channelsAtOnce || this.#running.has(channelId)) continue;
      const work = this.#sendOne(channelId)
        .catch((error: unknown) => this.#note(error, channelId))
        .finally(() => {
          this.#running.delete(channelId);
          // Those that are due beyond these need not wait for the next look at the time.
          if (isMore) void this.begin().catch((error: unknown) => this.#note(error, channelId));
        });
      this.#running.set(channelId, work);
    }
  }

  #note(error: unknown, channelId: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#host.log.error({ err: error, channelId }, "a notification could not be sent");
  }

  /** Those that wait longest first, so that many channels do not keep others from their turn. */
  async #due(limit: number): Promise<number[]> {
    const now = this.#host.clock.now();
    const rows = await this.#host.database
      .read<Tables>()
      .selectFrom("notifier_channel")
      .select("id")
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
      .orderBy("next_try_at")
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
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
      // At a stop the next process begins at once. After a fault the lease stays, so that it is not met again and again.
      if (this.#stopped.signal.aborted) await release(write, { channelId, token });
      throw error;
    }
  }

  async #try(claimed: Claimed) {
    const { channel, delivery } = claimed;
    const transport = this.#options.transportOf(channel);
    const begunAt = this.#host.clock.now();
    const began = performance.now();
    const message = JSON.parse(delivery.message) as Message; // as newDelivery wrote it
    const tried = await transport.send(message, { uid: delivery.uid, at: begunAt, signal: this.#stopped.signal });
    const durationMs = Math.round(performance.now() - began);
    const verdict = verdictOf(tried, { kind: transport, channel, delivery, now: this.#host.clock.now() });
    return { ...claimed, tried, verdict, begunAt, durationMs };
  }
}
