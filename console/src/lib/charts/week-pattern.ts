import { calendarAt, weekdays } from "../time/calendar.ts";

const hourMs = 3_600_000;

/** Fewer events, or fewer hours or days with events, are not a pattern. */
const least = { events: 20, hours: 4, days: 3 };
/** An hour counts as at most this many usual hours of its time of the day, because a single burst is not a pattern. */
const usualHours = 4;
/** The minimum shares of events for a strong pattern. Of a week, weekdays are 71 %, an hour of each day 4 %. */
const strong = { weekdays: 0.95, day: 0.6, hour: 0.6 };

/** The hour of the week of each time, in a zone. 0 is Monday, 00:00. */
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
 * `Mostly on weekdays at 03:00.`, `Mostly on Mondays.` or `Mostly on weekdays.` if most events fall there, in several
 * hours and days. Otherwise `Mostly 07:00–20:00 UTC, every day.` if a part of the day stands out. Empty if there is no
 * pattern. `zone` is the name of the zone of the places.
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

/** A part of the day, from one full hour to another, that has clearly more events than the rest of the day. */
interface PartOfDay {
  readonly from: number;
  /** Smaller than `from` if the part extends beyond midnight. */
  readonly to: number;
  /** Whether every day of the week has more events in this part. */
  readonly isEveryDay: boolean;
}

/** The events of a day, by hour. */
interface Day {
  readonly weekday: number;
  readonly hours: number[];
}

/** A part is 4 to 16 hours long, and is visible in most days with events, at least in four. */
const bounds = { shortest: 4, longest: 16, days: 4, shareOfDays: 0.6 };
/** The minimum ratio of hourly events inside and outside the part, and minimum standard deviations from its share. */
const clear = { ratio: 1.5, deviations: 5 };
/** `places` is explained at hoursOfWeek. Undefined if no part of the day stands out. */
function partOfDay(counts: readonly number[], places: readonly number[]): PartOfDay | undefined {
  const days = daysOf(counts, places);
  const part = busiestPart(sumOf(days));
  if (part === undefined) return undefined;
  const isIn = ({ hours }: Day) => ratioOf(hours, part) > 1;
  const active = days.filter(({ hours }) => hours.some((count) => count > 0));
  const alike = active.filter(isIn).length;
  if (alike < bounds.days || alike < bounds.shareOfDays * active.length) return undefined;
  const isEveryDay = Array.from({ length: 7 }, (_, weekday) => days.filter((day) => day.weekday === weekday)).every(
    (same) => isIn(sumOf(same)),
  );
  return { from: part.from, to: (part.from + part.length) % 24, isEveryDay };
}

function daysOf(counts: readonly number[], places: readonly number[]): Day[] {
  const days: Day[] = [];
  for (const [index, place] of places.entries()) {
    const weekday = Math.floor(place / 24);
    let day = days.at(-1);
    if (day?.weekday !== weekday) days.push((day = { weekday, hours: Array.from({ length: 24 }, () => 0) }));
    day.hours[place % 24] = (day.hours[place % 24] ?? 0) + (counts[index] ?? 0);
  }
  return days;
}

const sumOf = (days: readonly Day[]): Day => ({
  weekday: -1,
  hours: Array.from({ length: 24 }, (_, hour) => days.reduce((sum, { hours }) => sum + (hours[hour] ?? 0), 0)),
});

interface Part {
  readonly from: number;
  readonly length: number;
}

/** The part that is least likely to be chance. */
function busiestPart({ hours }: Day): Part | undefined {
  const total = hours.reduce((sum, count) => sum + count, 0);
  let best: (Part & { readonly deviations: number }) | undefined;
  for (let length = bounds.shortest; length <= bounds.longest; length++) {
    const share = length / 24;
    for (let from = 0; from < 24; from++) {
      const inside = insideOf(hours, { from, length });
      const deviations = (inside - share * total) / Math.sqrt(total * share * (1 - share));
      if (deviations > (best?.deviations ?? clear.deviations)) best = { from, length, deviations };
    }
  }
  return best && ratioOf(hours, best) >= clear.ratio ? best : undefined;
}

const insideOf = (hours: readonly number[], { from, length }: Part) =>
  Array.from({ length }, (_, index) => hours[(from + index) % 24] ?? 0).reduce((sum, count) => sum + count, 0);

/** The ratio of events per hour inside and outside the part. */
function ratioOf(hours: readonly number[], part: Part): number {
  const inside = insideOf(hours, part);
  const outside = hours.reduce((sum, count) => sum + count, 0) - inside;
  return inside / part.length / (outside / (24 - part.length));
}
