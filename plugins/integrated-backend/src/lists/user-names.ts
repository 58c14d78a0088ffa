import { asObject, readUserNames, type JsonValue } from "@faultline/sentry-event";
import { largestParsed } from "../breakdown/examined-event.ts";
import { LoopSlices } from "../breakdown/loop-slices.ts";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";

/** The e-mail addresses, otherwise the usernames, of the users of some events, by row id. */
export async function userNames(storage: Storage, rows: readonly EventTable[]): Promise<Map<number, string>> {
  const slices = new LoopSlices();
  const named = rows.filter(({ user }) => user !== "" && !user.startsWith("ip:")); // others have no name but an address
  const names = new Map<number, string>();
  for await (const [id, json] of storage.eventJsons(storage.read, named)) {
    if (json.length <= largestParsed) names.set(id, nameIn(json));
    await slices.next();
  }
  return names;
}

/** A payload that a service reported over gRPC may be any bytes. */
function nameIn(json: Buffer): string {
  try {
    const { email, username } = readUserNames(asObject(JSON.parse(json.toString()) as JsonValue) ?? {});
    return email || username;
  } catch {
    return "";
  }
}
