import type { allErrorsRequest } from "#lib/errors/list-choices.ts";
import type { TrackedError } from "#lib/messages.ts";
import type { trpc } from "#lib/trpc.ts";

/** The errors of all projects that answer. */
export function listedErrors(
  api: typeof trpc,
  request: ReturnType<typeof allErrorsRequest>,
): Promise<readonly TrackedError[]> {
  return new Promise((resolve, reject) => {
    const errors: TrackedError[] = [];
    api.errors.listAllErrors.subscribe(request, {
      onData: (part) => {
        if ("answer" in part) errors.push(...part.answer.errors);
      },
      onComplete: () => resolve(errors),
      onError: reject,
    });
  });
}
