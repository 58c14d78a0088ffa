import { fromBinary, toBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import type { Intake } from "@faultline/plugin";
import { ErrorEventSchema, SessionAggregateSchema, SessionUpdateSchema, UserFeedbackSchema } from "@faultline/proto";

/**
 * The format of a message, version 1: the byte `F`, the version, the number of items (4 bytes), then the items one
 * after the other: their kind (1 byte), their length (4 bytes), and the protobuf message. Numbers are little-endian.
 * Packing only copies, so that an intake is encoded once, on arrival, whichever message it joins.
 */
const magic = 0x46;
const version = 1;
const headBytes = 6;
const itemHeadBytes = 5;

const event = 1;
const session = 2;
const aggregate = 3;
const feedback = 4;

/** Items in the encoding of a message. */
export interface Packed {
  readonly bytes: Uint8Array;
  readonly items: number;
}

/** A message that this release cannot read. */
export class UnreadableMessage extends Error {
  /** Whether a later release wrote it, which can read it. */
  readonly isNewer: boolean;

  constructor(text: string, isNewer = false) {
    super(text);
    this.name = "UnreadableMessage";
    this.isNewer = isNewer;
  }
}

/**
 * Packs an intake as one, if it fits into `maxBytes`; otherwise split between items. An item larger than that is by
 * itself.
 */
export function packIntake(intake: Intake, maxBytes: number): Packed[] {
  const packed: Packed[] = [];
  let items: Uint8Array[] = [];
  let bytes = 0;
  const close = () => {
    if (items.length > 0) packed.push({ bytes: joined(items, bytes), items: items.length });
    [items, bytes] = [[], 0];
  };
  for (const item of encodedItems(intake)) {
    if (bytes + item.length > maxBytes) close();
    items.push(item);
    bytes += item.length;
  }
  close();
  return packed;
}

/** One message with all of these. */
export function messageOf(packed: readonly Packed[]): Uint8Array {
  const items = packed.reduce((sum, one) => sum + one.items, 0);
  const head = new Uint8Array(headBytes);
  head[0] = magic;
  head[1] = version;
  new DataView(head.buffer).setUint32(2, items, true);
  const parts = [head, ...packed.map(({ bytes }) => bytes)];
  return joined(
    parts,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
}

/** The number of items of a message. Refuses as `readMessage` does. */
export function itemCount(message: Uint8Array): number {
  if (message.length < headBytes || message[0] !== magic) {
    throw new UnreadableMessage("This is not a message of Faultline.");
  }
  if (message[1] !== version) {
    const text = `The message has version ${message[1]}, and this release reads version ${version}.`;
    throw new UnreadableMessage(text, (message[1] ?? 0) > version);
  }
  return viewOf(message).getUint32(2, true);
}

/** The intake in a message; throws an UnreadableMessage. */
export function readMessage(message: Uint8Array): Intake {
  const count = itemCount(message);
  const intake = { events: [], sessions: [], aggregates: [], feedback: [] } satisfies Intake;
  const view = viewOf(message);
  let at = headBytes;
  for (let n = 0; n < count; n++) {
    if (at + itemHeadBytes > message.length) throw new UnreadableMessage("The message ends too early.");
    const kind = message[at] ?? 0;
    const start = at + itemHeadBytes;
    at = start + view.getUint32(at + 1, true);
    if (at > message.length) throw new UnreadableMessage("The message ends too early.");
    addItem(intake, kind, message.subarray(start, at));
  }
  if (at !== message.length) throw new UnreadableMessage("The message is longer than its items.");
  return intake;
}

type Lists = { -readonly [list in Exclude<keyof Intake, "receipts">]: Intake[list][number][] };

function addItem(intake: Lists, kind: number, bytes: Uint8Array): void {
  if (kind === event) intake.events.push(decoded(ErrorEventSchema, bytes));
  else if (kind === session) intake.sessions.push(decoded(SessionUpdateSchema, bytes));
  else if (kind === aggregate) intake.aggregates.push(decoded(SessionAggregateSchema, bytes));
  else if (kind === feedback) intake.feedback.push(decoded(UserFeedbackSchema, bytes));
  else throw new UnreadableMessage(`The message holds an item of the unknown kind ${kind}.`);
}

function decoded<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw new UnreadableMessage(`An item is not a valid ${schema.name}: ${String(error)}`);
  }
}

function* encodedItems(intake: Intake): Iterable<Uint8Array> {
  for (const one of intake.events) yield framed(event, toBinary(ErrorEventSchema, one));
  for (const one of intake.sessions) yield framed(session, toBinary(SessionUpdateSchema, one));
  for (const one of intake.aggregates) yield framed(aggregate, toBinary(SessionAggregateSchema, one));
  for (const one of intake.feedback) yield framed(feedback, toBinary(UserFeedbackSchema, one));
}

function framed(kind: number, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(itemHeadBytes + content.length);
  bytes[0] = kind;
  viewOf(bytes).setUint32(1, content.length, true);
  bytes.set(content, itemHeadBytes);
  return bytes;
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
