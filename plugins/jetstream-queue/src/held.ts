import { emptyIntake, type Intake } from "@faultline/plugin";
import type { Delivery } from "./delivery.ts";
import { itemCount } from "./message.ts";

/** The most items of one transaction, as on one machine; a larger message is stored by itself. */
const batchItems = 500;
const batchBytes = 8 * 1024 * 1024;

/**
 * A message that was delivered this often without being stored may be the one that ends workers: it is no longer
 * batched with others.
 */
const deliveriesTogether = 3;

/** A message that was pulled and is not settled. */
export interface Held {
  /** The latest delivery. */
  delivery: Delivery;
  readonly items: number;
}

/** An item of a message, as an intake by itself. */
export interface Item {
  readonly held: Held;
  readonly n: number;
  readonly intake: Intake;
}

/** Takes the next batch; a message that was delivered often gets a batch of its own. */
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

/** Whether the waiting messages are less than a batch. */
export function hasRoom(waiting: readonly Held[]): boolean {
  const items = waiting.reduce((sum, one) => sum + one.items, 0);
  const bytes = waiting.reduce((sum, { delivery }) => sum + delivery.data.length, 0);
  return items < batchItems && bytes < batchBytes;
}

/** The number of items in a message; 1 where it cannot be read. */
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

/** Counted sessions have no id: their position in the message identifies them as stored. */
export function withReceipts(intake: Intake, { publication }: Delivery): Intake {
  return { ...intake, receipts: intake.aggregates.map((_, n) => `${publication}-${n}`) };
}

/** Merges several intakes into one. */
export function together(intakes: readonly Intake[]): Intake {
  return {
    events: intakes.flatMap(({ events }) => events),
    sessions: intakes.flatMap(({ sessions }) => sessions),
    aggregates: intakes.flatMap(({ aggregates }) => aggregates),
    feedback: intakes.flatMap(({ feedback }) => feedback),
    receipts: intakes.flatMap(({ receipts = [] }) => receipts),
  };
}

/** The key of a message's item as a dead letter. */
export function keyOf({ id }: Delivery, n: number): string {
  return `${id}-${n}`;
}
