/** A limit that is used up to here: 0 below 80 %, 80, or 100. */
export type QuotaLevel = 0 | 80 | 100;

/** What was reported of a limit. */
export interface QuotaState {
  readonly level: QuotaLevel;
  /** The day it is about, in milliseconds since 1970; 0 for the bytes kept, which have no day. */
  readonly day: number;
}

/** Bytes kept were reported once until they are below this again, so that what goes up and down at a limit is not. */
const restPercent = 70;

/** One look at a limit. Each level is reported once a day, or once until the use has gone down. 0: there is no limit. */
export function stepQuota(
  before: QuotaState | undefined,
  { bytes, limitBytes, day }: { bytes: number; limitBytes: number; day: number },
): { readonly state: QuotaState; readonly report?: 80 | 100 } {
  const percent = limitBytes === 0 ? 0 : (100 * bytes) / limitBytes;
  const level: QuotaLevel = percent >= 100 ? 100 : percent >= 80 ? 80 : 0;
  const isOver = before !== undefined && (before.day === day ? percent < restPercent : before.day < day);
  const reported = before === undefined || isOver ? 0 : before.level;
  if (level > reported && level !== 0) return { state: { level, day }, report: level };
  return { state: { level: reported, day: before?.day !== undefined && !isOver ? before.day : day } };
}
