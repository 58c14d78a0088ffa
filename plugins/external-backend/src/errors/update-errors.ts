import type { MessageInitShape } from "@bufbuild/protobuf";
import { checkStatusChanges, ServiceError, timestamp, type ErrorTransition } from "@faultline/plugin";
import {
  ErrorReason,
  ErrorStatus,
  type ErrorSchema,
  type StatusChange,
  type UpdateErrorsRequest,
  type UpdateErrorsResponseSchema,
} from "@faultline/proto";
import type { Asking } from "../calling/external-call.ts";
import { isErrorId, issueQuestion, statusWords, withSettledLastSeen, type Status } from "./issues.ts";
import { readIssue, readIssues } from "../reading/index.ts";
import { maxRunning } from "../calling/send.ts";

type StatedError = MessageInitShape<typeof ErrorSchema>;

/** Errors per request: with more, URLs become longer than some servers accept. */
const errorsOfARequest = 100;

/**
 * Sets statuses. All errors are read first, because the API reports neither the previous status nor which ids belong to
 * another project; those count as not found.
 */
export async function updateErrors(
  asking: Asking,
  { changes }: UpdateErrorsRequest,
): Promise<MessageInitShape<typeof UpdateErrorsResponseSchema>> {
  checkStatusChanges(changes);
  const wanted = new Map(changes.map(({ errorId, status }) => [errorId, status as Status])); // checked above
  const found = await readErrors(asking, changes);
  const known = new Set(found.map(({ errorId }) => errorId));
  const notFoundErrorIds = changes.map(({ errorId }) => errorId).filter((errorId) => !known.has(errorId));
  const byStatus = Map.groupBy(found, ({ errorId = "" }) => wanted.get(errorId));
  const changed: StatedError[] = [];
  const undo: { errorId: string; status: ErrorStatus }[] = [];
  for (const [status, errors] of byStatus) {
    if (status === undefined) continue;
    for (const some of inSlices(errors, errorsOfARequest)) {
      try {
        await setStatus(asking, some, statusWords[status]);
      } catch (failure) {
        if (changed.length === 0) throw failure;
        return { errors: changed, undo, notFoundErrorIds }; // the previous status is reported, so that the change can be undone
      }
      changed.push(
        ...some.map((error) => ({
          ...withSettledLastSeen(asking, error),
          status,
          statusChangedTime: timestamp(asking.now),
        })),
      );
      undo.push(...some.map(({ errorId = "", status: old = ErrorStatus.UNRESOLVED }) => ({ errorId, status: old })));
    }
  }
  return { errors: changed, undo, notFoundErrorIds };
}

/** The transitions of an update, for plugins that take them. */
export function transitionsOf(
  projectId: number,
  { errors = [], undo = [] }: MessageInitShape<typeof UpdateErrorsResponseSchema>,
  made: Pick<ErrorTransition, "at" | "by">,
): ErrorTransition[] {
  const before = new Map(undo.map(({ errorId, status }) => [errorId, status]));
  return errors.flatMap(({ errorId = "", status = ErrorStatus.UNSPECIFIED }) => {
    const statusBefore = before.get(errorId);
    if (statusBefore === status) return [];
    return [{ projectId, errorId, kind: "status" as const, statusBefore, status, ...made, release: "" }];
  });
}

/** The errors of the changes that belong to the linked project, as they are now. */
async function readErrors(asking: Asking, changes: readonly StatusChange[]): Promise<StatedError[]> {
  const linked = await asking.externalProjectId();
  const ids = changes.map(({ errorId }) => errorId).filter(isErrorId);
  const together = ids.length > 1 ? await readTogether(asking, ids, linked) : [];
  const known = new Set(together.map(({ errorId }) => errorId));
  const errors = [...together];
  // Only this many at a time: all together would leave other callers no place in the queue.
  for (const some of inSlices(
    ids.filter((id) => !known.has(id)),
    maxRunning,
  )) {
    const single = await Promise.all(some.map((id) => readOne(asking, id, linked)));
    errors.push(...single.filter((error) => error !== undefined));
  }
  return errors;
}

/**
 * A hundred errors per call: one call each would meet the limits of Sentry, which allows five a second. Systems that do
 * not know the parameter `group` return others or none; errors they leave out are read one by one.
 */
async function readTogether(asking: Asking, ids: readonly string[], linked: string): Promise<StatedError[]> {
  // The reader leaves out issues of any other project.
  const link = { ...asking.link, project: { ...asking.link.project, id: linked } };
  const wanted = new Set(ids);
  const pages = await Promise.all(
    inSlices(ids, errorsOfARequest).map(async (group) => {
      const path = ["organizations", link.project.organizationSlug, "issues"];
      const query = { project: linked, group, query: "", limit: errorsOfARequest };
      const issues = await asking.upstream
        .askNow(asking, { path, query })
        .catch(unless(ErrorReason.EXTERNAL_ANSWER_INVALID));
      return issues === undefined ? [] : readIssues(issues, { projectId: asking.projectId, now: asking.now, link });
    }),
  );
  return pages.flat().filter(({ errorId = "" }) => wanted.delete(errorId)); // each once
}

async function readOne(asking: Asking, errorId: string, linked: string): Promise<StatedError | undefined> {
  const issue = await asking.upstream.askNow(asking, issueQuestion(errorId)).catch(unless(ErrorReason.ERROR_NOT_FOUND));
  if (issue === undefined) return undefined;
  const { error, externalProjectId } = readIssue(issue, asking);
  return externalProjectId === linked && error.errorId === errorId ? error : undefined;
}

async function setStatus(asking: Asking, errors: readonly StatedError[], status: string): Promise<void> {
  const [{ errorId: first = "" } = {}] = errors;
  if (errors.length === 1) return asking.upstream.change(asking, { ...issueQuestion(first), body: { status } });
  // Without ids the API would change every issue of the project.
  const id = errors.map(({ errorId = "" }) => errorId).filter(isErrorId);
  if (id.length === 0) return;
  await asking.upstream.change(asking, { path: [...asking.projectPath, "issues"], query: { id }, body: { status } });
}

/** Returns undefined for refusals with this reason. */
function unless(reason: ErrorReason) {
  return (failure: unknown): undefined => {
    if (!(failure instanceof ServiceError) || failure.reason !== reason) throw failure;
  };
}

function inSlices<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}
