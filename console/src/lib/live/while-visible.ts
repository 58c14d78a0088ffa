/**
 * Calls `start` when the tab becomes visible, and the function it returned when the tab is hidden, until the returned
 * function is called. A browser has six connections per site over HTTP/1.1 for all tabs together: with a stream in each
 * tab, the seventh tab would never load.
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
