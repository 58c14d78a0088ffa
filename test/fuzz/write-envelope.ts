import type { EnvelopeShape } from "./envelope-shape.ts";
import { faults, type Parts } from "./faults.ts";
import { meantId, writeItem, writtenId, type EventMeaning, type Item, type Names } from "./write-item.ts";

/** The result that an envelope must have. */
export interface Meaning {
  readonly status: 200 | 400;
  /** The id in the answer; undefined if there is none, "new" if the service makes it. */
  readonly id: string | undefined;
  /** The event that is stored, by the id in the answer. */
  readonly event: EventMeaning | undefined;
  readonly sessionCount: number;
}

/** Writes an envelope of this shape, and says what it means by sections 3 and 6 of the protocol reference. */
export function writeEnvelope(shape: EnvelopeShape, names: Names): { body: Buffer; meaning: Meaning } {
  const { fault, lineEnd, ending } = shape;
  const items = shape.items.map((item) => writeItem(item, names));
  const lines = items.map(({ header, payload, hasLength, blankLinesBehind }, index) => {
    const isLast = index === items.length - 1 && fault === undefined;
    const end = hasLength ? "\n" : lineEnd.repeat(1 + blankLinesBehind);
    return [header, lineEnd, payload, isLast ? ending : end];
  });
  const sound: Parts = [headerOf(shape, names), lines.length > 0 ? lineEnd : ending, ...lines.flat()];
  const parts = fault === undefined ? sound : faults[fault]([sound[0] ?? "", lineEnd, ...sound.slice(2)]);
  return {
    body: Buffer.concat(parts.map((part) => Buffer.from(part))),
    meaning: fault === undefined ? meaningOf(shape, items, names) : refused,
  };
}

const refused: Meaning = { status: 400, id: undefined, event: undefined, sessionCount: 0 };

function headerOf({ id, sentAt, hasDsn, more }: EnvelopeShape, names: Names): string {
  const times = { now: new Date(names.now).toISOString(), tomorrow: names.now / 1000 + 86_400, garbage: "soon" };
  return JSON.stringify({
    ...more,
    ...(id !== "none" && { event_id: writtenId(id, names.id) }),
    ...(sentAt !== "none" && { sent_at: times[sentAt] }),
    ...(hasDsn && { dsn: names.dsn }),
  });
}

/** Only the first event counts. When it is broken the envelope is refused, unless something else of it is stored. */
function meaningOf(shape: EnvelopeShape, items: readonly Item[], names: Names): Meaning {
  const first = items.find(({ type }) => type === "event");
  const sids = new Set(items.flatMap((item) => item.sids));
  const sessionCount = sids.size + items.reduce((sum, item) => sum + item.countedSessions, 0);
  const isNothingElse = sessionCount === 0 && !items.some(({ isFeedback }) => isFeedback);
  if (first?.isBroken && isNothingElse) return refused;
  const event = first?.event;
  return { status: 200, id: meantId(shape.id, names.id) ?? (event && (event.id ?? "new")), event, sessionCount };
}
