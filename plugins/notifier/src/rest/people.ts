import {
  badParameter,
  bodyOf,
  choice,
  cursorPage,
  flagParam,
  operation,
  orEmpty,
  orNull,
  paramsOf,
  present,
  single,
  text,
  textInPath,
  textParam,
  withDefault,
  wordsOf,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  ErrorSubscription,
  GetErrorSubscriptionResponseSchema,
  NotificationLevelSchema,
  NotificationPreferenceService,
  NotificationPreferencesSchema,
  NotificationSuppressionReason as Reason,
  PersonalNotificationSchema,
  PersonalSuppressionSchema,
  ProjectNotificationLevelSchema,
  UpdateErrorSubscriptionResponseSchema,
} from "@faultline/proto";

const tag = "Notification preferences";
const { method } = NotificationPreferenceService;

const levels = wordsOf(NotificationLevelSchema);

const subscriptions = {
  none: ErrorSubscription.UNSPECIFIED,
  watched: ErrorSubscription.WATCHED,
  muted: ErrorSubscription.MUTED,
} as const;

const reasons = {
  ignored: Reason.IGNORED,
  over: Reason.OVER,
  repeated: Reason.REPEATED,
  muted: Reason.MUTED,
  not_watched: Reason.NOT_WATCHED,
  low_level: Reason.LOW_LEVEL,
  own_change: Reason.OWN_CHANGE,
} as const;

const clock = (minute: number | undefined) =>
  minute === undefined
    ? null
    : `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

const preferences = bodyOf(
  NotificationPreferencesSchema,
  { quietHours: false },
  {
    further: {
      quiet_from: [
        orNull(text("When quiet hours begin, such as 22:00; null: none.")),
        ({ quietHours }) => clock(quietHours?.fromMinute),
      ],
      quiet_until: [orNull(text("When they end.")), ({ quietHours }) => clock(quietHours?.untilMinute)],
    },
  },
);

const level = bodyOf(ProjectNotificationLevelSchema, { isDefault: "default" }, { name: "NotificationLevel" });

const notification = bodyOf(PersonalNotificationSchema, { trigger: null, time: "at" }, { name: null });
const suppression = bodyOf(PersonalSuppressionSchema, { reason: { words: reasons }, hourTime: "hour" }, { name: null });
const subscription = bodyOf(
  GetErrorSubscriptionResponseSchema,
  {
    subscription: { words: subscriptions },
    level: false,
    notifications: { of: notification, maxItems: 20 },
    suppressions: { of: suppression, maxItems: 20 },
  },
  {
    name: "ErrorSubscription",
    description: "What you set for an error, what you got of its changes, and what not.",
    further: {
      level: [
        choice("The level of the project.", Object.keys(levels)),
        (of) => Object.keys(levels).find((word) => levels[word] === of.level?.level) ?? null,
      ],
    },
  },
);

/** A time of day as a minute of the day. */
const minuteParam = (description: string): Parameter<number | undefined> => ({
  schema: text(description, { pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" }),
  read(value, name) {
    if (value === undefined || value === null || value === "") return undefined;
    const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(value)) ?? [];
    if (hour === undefined) throw badParameter(name, "is invalid");
    return Number(hour) * 60 + Number(minute);
  },
});

export const getNotificationPreferences = operation(
  method.getNotificationPreferences,
  "GET /user/notification_preferences",
  {
    tag,
    summary: "Read your notification preferences",
    answer: single(200, "The preferences.", preferences),
  },
);

export const updateNotificationPreferences = operation(
  method.updateNotificationPreferences,
  "PUT /user/notification_preferences",
  {
    tag,
    summary: "Replace your notification preferences",
    params: {
      mail: withDefault(flagParam("You want mail."), true),
      time_zone: orEmpty(textParam("The time zone of the quiet hours; empty: UTC.", { maxLength: 64 })),
      quiet_from: minuteParam("When quiet hours begin, such as 22:00. Absent: none."),
      quiet_until: minuteParam("When they end."),
    },
    answer: single(200, "The preferences as they are now.", preferences),
    async run({ params: { mail, time_zone: timeZone, quiet_from: fromMinute, quiet_until: untilMinute }, invoke }) {
      if ((fromMinute === undefined) !== (untilMinute === undefined)) {
        throw badParameter(fromMinute === undefined ? "quiet_from" : "quiet_until", "is missing");
      }
      const quietHours = fromMinute !== undefined && untilMinute !== undefined && { fromMinute, untilMinute };
      const given = { mail, timeZone, ...(quietHours && { quietHours }) };
      return present((await invoke({ preferences: given })).preferences);
    },
  },
);

export const listNotificationLevels = operation(method.listNotificationLevels, "GET /user/notification_levels", {
  tag,
  summary: "List the notification levels of your projects",
  answer: cursorPage("The levels, by path.", level),
});

export const updateNotificationLevel = operation(
  method.updateNotificationLevel,
  "PUT /projects/:project/error_tracking/notification_level",
  {
    tag,
    summary: "Set your notification level of a project",
    answer: single(200, "The level in force.", level),
  },
);

const ofError = "/projects/:project/error_tracking/errors/:error_id/subscription" as const;
const path = { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) };

export const getErrorSubscription = operation(method.getErrorSubscription, `GET ${ofError}`, {
  tag,
  summary: "Read whether you watch or mute an error, and why you were, or were not, notified",
  path,
  answer: single(200, "What you set, got and did not get.", subscription),
});

export const updateErrorSubscription = operation(method.updateErrorSubscription, `PUT ${ofError}`, {
  tag,
  summary: "Watch or mute an error",
  path,
  params: paramsOf(method.updateErrorSubscription.input, { subscription: { isRequired: true, words: subscriptions } }),
  answer: single(
    200,
    "What is set.",
    bodyOf(
      UpdateErrorSubscriptionResponseSchema,
      { subscription: { words: subscriptions } },
      { name: "ChosenSubscription", description: "What you set for an error." },
    ),
  ),
});
