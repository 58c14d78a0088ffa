import type { Content, IdForm, ItemShape } from "./envelope-shape.ts";

/** The names in one writing of a shape; new ids each time. */
export interface Names {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly ownId: string;
  readonly sid: (index: number) => string;
  readonly dsn: string;
  /** The release of all its sessions. */
  readonly release: string;
  readonly now: number;
}

/** The expected reading of an event: its own id, if it has one, its text, and all of it. */
export interface EventMeaning {
  readonly id: string | undefined;
  readonly message: string;
  readonly json: string;
}

/** The meaning of an item; nothing, unless it says so. */
export interface ItemMeaning {
  readonly event?: EventMeaning;
  readonly isBroken?: boolean;
  readonly isFeedback?: boolean;
  /** Ids of its sessions. A session that comes twice counts once. */
  readonly sids: readonly string[];
  readonly countedSessions: number;
}

/** An item as it is written, and what it means. */
export interface Item extends ItemMeaning {
  readonly type: string;
  readonly header: string;
  readonly payload: Buffer;
  readonly hasLength: boolean;
  readonly blankLinesBehind: number;
}

/** Writes an item of this shape. A payload of several lines has a length, whatever the shape says. */
export function writeItem({ content, length, more, blankLinesBehind }: ItemShape, names: Names): Item {
  const type = "type" in content ? content.type : typeOfKind[content.kind];
  const { payload, ...meaning } = read(content, names);
  const isStated = length === "number" || length === "text";
  const hasLength = isStated || payload.includes("\n");
  const stated =
    length === "text" ? `${payload.length}` : hasLength ? payload.length : length === "null" ? null : undefined;
  return {
    sids: [],
    countedSessions: 0,
    ...meaning,
    type: String(type),
    header: JSON.stringify({ ...more, ...(type !== undefined && { type }), length: stated }),
    payload,
    hasLength,
    blankLinesBehind,
  };
}

const typeOfKind = {
  event: "event",
  "transaction event": "event",
  session: "session",
  sessions: "sessions",
  "client report": "client_report",
  "user report": "user_report",
} as const;

function read(content: Content, names: Names): Partial<ItemMeaning> & { readonly payload: Buffer } {
  const started = new Date(names.now - 60_000).toISOString();
  const attrs = { release: names.release };
  switch (content.kind) {
    case "event": {
      const { id, message } = content;
      const json = JSON.stringify({
        ...content.more,
        // Other fields that would give the text, or make it a transaction.
        type: undefined,
        logentry: undefined,
        "sentry.interfaces.Message": undefined,
        event_id: id === "none" ? undefined : writtenId(id, names.ownId),
        message,
      });
      return { payload: Buffer.from(json), event: { id: meantId(id, names.ownId), message, json } };
    }
    case "transaction event":
      return { payload: jsonOf({ type: "transaction" }) };
    case "broken":
      return { payload: Buffer.from(content.text), isBroken: true };
    case "session": {
      const sid = names.sid(content.sid);
      const payload = jsonOf({ ...content.more, sid, started, attrs: content.isUsable ? attrs : {} });
      return { payload, sids: content.isUsable ? [sid] : [] };
    }
    case "sessions": {
      const aggregates = content.exited.map((exited) => ({ started, exited }));
      const countedSessions = content.exited.reduce((sum, exited) => sum + Math.max(exited, 0), 0);
      return { payload: jsonOf({ aggregates, attrs }), countedSessions };
    }
    case "client report":
      return { payload: jsonOf({ discarded_events: [{ reason: "x", category: "y", quantity: 1 }] }) };
    case "user report":
      return { payload: jsonOf({ event_id: names.ownId, comments: "it broke" }), isFeedback: true };
    case "bytes":
      return { payload: Buffer.from(content.bytes) };
  }
}

/** An id as it is written. */
export function writtenId(form: IdForm, id: string): string {
  if (form === "not an id") return "../../etc/passwd";
  return form === "uuid" ? id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") : id;
}

/** The id that a reader takes from it. */
export function meantId(form: IdForm, id: string): string | undefined {
  return form === "hex" || form === "uuid" ? id : undefined;
}

function jsonOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
