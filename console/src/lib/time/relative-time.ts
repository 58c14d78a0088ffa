const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Same as relativeTime, but `just now` within the first minute. */
export const recentTime = (time: number, now: number) => (now - time < minute ? "just now" : relativeTime(time, now));

/** The time from `time` to `reference`, in words: `40 minutes ago`. */
export const relativeTime = (time: number, reference: number) => `${timeBetween(time, reference)} ago`;

/** `40 minutes`. Less than a minute counts as a minute. */
export function timeBetween(start: number, end: number): string {
  const distance = Math.max(end - start, minute);
  if (distance < hour) return whole(distance / minute, "minute");
  if (distance < day) return whole(distance / hour, "hour");
  // Only after the second month and the second year, so that the words never step back from 60 days to 1 month.
  if (distance < 61 * day) return whole(distance / day, "day");
  if (distance < 731 * day) return whole(distance / (30.44 * day), "month");
  return whole(distance / (365.25 * day), "year");
}

/** `4 s ago`, `3 min ago`, `2 h ago`: for a time that is shown while it grows. */
export function shortAgo(time: number, now: number): string {
  const distance = Math.max(0, now - time);
  if (distance < minute) return `${Math.floor(distance / 1000)} s ago`;
  return distance < hour ? `${Math.floor(distance / minute)} min ago` : `${Math.floor(distance / hour)} h ago`;
}

/** `0 s`, `0.4 s`, `12 s`, `3 min`, `2 h`: a lag. Cut, not rounded. */
export function lagTime(milliseconds: number): string {
  if (milliseconds < 10_000) return `${Math.floor(milliseconds / 100) / 10} s`;
  if (milliseconds < minute) return `${Math.floor(milliseconds / 1000)} s`;
  return milliseconds < hour ? `${Math.floor(milliseconds / minute)} min` : `${Math.floor(milliseconds / hour)} h`;
}

/** `28 s` or `24 min`: a waiting time. From two minutes on in whole minutes, never too short. */
export const waitingTime = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`);

function whole(amount: number, unit: string): string {
  const count = Math.floor(amount);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
