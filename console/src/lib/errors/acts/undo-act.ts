import { refreshAll } from "$app/navigation";
import { toaster } from "../../components/toaster.svelte.ts";
import { refusedCallMessage } from "../../failures/refused-call.ts";
import { recentActs, type RecentAct } from "./recent-acts.ts";
import { sentBack } from "./send-statuses.ts";
import { shownActs, type ShowUndo } from "./shown-acts.ts";

/** Stores an act for its undo; the returned function undoes it. */
export function keepAct(username: string, act: RecentAct): () => void {
  recentActs.add(username, act);
  return () => void undoAct(username, act);
}

/** Undoes the newest act of this browser session. */
export async function undoLast(username: string): Promise<void> {
  const [last] = recentActs.of(username);
  if (last === undefined) toaster.show({ text: "There is nothing to undo." });
  else await undoAct(username, last);
}

/** Restores the earlier status of each error in an act, shows it, and reports the errors that could not be restored. */
export async function undoAct(username: string, act: RecentAct): Promise<void> {
  const show = shownActs.get(act.at) ?? showByReading;
  recentActs.remove(username, act.at); // immediately, so that a key pressed twice also undoes the previous act
  const answer = await show(() => sentBack(act));
  if (answer === undefined) recentActs.add(username, act);
  else toaster.show({ text: answer.text, failed: answer.refused !== undefined });
}

const showByReading: ShowUndo = async (undo) => {
  try {
    const answer = await undo();
    await refreshAll();
    return answer;
  } catch (error) {
    toaster.show({ text: `Could not undo. ${refusedCallMessage(error)}`, failed: true });
    return undefined;
  }
};
