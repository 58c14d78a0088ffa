import { type DeadLetter, type Intake, millisecondsOf } from "@faultline/plugin";
import { titleOf } from "@faultline/sentry-event";
import { headers, type MsgHdrs } from "@nats-io/transport-node";

const header = "Faultline-Dead-Letter";
const longestReason = 500;
const longestTitle = 256;

/** The fields of a dead letter besides its place in the stream. */
export type Description = Omit<DeadLetter, "id">;

type About = Omit<Description, "reason" | "deadAt">;

/** The fields of bytes that are not a message. */
export const unreadable: About = { projectId: 0, kind: "unreadable", eventId: "", title: "" };

/** Identifies the one item of an intake. */
export function aboutItem({ events, sessions, aggregates, feedback }: Intake): About {
  for (const event of events) {
    const { projectId, eventId, receivedTime } = event;
    return { projectId, kind: "event", eventId, title: titleOf(event), ...received(receivedTime) };
  }
  for (const { projectId, eventId, comments, receivedTime } of feedback) {
    return { projectId, kind: "feedback", eventId, title: comments, ...received(receivedTime) };
  }
  for (const { projectId, release, receivedTime } of sessions) {
    return { projectId, kind: "session", eventId: "", title: release, ...received(receivedTime) };
  }
  for (const { projectId, release } of aggregates) return { projectId, kind: "session", eventId: "", title: release };
  return unreadable;
}

function received(time: Parameters<typeof millisecondsOf>[0] | undefined): Pick<About, "receivedAt"> {
  return time ? { receivedAt: millisecondsOf(time) } : {};
}

/** The reason, cut to the length that is kept. */
export function shortReason(reason: string): string {
  return reason.slice(0, longestReason);
}

/** Headers are lines of printable ASCII. */
export function toHeaders({ reason, title, ...rest }: Description): MsgHdrs {
  const short = { ...rest, title: title.slice(0, longestTitle), reason: shortReason(reason) };
  const fields = headers();
  fields.set(header, encodeURIComponent(JSON.stringify(short).toWellFormed()));
  return fields;
}

export function fromHeaders(id: number, fields: MsgHdrs | undefined): DeadLetter {
  const described = JSON.parse(decodeURIComponent(fields?.get(header) || "{}")) as Partial<Description>;
  return { ...unreadable, reason: "", deadAt: 0, ...described, id };
}
