import type { UserNames } from "@faultline/sentry-event";
import type { UserTable } from "../tables.ts";
import { storableJson } from "./storable-json.ts";

/** Bytes. The names of an SDK take 30 to 120; SQLite keeps a row of more than 1 kB in pages of its own. */
const namesAtMost = 512;

/**
 * The names of a user in the event of a time, as `integrated_user` holds them. The time shows whether a release that knows no names
 * counted a newer event. Empty: the names are not known, or too long.
 */
export function namesToStore(names: UserNames | undefined, occurredAt: number): string {
  if (!names) return "";
  const { id, username, email, ipAddress } = names;
  const json = storableJson([occurredAt, id, username, email, ipAddress] satisfies Stored);
  return Buffer.byteLength(json) > namesAtMost ? "" : json;
}

/** The names of a user in the newest event. Undefined: only that event has them. */
export function storedNames(of: Pick<UserTable, "names" | "last_seen_at">): UserNames | undefined {
  if (of.names === "") return undefined;
  const [occurredAt, id, username, email, ipAddress] = JSON.parse(of.names) as Stored;
  return occurredAt === of.last_seen_at ? { id, username, email, ipAddress } : undefined;
}

type Stored = [occurredAt: number, id: string, username: string, email: string, ipAddress: string];
