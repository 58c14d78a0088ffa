import { calendarAt, weekdays } from "../time/calendar.ts";
import { partOfDay } from "./part-of-day.ts";

const hourMs = 3_600_000;

/** Fewer events, or fewer hours or days that had any, are no pattern. */
const least = { events: 20, hours: 4, days: 3 };
/** An hour counts as at most so many usual ones of its time of the day, because a single burst is not a pattern. */
const usualHours = 4;
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
 * hours and days. Otherwise `Mostly 07:00–20:00 UTC, every day.` where a part of the day stands out. Empty:
 * there is none. `zone`: the name of the zone of the places.
 */
export function weekPattern(counts: readonly number[], places: readonly number[], zone: string): string {
  const usual = withoutBursts(counts, places);
  const seen = usual.flatMap((count, index) => (count > 0 ? [{ count, index, place: places[index] ?? 0 }] : []));
  const total = seen.reduce((sum, { count }) => sum + count, 0);
  if (total < least.events || seen.length < least.hours) return "";
  const isStrong = (share: number, isIn: (place: number) => boolean) => {
    const inside = seen.filter(({ place }) => isIn(place));
    if (inside.length < least.hours || new Set(inside.map(({ index }) => Math.floor(index / 24))).size < least.days) {
      return false;
    }
    return inside.reduce((sum, { count }) => sum + count, 0) >= share * total;
  };
  const dayOf = (place: number) => Math.floor(place / 24);
  const hour = Array.from({ length: 24 }, (_, one) => one).find((one) =>
    isStrong(strong.hour, (place) => place % 24 === one),
  );
  const day = weekdays.findIndex((_, one) => isStrong(strong.day, (place) => dayOf(place) === one));
  const when = [
    day !== -1 ? `on ${weekdays[day]}s` : isStrong(strong.weekdays, (place) => dayOf(place) < 5) ? "on weekdays" : "",
    hour === undefined ? "" : `at ${clockText(hour)}`,
  ].filter((part) => part !== "");
  if (when.length > 0) return `Mostly ${when.join(" ")}.`;
  const part = partOfDay(usual, places);
  if (part === undefined) return "";
  return `Mostly ${clockText(part.from)}–${clockText(part.to)} ${zone}${part.isEveryDay ? ", every day" : ""}.`;
}

function withoutBursts(counts: readonly number[], places: readonly number[]): number[] {
  const most = Array.from({ length: 24 }, (_, hour) => {
    const seen = counts
      .filter((count, index) => count > 0 && (places[index] ?? 0) % 24 === hour)
      .toSorted((a, b) => a - b);
    return usualHours * (seen[Math.floor(seen.length / 2)] ?? 0);
  });
  return counts.map((count, index) => Math.min(count, most[(places[index] ?? 0) % 24] ?? 0));
}

const clockText = (hour: number) => `${String(hour).padStart(2, "0")}:00`;
