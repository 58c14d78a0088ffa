import { errorRowId } from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { LoopSlices } from "@faultline/plugin/flow";
import type { GetErrorBreakdownRequest, GetErrorBreakdownResponseSchema } from "@faultline/proto";
import type { AbortableQueryOptions } from "kysely";
import { getError } from "../lists/errors.ts";
import { eventTerms, meetsAll } from "../search/event-terms.ts";
import type { Storage } from "../storage.ts";
import { countedBreakdown } from "./counted-breakdown.ts";
import type { ExaminedEvent } from "../event/examined-event.ts";
import { isSpent, readEvents } from "../lists/read-events.ts";
import { shown, Tally } from "./tally.ts";
import type { UsualFactsReader } from "./usual-facts.ts";

/** The newest events to examine if not all are counted. */
const examined = { events: 1_000, bytes: 16 * 1024 * 1024, ms: 1_000 };

/** Events that are read at a time. */
const chunk = 50;

/** Divides the events of an error by tag, user and release: all events by their counts, otherwise the newest events. */
export async function getErrorBreakdown(
  { storage, usualFacts }: { storage: Storage; usualFacts: UsualFactsReader },
  request: GetErrorBreakdownRequest,
  now: number,
  { signal }: AbortableQueryOptions,
): Promise<MessageInitShape<typeof GetErrorBreakdownResponseSchema>> {
  const { projectId, query } = request;
  const terms = query === "" ? [] : eventTerms(query);
  await storage.counting.settle();
  const error = await getError(storage, request, now);
  const errorId = errorRowId(request.errorId);
  const slices = new LoopSlices();
  const isComplete = await storage.counting.isComplete(projectId);
  const usual = await usualFacts.read({ projectId, errorId, isComplete }, { signal });
  const userLimit = Math.min(request.userLimit || shown.users, shown.users);
  if (terms.length === 0 && isComplete) {
    return countedBreakdown(storage, { ...error, id: errorId, project_id: projectId }, { usual, userLimit, signal });
  }
  const tally = new Tally();
  const searched = await examineNewest(storage, { projectId, errorId, signal, slices }, (event) => {
    if (meetsAll(event, terms)) tally.add(event);
  });
  return {
    ...(await tally.breakdown(usual, { slices, userLimit })),
    eventCount: error.event_count,
    searchedEventCount: terms.length > 0 ? searched : 0,
  };
}

/** Passes the newest events of an error, and returns their number. */
async function examineNewest(
  storage: Storage,
  { projectId, errorId, signal, slices }: { projectId: number; errorId: number } & ReadOptions,
  pass: (event: ExaminedEvent) => void,
): Promise<number> {
  const limits = { signal, until: performance.now() + examined.ms, bytes: examined.bytes };
  let place: readonly [occurredAt: number, id: number] | undefined;
  let count = 0;
  while (count < examined.events && !isSpent(limits)) {
    const page = { projectId, errorId, startTime: undefined, endTime: undefined, place, limit: chunk };
    const rows = (await storage.nextEvents(page)) ?? [];
    for (const event of await readEvents(storage, rows, { limits, slices })) pass(event);
    count += rows.length;
    const last = rows.at(-1);
    if (rows.length < chunk || !last) break;
    place = [last.occurred_at, last.id];
  }
  return count;
}

interface ReadOptions {
  readonly signal: AbortSignal | undefined;
  readonly slices: LoopSlices;
}
