import { refreshAll } from "$app/navigation";
import { toaster } from "../../components/toaster.svelte.ts";
import { refusedCallMessage } from "../../failures/refused-call.ts";
import { route } from "../../navigation/route.ts";
import { sendStatuses, type ErrorChange } from "./send-statuses.ts";
import { keepAct } from "./undo-act.ts";

/** A change of status that met an ended session. */
interface PendingAct {
  readonly username: string;
  /** Such as `Resolved “TypeError”.` */
  readonly text: string;
  readonly changes: readonly ErrorChange[];
}

/** In the tab, under this name. The layout looks for it when somebody has signed in. */
const key = "faultline_pending_act";

/** Keeps a change until the person has signed in again, and leads them there. `address`: the page to return to. */
export function keepPending(act: PendingAct, address: string): void {
  sessionStorage.setItem(key, JSON.stringify(act));
  toaster.show({
    text: "Your session has ended. Your change will be made once you have signed in.",
    failed: true,
    link: { href: route.signIn(address), name: "Sign in" },
  });
}

/** Makes the change that waits. That of another person is dropped. */
export async function makePending(username: string): Promise<void> {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (kept === null) return;
  const act = JSON.parse(kept) as PendingAct; // only this file writes it
  if (act.username !== username) return;
  try {
    const { parts, refused } = await sendStatuses(act.changes);
    await refreshAll();
    const undo = parts.length > 0 ? keepAct(username, { at: Date.now(), text: act.text, parts }) : undefined;
    toaster.show({ text: refused ?? act.text, failed: refused !== undefined, undo });
  } catch (error) {
    toaster.show({ text: `Could not change the status. ${refusedCallMessage(error)}`, failed: true });
  }
}
