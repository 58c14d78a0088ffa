import type { SentStatuses } from "./send-statuses.ts";

/** Runs an undo and shows its progress and answer. Returns undefined if the undo was refused; the page shows that. */
export type ShowUndo = <Answer extends SentStatuses>(undo: () => Promise<Answer>) => Promise<Answer | undefined>;

/** How the open page shows the undo of its own acts, by `RecentAct.at`. Other pages are read again. */
export const shownActs = new Map<number, ShowUndo>();
