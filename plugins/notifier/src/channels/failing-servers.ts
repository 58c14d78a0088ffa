import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Consecutive failed tries of a server, across all channels, after which these channels wait together. */
export const failingFrom = 5;

/** The time between two tries of a failing server, whichever channel makes them. */
const tryEachMs = 60_000;

/**
 * Whether a channel may try a server now. If the server is failing, the channel takes the due try, and no other channel
 * tries for `leaseMs`.
 */
export async function takeTry(
  tables: Kysely<Tables>,
  server: string,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<boolean> {
  const failing = await tables
    .selectFrom("notifier_server")
    .select("server")
    .where("server", "=", server)
    .where("failed_tries", ">=", failingFrom)
    .executeTakeFirst();
  if (!failing) return true;
  const taken = await tables
    .updateTable("notifier_server")
    .set({ next_try_at: now + leaseMs })
    .where("server", "=", server)
    .where("next_try_at", "<=", now)
    .returning("server")
    .execute();
  return taken.length > 0;
}

/** Counts a try of a server. Any answer resets the count, unless it says that the server cannot do its work. */
export async function noteTry(
  tables: Kysely<Tables>,
  server: string,
  { hasFailed, now }: { hasFailed: boolean; now: number },
): Promise<void> {
  if (!hasFailed) {
    await tables.deleteFrom("notifier_server").where("server", "=", server).execute();
    return;
  }
  const next = { next_try_at: now + tryEachMs };
  await tables
    .insertInto("notifier_server")
    .values({ server, failed_tries: 1, ...next })
    .onConflict((conflict) =>
      conflict.column("server").doUpdateSet({ failed_tries: sql<number>`notifier_server.failed_tries + 1`, ...next }),
    )
    .execute();
}

/** The failing servers among these servers, with the time of their next try. */
export async function failingAmong(
  tables: Kysely<Tables>,
  servers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (servers.length === 0) return new Map();
  const rows = await tables
    .selectFrom("notifier_server")
    .select(["server", "next_try_at"])
    .where("server", "in", [...new Set(servers)])
    .where("failed_tries", ">=", failingFrom)
    .execute();
  return new Map(rows.map((row) => [row.server, row.next_try_at]));
}
