import type { SentStatuses } from "./send-statuses.ts";

/** Runs an undo and shows its progress and answer. Returns undefined if the undo was refused, which the page says. */
export type ShowUndo = <Answer extends SentStatuses>(undo: () => Promise<Answer>) => Promise<Answer | undefined>;

/** How the open page shows the undo of an act that was made on it, by `RecentAct.at`. Other pages are read again. */
export const shownActs = new Map<number, ShowUndo>();
