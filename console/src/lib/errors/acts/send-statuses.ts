import { refusedCallMessage } from "../../failures/refused-call.ts";
import type { ErrorStatus, TrackedError } from "../../messages.ts";
import { trpc } from "../../trpc.ts";
import { undoneWords, type ActPart, type RecentAct } from "./recent-acts.ts";

/** The maximum number of changes in one call. */
const changesAtOnce = 1_000;

/** A new status for an error of a project. */
export interface ErrorChange {
  readonly projectId: number;
  readonly errorId: string;
  readonly status: ErrorStatus;
}

/** The answers to changes of several projects. */
export interface SentStatuses {
  readonly errors: readonly TrackedError[];
  /** The status that each error had before. */
  readonly before: readonly ErrorChange[];
  readonly parts: readonly ActPart[];
  /** Why the changes of some projects were refused, in words; undefined if all changes were made. */
  readonly refused: string | undefined;
}

/** Sets statuses; throws if all changes are refused. */
export async function sendStatuses(changes: readonly ErrorChange[], ifChangedTime?: string): Promise<SentStatuses> {
  const calls = [...Map.groupBy(changes, ({ projectId }) => projectId)].flatMap(([projectId, all]) =>
    Array.from({ length: Math.ceil(all.length / changesAtOnce) }, (_, n) => ({
      projectId,
      changes: all
        .slice(n * changesAtOnce, (n + 1) * changesAtOnce)
        .map(({ errorId, status }) => ({ errorId, status })),
    })),
  );
  const answers = await Promise.allSettled(
    calls.map(async (call) => {
      const { projectId } = call;
      const { errors, undo } = await trpc.errors.updateErrors.mutate(ifChangedTime ? { ...call, ifChangedTime } : call);
      return { errors, before: undo.map((change) => ({ projectId, ...change })) };
    }),
  );
  const failed = answers.find((one) => one.status === "rejected");
  if (failed !== undefined && answers.every((one) => one.status === "rejected")) throw failed.reason;
  const done = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  return {
    errors: done.flatMap(({ errors }) => errors),
    before: done.flatMap(({ before }) => before),
    parts: done.filter(({ before }) => before.length > 0).map(({ errors, before }) => partOf(errors, before)),
    refused: failed && refusedCallMessage(failed.reason),
  };
}

function partOf(errors: readonly TrackedError[], before: readonly ErrorChange[]): ActPart {
  return {
    projectId: before[0]?.projectId ?? 0,
    changedTime: errors[0]?.statusChangedTime,
    before: byStatus(before),
  };
}

/** The ids of changes by their status. */
export const byStatus = (changes: readonly { readonly errorId: string; readonly status: ErrorStatus }[]) =>
  [...Map.groupBy(changes, ({ status }) => status)].map(
    ([status, some]) => [status, some.map(({ errorId }) => errorId)] as const,
  );

/** Restores the earlier status of each error in an act, unless somebody has changed it since. */
export async function sentBack({ parts, bulkUpdate }: RecentAct): Promise<SentStatuses & { readonly text: string }> {
  if (bulkUpdate !== undefined) {
    const { undoBulk } = await import("./undo-bulk.ts");
    return { errors: [], before: [], parts: [], refused: undefined, text: await undoBulk(bulkUpdate) };
  }
  const all: SentStatuses[] = [];
  let wanted = 0;
  for (const { projectId, changedTime, before } of parts) {
    const changes = before.flatMap(([status, ids]) => ids.map((errorId) => ({ projectId, errorId, status })));
    wanted += changes.length;
    all.push(await sendStatuses(changes, changedTime));
  }
  const errors = all.flatMap((one) => one.errors);
  const refused = all.find((one) => one.refused !== undefined)?.refused;
  return {
    errors,
    before: all.flatMap((one) => one.before),
    parts: [],
    refused,
    text: refused === undefined ? undoneWords(wanted - errors.length, wanted) : `Not all was undone. ${refused}`,
  };
}
