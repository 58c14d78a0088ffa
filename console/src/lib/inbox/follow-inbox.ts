import { whileVisible } from "../live/while-visible.ts";
import { trpc } from "../trpc.ts";

/**
 * Follows the number of a person's unread entries until the returned function is called. A single tab follows for all
 * tabs of the browser, because each stream takes one of its six connections to the site. Locks need HTTPS or localhost;
 * elsewhere each visible tab follows separately. Import it only when needed.
 */
export function followInbox(username: string, onCount: (count: number) => void): () => void {
  const name = `inbox of ${username}`;
  const tabs = new BroadcastChannel(name);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has no other origin
  const say = (message: number | "how many?") => tabs.postMessage(message);
  const stop = new AbortController();
  /** The number known to the following tab. */
  let known: number | undefined;
  const follow = (): (() => void) => {
    const subscription = trpc.inbox.watchInbox.subscribe(
      {},
      {
        onData: ({ unreadCount }) => {
          known = unreadCount;
          onCount(unreadCount);
          say(unreadCount);
        },
      },
    );
    return () => subscription.unsubscribe();
  };
  tabs.addEventListener("message", ({ data }: MessageEvent<number | "how many?">) => {
    if (data !== "how many?") onCount(data);
    else if (known !== undefined) say(known);
  });
  say("how many?");
  const forAllTabs = () =>
    new Promise<void>((resolve) => {
      const end = follow();
      stop.signal.addEventListener("abort", () => {
        end();
        resolve();
      });
    });
  let endHere: (() => void) | undefined;
  if ("locks" in navigator) {
    navigator.locks.request(name, { signal: stop.signal }, forAllTabs).catch(() => undefined); // stopped while waiting
  } else endHere = whileVisible(follow);
  return () => {
    stop.abort();
    endHere?.();
    tabs.close();
  };
}
