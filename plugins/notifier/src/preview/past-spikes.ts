import { hourMs, startOfHour, timestamp, type Host } from "@faultline/plugin";
import { ErrorService, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import type { SignalDetail } from "../signals/detail.ts";
import { countedInHours, stepSpike, type Episode, type SpikeLimit } from "../signals/spike.ts";
import type { PastChange } from "./past-changes.ts";
import { statusAt, type PastError } from "./past-errors.ts";

/** Errors whose hours are read. */
const mostErrors = 200;

const longestHours = 24;

/** The spikes of errors since a time, to the hour, for limits that count whole hours. */
export async function pastSpikes(
  { invoke }: Pick<Host, "invoke">,
  of: {
    projectId: number;
    errors: readonly PastError[];
    limit: SpikeLimit;
    start: number;
    now: number;
    signal: AbortSignal | undefined;
  },
): Promise<PastChange[]> {
  const { projectId, limit, start, now, signal } = of;
  const first = startOfHour(start) - longestHours * hourMs;
  const hourCount = (startOfHour(now) - first) / hourMs + 1;
  const changes: PastChange[] = [];
  const large = of.errors.filter(({ error }) => error.eventCount >= limit.count).slice(0, mostErrors);
  for (const past of large) {
    const { errorId } = past.error;
    const asked = { projectId, errorId, startTime: timestamp(first), hourCount };
    const { counts } = await invoke(ErrorService.method.getErrorStats, asked, signal);
    const isOpenAt = (at: number) => statusAt(past, at) === ErrorStatus.UNRESOLVED;
    for (const { at, detail } of spikesIn(counts, { first, limit, now, isOpenAt })) {
      if (at < start) continue;
      changes.push({
        project_id: projectId,
        error_id: errorId,
        notification_trigger: NotificationTrigger.SPIKE,
        status: ErrorStatus.UNRESOLVED,
        happened_at: at,
        detail: JSON.stringify(detail),
      });
    }
  }
  return changes;
}

/**
 * What the minutes would have reported of an error, from its hours: within an hour the count only grows, so it is looked at twice,
 * before its first event and after its last.
 */
export function spikesIn(
  counts: readonly number[],
  at: { first: number; limit: SpikeLimit; now: number; isOpenAt: (at: number) => boolean },
): { at: number; detail: SignalDetail }[] {
  const { first, limit, now, isOpenAt } = at;
  const hours = limit.minutes / 60;
  const found: { at: number; detail: SignalDetail }[] = [];
  let episode: Episode | undefined;
  for (const hour of counts.keys()) {
    const begin = first + hour * hourMs;
    const looks = [
      { time: begin, counted: countedInHours([...counts.slice(0, hour), 0], hours) },
      { time: Math.min(begin + hourMs - 1, now), counted: countedInHours(counts.slice(0, hour + 1), hours) },
    ];
    for (const { time, counted } of looks) {
      const most = episode?.most ?? 0;
      const look = { counted: isOpenAt(time) ? counted : 0, limit, now: time, isMaintenance: false };
      const step = stepSpike(episode, look);
      episode = step.episode;
      if (step.report === undefined) continue;
      const isOver = step.report === "over";
      const spike = { count: isOver ? most : counted, unit: limit.unit, minutes: limit.minutes };
      found.push({ at: time, detail: { spike, ...(isOver && { isOver: true as const }) } });
    }
  }
  return found;
}
