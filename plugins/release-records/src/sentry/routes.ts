import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type HttpApiRoute,
  type HttpCall,
  type HttpAnswer,
  JsonTooLarge,
  parseForeignJson,
  timestamp,
  ServiceError,
} from "@faultline/plugin";
import { type CommitSchema, ErrorReason } from "@faultline/proto";
import {
  type SlugForms,
  projectsRecording,
  notRecorded,
  withSlug,
  type NamedProject,
  projectsListed,
  unlessUploading,
  answered,
  managed,
  Refusal,
} from "./named-projects.ts";
import { limits } from "../limits.ts";
import { answerReleases, counted, deployForm, releaseForm, commitForm } from "./list-releases.ts";

/** Bytes of a body: 1,000 commits of ten files each take about 1 MiB. */
const maxBytes = 2 * 1024 * 1024;

/** Bytes of a body that count as one call: parsing them takes as much of the event loop. */
const bytesOfCall = 32 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body. Refuses a body that is too large, or not a JSON object. A large body counts as several calls. */
async function readFields(call: HttpCall): Promise<Fields> {
  await call.core.sourceMaps.getUploadLimits({}, call); // refuses a token that may not record before the body is read
  const bytes = await call.rawBody(maxBytes);
  if (!bytes) {
    throw new Refusal(
      413,
      `The request has more than ${maxBytes} bytes. Send fewer commits at a time: --initial-depth 20.`,
    );
  }
  const calls = Math.floor(bytes.length / bytesOfCall);
  if (calls > 0) await call.spend(calls);
  try {
    const body: unknown = bytes.length === 0 ? {} : parseForeignJson(bytes);
    if (isFields(body)) return body;
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new Refusal(413, `${error.message} Send fewer commits at a time.`);
    // Refused below, like anything that is not an object.
  }
  throw new Refusal(400, "The body must be a JSON object.");
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text; empty for any other value. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The slugs of a list of projects. */
const slugsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A time such as `2026-05-01T10:20:30.123456789Z`; undefined without a time. Refuses a text that is not a time. */
export function timeOf(field: string, value: unknown): Timestamp | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = Date.parse(String(value));
  if (Number.isNaN(ms)) throw new Refusal(400, `\`${field}\` must be a time such as 2026-05-01T10:20:30Z.`);
  return timestamp(ms);
}

/**
 * The commits of a body, the newest first; undefined if it sets none. `refs` name only the last commit of each repository:
 * its author and changed files are not known, because this service reads no repository.
 */
export function commitsOf({ commits, refs }: Fields): MessageInitShape<typeof CommitSchema>[] | undefined {
  if (Array.isArray(commits)) return commits.filter(isFields).slice(0, limits.commits).map(commitOf);
  if (!Array.isArray(refs)) return undefined;
  return refs
    .filter(isFields)
    .slice(0, limits.commits)
    .map(({ commit, repository }) => ({ commitId: textOf(commit), repository: textOf(repository) }));
}

function commitOf(commit: Fields): MessageInitShape<typeof CommitSchema> {
  const changes = Array.isArray(commit["patch_set"]) ? commit["patch_set"].filter(isFields) : [];
  const time = timeOf("commits.timestamp", commit["timestamp"]);
  return {
    commitId: textOf(commit["id"]),
    repository: textOf(commit["repository"]),
    message: textOf(commit["message"]),
    authorName: textOf(commit["author_name"]),
    authorEmail: textOf(commit["author_email"]),
    ...(time && { committedTime: time }),
    paths: changes.slice(0, limits.pathsOfCommit).map(({ path }) => textOf(path)),
    pathCount: changes.length,
  };
}

const organization = "/api/0/organizations/:organization";

/** Lists of 100 that have no further page. */
const pages = ["cursor", "limit", "per_page"];

/** The parts of a release that tools ask for and no answer has. */
const presented = ["adoptionStages", "flatten", "health", "healthStat", "healthStatsPeriod", "summaryStatsPeriod"];

