import { cpus } from "node:os";
import type { Siege } from "./besiege.ts";
import { bounds, faultsOf } from "./oracle.ts";
import type { Waits } from "./victim.ts";

export interface Conditions {
  readonly seconds: number;
  /** The kind of the memory limit. */
  readonly kind: string;
  /** The load of the machine in the minute before, including other programs. */
  readonly loadBefore: number;
}

/** The lines of Markdown above the table. */
export function introduction({ seconds, kind, loadBefore }: Conditions): string[] {
  const [cpu] = cpus();
  return [
    `${new Date().toISOString().slice(0, 10)}: Node ${process.version}, ${cpu?.model.trim()}, ${cpus().length} cores for the service, the victim and the attacker, who stands`,
    `behind the others (nice 10). Load of the machine before: ${loadBefore.toFixed(1)}. 1 GiB by ${kind}. ${seconds} s an attack.`,
    "",
    `| Attack | Victim's events: p99 quiet, then during (longest; n) | Victim's reads: the same | Event loop ran, waited for a core | Memory at most | Disk | The attacker's answers | Holds |`,
    `| --- | --- | --- | --- | --- | --- | --- | --- |`,
  ];
}

/** One attack's line. */
export function rowOf(siege: Siege): string {
  const { attack, quiet, during, loop, peakMiB, diskMiB, diskBeforeMiB, tally } = siege;
  const faults = faultsOf(siege);
  const cells = [
    attack.name,
    waits(quiet.events, during.events),
    waits(quiet.reads, during.reads),
    `${percent(loop.ran)}, ${percent(loop.waited)}`,
    `${peakMiB} MiB`,
    `${diskBeforeMiB} to ${diskMiB} MiB`,
    Object.entries(tally.answers)
      .map(([answer, count]) => `${answer}: ${count.toLocaleString("en")}`)
      .join(", "),
    faults.length === 0 ? "yes" : `no: ${faults.join("; ")}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Below the table. */
export const oracle =
  `"Holds": the service lives, every event and read of the victim is answered 200, p99 below ${bounds.eventsMs} ms (events) and ` +
  `${bounds.readsMs} ms (reads), less than ${bounds.residentMiB} MiB resident, the disk within the quota and its log.`;

const percent = (part: number) => `${Math.round(part * 100)} %`;

function waits(quiet: Waits, during: Waits): string {
  const whole = (number: number) => (Number.isNaN(number) ? "none" : `${Math.round(number)}`);
  return `${whole(quiet.p99Ms)}, ${whole(during.p99Ms)} ms (${whole(during.maxMs)}; ${during.count})`;
}
