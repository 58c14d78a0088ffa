import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestamp, type HttpCall, millisecondsOf } from "@faultline/plugin";
import { printTerm } from "@faultline/plugin/search";
import { ErrorReason, ErrorSort, ErrorStatus, type ReleaseRecord, type Commit, type Deploy } from "@faultline/proto";
import { type NamedProject, managed, Refusal, unlessRefused } from "./named-projects.ts";

/** Releases of a page: the errors that began in each of them are counted. */
const mostReleases = 20;

/** Releases of each source and project that are looked at. */
const mostKnown = 100;

const hoursKept = 90 * 24;

interface Known {
  readonly record: Pick<ReleaseRecord, "version" | "createdTime"> & Partial<ReleaseRecord>;
  readonly projects: NamedProject[];
}

/** A page of the releases of projects, the newest first: releases that builds recorded, and releases known by sessions or events. */
export async function answerReleases(call: HttpCall, projects: readonly NamedProject[]) {
  const { skip, size } = pageOf(call);
  const words = (call.query.get("query") ?? "").toLowerCase();
  const known = new Map<string, Known>();
  for (const project of projects) {
    for (const record of await releasesOf(call, project)) {
      const one = known.get(record.version);
      if (!one) known.set(record.version, { record, projects: [project] });
      else if (!one.projects.includes(project)) one.projects.push(project);
    }
  }
  const found = [...known.values()]
    .filter(({ record }) => record.version.toLowerCase().includes(words))
    .toSorted((one, other) => seconds(other) - seconds(one) || (one.record.version < other.record.version ? 1 : -1));
  const body: object[] = [];
  for (const one of found.slice(skip, skip + size)) body.push(releaseForm(one.record, await counted(call, one)));
  const answer = managed(body);
  return { ...answer, headers: { ...answer.headers, Link: linkTo(call, skip + size, found.length) } };
}

/** The header that leads to the page after `skip` of `count` releases; Sentry's tools follow it while `results` is true. */
function linkTo({ origin, path, query }: HttpCall, skip: number, count: number): string {
  const { organization = "", project } = path;
  const place = project === undefined ? ["organizations", organization] : ["projects", organization, project];
  const cursor = `0:${skip}:0`;
  const sent = [...query].filter(([name, value]) => carried.includes(name) && value.length <= 200).slice(0, 20);
  const parameters = new URLSearchParams([...sent, ["cursor", cursor]]).toString().replaceAll("%3A", ":");
  const url = `${origin}/api/0/${place.map((part) => encodeURIComponent(part)).join("/")}/releases/?${parameters}`;
  return `<${url}>; rel="next"; results="${skip < count}"; cursor="${cursor}"`;
}

const carried = ["project", "query", "per_page", "limit"];

const seconds = ({ record: { createdTime } }: Known) => Number(createdTime?.seconds ?? 0n);

/** The releases that are known in a project, each perhaps several times; the first one says most. */
async function releasesOf(call: HttpCall, { key }: NamedProject): Promise<Known["record"][]> {
  const { releaseRecords, releases, errors } = call.core;
  const recorded = await releaseRecords.listReleaseRecords({ ...key, pageSize: mostKnown }, call);
  const window = { ...key, pageSize: mostKnown, hourCount: hoursKept };
  const had = await unlessUnsupported(releases.listReleases(window, call));
  const ofEvents = await errors.listSearchValues({ ...key, key: "release" }, call);
  const ofSessions = (had?.releases ?? [])
    .filter(({ otherReleases }) => !otherReleases)
    .map(({ version, firstSessionTime: createdTime }) => ({ version, createdTime: createdTime ?? timestamp(0) }));
  const isKnown = new Set([...recorded.releaseRecords, ...ofSessions].map(({ version }) => version));
  const more: Known["record"][] = [];
  for (const { value: version } of ofEvents.values.filter(({ value }) => !isKnown.has(value))) {
    const asked = { ...key, query: releaseTerm("release", version), status: ErrorStatus.UNSPECIFIED };
    const page = await errors.listErrors({ ...asked, sort: ErrorSort.FIRST_SEEN, pageSize: 1 }, call);
    more.push({ version, createdTime: page.errors[0]?.firstSeenTime ?? timestamp(0) });
  }
  return [...recorded.releaseRecords, ...ofSessions, ...more];
}

