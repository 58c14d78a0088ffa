import type { LiveState } from "#lib/live/polling.ts";
import { idle } from "../idle.ts";
import type { ErrorChanges, Refusals } from "../messages.ts";
import { interruptions } from "../interruptions/interruptions.svelte.ts";
import { whileVisible } from "./while-visible.ts";
import type { MaybeStale, Polled } from "./polling.ts";
import type { trpc } from "../trpc.ts";

/** The callbacks of a subscription. */
interface Listener<Update> {
  readonly onStarted: () => void;
  readonly onData: (update: Update) => void;
  readonly onConnectionStateChange: (connection: { state: string }) => void;
  readonly onError: () => void;
  readonly onStopped: () => void;
}

interface Asked {
  readonly projectId: number;
  /** When the page was read, in milliseconds: the service first sends the changes since then, if it can. */
  readonly readAt: number;
}

/** `api` reads changes that come without names. */
type OnUpdate<Update> = (update: Update, api: typeof trpc) => void;

type Subscribe<Update> = (api: typeof trpc, asked: Asked, listener: Listener<Update>) => { unsubscribe: () => void };

/** Follows the messages of a project's service, until the returned function is called. */
export class LiveFeed<Update> {
  state = $state<LiveState>("connecting");
  readonly #subscribe: Subscribe<Update>;
  /** Consecutive failed connection attempts; the browser retries automatically. */
  #failures = 0;

  constructor(subscribe: Subscribe<Update>) {
    this.#subscribe = subscribe;
  }

  /** `onGap` is called if changes may be missing, because the connection was lost or the tab was hidden. */
  follow(asked: Asked, onUpdate: OnUpdate<Update>, onGap?: () => void): () => void {
    void interruptions.isSignedOut; // the caller's effect restarts after a new sign-in
    const failed = () => (this.state = "paused"); // the client could not be loaded
    let connectedBefore = false;
    const onStart = () => {
      if (connectedBefore) onGap?.();
      connectedBefore = true;
    };
    return whileVisible(() => {
      const subscription = this.#start(asked, onUpdate, onStart);
      subscription.catch(failed);
      return () => void subscription.then((started) => started.unsubscribe(), failed);
    });
  }

  async #start(asked: Asked, onUpdate: OnUpdate<Update>, onStart: () => void) {
    await idle();
    const { trpc } = await import("../trpc.ts");
    return this.#subscribe(trpc, asked, {
      onStarted: () => {
        this.state = "live";
        this.#failures = 0;
        onStart();
      },
      onData: (update) => onUpdate(update, trpc),
      onConnectionStateChange: ({ state }) => {
        if (state !== "connecting") return;
        this.#failures += 1;
        if (this.#failures > 3) this.state = "paused";
      },
      onError: () => (this.state = "paused"),
      onStopped: () => (this.state = "paused"),
    });
  }
}

/** Polls if no service sends changes; has the interface of a LiveFeed. */
export class PolledFeed {
  state = $state<LiveState>("connecting");

  follow<Update extends MaybeStale>(polled: Polled<Update>): () => void {
    const started = idle()
      .then(() => import("./polling.ts"))
      .then(({ poll }) => poll(polled, (state) => (this.state = state)));
    const failed = () => (this.state = "paused"); // the script could not be loaded
    started.catch(failed);
    return () => void started.then((stop) => stop(), failed);
  }
}

/** `hourlyCounts` adds the trend to changed errors, for pages that show it. */
export const liveErrors = ({ hourlyCounts = false } = {}) =>
  new LiveFeed<ErrorChanges>((api, { projectId, readAt }, listener) =>
    api.errors.watchErrors.subscribe({ projectId, sinceTime: new Date(readAt).toISOString(), hourlyCounts }, listener),
  );

export const liveRefusals = () =>
  new LiveFeed<Refusals>((api, { projectId }, listener) =>
    api.outcomes.watchRefusals.subscribe({ projectId }, listener),
  );
