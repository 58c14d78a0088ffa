import type { Siege } from "./besiege.ts";
import type { Waits } from "./victim.ts";

/** The bounds that must hold during each attack. */
export const bounds = { eventsMs: 100, readsMs: 150, residentMiB: 512 } as const;

/**
 * The size of SQLite's log in addition to the data. It is copied at 16 MiB, and may grow to 64 MiB while somebody
 * reads.
 */
export const logMiB = 64;

/** Sentences about violated bounds; empty if all held. */
export const faultsOf = (siege: Siege): string[] => [...lossesOf(siege), ...delaysOf(siege)];

/** Whatever the machine did meanwhile. */
export function lossesOf({ attack, isAlive, during, peakMiB, diskMiB, diskBeforeMiB, tally }: Siege): string[] {
  const faults = [...tally.faults, ...refused("event", during.events), ...refused("read", during.reads)];
  if (!isAlive) faults.push("the service did not live");
  if (peakMiB >= bounds.residentMiB) faults.push(`${peakMiB} MiB were resident`);
  const { quotaMebibytes = Infinity } = attack.disk ?? {};
  if (diskMiB - diskBeforeMiB > quotaMebibytes + logMiB)
    faults.push(`the disk had ${diskMiB} MiB, ${diskMiB - diskBeforeMiB} of them from the attack`);
  return faults;
}

/** Delays that other programs on the machine may have caused. */
export function delaysOf({ during: { events, reads } }: Siege): string[] {
  return [...delayed("event", events, bounds.eventsMs), ...delayed("read", reads, bounds.readsMs)];
}

const refused = (what: string, waits: Waits) =>
  Object.entries(waits.refused).map(([status, count]) => `${count} of the victim's ${what}s got ${status}`);

// Without any answer there is no p99, which is no goal met either.
const delayed = (what: string, { p99Ms }: Waits, goalMs: number) =>
  p99Ms < goalMs ? [] : [`the victim's ${what}s had a p99 of ${Math.round(p99Ms)} ms`];