/** The projects of a release with the number of errors that began in it. */
export async function counted(
  call: HttpCall,
  {
    record: { version },
    projects,
  }: { readonly record: { readonly version: string }; readonly projects: readonly NamedProject[] },
): Promise<OfRelease[]> {
  const found: OfRelease[] = [];
  for (const { key, slug } of projects) {
    const asked = { ...key, query: releaseTerm("firstRelease", version), status: ErrorStatus.UNSPECIFIED };
    const answer = await unlessUnsupported(call.core.errors.getErrorCount(asked, call));
    found.push({ slug, newGroups: answer?.count ?? 0 });
  }
  return found;
}

/** Undefined if the errors of the project are in another system, which keeps its releases too. */
const unlessUnsupported = <T>(call: Promise<T>) => unlessRefused(ErrorReason.NOT_SUPPORTED_BY_BACKEND, call);

function releaseTerm(key: "release" | "firstRelease", version: string): string {
  return printTerm({ of: "value", key, isTag: false, values: [[version]], isNegated: false, isOnly: false });
}

function pageOf({ query }: HttpCall): { readonly skip: number; readonly size: number } {
  const cursor = query.get("cursor") ?? "";
  const size = query.get("per_page") || query.get("limit") || String(mostReleases);
  const [, skip = "0"] = /^0:(\d{1,9}):[01]$/.exec(cursor) ?? [];
  if (cursor !== "" && !/^0:\d{1,9}:[01]$/.test(cursor)) throw new Refusal(400, "Invalid cursor parameter.");
  if (!/^[1-9]\d{0,8}$/.test(size)) throw new Refusal(400, "Invalid per_page parameter.");
  return { skip: Number(skip), size: Math.min(Number(size), mostReleases) };
}

const isoTime = (time: Timestamp | undefined) => (time ? new Date(millisecondsOf(time)).toISOString() : null);

/** A project of a release, with the errors that began in it there. */
interface OfRelease extends Pick<NamedProject, "slug"> {
  readonly newGroups?: number;
}

/** A release as Sentry's API has it. */
export function releaseForm(
  record: Pick<ReleaseRecord, "version" | "createdTime"> & Partial<ReleaseRecord>,
  projects: readonly OfRelease[],
): object {
  return {
    version: record.version,
    shortVersion: record.version,
    url: record.url || null,
    ref: record.ref || null,
    dateCreated: isoTime(record.createdTime),
    dateStarted: isoTime(record.startedTime),
    dateReleased: isoTime(record.releasedTime),
    commitCount: record.commitCount ?? 0,
    newGroups: projects.reduce((sum, { newGroups = 0 }) => sum + newGroups, 0),
    lastEvent: null,
    projects: projects.map(({ slug, newGroups = 0 }) => ({ slug, name: slug, newGroups })),
  };
}

/** A deploy as Sentry's API has it. */
export const deployForm = (deploy: Deploy): object => ({
  id: String(deploy.deployId),
  environment: deploy.environment,
  name: deploy.name || null,
  url: deploy.url || null,
  dateStarted: isoTime(deploy.startedTime),
  dateFinished: isoTime(deploy.finishedTime),
});

/** A commit as Sentry's API has it. */
export const commitForm = (commit: Commit): object => ({
  id: commit.commitId,
  message: commit.message || null,
  dateCreated: isoTime(commit.committedTime),
  author: { name: commit.authorName, email: commit.authorEmail },
  repository: { name: commit.repository },
});
