import { reported } from "./reported.ts";

type Hook<State> = (state: State) => void | Promise<void>;

/** The parts of uvu's `test` with which a file sets hooks. */
interface Hooked<State> {
  before: { (hook: Hook<State>): void; each(hook: Hook<State>): void };
  after: { (hook: Hook<State>): void; each(hook: Hook<State>): void };
}

/** The state that uvu passes to each hook. */
type Crumbs = Readonly<Record<"__test__", string>>;

const nameOf = (crumbs: Crumbs) => crumbs["__test__"];

export interface WatchedHooks {
  /** Call it before each file is loaded. */
  begin(): void;
  /** Whether a hook of the file threw after a test. */
  hasThrown(): boolean;
}

/**
 * Prints what the hooks of test files throw, and which test runs when the process is ended. uvu 0.5.6 swallows errors
 * before the first test, and errors after a test that failed itself, together with the reason of that failure and all
 * later tests.
 */
export function watchHooks<State extends Crumbs>(test: Hooked<State>): WatchedHooks {
  let hasThrown = false;
  let running: State | undefined;
  const { before, after } = test;
  const afterEach = after.each;
  test.before = Object.assign((hook: Hook<State>) => before(reported(hook)), { each: before.each });
  after.each = (hook) =>
    afterEach(async (state) => {
      try {
        await hook(state);
      } catch (error) {
        console.error(`After the test “${nameOf(state)}”:`, error);
        hasThrown = true;
      }
    });
  process.once("SIGTERM", () => {
    if (running && nameOf(running) !== "") console.error(`\nEnded in the test “${nameOf(running)}”.`);
  });
  return {
    begin: () => {
      hasThrown = false;
      running = undefined;
      before.each((state) => {
        running = state;
      });
    },
    hasThrown: () => hasThrown,
  };
}
