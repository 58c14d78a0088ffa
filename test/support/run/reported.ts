/** A hook for `test.before` whose error is printed: uvu 0.5.6 fails the tests but swallows what the hook threw. */
export function reported(hook: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await hook();
    } catch (error) {
      console.error(error);
      throw error;
    }
  };
}
