import { readSearch, type HttpAnswer, ServiceError } from "@faultline/plugin";
import { printSearch } from "@faultline/plugin/search";
import { EventPosition, type GetEventResponse, ErrorReason } from "@faultline/proto";
import { FairQueue } from "@faultline/plugin/flow";
import { pathPart, type ApiCall, type Resource } from "../call.ts";
import { cursorOf, tokenOf } from "../cursor.ts";
import { linkHeader, perPageOf } from "../pages.ts";
import { environmentsOf } from "../search.ts";
import { namedIssue, readError } from "../served-issue.ts";
import { namedProject } from "../served-projects.ts";
import { eventShape } from "../shapes/event.ts";
import { eventSummaryShape } from "../shapes/event-summary.ts";
import { windowOf } from "../times.ts";

/** Waiting pages per token; more are refused. */
const waitingOfToken = 5;

const retryAfterSeconds = 3;

/**
 * The queue for pages of whole events, one page per token at a time: a page of 2 MB takes 50 ms of the event loop, and
 * a multiple of its bytes in memory while it is built.
 */
const pages = new FairQueue({
  atOnce: 2,
  ofOwner: 1,
  waitingOfOwner: waitingOfToken,
  refusal: () =>
    new ServiceError(
      ErrorReason.TOO_MANY_ATTEMPTS,
      `Your token has ${waitingOfToken + 1} pages of whole events under way. Wait until one of them has ended.`,
      { retryAfterSeconds },
    ),
});

/** Builds a page of whole events at its turn. Refuses with TOO_MANY_ATTEMPTS if too many pages of the token wait. */
function wholePage<T>({ token = "", signal }: ApiCall, build: () => Promise<T>): Promise<T> {
  const left = () => new ServiceError(ErrorReason.OVERLOADED, "The caller left before the answer was there.");
  return pages.run({ owners: [token], signal, left }, build);
}

/** Whole events per answer; each may have the full size that the SDK sent. */
const maxWhole = 20;

/** An answer ends after this many characters of whole events; its cursor leads to the rest. */
const maxWholeLength = 2 * 1024 * 1024;

/** The events of an issue, newest first. `full` returns whole events, at most 20 or about 2 MB per page. */
export const listIssueEvents: Resource = async (call) => {
  const isFull = !["", "0", "false"].includes((call.query.get("full") ?? "").toLowerCase());
  const issue = await namedIssue(call);
  const { errorId } = issue;
  const { projectId } = issue.project;
  const request = {
    projectId,
    errorId,
    pageSize: perPageOf(call, isFull ? maxWhole : 100),
    pageToken: tokenOf(call.query.get("cursor")),
    userNames: !isFull,
    query: printSearch([...readSearch(call.query.get("query") ?? ""), ...environmentsOf(call.query)]),
    ...windowOf(call),
  };
  const page = await call.core.errors.listEvents(request, call);
  const headersOf = ({ nextPageToken: next }: typeof page) => ({
    Link: linkHeader(call, { next: next === "" ? undefined : cursorOf(next) }),
  });
  if (isFull) {
    return wholePage(call, async () => {
      const body: object[] = [];
      let length = 0;
      for (const { eventId } of page.events) {
        if (length > maxWholeLength) break;
        const found = await read(call, { projectId, eventId });
        length += found.event?.payloadJson.length ?? 0;
        body.push(eventShape(found));
      }
      const isCut = body.length < page.events.length;
      const shown = isCut ? await call.core.errors.listEvents({ ...request, pageSize: body.length }, call) : page;
      return { status: 200, headers: headersOf(shown), body };
    });
  }
  const error = await readError(call, issue);
  return { status: 200, headers: headersOf(page), body: page.events.map((event) => eventSummaryShape(event, error)) };
};

const positions = new Map([
  ["latest", EventPosition.NEWEST],
  ["recommended", EventPosition.NEWEST],
  ["oldest", EventPosition.OLDEST],
]);

/** An event of an issue by id, or by `latest`, `oldest` or `recommended`, which here means the latest. */
export const readIssueEvent: Resource = async (call) => {
  const { errorId, project } = await namedIssue(call);
  const name = pathPart(call, "event");
  const position = positions.get(name);
  const key = position === undefined ? { eventId: name || "none" } : { position };
  return whole(await read(call, { projectId: project.projectId, errorId, ...key }));
};

export const readProjectEvent: Resource = async (call) => whole(await readOfProject(call));

/** The event in its sent form. */
export const readProjectEventPayload: Resource = async (call) => {
  const { event } = await readOfProject(call);
  const json = event?.payloadJson ?? "";
  return { status: 200, json: isJson(json) ? json : "{}" }; // as text: it may nest too deep to serialize
};

/** A service that reports over gRPC may send any payload, or none. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function whole(response: GetEventResponse): HttpAnswer {
  return { status: 200, body: eventShape(response) };
}

async function readOfProject(call: ApiCall): Promise<GetEventResponse> {
  const { projectId } = await namedProject(call);
  return read(call, { projectId, eventId: pathPart(call, "event") || "none" });
}

interface EventKey {
  readonly projectId: number;
  readonly errorId?: string;
  readonly eventId?: string;
  readonly position?: EventPosition;
}

async function read(call: ApiCall, key: EventKey): Promise<GetEventResponse> {
  return call.core.errors.getEvent(key, call);
}
