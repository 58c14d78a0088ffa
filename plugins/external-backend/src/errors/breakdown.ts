import type { MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason, type GetErrorBreakdownRequest, type GetErrorBreakdownResponseSchema } from "@faultline/proto";
import type { Asking } from "../calling/external-call.ts";
import { readIssueTags, readIssueUsers } from "../reading/index.ts";
import { getError, partOf } from "./issues.ts";

/** How often the system is asked for the tags of an issue: it allows few of these calls. */
const freshMs = 30_000;

/** The tags and users of an error, as the external system counts them. */
export async function getErrorBreakdown(
  asking: Asking,
  { errorId, query, userLimit }: GetErrorBreakdownRequest,
): Promise<MessageInitShape<typeof GetErrorBreakdownResponseSchema>> {
  if (query !== "") {
    throw new ServiceError(
      ErrorReason.NOT_SUPPORTED_BY_BACKEND,
      "The external system counts users and tags of all events of an error. Remove the search to see them.",
    );
  }
  // The system answers 404 both for a missing issue and where it has no such call; so the issue is read first.
  const error = await getError(asking, errorId);
  const reply = await asking.ask({ ...partOf(errorId, "tags"), freshMs, missing: notOffered });
  const { namesUsers, countedEvents, ...tags } = readIssueTags(reply.json);
  const values = namesUsers
    ? await asking.ask({
        ...partOf(errorId, "tags", "user", "values"),
        query: { sort: "count" },
        freshMs,
        missing: notOffered,
      })
    : undefined;
  return {
    ...tags,
    examinedEventCount: countedEvents,
    eventCount: error.eventCount ?? 0,
    users: values ? readIssueUsers(values.json).slice(0, userLimit || undefined) : [],
    userCount: error.affectedUserCount ?? 0,
    ...asking.stale,
  };
}

function notOffered(): ServiceError {
  return new ServiceError(
    ErrorReason.NOT_SUPPORTED_BY_BACKEND,
    "This external system does not report the users and tags of an error.",
  );
}
