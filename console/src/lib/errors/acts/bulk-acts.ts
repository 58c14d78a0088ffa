import { toaster } from "../../components/toaster.svelte.ts";
import type { BulkUpdate, Project } from "../../messages.ts";
import { counted, fullNumber } from "../../number-format.ts";
import { route } from "../../navigation/route.ts";
import { trpc } from "../../trpc.ts";
import { pastVerb } from "../status.ts";
import { recentActs, type BulkAct } from "./recent-acts.ts";
import { isRunning } from "./undo-bulk.ts";
import { keepAct } from "./undo-act.ts";

/** The project of a bulk update. */
export type ActProject = Pick<Project, "projectId" | "path">;

/** A bulk update as an act that can be undone. */
export function bulkAct(update: BulkUpdate, { path }: ActProject): BulkAct {
  const { projectId, bulkUpdateId, changedCount, leftCount, foundCount, newStatus, createdTime } = update;
  return {
    at: Date.parse(createdTime ?? ""),
    text: `${pastVerb(newStatus)} ${counted(isRunning(update) ? foundCount : changedCount, "error")}.`,
    parts: [],
    bulkUpdate: { projectId, bulkUpdateId },
    leftAddress: leftCount > 0 ? route.bulkUpdate(path, bulkUpdateId) : undefined,
  };
}

/** Shows the result of a bulk update, and offers to undo it. */
export function showEnded(username: string, update: BulkUpdate, project: ActProject): void {
  const act = bulkAct(update, project);
  toaster.show({
    text: update.leftCount === 0 ? act.text : `${act.text} ${leftWords(update.leftCount)}`,
    link: act.leftAddress === undefined ? undefined : { name: "Show them", address: act.leftAddress },
    undo: update.changedCount > 0 ? keepAct(username, act) : undefined,
  });
}

const leftWords = (count: number) =>
  count === 1
    ? "1 was skipped because it was changed or deleted."
    : `${fullNumber(count)} were skipped because they were changed or deleted.`;

/** Adds a project's bulk updates that a person can undo to the acts of the tab. */
export async function readBulkActs(username: string, project: ActProject): Promise<void> {
  const { projectId } = project;
  const { bulkUpdates } = await trpc.bulkUpdates.listBulkUpdates.query({ projectId });
  const canBeUndone = bulkUpdates.filter(
    ({ createdBy, undoneBy, changedCount }) => createdBy === username && undoneBy === "" && changedCount > 0,
  );
  recentActs.setBulkActs(
    username,
    projectId,
    canBeUndone.map((update) => bulkAct(update, project)),
  );
}
