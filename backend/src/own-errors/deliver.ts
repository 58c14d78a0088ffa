import { ClientKeyRefusal, emptyIntake, type Clock, type EventDoor } from "@faultline/plugin";
import { readErrorEvent, type JsonObject } from "@faultline/plugin/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import type { Dsn } from "./dsn.ts";

const timeoutMs = 5_000;

/**
 * Brings an event where the DSN points: into this installation by the door of SDKs when the key is one of its own, else
 * to the other system. Throws when it did not get there.
 */
export async function deliver(
  event: JsonObject,
  dsn: Dsn,
  { door, clock, version, signal }: { door: OwnDoor; clock: Clock; version: string; signal: AbortSignal },
): Promise<void> {
  const own = await ownProject(dsn.publicKey, door);
  if (own === undefined) return post(event, dsn, version, signal);
  if (String(own) !== dsn.projectId) throw new Error("the DSN names another project than its key");
  const eventId = String(event["event_id"]);
  await door.accept({
    ...emptyIntake,
    events: [
      readErrorEvent(event, {
        projectId: own,
        payload: {
          content: Buffer.from(JSON.stringify(event)),
          encoding: PayloadEncoding.UNSPECIFIED,
          offset: 0,
          length: 0,
        },
        receivedAt: clock.now(),
        newEventId: () => eventId,
      }),
    ],
  });
}

/** The part of the door that own events come in by. */
export type OwnDoor = Pick<EventDoor, "admit" | "accept">;

/** The project of a key of this installation; undefined when the key is none. A key that takes no events throws. */
async function ownProject(publicKey: string, door: OwnDoor): Promise<number | undefined> {
  try {
    return (await door.admit(publicKey)).projectId;
  } catch (error) {
    if (error instanceof ClientKeyRefusal && error.outcome === "unknown_key") return undefined;
    throw error;
  }
}

/** Posts an envelope as SDKs do. Its answer is not read, and another address it names is not asked. */
async function post(event: JsonObject, dsn: Dsn, version: string, signal: AbortSignal): Promise<void> {
  const lines = [{ event_id: event["event_id"], sent_at: new Date().toISOString() }, { type: "event" }, event];
  const response = await fetch(`${dsn.baseUrl}/api/${dsn.projectId}/envelope/`, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/x-sentry-envelope",
      "user-agent": `faultline/${version}`,
      "x-sentry-auth": `Sentry sentry_version=7, sentry_client=faultline/${version}, sentry_key=${dsn.publicKey}`,
    },
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the other system answered ${response.status}`);
}
