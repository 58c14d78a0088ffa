import type { Intake } from "@faultline/plugin";
import type { Kysely } from "kysely";
import type { Changes } from "./batch.ts";
import { storeFeedback } from "./feedback.ts";
import { storeSessions } from "./sessions/store-sessions.ts";
import { storeBatch } from "./store-batch.ts";
import type { Tables } from "./tables.ts";
import type { WriterMemory } from "./writer-memory.ts";

/** Stores an intake in one transaction. Events alone, or sessions alone, are one statement, which is its own. */
export async function storeIntake(database: Kysely<Tables>, memory: WriterMemory, intake: Intake): Promise<Changes> {
  const { events, sessions, aggregates, feedback } = intake;
  const hasSessions = sessions.length + aggregates.length > 0;
  if (!hasSessions && feedback.length === 0) return storeBatch(database, memory, events);
  if (events.length + feedback.length === 0) {
    await storeSessions(database, intake);
    return new Map();
  }
  try {
    return await database.transaction().execute(async (transaction) => {
      if (hasSessions) await storeSessions(transaction, intake);
      if (feedback.length > 0) await storeFeedback(transaction, feedback);
      return events.length > 0 ? storeBatch(transaction, memory, events) : new Map();
    });
  } catch (error) {
    memory.knownRows.clear(); // the rows of a transaction that was taken back are not there
    throw error;
  }
}
