import type { Siege } from "./besiege.ts";
import type { Waits } from "./victim.ts";

/** What must hold during each attack. */
export const bounds = { eventsMs: 100, readsMs: 150, residentMiB: 512 } as const;

/**
 * SQLite's log beside the data: it is copied at 16 MiB and may grow while somebody reads, up to 64 MiB (database/sqlite).
 */
const logMiB = 64;

/** What did not hold, as sentences; empty: all did. */
export function faultsOf({ attack, isAlive, during, peakMiB, diskMiB, diskBeforeMiB, tally }: Siege): string[] {
  const faults = [...tally.faults];
  if (!isAlive) faults.push("the service did not live");
  faults.push(...faultsOfWaits("event", during.events, bounds.eventsMs));
  faults.push(...faultsOfWaits("read", during.reads, bounds.readsMs));
  if (peakMiB >= bounds.residentMiB) faults.push(`${peakMiB} MiB were resident`);
  const { quotaMebibytes = Infinity } = attack.disk ?? {};
  if (diskMiB - diskBeforeMiB > quotaMebibytes + logMiB)
    faults.push(`the disk had ${diskMiB} MiB, ${diskMiB - diskBeforeMiB} of them from the attack`);
  return faults;
}

function faultsOfWaits(what: string, { refused, p99Ms }: Waits, goalMs: number): string[] {
  const lost = Object.entries(refused).map(([status, count]) => `${count} of the victim's ${what}s got ${status}`);
  // Without any answer there is no p99 to be below the goal.
  return p99Ms < goalMs ? lost : [...lost, `the victim's ${what}s had a p99 of ${Math.round(p99Ms)} ms`];
}
