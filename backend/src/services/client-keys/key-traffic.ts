import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  dayMs,
  hourMs,
  hourWindow,
  timestamp,
  type Admission,
  type Clock,
  type Database,
  type NotedOutcome,
  type ReceivedRequest,
} from "@faultline/plugin";
import { OutcomeKind, type GetClientKeyTrafficRequest, type GetClientKeyTrafficResponseSchema } from "@faultline/proto";
import { sql } from "kysely";
import { senderNetwork } from "@faultline/plugin";
import { jsonRows } from "../../storage/database/json-rows.ts";
import { GatheredCounts } from "../outcomes/gathered-counts.ts";

interface Tables {
  client_key_traffic: {
    key_id: number;
    hour: number;
    reason: string;
    project_id: number;
    quantity: number;
    bytes: number;
  };
  client_key_network: { key_id: number; day: number; network: string; project_id: number; quantity: number };
}

/** The items sent with a key in an hour that were accepted, or refused for the same reason. */
interface Counted {
  readonly keyId: number;
  readonly projectId: number;
  readonly hour: number;
  /** Empty if accepted. */
  readonly reason: string;
  quantity: number;
  bytes: number;
}

const accepted = "";
const otherNetworks = "";

/** Networks kept per key and day. */
const networksKept = 50;

/** The most keys with counted networks; networks of further keys are counted from the next minute on. */
const keysCounted = 10_000;

const daysKept = 90;

/**
 * The traffic of each client key: accepted and refused items by hour, and the networks that sent most by day. Counted
 * in memory on arrival; the hours are written each second, the networks each minute.
 */
