import { loopProfile, type LoopProfile } from "./loop-profile.ts";

/** The function that parses the JSON of an event: the same code in all versions, on the same data. */
export const parsing = "parseRepaired";

/** The work of a version's event loop under a load. */
export interface LoopTime {
  /** Microseconds for an event. */
  readonly busy: number;
  /**
   * The same in units of the time that the same profile shows for parsing the event's JSON. A shared machine slows both
   * alike: at 25 kB the medians of three runs were 4.16 to 4.21, and the medians in microseconds 327 to 393.
   */
  readonly inParses: number;
}

/** Loads the version that is checked out in `root` and reads from a profile how long its event loop computed. */
export async function loopTime(root: string, load: Parameters<typeof loopProfile>[1]): Promise<LoopTime> {
  const profile = await loopProfile(root, load);
  const busy = sum(profile, () => true);
  return { busy: busy / profile.events, inParses: busy / parsingTime(profile, root) };
}

/** Microseconds in which a profile shows the parsing of events. */
export function parsingTime(profile: LoopProfile, root: string): number {
  const parsed = sum(profile, (name) => name === parsing);
  if (parsed === 0) throw new Error(`the profile of ${root} shows no ${parsing}: what parses events has another name`);
  return parsed;
}

function sum({ ran }: LoopProfile, counts: (name: string) => boolean): number {
  return ran.reduce((total, { name, microseconds }) => total + (counts(name) ? microseconds : 0), 0);
}
