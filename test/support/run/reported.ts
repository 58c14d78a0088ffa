/** By more than one that calls the other. */
const printed = new WeakSet<object>();

/** A hook for `test.before` whose error is printed, once: uvu 0.5.6 fails the tests but swallows what the hook threw. */
export function reported<State>(hook: (state: State) => unknown): (state: State) => Promise<void> {
  return async (state) => {
    try {
      await hook(state);
    } catch (error) {
      if (!(error instanceof Error) || !printed.has(error)) console.error(error);
      if (error instanceof Error) printed.add(error);
      throw error;
    }
  };
}
