import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type Intake, millisecondsOf, timestamp } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { PayloadEncoding, type ErrorEvent } from "@faultline/proto";

const compress = promisify(gzip);

/**
 * Uncompressed payloads above this size are compressed before they are stored: a mebibyte of one letter is sent as a
 * kilobyte, and would take a mebibyte of the disk until it is packed in the background. Smaller payloads would cost the
 * threads more than they save.
 */
const largeBytes = 16 * 1024;

/** The fastest level: it compresses text to a quarter, and later packing compresses again. */
const level = { level: constants.Z_BEST_SPEED };

/** How many of the four threads may compress. The database needs the threads as well. */
const atOnce = 2;

const packing = new FairQueue({ atOnce });

/**
 * Compresses an intake's large uncompressed payloads, on threads; returns an intake without such payloads immediately.
 */
export function packedIntake(intake: Intake): Intake | Promise<Intake> {
  if (!intake.events.some(isLarge)) return intake;
  return Promise.all(intake.events.map(packed)).then((events) => ({ ...intake, events }));
}

async function packed(event: ErrorEvent): Promise<ErrorEvent> {
  if (!isLarge(event)) return event;
  const payload = await packing.run({ owners: [`project ${event.projectId}`] }, () => compress(event.payload, level));
  if (payload.length >= event.payload.length) return event;
  return { ...event, payload, payloadEncoding: PayloadEncoding.GZIP };
}

function isLarge({ payload, payloadEncoding }: ErrorEvent): boolean {
  return payload.length > largeBytes && payloadEncoding === PayloadEncoding.UNSPECIFIED;
}

type Received = Pick<ErrorEvent, "receivedTime">;

/**
 * The intake with no item dated before `earliest`, in milliseconds since 1970. Otherwise items that arrive while the
 * clock is behind would look too old after it is set right, and be deleted too early.
 */
export function datedIntake(intake: Intake, earliest: number): Intake {
  const isEarly = (item: Received) => isBefore(item, earliest);
  const { events, sessions, feedback } = intake;
  if (!events.some(isEarly) && !sessions.some(isEarly) && !feedback.some(isEarly)) return intake;
  const dated = <Item extends Received>(items: readonly Item[]): readonly Item[] =>
    items.map((item) => (isEarly(item) ? { ...item, receivedTime: timestamp(earliest) } : item));
  return { ...intake, events: dated(events), sessions: dated(sessions), feedback: dated(feedback) };
}

function isBefore({ receivedTime }: Received, time: number): boolean {
  return receivedTime !== undefined && millisecondsOf(receivedTime) < time;
}
