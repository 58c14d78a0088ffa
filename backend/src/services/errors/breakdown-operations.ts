import {
  count,
  each,
  flag,
  inline,
  isoTime,
  messageShape,
  operation,
  orNull,
  partOrNull,
  shape,
  single,
  text,
  time,
} from "@faultline/plugin/rest";
import {
  ErrorService,
  EventUserSchema,
  type GetErrorBreakdownResponse,
  type ReleaseBreakdown,
  type TagBreakdown,
  type TagValueBreakdown,
  type UserBreakdown,
} from "@faultline/proto";
import { errorInPath } from "./error-operations.ts";
import { eventId } from "./event-shape.ts";

const value = inline<TagValueBreakdown>("A value of a tag.", {
  value: [text("The value."), (one) => one.value],
  count: [count("Counted events that have it."), ({ eventCount }) => eventCount],
  usual_share: [
    orNull({
      type: "number",
      minimum: 0,
      maximum: 1,
      description:
        "The share of the value among events of the project's other errors that have the key; null: not known.",
    }),
    ({ usualShare }) => usualShare ?? null,
  ],
});

const tagBreakdown = shape<TagBreakdown>("TagBreakdown", "How the events of an error divide by a tag.", {
  key: [text("The key."), ({ key }) => key],
  count: [count("Counted events that have the key."), ({ eventCount }) => eventCount],
  value_count: [count("Distinct values."), ({ valueCount }) => valueCount],
  searchable: [flag("Whether a search for `key:value` finds errors by it."), ({ searchable }) => searchable],
  values: each(value, ({ values }) => values, { description: "At most 10, the most frequent first." }),
});

const seen = {
  first_seen: [
    orNull(time("The oldest of these events; null: not known.")),
    ({ firstSeenTime }: UserBreakdown | ReleaseBreakdown) => isoTime(firstSeenTime),
  ],
  last_seen: [
    orNull(time("The newest of these events; null: not known.")),
    ({ lastSeenTime }: UserBreakdown | ReleaseBreakdown) => isoTime(lastSeenTime),
  ],
} as const;

const userBreakdown = shape<UserBreakdown>("UserBreakdown", "A user whom an error affected.", {
  user: [text("As counted, such as `id:42`."), ({ user }) => user],
  names: partOrNull(messageShape(EventUserSchema), ({ names }) => names),
  count: [count("Counted events that name the user."), ({ eventCount }) => eventCount],
  ...seen,
  newest_event_id: [orNull(eventId), ({ newestEventId }) => newestEventId || null],
});

const releaseBreakdown = shape<ReleaseBreakdown>("ReleaseBreakdown", "A release in which an error happened.", {
  version: [text("The version."), ({ version }) => version],
  count: [count("Counted events of the release."), ({ eventCount }) => eventCount],
  ...seen,
});

const breakdown = shape<GetErrorBreakdownResponse>("ErrorBreakdown", "How the events of an error divide.", {
  examined_count: [
    count(
      "Events that are counted here: `count` where all are. Fewer: a sample of the newest, while events that an earlier version stored are still being counted.",
    ),
    ({ examinedEventCount }) => examinedEventCount,
  ],
  count: [count("Events of the error within the retention time."), ({ eventCount }) => eventCount],
  usual_count: [
    count("Events of the project's other errors that `usual_share` is taken from."),
    ({ usualEventCount }) => usualEventCount,
  ],
  tags: each(tagBreakdown, ({ tags }) => tags, { description: "The most distinctive first, at most 30." }),
  other_tag_count: [count("Keys that are not in `tags`."), ({ otherTagCount }) => otherTagCount],
  users: each(userBreakdown, ({ users }) => users, { description: "The most affected first, at most 100." }),
  user_count: [count("Distinct users."), ({ userCount }) => userCount],
  releases: each(releaseBreakdown, ({ releases }) => releases, { description: "The newest first, at most 20." }),
  release_count: [count("Distinct releases."), ({ releaseCount }) => releaseCount],
});

export const getErrorBreakdown = operation(
  ErrorService.method.getErrorBreakdown,
  "GET /projects/:project/error_tracking/errors/:error_id/breakdown",
  {
    tag: "Errors",
    summary: "Break the events of an error down by user, release and tag",
    path: errorInPath,
    answer: single(200, "The breakdown.", breakdown),
    refuses: [422, 429],
    run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId }),
  },
);
