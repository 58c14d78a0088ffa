/** What to tell a person when a call from the browser failed: the sentence that the server chose, if it answered. */
export function refusedCallMessage(error: unknown): string {
  const data: unknown = error instanceof Error && "data" in error ? error.data : undefined;
  if (data === undefined || data === null) return "The service cannot be reached. Check your connection and try again.";
  const refusal: unknown = typeof data === "object" && "refusal" in data ? data.refusal : undefined;
  return hasMessage(refusal) ? refusal.message : "Something went wrong on our side.";
}

const hasMessage = (value: unknown): value is { readonly message: string } =>
  typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