export class KeyTraffic {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #counts: GatheredCounts<Counted>;
  #networks = new Map<number, { readonly projectId: number; readonly busiest: BusiestNetworks }>();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#counts = new GatheredCounts({
      add: (to, { quantity, bytes }) => {
        to.quantity += quantity;
        to.bytes += bytes;
      },
      write: (counts) => this.#write(counts),
    });
  }

  /** See EventDoor.received. */
  received({ keyId, projectId, network }: Admission, { events, bytes }: ReceivedRequest): void {
    this.#count({ keyId, projectId, reason: accepted, quantity: events, bytes });
    if (events > 0) this.#countNetwork(keyId, projectId, network, events);
  }

  /** Counts refused items; see EventDoor.note. */
  note({ keyId, projectId, kind, reason, quantity, bytes = 0, refusal }: NotedOutcome): void {
    if (keyId === undefined || kind !== OutcomeKind.REFUSED) return;
    this.#count({ keyId, projectId, reason, quantity, bytes });
    if (refusal) this.#countNetwork(keyId, projectId, senderNetwork(refusal.ipAddress), quantity);
  }

  /** The number of events of a key accepted on a day, as far as they are written. */
  async eventsOfDay(keyId: number, day: number): Promise<number> {
    const row = await this.#database
      .read<Tables>()
      .selectFrom("client_key_traffic")
      .where("key_id", "=", keyId)
      .where("reason", "=", accepted)
      .where("hour", ">=", day * 24)
      .where("hour", "<", (day + 1) * 24)
      .select(({ fn }) => fn.sum<number | null>("quantity").as("quantity"))
      .executeTakeFirst();
    return row?.quantity ?? 0;
  }

  /** Writes the counts by hour; called each second. */
  save(): Promise<void> {
    return this.#counts.save();
  }

  /** Writes the networks; called each minute. Counts around midnight go to the new day. */
  async saveNetworks(): Promise<void> {
    if (this.#networks.size === 0) return;
    const networks = this.#networks;
    this.#networks = new Map();
    const day = Math.floor(this.#clock.now() / dayMs);
    const counts = [...networks].flatMap(([keyId, { projectId, busiest }]) =>
      busiest.counts(networksKept).map(([network, quantity]) => ({ keyId, projectId, network, quantity })),
    );
    const rows = counts.map(({ keyId, projectId, network, quantity }) => [keyId, day, network, projectId, quantity]);
    try {
      await this.#addNetworks(rows);
    } catch (error) {
      for (const { keyId, projectId, network, quantity } of counts) {
        this.#countNetwork(keyId, projectId, network, quantity);
      }
      throw error;
    }
  }

  /** Keeps the largest networks of each key and day, and adds up the others. */
  async keepBusiest(): Promise<void> {
    const yesterday = Math.floor(this.#clock.now() / dayMs) - 1;
    await this.#database
      .write<Tables>()
      .transaction()
      .execute(async (transaction) => {
        const { rows } = await sql<Omit<Tables["client_key_network"], "network">>`
          delete from client_key_network where (key_id, day, network) in (
            select key_id, day, network from (
              select key_id, day, network, row_number() over (
                partition by key_id, day order by quantity desc, network
              ) as place
              from client_key_network where day >= ${yesterday} and network <> ${otherNetworks}
            ) placed where place > ${networksKept}
          ) returning key_id, day, project_id, quantity`.execute(transaction);
        const sums = Map.groupBy(rows, ({ key_id, day }) => `${key_id}/${day}`);
        const others = [...sums.values()].flatMap(([first, ...more]) => {
          if (!first) return [];
          const quantity = more.reduce((sum, row) => sum + row.quantity, first.quantity);
          return [[first.key_id, first.day, otherNetworks, first.project_id, quantity]];
        });
        await this.#addNetworks(others, transaction);
      });
  }

  /** The traffic of a project's key in a window of hours. */
  async read(request: GetClientKeyTrafficRequest): Promise<MessageInitShape<typeof GetClientKeyTrafficResponseSchema>> {
    const { first, length, lastHourRunning } = hourWindow(request, { now: this.#clock.now(), defaultHours: 24 });
    // Stored counts can be read even when writes fail.
    await Promise.allSettled([this.save(), this.saveNetworks()]);
    const { projectId, keyId } = request;
    const inWindow = this.#database
      .read<Tables>()
      .selectFrom("client_key_traffic")
      .where("key_id", "=", keyId)
      .where("project_id", "=", projectId)
      .where("hour", ">=", first)
      .where("hour", "<", first + length);
    const hours = await inWindow
      .select(({ fn, eb }) => [
        "hour",
        fn.sum<number>(eb.case().when("reason", "=", accepted).then(eb.ref("quantity")).else(0).end()).as("events"),
        fn.sum<number>("bytes").as("bytes"),
      ])
      .groupBy("hour")
      .execute();
    const reasons = await inWindow
      .where("reason", "<>", accepted)
      .select(({ fn }) => [
        "reason",
        fn.sum<number>("quantity").as("quantity"),
        fn.sum<number>("bytes").as("bytes"),
        fn.max("hour").as("hour"),
      ])
      .groupBy("reason")
      .orderBy("quantity", "desc")
      .execute();
    const networks = await this.#database
      .read<Tables>()
      .selectFrom("client_key_network")
      .where("key_id", "=", keyId)
      .where("project_id", "=", projectId)
      .where("day", ">=", Math.floor(first / 24))
      .where("day", "<=", Math.floor((first + length - 1) / 24))
      .select(({ fn }) => ["network", fn.sum<number>("quantity").as("quantity")])
      .groupBy("network")
      .orderBy("quantity", "desc")
      .orderBy("network")
      .execute();
    const named = networks.filter(({ network }) => network !== otherNetworks);
    const shown = named.slice(0, networksKept);
    const sum = (rows: readonly { quantity: number }[]) => rows.reduce((total, { quantity }) => total + quantity, 0);
    const byHour = new Map(hours.map((row) => [row.hour - first, row]));
    const dense = Array.from({ length }, (_, n) => byHour.get(n));
    return {
      startTime: timestamp(first * hourMs),
      lastHourRunning,
      eventsPerHour: dense.map((row) => row?.events ?? 0),
      bytesPerHour: dense.map((row) => BigInt(row?.bytes ?? 0)),
      refused: reasons.map(({ reason, quantity, bytes, hour }) => ({
        reason,
        quantity: BigInt(quantity),
        bytes: BigInt(bytes),
        lastTime: timestamp(hour * hourMs),
      })),
      networks: shown.map(({ network, quantity }) => ({ network, quantity: BigInt(quantity) })),
      otherNetworksQuantity: BigInt(sum(networks) - sum(shown)),
    };
  }

  /** Deletes counts older than the retention. */
  async deleteExpired(now: number): Promise<void> {
    const day = Math.floor(now / dayMs) - daysKept;
    const writer = this.#database.write<Tables>();
    await writer
      .deleteFrom("client_key_traffic")
      .where("hour", "<", Math.floor(now / hourMs) - daysKept * 24)
      .execute();
    await writer.deleteFrom("client_key_network").where("day", "<", day).execute();
  }

  /** Deletes some counts of a project that was deleted for good; true if none are left. */
  async deleteProject(projectId: number): Promise<boolean> {
    const writer = this.#database.write<Tables>();
    const traffic = await sql`
      delete from client_key_traffic where (key_id, hour, reason) in (
        select key_id, hour, reason from client_key_traffic where project_id = ${projectId} limit 500
      )`.execute(writer);
    const networks = await sql`
      delete from client_key_network where (key_id, day, network) in (
        select key_id, day, network from client_key_network where project_id = ${projectId} limit 500
      )`.execute(writer);
    return (traffic.numAffectedRows ?? 0n) + (networks.numAffectedRows ?? 0n) === 0n;
  }

  #count(counted: Omit<Counted, "hour">): void {
    const hour = Math.floor(this.#clock.now() / hourMs);
    this.#counts.count(`${counted.keyId}/${hour}/${counted.reason}`, { ...counted, hour });
  }

  #countNetwork(keyId: number, projectId: number, network: string, quantity: number): void {
    let ofKey = this.#networks.get(keyId);
    if (!ofKey) {
      if (this.#networks.size >= keysCounted) return;
      ofKey = { projectId, busiest: new BusiestNetworks() };
      this.#networks.set(keyId, ofKey);
    }
    ofKey.busiest.add(network, quantity);
  }

  async #write(counts: readonly Counted[]): Promise<void> {
    const rows = counts.map(({ keyId, hour, reason, projectId, quantity, bytes }) => [
      keyId,
      hour,
      reason,
      projectId,
      quantity,
      bytes,
    ]);
    await sql`
      insert into client_key_traffic (key_id, hour, reason, project_id, quantity, bytes)
      select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), value ->> 2, cast(value ->> 3 as bigint),
        cast(value ->> 4 as bigint), cast(value ->> 5 as bigint)
      from ${jsonRows(this.#database.kind, rows)} counted
      where exists (select 1 from project where id = cast(value ->> 3 as bigint) and deleted_at is null)
      order by 1, 2, 3 -- as all processes, so that no two wait for each other
      on conflict (key_id, hour, reason) do update set
        quantity = client_key_traffic.quantity + excluded.quantity, bytes = client_key_traffic.bytes + excluded.bytes
    `.execute(this.#database.write<Tables>());
  }

  async #addNetworks(rows: readonly (readonly unknown[])[], writer = this.#database.write<Tables>()): Promise<void> {
    await sql`
      insert into client_key_network (key_id, day, network, project_id, quantity)
      select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), value ->> 2, cast(value ->> 3 as bigint),
        cast(value ->> 4 as bigint)
      from ${jsonRows(this.#database.kind, rows)} counted
      where exists (select 1 from project where id = cast(value ->> 3 as bigint) and deleted_at is null)
      order by 1, 2, 3 -- as above
      on conflict (key_id, day, network) do update set quantity = client_key_network.quantity + excluded.quantity
    `.execute(writer);
  }
}

/** The most networks counted for a key. */
const networksCounted = 100;

/**
 * Finds the networks that send most, out of any number of them, in bounded memory: the Space-Saving algorithm
 * (Metwally, Agrawal, El Abbadi, 2005). A new network that finds no room replaces the network with the smallest count
 * and inherits that count for comparison; its own quantity is kept separately. So a network that sends more than a
 * hundredth of the total is never missed, however many others send.
 */
export class BusiestNetworks {
  readonly #counts = new Map<string, { quantity: number; inherited: number }>();
  #total = 0;
  /** No count is lower: a replacement counts more than the network that it replaced. */
  #least = 0;

  /** The empty name means unknown networks. */
  add(network: string, quantity: number): void {
    this.#total += quantity;
    if (network === "") return;
    const counted = this.#counts.get(network);
    if (counted) {
      counted.quantity += quantity;
      return;
    }
    const inherited = this.#counts.size < networksCounted ? 0 : this.#dropLeast();
    this.#counts.set(network, { quantity: quantity + inherited, inherited });
  }

  /** The quantities of the `most` largest senders. The empty name has everything else. */
  counts(most: number): [network: string, quantity: number][] {
    const own = Array.from(
      this.#counts,
      ([network, { quantity, inherited }]) => [network, quantity - inherited] as const,
    );
    const busiest = own.toSorted(([, a], [, b]) => b - a).slice(0, most);
    const rest = this.#total - busiest.reduce((sum, [, quantity]) => sum + quantity, 0);
    return [...busiest, ["", rest] as const].flatMap(([network, quantity]) =>
      quantity > 0 ? [[network, quantity]] : [],
    );
  }

  /**
   * Drops the network with the smallest count and returns that count. It is usually among the first; a scan of all
   * takes 2 microseconds.
   */
  #dropLeast(): number {
    let [name, least] = ["", Infinity];
    for (const [network, { quantity }] of this.#counts) {
      if (quantity < least) [name, least] = [network, quantity];
      if (least === this.#least) break;
    }
    this.#counts.delete(name);
    this.#least = least;
    return least;
  }
}
