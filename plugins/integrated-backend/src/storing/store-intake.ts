import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { type Intake, type NotedOutcome, emptyIntake, timestamp } from "@faultline/plugin";
import { create } from "@bufbuild/protobuf";
import { ErrorEventSchema, SessionUpdateSchema, UserFeedbackSchema } from "@faultline/proto";
import { type Changes, Batch } from "./batch.ts";
import { storeFeedback } from "./feedback.ts";
import { type GroupedEvent, errorKey } from "../grouping/group-events.ts";
import { storeSessions } from "../sessions/store-sessions.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** The result of storing an intake. */
interface Stored {
  readonly changes: Changes;
  /** See storeFeedback. */
  readonly crowdedOut: readonly NotedOutcome[];
}

/**
 * Stores an intake in one transaction. Events alone, or sessions alone, take one statement, which is a transaction
 * itself.
 */
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

/**
 * Stores a batch in one transaction. Events that are already stored, or are twice in the batch, count once. Returns the
 * stored batch for `remember` after the commit, or undefined if none of the events was new.
 */
async function storeBatch(
  storage: Storage,
  database: Kysely<Tables>,
  events: readonly GroupedEvent[],
): Promise<Batch | undefined> {
  // Repeated events are rare, so they are looked for only after the unique key has found one. If several processes
  // store events, another process may store an event after that look; the events are then looked for again.
  for (let fresh = firstOfEach(events); fresh.length > 0; fresh = await withoutStored(storage, database, fresh)) {
    const batch = new Batch(storage.memory, fresh);
    if (await storage.storeBatch(database, batch.parameters())) return batch;
  }
  return undefined;
}

/** Remembers the contents of a committed batch, and returns its changes. */
function remember({ memory, counting }: Storage, batch: Batch | undefined): Changes {
  if (!batch) return new Map();
  memory.knownRows.add(batch.newRows());
  counting.note(batch.stored);
  return batch.changes();
}

function firstOfEach(events: readonly GroupedEvent[]): GroupedEvent[] {
  const first = new Map<string, GroupedEvent>();
  for (const grouped of events) {
    const { projectId, eventId } = grouped.event;
    const key = `${projectId}/${eventId}`;
    if (!first.has(key)) first.set(key, grouped);
  }
  return [...first.values()];
}

async function withoutStored(
  storage: Storage,
  database: Kysely<Tables>,
  events: readonly GroupedEvent[],
): Promise<GroupedEvent[]> {
  const ids = JSON.stringify(events.map(({ event }) => [event.projectId, event.eventId]));
  const stored = new Set(await storage.storedAmong(database, ids));
  return events.filter((_, n) => !stored.has(n));
}

/** Belongs to no project, because ids begin with 1. */
const projectId = 0;

class Undone extends Error {}

/** Stores an event, a session and feedback through the path of an intake, and rolls the transaction back. */
export async function tryStoring(storage: Storage, now: number): Promise<void> {
  const eventId = randomBytes(16).toString("hex");
  const receivedTime = timestamp(now);
  const common = { projectId, receivedTime, release: "probe", environment: "probe" };
  const event = create(ErrorEventSchema, {
    ...common,
    eventId,
    level: "error",
    user: "id:probe",
    tags: { probe: "probe" },
    payload: Buffer.from("{}"),
    payloadLength: 2,
  });
  const session = create(SessionUpdateSchema, { ...common, sessionId: eventId, startedTime: receivedTime });
  const feedback = create(UserFeedbackSchema, { projectId, receivedTime, eventId, comments: "probe" });
  const hash = randomBytes(16).toString("hex");
  const batch = new Batch(storage.memory, [{ event, hash, key: errorKey(projectId, hash), isNew: true }]);
  try {
    await storage.write.transaction().execute(async (transaction) => {
      await storeSessions(storage, transaction, { ...emptyIntake, sessions: [session] });
      await storeFeedback(storage, transaction, [feedback]);
      await storage.storeBatch(transaction, batch.parameters());
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}
