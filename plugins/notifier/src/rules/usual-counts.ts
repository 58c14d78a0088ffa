import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Host } from "@faultline/plugin";
import { ErrorService, ErrorSort, type Error as TrackedError, type UsualEventCountsSchema } from "@faultline/proto";

type UsualCounts = Exclude<MessageInitShape<typeof UsualEventCountsSchema>, { $typeName: string }>;

const errorsLookedAt = 100;

/** A form opens without the numbers of an external system that takes longer. */
const longestMs = 2_000;

/** The usual numbers of events in an hour, by which the limit of a spike is chosen; undefined: they cannot be read now. */
export async function usualCounts(
  { invoke }: Pick<Host, "invoke">,
  projectId: number,
  signal: AbortSignal | undefined,
): Promise<UsualCounts | undefined> {
  const asked = { projectId, sort: ErrorSort.LAST_SEEN, pageSize: errorsLookedAt };
  const soon = AbortSignal.any([AbortSignal.timeout(longestMs), ...(signal ? [signal] : [])]);
  const answer = await invoke(ErrorService.method.listErrors, asked, soon).catch(() => undefined);
  return answer && usualOf(answer.errors);
}

/** The same of errors with their counts of each of the last 24 hours. */
export function usualOf(errors: readonly Pick<TrackedError, "title" | "hourlyCounts">[]): UsualCounts {
  const hours = Array.from({ length: 24 }, (_, hour) =>
    errors.reduce((sum, { hourlyCounts }) => sum + (hourlyCounts[hour] ?? 0), 0),
  );
  let busiest = { title: "", most: 0 };
  let errorMedian = 0;
  for (const { title, hourlyCounts } of errors) {
    errorMedian = Math.max(errorMedian, median(hourlyCounts));
    const most = Math.max(0, ...hourlyCounts);
    if (most > busiest.most) busiest = { title, most };
  }
  return {
    projectMedian: median(hours),
    projectMost: Math.max(...hours),
    errorMedian,
    errorMost: busiest.most,
    busiestTitle: busiest.title,
  };
}

const median = (counts: readonly number[]): number =>
  counts.toSorted((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0;
