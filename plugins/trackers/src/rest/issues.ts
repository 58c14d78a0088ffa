import { bodyOf, noContent, operation, paramsOf, single, textInPath } from "@faultline/plugin/rest";
import {
  GetTrackerIssueResponseSchema,
  TrackerChoiceSchema,
  TrackerIssueSchema,
  TrackerIssueService,
} from "@faultline/proto";

const tag = "Issues of errors";
const { method } = TrackerIssueService;

const issue = bodyOf(TrackerIssueSchema, {
  projectId: false,
  trackerName: "tracker",
  kindName: "kind",
  reference: null,
  url: null,
  reason: null,
});
const choice = bodyOf(TrackerChoiceSchema, { trackerId: "id", kindName: "kind" }, { name: null });
const found = bodyOf(
  GetTrackerIssueResponseSchema,
  { issue: { of: issue, orNull: true }, trackers: { of: choice } },
  { name: "IssueOfError" },
);

const ofError = "/projects/:project/error_tracking/errors/:error_id/issue" as const;
const path = { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) };

export const getTrackerIssue = operation(method.getTrackerIssue, `GET ${ofError}`, {
  tag,
  summary: "Get the issue of an error",
  path,
  answer: single(200, "The issue, and where one can be created.", found),
});

export const createTrackerIssue = operation(method.createTrackerIssue, `POST ${ofError}`, {
  tag,
  summary: "Create an issue about an error",
  more: "An error has one issue at most: where it has one, that one is returned.",
  path,
  params: paramsOf(method.createTrackerIssue.input, { trackerId: { isRequired: true } }),
  answer: single(201, "The issue.", issue),
  refuses: [429],
});

export const linkTrackerIssue = operation(method.linkTrackerIssue, `PUT ${ofError}`, {
  tag,
  summary: "Link an error to an issue that exists",
  path,
  params: paramsOf(method.linkTrackerIssue.input, {
    url: { isRequired: true, maxLength: 2000, examples: ["https://gitlab.example.com/acme/shop/-/issues/12"] },
  }),
  answer: single(200, "The issue.", issue),
  refuses: [409, 429],
});

export const unlinkTrackerIssue = operation(method.unlinkTrackerIssue, `DELETE ${ofError}`, {
  tag,
  summary: "Forget the issue of an error",
  more: "The issue stays as it is.",
  path,
  answer: noContent,
});
