import { refreshAll } from "$app/navigation";
import { page } from "$app/state";
import { toaster } from "../../components/toaster.svelte.ts";
import { refusedCallMessage, refusedCallReason } from "../../failures/refused-call.ts";
import type { ErrorStatus } from "../../messages.ts";
import { counted } from "../../number-format.ts";
import { trpc } from "../../trpc.ts";
import type { ActPart } from "./recent-acts.ts";
import { byStatus } from "./send-statuses.ts";
import { pastVerb } from "../status.ts";
import { keepAct } from "./undo-act.ts";

const mostOfACall = 1_000;

/** The errors that a list finds. */
export interface Matching {
  readonly projectId: number;
  readonly query: string;
  /** ERROR_STATUS_UNSPECIFIED: all. */
  readonly status: ErrorStatus;
}

interface Expected {
  readonly expected: number;
  readonly onDone: (done: number) => void;
}

/**
 * Sets the status of all errors that match, 1,000 at a time, and offers to undo what was done, also where a call failed in
 * the middle. Returns the number that matches now where it is not the expected one, and nothing was changed.
 */
export async function changeMatching(
  matching: Matching,
  newStatus: ErrorStatus,
  { expected, onDone }: Expected,
): Promise<number | undefined> {
  const parts: ActPart[] = [];
  let done = 0;
  let lastErrorId = "";
  let failure: unknown;
  // Two calls more than expected: others may turn errors back while this goes on.
  const mostCalls = Math.ceil(expected / mostOfACall) + 2;
  try {
    for (let calls = 0; calls === 0 || (lastErrorId !== "" && calls < mostCalls); calls += 1) {
      const asked = { ...matching, newStatus, expectedCount: expected, lastErrorId };
      const answer = await trpc.errors.updateMatchingErrors.mutate(asked);
      lastErrorId = answer.lastErrorId;
      if (answer.undo.length === 0) break;
      parts.push({ projectId: matching.projectId, changedTime: answer.changedTime, before: byStatus(answer.undo) });
      done += answer.undo.length;
      onDone(done);
    }
  } catch (error) {
    if (done === 0 && refusedCallReason(error) === "EXPECTED_COUNT_DIFFERS") {
      return (await trpc.errors.getErrorCount.query(matching)).count;
    }
    failure = error;
  }
  await refreshAll();
  const text = `${pastVerb(newStatus)} ${counted(done, "error")}.`;
  const act = { at: Date.now(), text, parts };
  toaster.show({
    text: failure === undefined ? text : `${text} The others failed. ${refusedCallMessage(failure)}`,
    failed: failure !== undefined,
    undo: done > 0 ? keepAct(page.data.user?.username ?? "", act) : undefined,
  });
  return undefined;
}
