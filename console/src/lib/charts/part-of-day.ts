/** A part of the day, from one full hour to another, that has clearly more events than the rest of the day. */
export interface PartOfDay {
  readonly from: number;
  /** Smaller than `from` where the part goes beyond midnight. */
  readonly to: number;
  /** Whether each day of the week has more events in it. */
  readonly isEveryDay: boolean;
}

/** The events of a day by hour. */
interface Day {
  readonly weekday: number;
  readonly hours: number[];
}

/** A part is 4 to 16 hours long, and shows in most days that have events, in four of them at least. */
const bounds = { shortest: 4, longest: 16, days: 4, shareOfDays: 0.6 };
/** How much more an hour of the part has than another, and by how many standard deviations the part exceeds its share. */
const clear = { ratio: 1.5, deviations: 5 };
/** `places`: see hoursOfWeek. Undefined: no part of the day stands out. */
export function partOfDay(counts: readonly number[], places: readonly number[]): PartOfDay | undefined {
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

/** How many times as many events an hour of the part has as another one. */
function ratioOf(hours: readonly number[], part: Part): number {
  const inside = insideOf(hours, part);
  const outside = hours.reduce((sum, count) => sum + count, 0) - inside;
  return inside / part.length / (outside / (24 - part.length));
}
