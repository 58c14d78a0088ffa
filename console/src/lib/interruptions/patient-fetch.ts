import { navigating } from "$app/state";
import { toaster } from "../components/toaster.svelte.ts";
import { interruptions } from "./interruptions.svelte.ts";
import { sessionOver } from "./session-over.ts";

const send = globalThis.fetch;

/**
 * Sends a request of a page. Reads wait while the service is away, and everything waits for a new sign-in once the
 * session has ended, so the page keeps its content and typed text. If the service disappeared during a change, the
 * change may have been made, so it is not sent again automatically.
 */
export const patientFetch: typeof fetch = async (input, init) => {
  const { pathname, origin } = new URL(input instanceof Request ? input.url : input, location.href);
  if (origin !== location.origin) return send(input, init);
  const isChange = (init?.method ?? "GET") !== "GET";
  const signal = init?.signal ?? undefined;
  const isForm = new Headers(init?.headers).has("x-sveltekit-action");
  for (;;) {
    const { answer, failure } = await outcome(input, init);
    if (answer === undefined) {
      const isBack = interruptions.back();
      if (isForm) return notSent("Faultline is not responding, so this may not be saved. Try again once it responds.");
      if (isChange) throw failure;
      await unlessAborted(isBack, signal);
    } else if (answer.headers.has(sessionOver)) {
      const isAct = isChange || waits(pathname);
      if (await unlessAborted(interruptions.signedIn({ isChange, isAct, signal }), signal)) continue;
      return isForm ? notSent("Not saved, because you are not signed in.") : answer;
    } else return answer;
  }
};

/** The answer; undefined if the service is away, which a proxy may have reported. */
async function outcome(...request: Parameters<typeof fetch>): Promise<{ answer?: Response; failure?: unknown }> {
  try {
    const answer = await send(...request);
    const isProxy = [502, 503, 504].includes(answer.status) && !answer.headers.get("content-type")?.includes("json");
    return isProxy ? { failure: new TypeError(`A proxy answered with ${answer.status}.`) } : { answer };
  } catch (failure) {
    if (failure instanceof TypeError) return { failure };
    throw failure; // the page no longer wants the answer
  }
}

/** Whether the person waits for a read. Pages also read data ahead, when the pointer comes near a link. */
const waits = (pathname: string) =>
  pathname.endsWith("__data.json") ? navigating.to !== null : navigator.userActivation.isActive;

function unlessAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return waiting;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([waiting, aborted]);
}

/** An answer that leaves a form unchanged. */
function notSent(text: string): Response {
  toaster.show({ text, failed: true });
  return Response.json({ type: "failure", status: 503 }, { status: 503 });
}
