import {
  byCursor,
  cursorOf,
  cursorPage,
  decodedInPath,
  filledText,
  noContent,
  operation,
  orEmpty,
  present,
  required,
  single,
  textInPath,
  textParam,
} from "@faultline/plugin/rest";
import { ReleaseRecordService } from "@faultline/proto";
import { commitsParam } from "./commits-param.ts";
import { commit, deploy, releaseRecord, suspects } from "./shapes.ts";
import { timeParam } from "./time-param.ts";

const tag = "Releases";
const { method } = ReleaseRecordService;
const releases = "/projects/:project/error_tracking/releases" as const;
const one = `${releases}/:version` as const;
const names = { minLength: 1, maxLength: 200 };
const path = { version: decodedInPath("The release, with `/` written as `%2F`.", names) };
const url = textParam("Where people read about it, http or https.", { maxLength: 2048 });

export const listReleaseRecords = operation(
  method.listReleaseRecords,
  "GET /projects/:project/error_tracking/release_records",
  {
    tag,
    summary: "List the releases that builds recorded",
    params: byCursor,
    answer: cursorPage("The records, the one that was recorded last first.", releaseRecord),
    async run({ params, invoke }) {
      const { releaseRecords, nextPageToken } = await invoke(cursorOf(params));
      return { items: releaseRecords, next: nextPageToken };
    },
  },
);

export const recordRelease = operation(method.recordRelease, `POST ${releases}`, {
  tag,
  summary: "Record a release, or change its record",
  more: "Omitted fields keep their values.",
  params: {
    version: filledText("Its name as SDKs send it.", names),
    url,
    ref: textParam("What it was built of, such as a branch.", { maxLength: 200 }),
    started_at: timeParam("When its build began."),
    released_at: timeParam("When it was finished."),
  },
  answer: single(201, "The record.", releaseRecord),
  async run({ params: { started_at: startedTime, released_at: releasedTime, ...params }, invoke }) {
    const times = { ...(startedTime && { startedTime }), ...(releasedTime && { releasedTime }) };
    return present((await invoke({ ...params, ...times })).releaseRecord);
  },
});

export const getReleaseRecord = operation(method.getReleaseRecord, `GET ${one}`, {
  tag,
  summary: "Read the record of a release",
  path,
  answer: single(200, "The record.", releaseRecord),
  run: async ({ path: { version }, invoke }) => present((await invoke({ version })).releaseRecord),
});

export const deleteReleaseRecord = operation(method.deleteReleaseRecord, `DELETE ${one}`, {
  tag,
  summary: "Delete the record of a release",
  more: "Its commits and deploys go with it; its errors, sessions and source maps stay.",
  path,
  answer: noContent,
  run: ({ path: { version }, invoke }) => invoke({ version }),
});

export const listCommits = operation(method.listCommits, `GET ${one}/commits`, {
  tag,
  summary: "List the commits of a release",
  path,
  params: byCursor,
  answer: cursorPage("The commits, the newest first.", commit),
  async run({ path: { version }, params, invoke }) {
    const { commits, nextPageToken } = await invoke({ version, ...cursorOf(params) });
    return { items: commits, next: nextPageToken };
  },
});

export const recordCommits = operation(method.recordCommits, `PUT ${one}/commits`, {
  tag,
  summary: "Set the commits of a release",
  more: "Those that were set before are replaced. A body has at most 64 KiB; Sentry's tools send more (docs/releases.md).",
  path,
  params: { commits: required(commitsParam) },
  answer: single(200, "The record of the release.", releaseRecord),
  run: async ({ path: { version }, params: { commits }, invoke }) =>
    present((await invoke({ version, commits: [...commits] })).releaseRecord),
});

export const listDeploys = operation(method.listDeploys, "GET /projects/:project/error_tracking/deploys", {
  tag,
  summary: "List the deploys of a project",
  params: {
    version: orEmpty(textParam("Only those of this release.", { maxLength: 200 })),
    since: timeParam("Only those that finished then or later."),
    ...byCursor,
  },
  answer: cursorPage("The deploys, the one that finished last first.", deploy),
  async run({ params, invoke }) {
    const { version, since: startTime } = params;
    const asked = { version, ...(startTime && { startTime }), ...cursorOf(params) };
    const { deploys, nextPageToken } = await invoke(asked);
    return { items: deploys, next: nextPageToken };
  },
});

export const recordDeploy = operation(method.recordDeploy, `POST ${one}/deploys`, {
  tag,
  summary: "Record a deploy of a release",
  path,
  params: {
    environment: filledText("The environment, such as `production`.", { minLength: 1, maxLength: 64 }),
    name: orEmpty(textParam("Its name.", { maxLength: 200 })),
    url: orEmpty(url),
    started_at: timeParam("When it began."),
    finished_at: timeParam("When it was finished; absent: now."),
  },
  answer: single(201, "The deploy.", deploy),
  async run({ path: { version }, params, invoke }) {
    const { started_at: startedTime, finished_at: finishedTime, ...fields } = params;
    const times = { ...(startedTime && { startedTime }), ...(finishedTime && { finishedTime }) };
    return present((await invoke({ version, ...fields, ...times })).deploy);
  },
});

export const listSuspectCommits = operation(
  method.listSuspectCommits,
  "GET /projects/:project/error_tracking/errors/:error_id/suspect_commits",
  {
    tag: "Errors",
    summary: "List commits that an error may come from",
    more: "Those of the release in which it was first seen that changed a file of its stack; at most 5.",
    path: { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) },
    answer: single(200, "The commits, the most suspect first.", suspects),
    run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId }),
  },
);
