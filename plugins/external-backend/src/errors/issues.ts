import { isIP } from "node:net";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  millisecondsOf,
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  timestamp,
  readSearch,
  onlyError,
} from "@faultline/plugin";
import {
  ErrorReason,
  ErrorSort,
  ErrorStatus,
  type ErrorSchema,
  type ListErrorsRequest,
  type ListErrorsResponseSchema,
} from "@faultline/proto";
import { readEventId } from "@faultline/sentry-event";
import type { Asking } from "../calling/external-call.ts";
import { errorNotFound } from "../calling/failures.ts";
import { externalSearch, isMailAddress } from "./external-search.ts";
import { readCursors, readHits, readIssue, readIssues } from "../reading/index.ts";
import type { Question, Reply } from "../calling/upstream.ts";

type StatedError = MessageInitShape<typeof ErrorSchema>;

/** The statuses in the external system's words. */
export const statusWords = {
  [ErrorStatus.UNRESOLVED]: "unresolved",
  [ErrorStatus.RESOLVED]: "resolved",
  [ErrorStatus.IGNORED]: "ignored",
} as const;

export type Status = keyof typeof statusWords;
const statuses: readonly Status[] = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED];

const sortWords: Readonly<Record<ErrorSort, string>> = {
  [ErrorSort.UNSPECIFIED]: "date",
  [ErrorSort.LAST_SEEN]: "date",
  [ErrorSort.FIRST_SEEN]: "new",
  [ErrorSort.EVENT_COUNT]: "freq",
  [ErrorSort.USER_COUNT]: "user",
};

/** Counts of a search stop here, as in the integrated backend. */
const countedErrors = 1000;

/** Counts of a search are read again only after this time, because each count is a separate call. */
const countsFreshMs = 30_000;

/** A list waits no longer than this for its counts. */
const countsMs = 5_000;

export async function listErrors(
  asking: Asking,
  request: ListErrorsRequest,
): Promise<MessageInitShape<typeof ListErrorsResponseSchema>> {
  const { projectId, link } = asking;
  const { pageToken: token } = request;
  const hit = token === "" ? await directHit(asking, request.query) : undefined;
  if (hit) return { ...hit, errors: hit.errors.map((error) => withSettledLastSeen(asking, error)), ...asking.stale };
  const { query: search, status: asked } = externalSearch(request.query);
  const status = asked ?? request.status;
  const sort = sortWords[request.sort] ?? "date";
  const list = JSON.stringify(["external errors", projectId, link.revision, sort, status, request.query]);
  const cursor = cursorOf(list, token);
  if (status !== ErrorStatus.UNSPECIFIED && !isStatus(status)) return { errors: [] };

  const page = asking.ask({
    path: [...asking.projectPath, "issues"],
    query: { query: queryOf(status, search), limit: pageSizeOf(request), sort, statsPeriod: "24h", cursor },
  });
  // The first page has the count of the listed status.
  const own = isStatus(status) && cursor === undefined ? [[status, page] as const] : [];
  const counts = statusCounts(asking, search, new Map<Status, Promise<Reply>>(own));
  const reply = await page;
  const { next, previous } = readCursors(reply.headers["link"]);
  const place = (to: string | undefined) => (to === undefined ? "" : pageToken(list, [to]));
  const errors = readIssues(reply.json, asking).map((error) => withSettledLastSeen(asking, error));
  const statusCount = await counts;
  return {
    errors,
    nextPageToken: place(next),
    previousPageToken: place(previous),
    ...(statusCount && { statusCounts: asked === undefined ? statusCount : onlyOf(asked, statusCount) }),
    ...(errors.length === 0 && cursor === undefined && { searchHints: externalHints(request.query) }),
    ...asking.stale,
  };
}

/** Counts of one status: a search for it finds no others. */
const onlyOf = (status: ErrorStatus, counts: { unresolved: number; resolved: number; ignored: number }) => ({
  unresolved: status === ErrorStatus.UNRESOLVED ? counts.unresolved : 0,
  resolved: status === ErrorStatus.RESOLVED ? counts.resolved : 0,
  ignored: status === ErrorStatus.IGNORED ? counts.ignored : 0,
});

/** One error of the linked project. Refuses with ERROR_NOT_FOUND, also when it belongs to another external project. */
export async function getError(asking: Asking, errorId: string): Promise<StatedError> {
  const [reply, linked] = await Promise.all([asking.ask(issueQuestion(errorId)), asking.externalProjectId()]);
  const { error, externalProjectId } = readIssue(reply.json, asking);
  if (externalProjectId !== linked || error.errorId !== errorId) throw errorNotFound();
  return withSettledLastSeen(asking, error);
}

/** The read of an issue. A text that is not an id is refused without a call. */
export function issueQuestion(errorId: string): Question {
  if (!isErrorId(errorId)) throw errorNotFound();
  return { path: ["issues", errorId], missing: errorNotFound };
}

/** A read below an issue. */
export function partOf(errorId: string, ...part: readonly string[]): Question {
  const question = issueQuestion(errorId);
  return { ...question, path: [...question.path, ...part] };
}

