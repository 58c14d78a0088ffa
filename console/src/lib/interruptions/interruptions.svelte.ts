import { page } from "$app/state";
import { route } from "../navigation/route.ts";

const retryMs = 2_000;

/** The browser's own fetch, which bypasses the queue of waiting requests. */
const send = globalThis.fetch;

/** A request that needs a new sign-in. */
interface Refused {
  readonly isChange: boolean;
  /** Whether the person waits for the answer. */
  readonly isAct: boolean;
  /** Aborted when nobody wants the answer anymore. */
  readonly signal: AbortSignal | undefined;
}

/** A request that waits for a new sign-in. */
interface Held {
  readonly isChange: boolean;
  /** `again` is true to send the request again, and false if the person does not want to sign in now. */
  readonly settle: (again: boolean) => void;
}

/** Why requests of the page wait. Only the browser uses it. */
class Interruptions {
  /** The browser has no network. */
  isOffline = $state(false);
  /** The service does not answer, and is checked every two seconds. */
  isAway = $state(false);
  /** The person's session has ended. */
  isSignedOut = $state(false);
  /** An act of the person needs a new sign-in, and the page asks for it. */
  asksToSignIn = $state(false);
  readonly #held = new Set<Held>();
  #back: Promise<void> | undefined;

  /** Resolves when the service answers again. */
  back(): Promise<void> {
    this.#back ??= this.#waitForService();
    return this.#back;
  }

  /** Resolves with whether to send the request again. */
  signedIn({ isChange, isAct, signal }: Refused): Promise<boolean> {
    this.isSignedOut = true;
    if (isAct) this.asksToSignIn = true;
    return new Promise((settle) => {
      const held = { isChange, settle };
      this.#held.add(held);
      signal?.addEventListener("abort", () => this.#held.delete(held));
    });
  }

  /** Asks the person to sign in, unless they have done so in another tab. */
  async ask(): Promise<void> {
    if (!(await this.resume())) this.asksToSignIn = true;
  }

  /** Sends waiting requests if the person is signed in. If another person is signed in, a new page opens instead. */
  async resume(): Promise<boolean> {
    const userId = await signedInUser();
    if (userId === undefined) return false;
    if (userId !== page.data.user?.userId) location.reload();
    else {
      this.isSignedOut = false;
      this.#settle(true);
    }
    return true;
  }

  /** The person does not sign in now. Changes are dropped, and reads keep waiting. */
  decline(): void {
    this.#settle(false);
  }

  #settle(again: boolean): void {
    this.asksToSignIn = false;
    for (const held of this.#held) {
      if (!again && !held.isChange) continue;
      this.#held.delete(held);
      held.settle(again);
    }
  }

  async #waitForService(): Promise<void> {
    this.isAway = true;
    do await new Promise((resolve) => setTimeout(resolve, retryMs));
    while (!(await send("/-/health", { cache: "no-store" }).catch(() => undefined))?.ok);
    this.isAway = false;
    this.#back = undefined;
  }
}

export const interruptions = new Interruptions();

async function signedInUser(): Promise<number | undefined> {
  const answer = await send(`${route.trpc()}/accounts.getCurrentUser?input=%7B%7D`).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const { result } = (await answer.json()) as { result: { data: { user?: { userId: number } } } }; // the format of tRPC
  return result.data.user?.userId;
}
