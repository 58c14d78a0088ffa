/** Errors that were printed already, because a hook may call another one. */
const printed = new WeakSet<object>();

/**
 * A hook for `test.before` that prints its error once, because uvu 0.5.6 fails the tests but swallows the error of the
 * hook.
 */
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
