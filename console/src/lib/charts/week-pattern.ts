import { calendarAt, weekdays } from "../time/calendar.ts";

const hourMs = 3_600_000;

/** Fewer events, or fewer hours that had any, are no pattern. */
const least = { events: 20, hours: 4 };
/** The shares of the events from which a pattern is called strong. Of a week, weekdays are 71 %, an hour of each day 4 %. */
const strong = { weekdays: 0.95, day: 0.6, hour: 0.6 };

/** The hour of its week that each time lies in, in a zone: 0 is Monday, 00:00. */
export function hoursOfWeek(start: number, count: number, zone: string): number[] {
  return Array.from({ length: count }, (_, index) => {
    const { weekday, hour } = calendarAt(start + index * hourMs, zone);
    return weekdays.findIndex((day) => day === weekday) * 24 + hour;
  });
}

/** Events in each of the 168 hours of a week. `places`: see hoursOfWeek. */
export function weekCounts(counts: readonly number[], places: readonly number[]): number[] {
  const week = Array.from({ length: 168 }, () => 0);
  for (const [index, place] of places.entries()) week[place] = (week[place] ?? 0) + (counts[index] ?? 0);
  return week;
}

/**
 * `Mostly on weekdays at 03:00.`, `Mostly on Mondays.` or `Mostly on weekdays.` where most events lie there, in several
 * hours: one burst is no pattern. Empty: there is none.
 */
export function weekPattern(counts: readonly number[], places: readonly number[]): string {
  const seen = counts.flatMap((count, index) => (count > 0 ? [{ count, place: places[index] ?? 0 }] : []));
  const total = seen.reduce((sum, { count }) => sum + count, 0);
  if (total < least.events || seen.length < least.hours) return "";
  const isStrong = (share: number, isIn: (place: number) => boolean) => {
    const inside = seen.filter(({ place }) => isIn(place));
    return inside.length >= least.hours && inside.reduce((sum, { count }) => sum + count, 0) >= share * total;
  };
  const dayOf = (place: number) => Math.floor(place / 24);
  const hour = Array.from({ length: 24 }, (_, one) => one).find((one) =>
    isStrong(strong.hour, (place) => place % 24 === one),
  );
  const day = weekdays.findIndex((_, one) => isStrong(strong.day, (place) => dayOf(place) === one));
  const when = [
    day !== -1 ? `on ${weekdays[day]}s` : isStrong(strong.weekdays, (place) => dayOf(place) < 5) ? "on weekdays" : "",
    hour === undefined ? "" : `at ${String(hour).padStart(2, "0")}:00`,
  ].filter((part) => part !== "");
  return when.length === 0 ? "" : `Mostly ${when.join(" ")}.`;
}
