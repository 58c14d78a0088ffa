import {
  badParameter,
  byCursor,
  choice,
  count,
  cursorOf,
  cursorPage,
  each,
  flag,
  flagParam,
  inline,
  isoTime,
  namedParam,
  operation,
  orEmpty,
  orNull,
  positive,
  present,
  shape,
  single,
  text,
  textInPath,
  textParam,
  time,
  withDefault,
  required,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  ErrorSubscriptionSchema,
  NotificationLevel,
  NotificationLevelSchema,
  NotificationPreferenceService,
  wordOf,
  words,
  type ErrorSubscription,
  type GetErrorSubscriptionResponse,
  type NotificationPreferences,
  type PersonalNotification,
  type PersonalSuppression,
  type ProjectNotificationLevel,
} from "@faultline/proto";
import { personalSuppressionNames, suppressionName } from "./suppression-names.ts";
import { triggerName, triggerNames } from "./trigger-names.ts";

const tag = "Notification preferences";
const { method } = NotificationPreferenceService;

const levels = words(NotificationLevelSchema);
const levelName = (of: NotificationLevel) => wordOf(NotificationLevelSchema, of) ?? "";

const subscriptions = words(ErrorSubscriptionSchema);
const subscriptionName = (of: ErrorSubscription) => wordOf(ErrorSubscriptionSchema, of) ?? "";

const clock = (minute: number | undefined) =>
  minute === undefined
    ? null
    : `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

const preferences = shape<NotificationPreferences>("NotificationPreferences", "What holds for all your projects.", {
  mail: [flag("You want mail."), ({ mail }) => mail],
  time_zone: [text("The time zone of the quiet hours."), ({ timeZone }) => timeZone],
  quiet_from: [
    orNull(text("When quiet hours begin, such as 22:00; null: none.")),
    (of) => clock(of.quietHours?.fromMinute),
  ],
  quiet_until: [orNull(text("When they end.")), (of) => clock(of.quietHours?.untilMinute)],
});

const level = shape<ProjectNotificationLevel>("NotificationLevel", "What you are notified of in a project.", {
  project_id: [positive("The project."), ({ projectId }) => projectId],
  project_path: [text("Its path."), ({ projectPath }) => projectPath],
  level: [choice("The level.", Object.keys(levels)), (of) => levelName(of.level)],
  default: [flag("You did not set it."), ({ isDefault }) => isDefault],
});

const notification = inline<PersonalNotification>("A change that you got.", {
  entry_id: [positive("The entry of your inbox."), ({ entryId }) => Number(entryId)],
  trigger: [
    orNull(choice("What happened; null: it is one of those that the entry gathers.", Object.keys(triggerNames))),
    ({ trigger }) => triggerName(trigger) || null,
  ],
  at: [time("When it happened."), (one) => isoTime(one.time)],
  arrived_at: [time("When its entry appeared, or will appear after quiet hours."), (one) => isoTime(one.arrivedTime)],
});

const suppression = inline<PersonalSuppression>("Changes that you did not get.", {
  trigger: [choice("What happened.", Object.keys(triggerNames)), ({ trigger }) => triggerName(trigger)],
  reason: [choice("Why you did not get it.", personalSuppressionNames), (one) => suppressionName(one.reason)],
  hour: [time("The hour it began in."), ({ hourTime }) => isoTime(hourTime)],
  count: [count("How often."), (one) => one.count],
});

const subscription = shape<GetErrorSubscriptionResponse>(
  "ErrorSubscription",
  "What you set for an error, what you got of its changes, and what not.",
  {
    subscription: [choice("What you set.", Object.keys(subscriptions)), (of) => subscriptionName(of.subscription)],
    level: [choice("The level of the project.", Object.keys(levels)), (of) => levelName(of.level?.level ?? 0)],
    notifications: each(notification, (of) => of.notifications, { maxItems: 20, description: "The newest first." }),
    suppressions: each(suppression, (of) => of.suppressions, { maxItems: 20, description: "The newest first." }),
  },
);

/** A time of the day as a minute of the day. */
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
    run: async ({ invoke }) => present((await invoke({})).preferences),
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
  params: byCursor,
  answer: cursorPage("The levels, by path.", level),
  async run({ params, invoke }) {
    const page = await invoke(cursorOf(params));
    return { items: page.levels, next: page.nextPageToken };
  },
});

export const updateNotificationLevel = operation(
  method.updateNotificationLevel,
  "PUT /projects/:project/error_tracking/notification_level",
  {
    tag,
    summary: "Set your notification level of a project",
    params: {
      level: withDefault<NotificationLevel>(
        namedParam("The level; absent: the default.", levels),
        NotificationLevel.UNSPECIFIED,
      ),
    },
    answer: single(200, "The level in force.", level),
    run: async ({ params, invoke }) => present((await invoke(params)).level),
  },
);

const ofError = "/projects/:project/error_tracking/errors/:error_id/subscription" as const;
const path = { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) };

export const getErrorSubscription = operation(method.getErrorSubscription, `GET ${ofError}`, {
  tag,
  summary: "Read whether you watch or mute an error, and why you were, or were not, notified",
  path,
  answer: single(200, "What you set, got and did not get.", subscription),
  run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId }),
});

const chosen = shape<{ readonly subscription: ErrorSubscription }>("ChosenSubscription", "What you set for an error.", {
  subscription: [choice("What you set.", Object.keys(subscriptions)), (of) => subscriptionName(of.subscription)],
});

export const updateErrorSubscription = operation(method.updateErrorSubscription, `PUT ${ofError}`, {
  tag,
  summary: "Watch or mute an error",
  path,
  params: { subscription: required(namedParam("What you want to be notified of.", subscriptions)) },
  answer: single(200, "What is set.", chosen),
  run: ({ path: { error_id: errorId }, params, invoke }) => invoke({ errorId, subscription: params.subscription }),
});
