import {
  count,
  each,
  fields,
  fieldsLike,
  filledText,
  flag,
  flagParam,
  idInPath,
  inline,
  isoTime,
  noContent,
  operation,
  orNull,
  positive,
  present,
  shape,
  single,
  table,
  text,
  textParam,
  time,
  whole,
  withDefault,
} from "@faultline/plugin/rest";
import {
  ErrorReason,
  NotificationChannelService,
  NotificationChannelState,
  type CreateNotificationChannelResponse,
  type NotificationChannel,
  type NotificationChannelField,
  type NotificationChannelKind,
  type TestNotificationChannelResponse,
} from "@faultline/proto";

const tag = "Notification channels";
const { method } = NotificationChannelService;

const field = inline<NotificationChannelField>("A field.", {
  key: [text("Such as `url`."), ({ key }) => key],
  label: [text("Its name for people."), ({ label }) => label],
  hint: [text("What belongs in it; may be empty."), ({ hint }) => hint],
  required: [flag("It must be given."), ({ required }) => required],
  secret: [flag("It is write-only."), ({ secret }) => secret],
  multiline: [flag("Its value may have several lines."), ({ multiline }) => multiline],
});

const kind = shape<NotificationChannelKind>("NotificationChannelKind", "A kind of channels.", {
  kind: [text("Such as `slack`."), (one) => one.kind],
  name: [text("Its name for people."), ({ name }) => name],
  fields: each(field, (one) => one.fields),
});

const channelFields = {
  id: [positive("The channel."), ({ channelId }: NotificationChannel) => channelId],
  kind: [text("Its kind."), (one: NotificationChannel) => one.kind],
  name: [text("Its name."), ({ name }: NotificationChannel) => name],
  settings: [
    table("The fields that are not secret.", { type: "string" }),
    ({ settings }: NotificationChannel) => settings,
  ],
  secret_hints: [
    table("For each secret field that is set: the server of an address, and the last four characters.", {
      type: "string",
    }),
    ({ secretHints }: NotificationChannel) => secretHints,
  ],
  active: [flag("It sends."), ({ state }: NotificationChannel) => state === NotificationChannelState.ACTIVE],
  inactive_because: [
    orNull(text("Why it does not send; null: it does.")),
    ({ stateReason }: NotificationChannel) => stateReason || null,
  ],
  last_sent_at: [
    orNull(time("When the other side last accepted a message; null: never.")),
    ({ lastSentTime }: NotificationChannel) => isoTime(lastSentTime),
  ],
  failed_tries: [count("Tries in a row that failed."), ({ failedTries }: NotificationChannel) => failedTries],
  next_try_at: [
    orNull(time("When the next try is made at the earliest; null: the last one did not fail.")),
    ({ nextTryTime }: NotificationChannel) => isoTime(nextTryTime),
  ],
  failing_server: [
    orNull(text("Its server, while that fails: all channels to it wait together; null: it does not fail.")),
    ({ failingServer }: NotificationChannel) => failingServer || null,
  ],
  created_at: [time("When it was added."), ({ createdTime }: NotificationChannel) => isoTime(createdTime)],
  created_by: [text("The user name of the person who added it."), ({ createdBy }: NotificationChannel) => createdBy],
} as const;

const channel = shape<NotificationChannel>("NotificationChannel", "Where notifications go.", channelFields);

/** With the signing key, which is returned once. */
const channelWithKey = shape<Pick<CreateNotificationChannelResponse, "channel" | "signingSecret">>(
  "NotificationChannelWithKey",
  "A channel, and the new key that signs its deliveries.",
  {
    channel: [channel.schema, (answer) => channel.write(present(answer.channel))],
    signing_secret: [
      orNull(text("The key of Standard Webhooks, `whsec_...`. It is not shown again; null: there is no new one.")),
      ({ signingSecret }) => signingSecret || null,
    ],
  },
);

const tested = shape<TestNotificationChannelResponse>("NotificationTest", "What came of a test.", {
  accepted: [flag("The other side accepted the message."), ({ accepted }) => accepted],
  http_status: [
    orNull(count("The status of the answer; null: there was none.")),
    ({ httpStatus }) => httpStatus || null,
  ],
  answer: [text("The answer's first 2,000 characters without secrets, or why there is none."), ({ answer }) => answer],
});

const channels = "/projects/:project/error_tracking/notification_channels" as const;
const path = { channel_id: idInPath("The channel.", ErrorReason.NOTIFICATION_CHANNEL_NOT_FOUND) };

export const listNotificationChannelKinds = operation(
  method.listNotificationChannelKinds,
  "GET /notification_channel_kinds",
  {
    tag,
    summary: "List the kinds of notification channels",
    answer: whole("The kinds with their fields.", kind),
    run: async ({ invoke }) => (await invoke({})).kinds,
  },
);

export const listNotificationChannels = operation(method.listNotificationChannels, `GET ${channels}`, {
  tag,
  summary: "List the notification channels of a project",
  answer: whole("The channels, without their secrets.", channel),
  run: async ({ invoke }) => (await invoke({})).channels,
});

export const createNotificationChannel = operation(method.createNotificationChannel, `POST ${channels}`, {
  tag,
  summary: "Add a notification channel",
  params: {
    kind: filledText("Its kind, such as `slack`.", { examples: ["ntfy"] }),
    name: filledText("Its name.", { maxLength: 80 }),
    fields: fieldsLike({ url: "https://ntfy.sh", topic: "errors" }),
  },
  oneOf: [["fields"]],
  answer: single(201, "The channel.", channelWithKey),
  run: ({ params, invoke }) => invoke(params),
});

export const updateNotificationChannel = operation(method.updateNotificationChannel, `PUT ${channels}/:channel_id`, {
  tag,
  summary: "Change a notification channel",
  more: "Omitted fields keep their values. A disabled channel sends again.",
  path,
  params: {
    name: textParam("Its name.", { maxLength: 80 }),
    fields,
    rotate_signing_secret: withDefault(
      flagParam("Make a new signing key; the old one signs as well for 24 hours."),
      false,
    ),
  },
  answer: single(200, "The changed channel.", channelWithKey),
  run: ({ path: { channel_id: channelId }, params, invoke }) =>
    invoke({
      channelId,
      name: params.name ?? "",
      fields: params.fields,
      rotateSigningSecret: params.rotate_signing_secret,
    }),
});

export const deleteNotificationChannel = operation(method.deleteNotificationChannel, `DELETE ${channels}/:channel_id`, {
  tag,
  summary: "Delete a notification channel",
  path,
  answer: noContent,
  run: ({ path: { channel_id: channelId }, invoke }) => invoke({ channelId }),
});

export const testNotificationChannel = operation(method.testNotificationChannel, `POST ${channels}/:channel_id/test`, {
  tag,
  summary: "Send a test to a notification channel",
  path,
  answer: single(200, "What the other side answered.", tested),
  run: ({ path: { channel_id: channelId }, invoke }) => invoke({ channelId }),
});
