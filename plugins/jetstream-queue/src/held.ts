import { emptyIntake, type Intake } from "@faultline/plugin";
import type { Delivery } from "./delivery.ts";
import { itemCount } from "./message.ts";

/** One transaction holds at most this much, as with one machine; a message that holds more is by itself. */
const batchItems = 500;
const batchBytes = 8 * 1024 * 1024;

/** A message that came so often unstored may be what ends workers: it no longer takes others along. */
const deliveriesTogether = 3;

/** A message that was pulled and is not settled. */
export interface Held {
  /** The last one. */
  delivery: Delivery;
  readonly items: number;
}

/** An item of a message, as an intake by itself. */
export interface Item {
  readonly held: Held;
  readonly n: number;
  readonly intake: Intake;
}

/** Takes the next batch; what was delivered often comes by itself. */
export function nextBatch(waiting: Held[]): Held[] {
  let [items, bytes, taken] = [0, 0, 0];
  for (const { delivery, items: more } of waiting) {
    const isSuspect = delivery.deliveries > deliveriesTogether;
    const { length } = delivery.data;
    if (taken > 0 && (isSuspect || items + more > batchItems || bytes + length > batchBytes)) break;
    items += more;
    bytes += length;
    taken++;
    if (isSuspect) break;
  }
  return waiting.splice(0, taken);
}

/** Whether what waits is less than a batch. */
export function hasRoom(waiting: readonly Held[]): boolean {
  const items = waiting.reduce((sum, one) => sum + one.items, 0);
  const bytes = waiting.reduce((sum, { delivery }) => sum + delivery.data.length, 0);
  return items < batchItems && bytes < batchBytes;
}

/** How many items a message holds; 1 where it cannot be read. */
export function itemsOf({ data }: Delivery): number {
  try {
    return itemCount(data);
  } catch {
    return 1; // reported when it is read
  }
}

/** The items of a message. */
export function itemsIn(held: Held, { events, sessions, aggregates, feedback, receipts = [] }: Intake): Item[] {
  return [
    ...events.map((one) => ({ ...emptyIntake, events: [one] })),
    ...sessions.map((one) => ({ ...emptyIntake, sessions: [one] })),
    ...aggregates.map((one, n) => ({ ...emptyIntake, aggregates: [one], receipts: receipts.slice(n, n + 1) })),
    ...feedback.map((one) => ({ ...emptyIntake, feedback: [one] })),
  ].map((intake, n) => ({ held, n, intake }));
}

/** Counted sessions have no id: their place in the message says whether they were stored. */
export function withReceipts(intake: Intake, { publication }: Delivery): Intake {
  return { ...intake, receipts: intake.aggregates.map((_, n) => `${publication}-${n}`) };
}

/** All that several intakes hold. */
export function together(intakes: readonly Intake[]): Intake {
  return {
    events: intakes.flatMap(({ events }) => events),
    sessions: intakes.flatMap(({ sessions }) => sessions),
    aggregates: intakes.flatMap(({ aggregates }) => aggregates),
    feedback: intakes.flatMap(({ feedback }) => feedback),
    receipts: intakes.flatMap(({ receipts = [] }) => receipts),
  };
}

/** Of an item of a message, as a dead letter. */
export function keyOf({ id }: Delivery, n: number): string {
  return `${id}-${n}`;
}
