import {
  choice,
  each,
  filledText,
  flag,
  flagParam,
  inline,
  isoTime,
  noContent,
  numberParam,
  operation,
  orNull,
  partOrNull,
  positive,
  present,
  required,
  shape,
  single,
  text,
  textInPath,
  time,
  withDefault,
} from "@faultline/plugin/rest";
import {
  TrackerIssueService,
  TrackerIssueStateSchema,
  wordOf,
  words,
  type GetTrackerIssueResponse,
  type TrackerChoice,
  type TrackerIssue,
} from "@faultline/proto";

const tag = "Issues of errors";
const { method } = TrackerIssueService;

const issue = shape<TrackerIssue>("TrackerIssue", "The issue of an error.", {
  error_id: [text("The error."), ({ errorId }) => errorId],
  tracker_id: [positive("The tracker."), ({ trackerId }) => trackerId],
  tracker: [text("The name of the tracker."), ({ trackerName }) => trackerName],
  kind: [text("Such as `GitLab`."), ({ kindName }) => kindName],
  reference: [
    orNull(text("Such as `#12` or `SHOP-12`; null while it is being created.")),
    ({ reference }) => reference || null,
  ],
  url: [orNull(text("Its page; null while it is being created.")), ({ url }) => url || null],
  state: [
    choice(
      "`creating`: it is being created, or it is not known yet whether it was; `open` and `closed`: as last read; `failed`: " +
        "it was not created.",
      Object.keys(words(TrackerIssueStateSchema)),
    ),
    ({ state }) => wordOf(TrackerIssueStateSchema, state) ?? "",
  ],
  reason: [orNull(text("Why it is not created yet; null: it is.")), ({ reason }) => reason || null],
  created_at: [time("When it was created or linked."), ({ createdTime }) => isoTime(createdTime)],
  created_by: [text("The user name of the person who created or linked it."), ({ createdBy }) => createdBy],
});

const trackerChoice = inline<TrackerChoice>("A tracker in which an issue can be created.", {
  id: [positive("The tracker."), ({ trackerId }) => trackerId],
  name: [text("Its name."), ({ name }) => name],
  kind: [text("Such as `GitLab`."), ({ kindName }) => kindName],
  offers_confidential: [flag("Its issues can be confidential."), ({ offersConfidential }) => offersConfidential],
});

const found = shape<GetTrackerIssueResponse>(
  "IssueOfError",
  "The issue of an error, and the trackers of the project.",
  {
    issue: partOrNull(issue, (answer) => answer.issue),
    trackers: each(trackerChoice, ({ trackers }) => trackers),
  },
);

const ofError = "/projects/:project/error_tracking/errors/:error_id/issue" as const;
const path = { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) };

export const getTrackerIssue = operation(method.getTrackerIssue, `GET ${ofError}`, {
  tag,
  summary: "Get the issue of an error",
  path,
  answer: single(200, "The issue, and where one can be created.", found),
  run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId }),
});

export const createTrackerIssue = operation(method.createTrackerIssue, `POST ${ofError}`, {
  tag,
  summary: "Create an issue about an error",
  more: "An error has one issue at most: where it has one, that one is returned.",
  path,
  params: {
    tracker_id: required(numberParam("The tracker.", { minimum: 1 })),
    confidential: withDefault(flagParam("Only members of the tracker's project see it; GitLab alone has this."), false),
  },
  answer: single(201, "The issue.", issue),
  refuses: [429],
  run: async ({ path: { error_id: errorId }, params, invoke }) =>
    present((await invoke({ errorId, trackerId: params.tracker_id, confidential: params.confidential })).issue),
});

export const linkTrackerIssue = operation(method.linkTrackerIssue, `PUT ${ofError}`, {
  tag,
  summary: "Link an error to an issue that exists",
  path,
  params: {
    url: filledText("The address of the issue's page.", {
      maxLength: 2000,
      examples: ["https://gitlab.example.com/acme/shop/-/issues/12"],
    }),
  },
  answer: single(200, "The issue.", issue),
  refuses: [409, 429],
  run: async ({ path: { error_id: errorId }, params: { url }, invoke }) =>
    present((await invoke({ errorId, url })).issue),
});

export const unlinkTrackerIssue = operation(method.unlinkTrackerIssue, `DELETE ${ofError}`, {
  tag,
  summary: "Forget the issue of an error",
  more: "The issue stays as it is.",
  path,
  answer: noContent,
  run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId }),
});
