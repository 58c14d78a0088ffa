const realNow = Date.now;
let aheadMs = 0;

/**
 * The clock of the test's process, and so of a service that runs in it and of the pages that it serves. It runs by
 * itself, and a test moves it forwards.
 */
export const machineClock = {
  moveTo(time: number): void {
    aheadMs = time - realNow();
    Date.now = () => realNow() + aheadMs;
  },
  /** For a service, because it would keep the original Date.now. */
  now: () => Date.now(),
};
