/** The system is asked for the processor time once in so many milliseconds: a call takes 0.8 to 5 microseconds. */
const askedEachMs = 4;

let asked = { at: Number.NEGATIVE_INFINITY, ms: 0 };
let latestMs = 0;

/**
 * The processor time of this thread in milliseconds: what other programs take meanwhile does not count. Between two calls of
 * the system the time that passes counts as worked; what was too much is missing in what follows.
 */
export function threadMs(): number {
  const now = performance.now();
  if (now - asked.at >= askedEachMs) {
    const { user, system } = process.threadCpuUsage();
    asked = { at: now, ms: (user + system) / 1000 };
  }
  latestMs = Math.max(latestMs, asked.ms + now - asked.at);
  return latestMs;
}