/** The addresses by which Sentry's tools record releases, for the API that clients of Sentry expect. */
export function releaseRoutes(forms: SlugForms): readonly HttpApiRoute[] {
  const releases = releaseCalls(forms);
  const recording = recordingCalls(forms);
  const deploys = deployCalls(forms);
  return [
    {
      path: `${organization}/repos`,
      takes: { GET: [...pages, "query", "status"] },
      methods: { GET: listRepositories },
    },
    ...[organization, "/api/0/projects/:organization/:project"].flatMap((of) => {
      const one = `${of}/releases/:version`;
      return [
        // Raw, because commits take more than the bridge reads of other bodies.
        {
          path: `${of}/releases`,
          isRaw: true,
          takes: { GET: ["project", "query", "cursor", "limit", "per_page", ...presented], POST: [] },
          methods: { GET: releases.list, POST: recording.create },
        },
        {
          path: one,
          isRaw: true,
          takes: { GET: presented, PUT: [], DELETE: [] },
          methods: { GET: releases.read, PUT: recording.change, DELETE: releases.remove },
        },
        { path: `${one}/commits`, takes: { GET: pages }, methods: { GET: releases.commits } },
        {
          path: `${one}/deploys`,
          takes: { GET: pages, POST: [] },
          methods: { GET: deploys.list, POST: deploys.create },
        },
        { path: `${one}/previous-with-commits`, takes: { GET: [] }, methods: { GET: releases.previous } },
      ];
    }),
  ];
}

/** The calls of Sentry's tools about deploys. */
const deployCalls = (forms: SlugForms) => ({
  /** `GET .../releases/:version/deploys/`: the newest 100. */
  list: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: [] }, forms);
      const lists = await Promise.all(
        projects.map(({ key }) => call.core.releaseRecords.listDeploys({ ...key, version, pageSize: 100 }, call)),
      );
      return managed(lists.flatMap(({ deploys }) => deploys.map(deployForm)));
    }),

  /** `POST .../releases/:version/deploys/`: records the deploy of the body. */
  create: (call: HttpCall) =>
    answered(async () => {
      const { environment, name, url, dateStarted, dateFinished, projects: slugs } = call.body;
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: slugsIn(slugs) }, forms);
      const startedTime = timeOf("dateStarted", dateStarted);
      const finishedTime = timeOf("dateFinished", dateFinished);
      const deploy = {
        version,
        environment: textOf(environment),
        name: textOf(name),
        url: textOf(url),
        ...(startedTime && { startedTime }),
        ...(finishedTime && { finishedTime }),
      };
      const answers = [];
      for (const { key } of projects) {
        answers.push(await call.core.releaseRecords.recordDeploy({ ...key, ...deploy }, call));
      }
      const [first] = answers;
      if (!first?.deploy) throw new Refusal(400, "Name the project: set --project, or SENTRY_PROJECT.");
      return managed(deployForm(first.deploy), answers.some(({ created }) => created) ? 201 : 208);
    }),
});

/** The calls of Sentry's tools that record releases. */
const recordingCalls = (forms: SlugForms) => ({
  /** `POST .../releases/`: records the release of the body, perhaps with its commits. */
  create: (call: HttpCall) =>
    answered(async () => {
      const fields = await readFields(call);
      const version = textOf(fields["version"]);
      if (version.trim() === "") throw new Refusal(400, "Name the release: `version` is missing.");
      const projects = await projectsRecording(call, { version, slugs: slugsIn(fields["projects"]) }, forms);
      return put(call, { version, projects, fields, isNew: true }, forms);
    }),

  /** `PUT .../releases/:version/`: changes a release, sets its commits, or finishes it. */
  change: (call: HttpCall) =>
    answered(async () => {
      const fields = await readFields(call);
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: slugsIn(fields["projects"]) }, forms);
      return put(call, { version, projects, fields, isNew: false }, forms);
    }),
});

