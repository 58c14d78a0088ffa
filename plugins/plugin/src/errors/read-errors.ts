import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ErrorReason,
  ErrorService,
  ProjectService,
  type Error as TrackedError,
  type ListErrorsResponse,
  ErrorStatus,
  type ErrorSchema,
  type StatusChange,
} from "@faultline/proto";
import type { Host } from "../host/host.ts";
import { parseSearch, SearchProblem, type PlacedTerm } from "../search/index.ts";
import { ServiceError, invalidField } from "../service-error.ts";
import { millisecondsOf } from "../times.ts";

const idsAtOnce = 100;

/** The methods that these functions call. A plugin that uses the functions lists them in `calls`. */
export const callsToReadErrors = [ErrorService.method.getErrors, ProjectService.method.getProject];

/**
 * Returns the errors that still exist, by id. With a query, only errors that match it. Empty if the project refuses the
 * call.
 */
export async function readErrors(
  { invoke }: Pick<Host, "invoke">,
  { projectId, errorIds, query = "" }: { projectId: number; errorIds: Iterable<string>; query?: string },
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, TrackedError>> {
  const ids = [...new Set(errorIds)];
  const found = new Map<string, TrackedError>();
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const request = { projectId, errorIds: ids.slice(start, start + idsAtOnce), query };
    const { errors } = await invoke(ErrorService.method.getErrors, request, signal).catch(noneOnRefusal);
    for (const error of errors) found.set(error.errorId, error);
  }
  return found;
}

/** Refuses an error that is not in the project, or that its backend cannot read at present. */
export async function refuseMissingError(
  { invoke }: Pick<Host, "invoke">,
  { projectId, errorId }: { readonly projectId: number; readonly errorId: string },
  signal?: AbortSignal,
): Promise<void> {
  const { errors } = await invoke(ErrorService.method.getErrors, { projectId, errorIds: [errorId] }, signal);
  if (errors.some((error) => error.errorId === errorId)) return;
  const sentence = "This error does not exist in this project. It may have been deleted.";
  throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, sentence);
}

/** The path of a project. Undefined if the project is deleted. */
export async function projectPath({ invoke }: Pick<Host, "invoke">, projectId: number): Promise<string | undefined> {
  const { project } = await invoke(ProjectService.method.getProject, {
    key: { case: "projectId", value: projectId },
  }).catch(noProject);
  return project?.path;
}

function noneOnRefusal(refusal: unknown): { errors: TrackedError[] } {
  if (refusal instanceof ServiceError) return { errors: [] };
  throw refusal;
}

function noProject(refusal: unknown): { project?: undefined } {
  if (refusal instanceof ServiceError) return {};
  throw refusal;
}

/** Reads a search (`ListErrorsRequest.query`). Refuses an unreadable search with the position of its problem. */
export function readSearch(query: string): PlacedTerm[] {
  try {
    return parseSearch(query);
  } catch (error) {
    throw error instanceof SearchProblem ? searchRefusal(error) : error;
  }
}

/** The refusal of a search for a problem with a part of it. */
export function searchRefusal({ message, start }: SearchProblem): ServiceError {
  return invalidField("query", start > 0 ? `${message} (Character ${start + 1} of the search.)` : message);
}

/** HTTP headers for facts about a list of errors that the body cannot hold, with their descriptions. */
export const searchHeaders = {
  "X-Examined-Count": "Errors that were examined, where there are more: the next page continues after them.",
  "X-Searched-To-Time": "How far back the errors of X-Examined-Count go.",
  "X-Searched-Error-Id": "The error that the search names by its short id, or by an event's.",
  "X-Search-Hint":
    "Sentences that help with the search, such as the nearest values where none is found; percent-encoded beyond ASCII.",
} as const;

/** The HTTP headers for facts that the body of an answer about errors cannot hold. */
export function searchHeadersOf(
  answer: Pick<ListErrorsResponse, "examinedCount" | "searchedToTime" | "searchedErrorId" | "event" | "searchHints">,
): Partial<Record<keyof typeof searchHeaders, string>> {
  const { examinedCount, searchedToTime, searchedErrorId, event, searchHints } = answer;
  const errorId = searchedErrorId || (event?.errorId ?? "");
  const hints = searchHints.map(({ text }) => text).join(" ");
  return {
    ...(examinedCount > 0 && { "X-Examined-Count": String(examinedCount) }),
    ...(searchedToTime && { "X-Searched-To-Time": new Date(millisecondsOf(searchedToTime)).toISOString() }),
    ...(errorId !== "" && { "X-Searched-Error-Id": errorId }),
    ...(hints !== "" && { "X-Search-Hint": inAscii(hints) }),
  };
}

/** Keeps quotes that ASCII has, and percent-encodes other letters. */
const inAscii = (text: string) =>
  text
    .toWellFormed()
    .replace(/[“”]/g, '"')
    .replace(/[^\x20-\x7e]+|%/g, encodeURIComponent);

/** The list of a search that names one error: the error, whatever its status, and the counts of that list. */
export function onlyError<E extends MessageInitShape<typeof ErrorSchema>>(error: E) {
  const countOf = (status: ErrorStatus) => (error.status === status ? 1 : 0);
  return {
    errors: [error],
    statusCounts: {
      unresolved: countOf(ErrorStatus.UNRESOLVED),
      resolved: countOf(ErrorStatus.RESOLVED),
      ignored: countOf(ErrorStatus.IGNORED),
    },
  };
}

/** Refuses status changes that no backend makes: no changes or more than 1,000, an error named twice, or no status. */
export function checkStatusChanges(changes: readonly StatusChange[]): void {
  if (changes.length === 0 || changes.length > 1000)
    throw invalidField("changes", "Change 1 to 1,000 errors per call.");
  const ids = new Set(changes.map(({ errorId }) => errorId));
  if (ids.size !== changes.length) throw invalidField("changes", "Name each error once, by its decimal id.");
  for (const [n, { status }] of changes.entries()) {
    if (status < ErrorStatus.UNRESOLVED || status > ErrorStatus.IGNORED) {
      throw invalidField(`changes[${n}].status`, "Choose unresolved, resolved or ignored.");
    }
  }
}
