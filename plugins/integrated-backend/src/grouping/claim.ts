import { ErrorStatus } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { Storage } from "../storage.ts";
import type { ErrorTable, Tables, ClaimTable } from "../tables.ts";
import { groupingVersion as formerVersion } from "./version-1/grouping.ts";
import { groupingVersion } from "./group-events.ts";

/** Two hashes of one event, in hexadecimal digits: the hash of its group, and the hash that version 1 gave it. */
export interface BothHashes {
  readonly projectId: number;
  readonly hash: string;
  readonly formerHash: string;
}

/** Describes the error that counts the events of a group. */
export type Claimed =
  /** The error with the group's hash. It took the hash now, or had it before. */
  | { readonly of: "group" }
  /** No error so far. `splitFrom` is the error in which version 1 counted the events. */
  | { readonly of: "nothing"; readonly splitFrom?: number | undefined };

type ErrorOfGroup = Pick<ErrorTable, "id" | "group_hash" | "grouping_version" | "status" | "first_seen_at">;

/** How often a transaction is attempted while another process simultaneously gives a hash to a new error. */
const tries = 5;

/**
 * Decides which error counts the events of a group that version 1 may have counted in another error. An error of
 * version 1 that no group claimed takes the group's hash, and with it the events. If the group already has an error,
 * the open error takes the events, or the older error if both are open. The other error is joined: it keeps its events
 * and gets no more. No status changes, so nothing is noted or notified.
 */
export async function claim(storage: Storage, hashes: BothHashes, now: number): Promise<Claimed> {
  for (let left = tries; ; left -= 1) {
    try {
      return await storage.write.transaction().execute((transaction) => claimIn(storage, transaction, hashes, now));
    } catch (error) {
      // SQLite names the columns, PostgreSQL names the constraint.
      if (left === 1 || !/integrated_error\.group_hash|integrated_error_project_id_group_hash_key/.test(String(error)))
        throw error;
    }
  }
}

async function claimIn(
  storage: Storage,
  transaction: Kysely<Tables>,
  { projectId, hash, formerHash }: BothHashes,
  now: number,
): Promise<Claimed> {
  const [own, former] = [Buffer.from(hash, "hex"), Buffer.from(formerHash, "hex")];
  const found: readonly ErrorOfGroup[] = await transaction
    .selectFrom("integrated_error")
    .select(["id", "group_hash", "grouping_version", "status", "first_seen_at"])
    .where("project_id", "=", projectId)
    .where("group_hash", "in", [own, former])
    .orderBy("group_hash") // batches lock them in this order
    .modifyEnd(storage.dialect.locked)
    .execute();
  const current = found.find(({ group_hash }) => group_hash.equals(own));
  const candidate = found.find((one) => one !== current && one.grouping_version === formerVersion);
  const claimed = await transaction
    .selectFrom("integrated_claim")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("former_hash", "=", former)
    .executeTakeFirst();
  if (candidate && isFree(claimed, { own, hasError: current !== undefined })) {
    const group = { projectId, own, now };
    if (!current) await take(storage, transaction, { ...group, error: candidate });
    else if (isBefore(candidate, current)) {
      const free = await release(storage, transaction, { ...group, error: current });
      await take(storage, transaction, { ...group, error: candidate });
      await join(transaction, { ...group, error: current, into: candidate, former: free });
    } else await join(transaction, { ...group, error: candidate, into: current, former });
    return { of: "group" };
  }
  if (current) return { of: "group" };
  return { of: "nothing", splitFrom: splitOf(claimed, own) };
}

/**
 * Whether the error of a group of version 1 can take events. A joined error only gets events again from the group that
 * it was joined to, once that group has no error anymore.
 */
export function isFree(
  claimed: ClaimTable | undefined,
  { own, hasError }: { readonly own: Buffer; readonly hasError: boolean },
): boolean {
  return !claimed?.joined_error_id || (claimed.group_hash.equals(own) && !hasError);
}

/**
 * The error in which version 1 counted the events of a group without an error. Undefined if it was the group's own
 * error.
 */
