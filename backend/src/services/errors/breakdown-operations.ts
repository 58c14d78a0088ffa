import { bodyOf, messageShape, operation, paramsOf, single } from "@faultline/plugin/rest";
import {
  ErrorService,
  EventUserSchema,
  GetErrorBreakdownResponseSchema,
  ReleaseBreakdownSchema,
  TagBreakdownSchema,
  TagValueBreakdownSchema,
  UserBreakdownSchema,
} from "@faultline/proto";
import { errorInPath, hexDigits } from "./error-operations.ts";

const { method } = ErrorService;

const value = bodyOf(
  TagValueBreakdownSchema,
  { eventCount: "count", usualShare: { schema: { minimum: 0, maximum: 1 } } },
  { name: null },
);
const tag = bodyOf(TagBreakdownSchema, { eventCount: "count", values: { of: value } });
const seen = {
  eventCount: "count",
  firstSeenTime: { as: "first_seen", orNull: true },
  lastSeenTime: { as: "last_seen", orNull: true },
} as const;
const user = bodyOf(UserBreakdownSchema, {
  names: { of: messageShape(EventUserSchema), orNull: true },
  ...seen,
  newestEventId: { orNull: true, schema: hexDigits },
});
const release = bodyOf(ReleaseBreakdownSchema, seen);

const breakdown = bodyOf(
  GetErrorBreakdownResponseSchema,
  {
    examinedEventCount: "examined_count",
    eventCount: "count",
    usualEventCount: "usual_count",
    tags: { of: tag },
    users: { of: user },
    releases: { of: release },
    staleSinceTime: null,
    searchedEventCount: "searched_count",
  },
  { name: "ErrorBreakdown" },
);

export const getErrorBreakdown = operation(
  method.getErrorBreakdown,
  "GET /projects/:project/error_tracking/errors/:error_id/breakdown",
  {
    tag: "Errors",
    summary: "Break the events of an error down by user, release and tag",
    path: errorInPath,
    params: paramsOf(method.getErrorBreakdown.input, { query: { maxLength: 500 }, userLimit: { maximum: 100 } }),
    answer: single(200, "The breakdown.", breakdown),
    refuses: [422, 429],
  },
);
