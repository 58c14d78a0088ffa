import type { Intake, NotedOutcome } from "@faultline/plugin";
import type { Changes } from "./batch.ts";
import { storeFeedback } from "./feedback.ts";
import type { GroupedEvent } from "../grouping/group-events.ts";
import { storeSessions } from "../sessions/store-sessions.ts";
import type { Storage } from "../storage.ts";
import { remember, storeBatch } from "./store-batch.ts";

/** The result of storing an intake. */
interface Stored {
  readonly changes: Changes;
  /** See storeFeedback. */
  readonly crowdedOut: readonly NotedOutcome[];
}

/** Stores an intake in one transaction. Events alone, or sessions alone, are one statement, which is its own. */
export async function storeIntake(storage: Storage, intake: Intake, events: readonly GroupedEvent[]): Promise<Stored> {
  const { sessions, aggregates, feedback } = intake;
  await storage.counting.keepSmall();
  const hasSessions = sessions.length + aggregates.length > 0;
  if (!hasSessions && feedback.length === 0) {
    return { changes: remember(storage, await storeBatch(storage, storage.writeEvents, events)), crowdedOut: [] };
  }
  if (events.length + feedback.length === 0) {
    await storeSessions(storage, storage.writeEvents, intake);
    return { changes: new Map(), crowdedOut: [] };
  }
  const { batch, crowdedOut } = await storage.writeEvents.transaction().execute(async (transaction) => {
    if (hasSessions) await storeSessions(storage, transaction, intake);
    return {
      crowdedOut: feedback.length > 0 ? await storeFeedback(storage, transaction, feedback) : [],
      batch: events.length > 0 ? await storeBatch(storage, transaction, events) : undefined,
    };
  });
  return { changes: remember(storage, batch), crowdedOut };
}
