import { refreshAll } from "$app/navigation";
import { toaster } from "../../components/toaster.svelte.ts";
import { refusedCallMessage } from "../../failures/refused-call.ts";
import { recentActs, type RecentAct } from "./recent-acts.ts";
import { sentBack } from "./send-statuses.ts";
import { shownActs, type ShowUndo } from "./shown-acts.ts";

/** Keeps an act for its undo, which the returned function starts. */
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

/** Gives each error of an act the status it had before, shows that, and says what could not be restored. */
export async function undoAct(username: string, act: RecentAct): Promise<void> {
  const show = shownActs.get(act.at) ?? showByReading;
  recentActs.remove(username, act.at); // at once, so that a key pressed twice undoes the act before
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
