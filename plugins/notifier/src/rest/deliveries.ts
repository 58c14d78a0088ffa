import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestamp } from "@faultline/plugin";
import {
  badParameter,
  byCursor,
  choice,
  count,
  cursorOf,
  cursorPage,
  each,
  idInPath,
  inline,
  isoTime,
  namedParam,
  noContent,
  numberParam,
  operation,
  orNull,
  positive,
  shape,
  single,
  text,
  textParam,
  time,
  whole,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  ErrorReason,
  NotificationDeliveryService,
  NotificationDeliveryState,
  NotificationDeliveryStateSchema,
  wordOf,
  words,
  type NotificationAttempt,
  type NotificationDelivery,
  type NotificationSuppression,
  type ReplayNotificationDeliveriesResponse,
} from "@faultline/proto";
import { suppressionName, suppressionNames } from "./suppression-names.ts";
import { triggerName, triggerNames } from "./trigger-names.ts";

const tag = "Notification deliveries";
const { method } = NotificationDeliveryService;

const states = words(NotificationDeliveryStateSchema);

const attempt = inline<NotificationAttempt>("A try.", {
  at: [time("When it began."), (tried) => isoTime(tried.time)],
  duration_ms: [count("How long it took."), ({ durationMs }) => durationMs],
  http_status: [
    orNull(count("The status of the answer; null: there was none.")),
    ({ httpStatus }) => httpStatus || null,
  ],
  answer: [text("The answer's first 2,000 characters without secrets, or why there is none."), ({ answer }) => answer],
});

const delivery = shape<NotificationDelivery>("NotificationDelivery", "A message to a channel.", {
  id: [positive("The delivery."), ({ deliveryId }) => Number(deliveryId)],
  channel_id: [positive("The channel."), ({ channelId }) => channelId],
  title: [text("The first line of its message."), ({ title }) => title],
  error_id: [orNull(text("The error it is about; null: a digest, or the project.")), ({ errorId }) => errorId || null],
  change_count: [count("How many changes it reports."), ({ changeCount }) => changeCount],
  state: [
    choice("Its progress.", Object.keys(states)),
    ({ state }) => wordOf(NotificationDeliveryStateSchema, state) ?? "",
  ],
  failed_because: [orNull(text("Why it failed; null: it did not.")), ({ reason }) => reason || null],
  created_at: [time("When it was made."), ({ createdTime }) => isoTime(createdTime)],
  due_at: [orNull(time("When the next try is due; null: none is.")), ({ dueTime }) => isoTime(dueTime)],
  attempts: each(attempt, ({ attempts }) => attempts, { maxItems: 20, description: "Its tries, the newest first." }),
});

const suppression = shape<NotificationSuppression>("NotificationSuppression", "Changes that a rule did not report.", {
  rule_id: [positive("The rule."), ({ ruleId }) => ruleId],
  error_id: [text("The error; empty: it was about the project."), ({ errorId }) => errorId],
  trigger: [choice("What happened.", Object.keys(triggerNames)), ({ trigger }) => triggerName(trigger)],
  reason: [choice("Why it was not reported.", suppressionNames), ({ reason }) => suppressionName(reason)],
  hour: [time("The hour it began in."), ({ hourTime }) => isoTime(hourTime)],
  count: [count("How often."), (one) => one.count],
});

const replayed = shape<ReplayNotificationDeliveriesResponse>("NotificationReplay", "Messages that are sent again.", {
  replayed_count: [count("How many."), ({ replayedCount }) => replayedCount],
});

const neededChannel: Parameter<number> = {
  ...numberParam("The channel."),
  isRequired: true,
  read(value, name) {
    const id = numberParam("").read(value, name);
    if (id === undefined) throw badParameter(name, "is missing");
    return id;
  },
};

/** A time of RFC 3339. */
const timeParam = (description: string): Parameter<Timestamp> => ({
  schema: time(description),
  isRequired: true,
  read(value, name) {
    if (value === undefined || value === null) throw badParameter(name, "is missing");
    const at = typeof value === "string" && /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(at)) throw badParameter(name, "is invalid");
    return timestamp(at);
  },
});

const deliveries = "/projects/:project/error_tracking/notification_deliveries" as const;
const path = { delivery_id: idInPath("The delivery.", ErrorReason.NOTIFICATION_DELIVERY_NOT_FOUND) };

export const listNotificationDeliveries = operation(method.listNotificationDeliveries, `GET ${deliveries}`, {
  tag,
  summary: "List what was sent",
  params: {
    channel_id: numberParam("Only to this channel."),
    state: namedParam("Only in this state.", states),
    ...byCursor,
  },
  answer: cursorPage("The deliveries, the newest first.", delivery),
  async run({ params, invoke }) {
    const { channel_id: channelId = 0, state = NotificationDeliveryState.UNSPECIFIED } = params;
    const page = await invoke({ channelId, state, ...cursorOf(params) });
    return { items: page.deliveries, next: page.nextPageToken };
  },
});

export const replayNotificationDelivery = operation(
  method.replayNotificationDeliveries,
  `POST ${deliveries}/:delivery_id/replay`,
  {
    id: "replayNotificationDelivery",
    tag,
    summary: "Send a failed message again",
    path,
    answer: noContent,
    run: ({ path: { delivery_id: id }, invoke }) => invoke({ deliveryId: BigInt(id) }),
  },
);

export const replayNotificationDeliveries = operation(
  method.replayNotificationDeliveries,
  `POST ${deliveries}/replay`,
  {
    id: "replayNotificationDeliveries",
    tag,
    summary: "Send the failed messages of a channel again",
    more: "Those that were made since a time, at most 1,000, the oldest first, under their own ids.",
    params: { channel_id: neededChannel, since: timeParam("The time since which they were made, with its zone.") },
    answer: single(200, "How many are sent again.", replayed),
    run: ({ params: { channel_id: channelId, since }, invoke }) => invoke({ channelId, sinceTime: since }),
  },
);

export const listNotificationSuppressions = operation(
  method.listNotificationSuppressions,
  "GET /projects/:project/error_tracking/notification_suppressions",
  {
    tag,
    summary: "List what was not sent, and why",
    params: { rule_id: numberParam("Only of this rule."), error_id: textParam("Only of this error.") },
    answer: whole("At most 500, the newest first.", suppression),
    run: async ({ params: { rule_id: ruleId = 0, error_id: errorId = "" }, invoke }) =>
      (await invoke({ ruleId, errorId })).suppressions,
  },
);