export function isErrorId(id: string): boolean {
  return /^\d{1,20}$/.test(id);
}

/** Reads a token of `list`. Its cursor comes back from outside, so it is checked again. */
export function cursorOf(list: string, token: string): string | undefined {
  const [cursor] = readPageToken(list, token, ["string"]) ?? [];
  if (cursor === undefined || /^[0-9:]{1,64}$/.test(cursor)) return cursor;
  throw new ServiceError(
    ErrorReason.INVALID_PAGE_TOKEN,
    "The page token does not belong to this list. Ask for the first page without a token.",
    { field: "page_token" },
  );
}

/**
 * All statuses are asked for by an empty value. The parameter stays: without it the system lists unresolved ones alone.
 */
function queryOf(status: ErrorStatus, search: string): string {
  return isStatus(status) ? `is:${statusWords[status]} ${search}`.trim() : search;
}

function isStatus(status: ErrorStatus): status is Status {
  return status in statusWords;
}

/**
 * The number of errors that match a search, by status; undefined when the system does not report it, or not soon
 * enough.
 */
async function statusCounts(asking: Asking, search: string, asked: ReadonlyMap<Status, Promise<Reply>>) {
  const time = AbortSignal.any([asking.signal, AbortSignal.timeout(countsMs)]);
  const counts = await Promise.all(
    statuses.map(async (status) => {
      const counting = { path: [...asking.projectPath, "issues"], query: { query: queryOf(status, search), limit: 1 } };
      const reply = await (asked.get(status) ??
        asking.upstream.ask({ link: asking.link, signal: time }, { ...counting, freshMs: countsFreshMs }));
      const hits = readHits(reply.headers);
      return hits === undefined ? undefined : Math.min(hits, countedErrors);
    }),
  ).catch(() => []); // a list without counts is better than none; the list itself reports what fails
  const [unresolved, resolved, ignored] = counts;
  if (unresolved === undefined || resolved === undefined || ignored === undefined) return undefined;
  return { unresolved, resolved, ignored };
}

/** Adds the time that its last-seen label follows, as far as it is known. */
export function withSettledLastSeen(asking: Asking, error: StatedError): StatedError {
  const at = (time: MessageInitShape<typeof TimestampSchema> | undefined) =>
    time && millisecondsOf(create(TimestampSchema, time));
  const { settledLastSeenTime: derived, ...stated } = error;
  const settled = asking.upstream.lastSeen.settled(
    error.errorId ?? "",
    at(error.lastSeenTime) ?? 0,
    at(derived),
    asking.now,
  );
  return settled === undefined ? stated : { ...stated, settledLastSeenTime: timestamp(settled) };
}

/** Possible reasons why the external system finds nothing: it does not say which keys and values it has. */
function externalHints(query: string): { readonly text: string; readonly query?: string }[] {
  const terms = readSearch(query);
  const named = terms.flatMap((term) => (term.of === "value" && !term.isNegated ? [term] : []));
  const texts = terms.flatMap((term) => (term.of === "text" && !term.isNegated ? [term] : []));
  const keys = [...new Set(named.map(({ key }) => key))].map((key) => `“${key}”`).join(", ");
  const users = texts.flatMap(({ text, start, end }) => {
    const key = isIP(text) === 0 ? (isMailAddress(text) ? "user.email" : undefined) : "user.ip";
    if (key === undefined) return [];
    const asUser = `${key}:${query.slice(start, end)}`;
    return [
      {
        text: `The external system searches the texts of errors for “${text}”. To search for the user, write ${asUser}.`,
        query: query.slice(0, start) + asUser + query.slice(end),
      },
    ];
  });
  const spelling = `The external system compares values letter by letter, and does not report its keys. Check ${keys}.`;
  return [...users, ...(named.length > 0 ? [{ text: spelling }] : [])];
}

/** A short id as the system shows it, or in any letters behind a `#`: `WEB-R9`. */
const shortId = /^(?:[A-Z0-9_.-]+-[A-Z0-9]{1,15}|#[\w.-]+-[A-Za-z0-9]{1,15})$/;

/**
 * The error that a search names by its short id or by the id of an event, as a list; undefined if it is another search, or
 * the linked project has no such error. The system looks for one only where the search is nothing else.
 */
async function directHit(asking: Asking, search: string) {
  const text = search.trim();
  const eventId = readEventId(text);
  if (eventId === undefined && !shortId.test(text)) return undefined;
  const reply = await asking.ask({
    path: [...asking.projectPath, "issues"],
    query: { query: eventId ?? text.replace("#", ""), shortIdLookup: 1, limit: 1, statsPeriod: "24h" },
  });
  const [error] = reply.headers["x-sentry-direct-hit"] === "1" ? readIssues(reply.json, asking) : [];
  const errorId = error?.errorId ?? "";
  return (
    error && {
      ...onlyError(error),
      ...(eventId === undefined ? { searchedErrorId: errorId } : { event: { eventId, errorId } }),
    }
  );
}
