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
  TrackerService,
  type CreateTrackerResponse,
  type Tracker,
  type TrackerField,
  type TrackerKind,
} from "@faultline/proto";

const tag = "Issue trackers";
const { method } = TrackerService;

const field = inline<TrackerField>("A field.", {
  key: [text("Such as `url`."), ({ key }) => key],
  label: [text("Its name for people."), ({ label }) => label],
  hint: [text("What belongs in it; may be empty."), ({ hint }) => hint],
  required: [flag("It must be given."), ({ required }) => required],
  secret: [flag("It is write-only."), ({ secret }) => secret],
});

const kind = shape<TrackerKind>("IssueTrackerKind", "A kind of issue trackers.", {
  kind: [text("Such as `gitlab`."), (one) => one.kind],
  name: [text("Its name for people."), ({ name }) => name],
  fields: each(field, (one) => one.fields),
});

const tracker = shape<Tracker>("IssueTracker", "Where issues about errors are.", {
  id: [positive("The tracker."), ({ trackerId }) => trackerId],
  kind: [text("Its kind."), (one) => one.kind],
  name: [text("Its name."), ({ name }) => name],
  settings: [table("The fields that are not secret.", { type: "string" }), ({ settings }) => settings],
  secret_hints: [
    table("The last four characters of each secret field that is set.", { type: "string" }),
    ({ secretHints }) => secretHints,
  ],
  only_comments: [
    flag("An issue gets only a comment when its error comes back; otherwise it is reopened as well."),
    ({ onlyComments }) => onlyComments,
  ],
  failed_calls: [count("Calls in a row that failed."), ({ failedCalls }) => failedCalls],
  failure: [orNull(text("Why the last call failed; null: it succeeded.")), ({ failure }) => failure || null],
  webhook_url: [text("Where the tracker sends its webhook about issues."), ({ webhookUrl }) => webhookUrl],
  last_webhook_at: [
    orNull(time("When the latest webhook with the right secret arrived; null: none did.")),
    ({ lastWebhookTime }) => isoTime(lastWebhookTime),
  ],
  created_at: [time("When it was added."), ({ createdTime }) => isoTime(createdTime)],
  created_by: [text("The user name of the person who added it."), ({ createdBy }) => createdBy],
});

/** With the secret of its webhook, which is returned once. */
const trackerWithSecret = shape<Pick<CreateTrackerResponse, "tracker" | "webhookSecret">>(
  "IssueTrackerWithSecret",
  "A tracker, and the new secret of its webhook.",
  {
    tracker: [tracker.schema, (answer) => tracker.write(present(answer.tracker))],
    webhook_secret: [
      orNull(text("`whsec_` and base64. It is not shown again; null: there is no new one.")),
      ({ webhookSecret }) => webhookSecret || null,
    ],
  },
);

const trackers = "/projects/:project/error_tracking/issue_trackers" as const;
const path = { tracker_id: idInPath("The tracker.", ErrorReason.TRACKER_NOT_FOUND) };
const onlyComments = "Only comment an issue when its error comes back, and do not reopen it.";

export const listTrackerKinds = operation(method.listTrackerKinds, "GET /issue_tracker_kinds", {
  tag,
  summary: "List the kinds of issue trackers",
  answer: whole("The kinds with their fields.", kind),
  run: async ({ invoke }) => (await invoke({})).kinds,
});

export const listTrackers = operation(method.listTrackers, `GET ${trackers}`, {
  tag,
  summary: "List the issue trackers of a project",
  answer: whole("The trackers, without their secrets.", tracker),
  run: async ({ invoke }) => (await invoke({})).trackers,
});

export const createTracker = operation(method.createTracker, `POST ${trackers}`, {
  tag,
  summary: "Add an issue tracker",
  more: "The tracker is asked for its project first.",
  params: {
    kind: filledText("Its kind, such as `gitlab`.", { examples: ["gitlab"] }),
    name: filledText("Its name.", { maxLength: 80 }),
    fields: fieldsLike({ url: "https://gitlab.example.com", project: "acme/shop", token: "glpat-0123456789" }),
    only_comments: withDefault(flagParam(onlyComments), false),
  },
  oneOf: [["fields"]],
  answer: single(201, "The tracker.", trackerWithSecret),
  refuses: [409, 429],
  run: ({ params: { only_comments, ...params }, invoke }) => invoke({ ...params, onlyComments: only_comments }),
});

export const updateTracker = operation(method.updateTracker, `PUT ${trackers}/:tracker_id`, {
  tag,
  summary: "Change an issue tracker",
  more: "Omitted fields keep their values. Where fields change, the tracker is asked for its project first.",
  path,
  params: {
    name: textParam("Its name.", { maxLength: 80 }),
    fields,
    only_comments: flagParam(onlyComments),
    rotate_webhook_secret: withDefault(
      flagParam("Make a new secret for its webhook; the old secret stops working immediately."),
      false,
    ),
  },
  answer: single(200, "The changed tracker.", trackerWithSecret),
  refuses: [429],
  run: ({ path: { tracker_id: trackerId }, params, invoke }) =>
    invoke({
      trackerId,
      name: params.name ?? "",
      fields: params.fields,
      ...(params.only_comments !== undefined && { onlyComments: params.only_comments }),
      rotateWebhookSecret: params.rotate_webhook_secret,
    }),
});

export const deleteTracker = operation(method.deleteTracker, `DELETE ${trackers}/:tracker_id`, {
  tag,
  summary: "Delete an issue tracker",
  more: "Its links to issues are deleted; the issues stay.",
  path,
  answer: noContent,
  run: ({ path: { tracker_id: trackerId }, invoke }) => invoke({ trackerId }),
});
