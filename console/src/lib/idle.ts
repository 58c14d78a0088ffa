/**
 * Resolves when the browser has nothing else to do, at most a second later. For work outside the first task of a page,
 * which is the longest.
 */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari lacks this callback.
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 1_000 });
    else setTimeout(resolve);
  });
