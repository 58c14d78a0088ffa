import {
  ClientKeyRefusal,
  emptyIntake,
  OutboundFailure,
  type Admission,
  type Clock,
  type EventDoor,
  type Outbound,
} from "@faultline/plugin";
import { readErrorEvent, type JsonObject } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import type { Dsn } from "./dsn.ts";

const timeoutMs = 5_000;

/** Answers of error-tracking systems have some bytes; a longer one is cut, and the event counts as not delivered. */
const maxBytes = 65_536;

/**
 * Sends an event to the address of a DSN: through the event door when the key is one of this installation, otherwise to
 * the other system. Throws when it was not delivered.
 */
export async function deliver(
  event: JsonObject,
  dsn: Dsn,
  {
    door,
    outbound,
    clock,
    version,
    signal,
    isSupported,
  }: {
    door: OwnDoor;
    outbound: Outbound;
    clock: Clock;
    version: string;
    signal: AbortSignal;
    /** Whether the platform's rule allows sending to the other system. */
    isSupported: () => Promise<boolean>;
  },
): Promise<void> {
  const own = await ownKey(dsn.publicKey, door);
  if (own === undefined) {
    if (!(await isSupported())) throw new Error("the platform does not support the version of the other system");
    return post(event, dsn, { outbound, version, signal });
  }
  const { projectId, keyId } = own;
  if (String(projectId) !== dsn.projectId) throw new Error("the DSN names a different project than its key");
  const eventId = String(event["event_id"]);
  await door.accept({
    ...emptyIntake,
    events: [
      readErrorEvent(event, {
        projectId,
        keyId,
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

const refused =
  "the address of the DSN was not found or is blocked: FAULTLINE_OUTBOUND_NETWORKS allows private networks, FAULTLINE_OUTBOUND_PORTS allows ports";

/** The part of the event door that own events use. */
export type OwnDoor = Pick<EventDoor, "admit" | "accept">;

/** A key of this installation and its project; undefined for any other key. Throws for a key that accepts no events. */
async function ownKey(publicKey: string, door: OwnDoor): Promise<Admission | undefined> {
  try {
    return await door.admit(publicKey);
  } catch (error) {
    if (error instanceof ClientKeyRefusal && error.outcome === "unknown_key") return undefined;
    throw error;
  }
}

/** Posts an envelope as SDKs do. The body of the answer is not looked at, and no redirection is followed. */
async function post(
  event: JsonObject,
  dsn: Dsn,
  { outbound, version, signal }: { outbound: Outbound; version: string; signal: AbortSignal },
): Promise<void> {
  const lines = [{ event_id: event["event_id"], sent_at: new Date().toISOString() }, { type: "event" }, event];
  const { status } = await outbound
    .request({
      method: "POST",
      url: `${dsn.baseUrl}/api/${dsn.projectId}/envelope/`,
      headers: {
        "content-type": "application/x-sentry-envelope",
        "user-agent": `faultline/${version}`,
        "x-sentry-auth": `Sentry sentry_version=7, sentry_client=faultline/${version}, sentry_key=${dsn.publicKey}`,
      },
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
      maxBytes,
      timeoutMs,
      signal,
    })
    .catch((error: unknown) => {
      throw error instanceof OutboundFailure && error.fault === "address"
        ? new Error(refused, { cause: error })
        : error;
    });
  if (status < 200 || status > 299) throw new Error(`the other system answered ${status}`);
}
