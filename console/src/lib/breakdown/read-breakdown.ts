import type { ErrorBreakdown } from "#lib/messages.ts";

const freshMs = 30_000;

let last: { readonly key: string; readonly at: number; readonly answer: Promise<ErrorBreakdown> } | undefined;

/** The breakdown of an error with so many events, read once while a person steps through them. */
export function readBreakdown(
  asked: { projectId: number; errorId: string; query: string; userLimit: number },
  eventCount: number,
): Promise<ErrorBreakdown> {
  const key = `${asked.projectId} ${asked.errorId} ${eventCount} ${asked.query}`;
  if (last?.key === key && Date.now() - last.at < freshMs) return last.answer;
  const answer = import("#lib/trpc.ts").then(({ trpc }) => trpc.errors.getErrorBreakdown.query(asked));
  last = { key, at: Date.now(), answer };
  answer.catch(() => (last = undefined)); // the next event asks again
  return answer;
}
