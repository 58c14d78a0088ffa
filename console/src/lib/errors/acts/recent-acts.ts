import type { ErrorStatus } from "../../messages.ts";
import { counted, fullNumber } from "../../number-format.ts";

/** The changes of one call to a project's errors. */
export interface ActPart {
  readonly projectId: number;
  /** When the service set the status. Undefined for an external system, because it does not report the time. */
  readonly changedTime: string | undefined;
  /** The ids of the errors by their earlier status. */
  readonly before: readonly (readonly [ErrorStatus, readonly string[]])[];
}

/** A change of all matching errors by the service. */
export interface NamedBulkUpdate {
  readonly projectId: number;
  readonly bulkUpdateId: number;
}

/** A change of status that can be undone. */
export interface RecentAct {
  /** When it was made, in milliseconds since 1970. The times of all acts are different. */
  readonly at: number;
  /** Such as `Resolved 37 errors.` */
  readonly text: string;
  readonly parts: readonly ActPart[];
  /** The service's bulk update that can be undone. Undefined if the act consists of `parts`. */
  readonly bulkUpdate?: NamedBulkUpdate;
  /** The page of the errors that the service skipped. Undefined if it skipped none, or while that is unknown. */
  readonly leftAddress?: string | undefined;
}

/** A bulk update as an act. */
export type BulkAct = RecentAct & Required<Pick<RecentAct, "bulkUpdate">>;

const key = "faultline_recent_acts";
const mostActs = 50;
/** Browsers keep 5 MB per site; an error takes 10 characters. */
const mostCharacters = 2_000_000;

/**
 * The status changes of this browser session that can still be undone, newest first. The tab keeps them and drops the
 * changes of another person.
 */
export const recentActs = {
  of(username: string): readonly RecentAct[] {
    const kept = sessionStorage.getItem(key);
    if (kept === null) return [];
    const { by, acts } = JSON.parse(kept) as { by: string; acts: RecentAct[] }; // only this file writes it
    return by === username ? acts : [];
  },
  add(username: string, act: RecentAct): void {
    keep(username, [act, ...recentActs.of(username).filter(({ at }) => at !== act.at)].slice(0, mostActs));
  },
  /**
   * Adds the bulk updates of the project that can be undone, in their current state. Updates made elsewhere come after
   * the acts of the tab.
   */
  setBulkActs(username: string, projectId: number, acts: readonly BulkAct[]): void {
    const idOf = ({ bulkUpdate }: RecentAct) =>
      bulkUpdate?.projectId === projectId ? bulkUpdate.bulkUpdateId : undefined;
    const now = new Map(acts.map((act) => [idOf(act), act]));
    const own = recentActs.of(username).flatMap((act) => (idOf(act) === undefined ? act : (now.get(idOf(act)) ?? [])));
    const known = new Set(own.map(idOf));
    keep(username, [...own, ...acts.filter((act) => !known.has(idOf(act)))].slice(0, mostActs));
  },
  remove(username: string, at: number): void {
    keep(
      username,
      recentActs.of(username).filter((act) => act.at !== at),
    );
  },
};

function keep(by: string, acts: readonly RecentAct[]): void {
  let text = JSON.stringify({ by, acts });
  for (let rest = acts; text.length > mostCharacters && rest.length > 1;) {
    rest = rest.slice(0, -1);
    text = JSON.stringify({ by, acts: rest });
  }
  sessionStorage.setItem(key, text);
}

/** The result of an undo of `wanted` errors if some could not be restored. */
export function undoneWords(left: number, wanted: number): string {
  if (left === 0) return "Undone.";
  const were = left === 1 ? "was skipped because it was" : "were skipped because they were";
  return `Undone, but ${fullNumber(left)} of ${counted(wanted, "error")} ${were} changed or deleted since.`;
}
