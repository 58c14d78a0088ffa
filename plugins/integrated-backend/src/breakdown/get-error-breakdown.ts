import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetErrorBreakdownRequest, GetErrorBreakdownResponseSchema } from "@faultline/proto";
import type { AbortableQueryOptions } from "kysely";
import { errorRowId, getError } from "../lists/errors.ts";
import type { Storage } from "../storage.ts";
import { LoopSlices } from "./loop-slices.ts";
import { isSpent, readEvents } from "./read-events.ts";
import { Tally } from "./tally.ts";
import type { UsualFactsReader } from "./usual-facts.ts";

/** The newest events that are examined. */
const examined = { events: 1_000, bytes: 16 * 1024 * 1024, ms: 1_000 };

/** Events that are read at a time. */
const chunk = 50;

/** Divides the newest events of an error by tag, user and release. */
export async function getErrorBreakdown(
  { storage, usualFacts }: { storage: Storage; usualFacts: UsualFactsReader },
  request: GetErrorBreakdownRequest,
  now: number,
  { signal }: AbortableQueryOptions,
): Promise<MessageInitShape<typeof GetErrorBreakdownResponseSchema>> {
  const { projectId } = request;
  const { event_count: eventCount } = await getError(storage, request, now);
  const errorId = errorRowId(request.errorId);
  const slices = new LoopSlices();
  const limits = { signal, until: performance.now() + examined.ms, bytes: examined.bytes };
  const tally = new Tally();
  let place: readonly [occurredAt: number, id: number] | undefined;
  for (let left = examined.events; left > 0 && !isSpent(limits); left -= chunk) {
    const page = { projectId, errorId, startTime: undefined, endTime: undefined, place, limit: chunk };
    const rows = (await storage.nextEvents(page)) ?? [];
    for (const event of await readEvents(storage, rows, { limits, slices })) tally.add(event);
    const last = rows.at(-1);
    if (rows.length < chunk || !last) break;
    place = [last.occurred_at, last.id];
  }
  const usual = await usualFacts.read({ projectId, errorId }, { signal, slices });
  return { ...(await tally.breakdown(usual, slices)), eventCount };
}
