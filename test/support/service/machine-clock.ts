const realNow = Date.now;
let aheadMs = 0;

/**
 * The clock of the test's own process, and so of a service that runs in it, with the pages it serves. It goes on by itself;
 * a test moves it forwards.
 */
export const machineClock = {
  moveTo(time: number): void {
    aheadMs = time - realNow();
    Date.now = () => realNow() + aheadMs;
  },
  /** For a service, which would keep the Date.now of before. */
  now: () => Date.now(),
};