export function splitOf(claimed: ClaimTable | undefined, own: Buffer): number | undefined {
  if (!claimed || claimed.group_hash.equals(own)) return undefined;
  return Number(claimed.joined_error_id ?? claimed.error_id);
}

/** Whether an error takes the events of a group from its current error. */
function isBefore(one: ErrorOfGroup, current: ErrorOfGroup): boolean {
  if (one.status !== ErrorStatus.UNRESOLVED) return false;
  return current.status !== ErrorStatus.UNRESOLVED || one.first_seen_at < current.first_seen_at;
}

interface OfGroup {
  readonly projectId: number;
  readonly own: Buffer;
  readonly now: number;
  readonly error: ErrorOfGroup;
}

/** Gives the hash of a group to an error of version 1. */
async function take({ counting }: Storage, transaction: Kysely<Tables>, { projectId, own, now, error }: OfGroup) {
  await transaction
    .updateTable("integrated_error")
    .set({ group_hash: own, grouping_version: groupingVersion })
    .where("project_id", "=", projectId)
    .where("id", "=", error.id)
    .execute();
  counting.take({ projectId, hash: error.group_hash.toString("hex"), errorId: error.id });
  await indexAgain(transaction, projectId, error);
  await write(transaction, { projectId, former: error.group_hash, own, errorId: error.id, joined: null, now });
}

/** Takes the hash of a group from its error, and gives the error its former hash again. Returns that hash. */
async function release(storage: Storage, transaction: Kysely<Tables>, { projectId, own, error }: OfGroup) {
  const claimed = await transaction
    .selectFrom("integrated_claim")
    .select("former_hash")
    .where("project_id", "=", projectId)
    .where("error_id", "=", error.id)
    .where("joined_error_id", "is", null)
    .where("group_hash", "=", own)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("integrated_error as other")
            .select("other.id")
            .whereRef("other.project_id", "=", "integrated_claim.project_id")
            .whereRef("other.group_hash", "=", "integrated_claim.former_hash"),
        ),
      ),
    )
    .executeTakeFirst();
  const free = claimed
    ? { group_hash: claimed.former_hash, grouping_version: formerVersion }
    : { group_hash: storage.dialect.hiddenHash.$castTo<Buffer>() };
  storage.counting.take({ projectId, hash: own.toString("hex"), errorId: error.id });
  const { group_hash } = await transaction
    .updateTable("integrated_error")
    .set(free)
    .where("project_id", "=", projectId)
    .where("id", "=", error.id)
    .returning("group_hash")
    .executeTakeFirstOrThrow();
  await indexAgain(transaction, projectId, error);
  return group_hash;
}

/** Stores that another error takes the events of this error and of the errors joined to it. */
async function join(
  transaction: Kysely<Tables>,
  { projectId, own, now, error, into, former }: OfGroup & { into: ErrorOfGroup; former: Buffer },
) {
  await transaction
    .updateTable("integrated_claim")
    .set({ error_id: into.id, group_hash: own })
    .where("project_id", "=", projectId)
    .where("error_id", "=", error.id)
    .where("joined_error_id", "is not", null)
    .execute();
  await write(transaction, { projectId, former, own, errorId: into.id, joined: error.id, now });
}

async function write(
  transaction: Kysely<Tables>,
  row: { projectId: number; former: Buffer; own: Buffer; errorId: number; joined: number | null; now: number },
) {
  const columns = { group_hash: row.own, error_id: row.errorId, joined_error_id: row.joined, claimed_at: row.now };
  await transaction
    .insertInto("integrated_claim")
    .values({ project_id: row.projectId, former_hash: row.former, ...columns })
    .onConflict((conflict) => conflict.columns(["project_id", "former_hash"]).doUpdateSet(columns))
    .execute();
}

/**
 * Indexes an error again: the index of searches is filled in the order of hashes, and would skip an error with an
 * earlier hash.
 */
async function indexAgain(transaction: Kysely<Tables>, projectId: number, { id }: ErrorOfGroup) {
  await sql`insert into integrated_search_due (project_id, error_id) values (${projectId}, ${id})
    on conflict do nothing`.execute(transaction);
}
