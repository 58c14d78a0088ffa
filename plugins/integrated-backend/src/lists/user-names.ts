import type { EventUser } from "@faultline/proto";
import { examine } from "../breakdown/examined-event.ts";
import { LoopSlices } from "@faultline/plugin/flow";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";

/** The users of some events, by row id. Events that name none are left out. */
export async function userNames(storage: Storage, rows: readonly EventTable[]): Promise<Map<number, EventUser>> {
  const slices = new LoopSlices();
  const named = new Map(rows.filter(({ user }) => user !== "").map((row) => [row.id, row]));
  const found = new Map<number, EventUser>();
  for await (const [id, json] of storage.eventJsons(storage.read, [...named.values()])) {
    const row = named.get(id);
    const names = row && examine(row, json).names;
    if (names) found.set(id, { $typeName: "faultline.v1.EventUser", ...names });
    await slices.next();
  }
  return found;
}
