/**
 * Calls `start` while the tab is visible, and what it returned when it is hidden, until the returned function is called. A browser
 * has six connections to a site over HTTP/1.1 for all tabs together: with a stream in each tab, the seventh would never load.
 */
export function whileVisible(start: () => () => void): () => void {
  let end: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState === "visible") end ??= start();
    else {
      end?.();
      end = undefined;
    }
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    end?.();
  };
}
