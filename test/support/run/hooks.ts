import { reported } from "./reported.ts";

type Hook<State> = (state: State) => void | Promise<void>;

/** The parts of uvu's `test` by which a file sets hooks. */
interface Hooked<State> {
  before: { (hook: Hook<State>): void; each(hook: Hook<State>): void };
  after: { (hook: Hook<State>): void; each(hook: Hook<State>): void };
}

/** What uvu passes to each hook. */
type Crumbs = Readonly<Record<"__test__", string>>;

const nameOf = (crumbs: Crumbs) => crumbs["__test__"];

export interface WatchedHooks {
  /** To be called before each file is loaded. */
  begin(): void;
  /** Whether a hook after a test of the file threw. */
  hasThrown(): boolean;
}

/**
 * Has what the hooks of the test files throw printed, and which test ran when the process is ended. uvu 0.5.6 swallows
 * what is thrown before the first test, and what is thrown after a test that failed itself, with the reason of that test
 * and all tests that would follow.
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
