/** The milliseconds between two system calls for the processor time: a call takes 0.8 to 5 microseconds. */
const askedEachMs = 4;

let asked = { at: Number.NEGATIVE_INFINITY, ms: 0 };
let latestMs = 0;

/**
 * The processor time of this thread in milliseconds, excluding other programs. Between two system calls all elapsed
 * time counts as work; the excess is subtracted afterwards.
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