async function put(
  call: HttpCall,
  {
    version,
    projects,
    fields,
    isNew,
  }: {
    readonly version: string;
    readonly projects: readonly NamedProject[];
    readonly fields: Readonly<Record<string, unknown>>;
    readonly isNew: boolean;
  },
  forms: SlugForms,
): Promise<HttpAnswer> {
  const { releaseRecords } = call.core;
  const commits = commitsOf(fields);
  const startedTime = timeOf("dateStarted", fields["dateStarted"]);
  const releasedTime = timeOf("dateReleased", fields["dateReleased"]);
  const request = {
    version,
    ...(textOf(fields["url"]) !== "" && { url: textOf(fields["url"]) }),
    ...(textOf(fields["ref"]) !== "" && { ref: textOf(fields["ref"]) }),
    ...(startedTime && { startedTime }),
    ...(releasedTime && { releasedTime }),
  };
  await call.spend(projects.length - 1);
  const answers = [];
  for (const { key } of projects) {
    const answer = await releaseRecords.recordRelease({ ...key, ...request }, call);
    const set = commits && (await releaseRecords.recordCommits({ ...key, version, commits }, call));
    answers.push({ ...answer, ...set });
  }
  const [first] = answers;
  if (!first?.releaseRecord) throw notRecorded(version);
  const status = !isNew ? 200 : answers.some(({ created }) => created) ? 201 : 208;
  const named = await Promise.all(projects.map((project) => withSlug(call, project, forms)));
  return managed(releaseForm(first.releaseRecord, named), status);
}

/** The calls of Sentry's tools that read releases, or delete them. */
const releaseCalls = (forms: SlugForms) => ({
  /** `GET .../releases/`: the releases of the projects that it names, or of the organization. */
  list: (call: HttpCall) => answered(async () => answerReleases(call, await projectsListed(call, forms))),

  /** `GET .../releases/:version/`. A token for uploads sees that it is recorded, and no more. */
  read: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const { core, path } = call;
      const projects = await projectsRecording(call, { version, slugs: [] }, forms);
      const records = await Promise.all(
        projects.map(({ key }) => unlessUploading(core.releaseRecords.getReleaseRecord({ ...key, version }, call))),
      ).catch(asNotRecorded(version));
      const [first] = records;
      if (first?.releaseRecord) {
        const named = await Promise.all(projects.map((project) => withSlug(call, project, forms)));
        return managed(releaseForm(first.releaseRecord, await counted(call, { record: { version }, projects: named })));
      }
      const { projects: recording } = await core.releaseRecords.listRecordingProjects({ version }, call);
      const known = recording.filter((one) => {
        const slugs = forms.slugsOf(one.path);
        const isNamed =
          path["project"] === undefined || [slugs.project, String(one.projectId)].includes(path["project"]);
        return isNamed && slugs.organization.toLowerCase() === path["organization"]?.toLowerCase();
      });
      if (known[0] === undefined) throw notRecorded(version);
      const slugs = known.map((one) => ({ slug: forms.slugsOf(one.path).project }));
      return managed(releaseForm({ version, createdTime: known[0].createdTime }, slugs));
    }),

  /** `DELETE .../releases/:version/`. */
  remove: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: [] }, forms);
      for (const { key } of projects) {
        await call.core.releaseRecords.deleteReleaseRecord({ ...key, version }, call).catch(asNotRecorded(version));
      }
      return { status: 204 };
    }),

  /** `GET .../releases/:version/commits/`: the newest 100. */
  commits: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const [project] = await projectsRecording(call, { version, slugs: [] }, forms);
      const asked = { ...project?.key, version, pageSize: 100 };
      const { commits } = await call.core.releaseRecords.listCommits(asked, call).catch(asNotRecorded(version));
      return managed(commits.map(commitForm));
    }),

  /** `GET .../releases/:version/previous-with-commits/`: the release with the last commit before this release's commits. */
  previous: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const [project] = await projectsRecording(call, { version, slugs: [] }, forms);
      const found = await call.core.releaseRecords.getPreviousCommit({ ...project?.key, version }, call);
      if (found.version === "") return managed({});
      const lastCommit = { id: found.commitId, repository: { name: found.repository } };
      return managed({ ...releaseForm({ version: found.version, createdTime: found.createdTime }, []), lastCommit });
    }),
});

/** `GET .../repos/`: no repository is known, so that tools read the commits of the checkout they run in. */
async function listRepositories(call: HttpCall): Promise<HttpAnswer> {
  await call.core.sourceMaps.getUploadLimits({}, call); // refuses a wrong token
  return managed([]);
}

const asNotRecorded =
  (version: string) =>
  (refusal: unknown): never => {
    const isUnknown = refusal instanceof ServiceError && refusal.reason === ErrorReason.RELEASE_RECORD_NOT_FOUND;
    throw isUnknown ? notRecorded(version) : refusal;
  };
