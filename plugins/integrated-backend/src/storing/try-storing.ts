import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { emptyIntake, timestamp } from "@faultline/plugin";
import { ErrorEventSchema, SessionUpdateSchema, UserFeedbackSchema } from "@faultline/proto";
import { errorKey } from "../grouping/group-events.ts";
import { storeSessions } from "../sessions/store-sessions.ts";
import type { Storage } from "../storage.ts";
import { Batch } from "./batch.ts";
import { storeFeedback } from "./feedback.ts";

/** Belongs to no project: ids begin with 1. */
const projectId = 0;

class Undone extends Error {}

/** Stores an event, a session and feedback as an intake does, and rolls the transaction back. */
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
