import {
  bodyOf,
  fields,
  fieldsLike,
  idInPath,
  noContent,
  operation,
  paramsOf,
  single,
  whole,
} from "@faultline/plugin/rest";
import {
  CreateTrackerResponseSchema,
  ErrorReason,
  TrackerFieldSchema,
  TrackerKindSchema,
  TrackerSchema,
  TrackerService,
} from "@faultline/proto";

const tag = "Issue trackers";
const { method } = TrackerService;

const field = bodyOf(TrackerFieldSchema, {}, { name: null });
const kind = bodyOf(TrackerKindSchema, { fields: { of: field } }, { name: "IssueTrackerKind" });
const tracker = bodyOf(
  TrackerSchema,
  { trackerId: "id", projectId: false, failure: null, lastWebhookTime: { as: "last_webhook_at", orNull: true } },
  { name: "IssueTracker" },
);

/** Includes the secret of its webhook, which is returned once. */
const trackerWithSecret = bodyOf(
  CreateTrackerResponseSchema,
  { tracker: { of: tracker }, webhookSecret: null },
  { name: "IssueTrackerWithSecret", description: "A tracker, and the new secret of its webhook." },
);

const trackers = "/projects/:project/error_tracking/issue_trackers" as const;
const path = { tracker_id: idInPath("The tracker.", ErrorReason.TRACKER_NOT_FOUND) };

export const listTrackerKinds = operation(method.listTrackerKinds, "GET /issue_tracker_kinds", {
  tag,
  summary: "List the kinds of issue trackers",
  answer: whole("The kinds with their fields.", kind),
});

export const listTrackers = operation(method.listTrackers, `GET ${trackers}`, {
  tag,
  summary: "List the issue trackers of a project",
  answer: whole("The trackers, without their secrets.", tracker),
});

export const createTracker = operation(method.createTracker, `POST ${trackers}`, {
  tag,
  summary: "Add an issue tracker",
  more: "The tracker is asked for its project first.",
  params: paramsOf(method.createTracker.input, {
    kind: { isRequired: true, examples: ["gitlab"] },
    name: { isRequired: true, maxLength: 80 },
    fields: fieldsLike({ url: "https://gitlab.example.com", project: "acme/shop", token: "glpat-0123456789" }),
  }),
  oneOf: [["fields"]],
  answer: single(201, "The tracker.", trackerWithSecret),
  refuses: [409, 429],
});

export const updateTracker = operation(method.updateTracker, `PUT ${trackers}/:tracker_id`, {
  tag,
  summary: "Change an issue tracker",
  more: "Omitted fields keep their values. Where fields change, the tracker is asked for its project first.",
  path,
  params: paramsOf(method.updateTracker.input, { name: { maxLength: 80 }, fields }),
  answer: single(200, "The changed tracker.", trackerWithSecret),
  refuses: [429],
});

export const deleteTracker = operation(method.deleteTracker, `DELETE ${trackers}/:tracker_id`, {
  tag,
  summary: "Delete an issue tracker",
  more: "Its links to issues are deleted; the issues stay.",
  path,
  answer: noContent,
});
