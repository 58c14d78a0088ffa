import type { UserNames } from "@faultline/sentry-event";
import type { UserTable } from "../tables.ts";
import { storableJson } from "./storable-json.ts";

/** Bytes. The names of an SDK take 30 to 120. SQLite keeps a row of more than 1 kB in separate pages. */
const namesAtMost = 512;

/**
 * The names of a user in the event of a time, in the form stored in `integrated_user`. The time shows whether an older
 * release, which does not store names, counted a newer event. Empty if the names are unknown or too long.
 */
export function namesToStore(names: UserNames | undefined, occurredAt: number): string {
  if (!names) return "";
  const { id, username, email, ipAddress } = names;
  const json = storableJson([occurredAt, id, username, email, ipAddress] satisfies Stored);
  return Buffer.byteLength(json) > namesAtMost ? "" : json;
}

/** The names of a user in the newest event. Undefined if only that event has them. */
export function storedNames(of: Pick<UserTable, "names" | "last_seen_at">): UserNames | undefined {
  if (of.names === "") return undefined;
  const [occurredAt, id, username, email, ipAddress] = JSON.parse(of.names) as Stored;
  return occurredAt === of.last_seen_at ? { id, username, email, ipAddress } : undefined;
}

type Stored = [occurredAt: number, id: string, username: string, email: string, ipAddress: string];
