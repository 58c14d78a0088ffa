import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourWindow, pageSizeOf, pageToken, readPageToken, hourMs, timestamp } from "@faultline/plugin";
import type {
  ListReleasesRequest,
  ListReleasesResponseSchema,
  GetSessionStatsRequest,
  GetSessionStatsResponseSchema,
} from "@faultline/proto";
import { sql, type AbortableQueryOptions, type SqlBool } from "kysely";
import type { Storage } from "../storage.ts";
import { releaseToProto, type ReleaseRow, sessionCountsToProto } from "../lists/to-proto.ts";
import type { ErrorTable } from "../tables.ts";

const defaultHours = 168;
const listedEnvironments = 100;
const dayHours = 24;

/** A page of the releases with sessions in a window, in keyset order. */
export async function listReleases(
  storage: Storage,
  request: ListReleasesRequest,
  now: number,
  limits: AbortableQueryOptions,
): Promise<MessageInitShape<typeof ListReleasesResponseSchema>> {
  const { first } = hourWindow(request, { now, defaultHours });
  const { projectId, environment, hourCount } = request;
  const list = JSON.stringify(["releases", projectId, environment ?? null, hourCount]);
  const place = readPageToken(list, request.pageToken, ["number", "string"]);
  const size = pageSizeOf(request);
  const rows = await findReleases(storage, { projectId, environment, first, place, limit: size + 1 }, limits);
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    releases: page.map(releaseToProto),
    nextPageToken: rows.length > size && last ? pageToken(list, [last.first_hour, last.version]) : "",
    environments: await environmentsOf(storage, { projectId, first }, limits),
    hasOtherReleases: await hasOtherReleases(storage, { projectId, first }, limits),
  };
}

interface Wanted {
  readonly projectId: number;
  readonly environment: string | undefined;
  /**
   * The first hour of the window. There is no last hour, because a session may start a minute ahead, in the next hour.
   */
  readonly first: number;
  readonly place: readonly [firstHour: number, version: string] | undefined;
  readonly limit: number;
}

/** Counts of a release: `total`, `errored`, `crashed`, `abnormal`. Null if it has no sessions. */
type Counts = readonly [number | null, number, number, number];

/** Counts of a release: users, crashed users, and whether further users were counted together. */
type Users = readonly [number, number, number];

/**
 * Reads all numbers in one statement, so that they come from one snapshot. Users are counted by distinct names over
 * days and environments, which takes a sort: a million rows take a second. The user without a name represents all users
 * beyond the limits, and the release without a name is in no environment.
 *
 * A separate query counts each release: PostgreSQL joins tables without statistics row by row, and a page of 10,000
 * releases took more than 3 s.
 */
async function findReleases(
  { readExpensively: read, dialect }: Storage,
  { projectId, environment, first, place, limit }: Wanted,
  limits: AbortableQueryOptions,
): Promise<ReleaseRow[]> {
  const inScope =
    environment === undefined
      ? sql`r.project_id = ${projectId}`
      : sql`r.project_id = ${projectId} and r.environment = ${environment} and r.version <> ''`;
  const beyond = place ? sql`(min(first_hour), version) < (${place[0]}, ${place[1]})` : sql`true`;
  const isOfRelease = dialect.isOfRelease(
    projectId,
    sql`select r.id from integrated_release r where ${inScope} and r.version = page.version`,
  );
  const counts = dialect.jsonArray(["total", "errored", "crashed", "abnormal"].map((one) => sql`sum(${sql.ref(one)})`));
  const users = dialect.jsonArray([
    sql`count(*) filter (where "user" <> '')`,
    sql`coalesce(sum(crashed) filter (where "user" <> ''), 0)`,
    sql`count(*) filter (where "user" = '')`,
  ]);
  const { rows } = await sql<{ version: string; first_hour: number; last_hour: number; counts: string; users: string }>`
    with page as materialized (
      select version, min(first_hour) as first_hour, max(last_hour) as last_hour from integrated_release r
      where ${inScope} group by version having max(last_hour) >= ${first} and ${beyond}
      order by 2 desc, 1 desc limit ${limit}
    )
    select version, first_hour, last_hour, (
      select cast(${counts} as text) from integrated_session_hour where ${isOfRelease} and hour >= ${first}
    ) as counts, (
      select cast(${users} as text) from (
        select "user", max(case when crashed_count > 0 then 1 else 0 end) as crashed from integrated_session_user
        where ${isOfRelease} and day >= ${Math.floor(first / dayHours)} group by "user"
      ) as seen
    ) as users
    from page order by first_hour desc, version desc`.execute(read, limits);
  return rows.flatMap(({ version, first_hour, last_hour, ...json }) => {
    const [total, errored, crashed, abnormal] = JSON.parse(json.counts) as Counts;
    const [user_count, crashed_user_count, more_users] = JSON.parse(json.users) as Users;
    if (total === null) return [];
    return {
      version,
      first_hour,
      last_hour,
      total,
      errored,
      crashed,
      abnormal,
      user_count,
      crashed_user_count,
      more_users,
    };
  });
}

/**
 * The environments of all releases, not only the requested environment: people pick another environment from this list.
 */
async function environmentsOf(
  { readExpensively: read }: Storage,
  { projectId, first }: Pick<Wanted, "projectId" | "first">,
  limits: AbortableQueryOptions,
): Promise<string[]> {
  const rows = await read
    .selectFrom("integrated_release")
    .select("environment")
    .distinct()
    .where("project_id", "=", projectId)
    .where("last_hour", ">=", first)
    .where("version", "<>", "")
    .orderBy("environment")
    .limit(listedEnvironments)
    .execute(limits);
  return rows.map(({ environment }) => environment);
}

async function hasOtherReleases(
  { readExpensively: read }: Storage,
  { projectId, first }: Pick<Wanted, "projectId" | "first">,
  limits: AbortableQueryOptions,
): Promise<boolean> {
  const others = await read
    .selectFrom("integrated_release")
    .select("id")
    .where("project_id", "=", projectId)
    .where("version", "=", "")
    .where("last_hour", ">=", first)
    .executeTakeFirst(limits);
  return others !== undefined;
}

/**
 * The newest release of the project when a person last set the status of an error, by the hour of its first session in
 * any environment. Empty if nobody set the status, or if no release had a session by then.
 */
export async function newestRelease(
  { read }: Storage,
  { project_id, status_changed_at }: Pick<ErrorTable, "project_id" | "status_changed_at">,
): Promise<string> {
  if (status_changed_at === null) return "";
  const newest = await read
    .selectFrom("integrated_release")
    .select(["version", ({ fn }) => fn.min("first_hour").as("hour")])
    .where("project_id", "=", project_id)
    .where("version", "<>", "")
    .groupBy("version")
    .having(({ fn }) => fn.min("first_hour"), "<=", Math.floor(status_changed_at / hourMs))
    .orderBy("hour", "desc")
    .orderBy(({ fn }) => fn.max("id"), "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.version ?? "";
}

/** The number of sessions that started in each hour, including hours without sessions. */
export async function getSessionStats(
  { readExpensively: read, dialect }: Storage,
  request: GetSessionStatsRequest,
  now: number,
  limits: AbortableQueryOptions,
): Promise<MessageInitShape<typeof GetSessionStatsResponseSchema>> {
  const { first, length, lastHourRunning } = hourWindow(request, { now, defaultHours: 24 });
  const { version, environment } = request;
  let query = read
    .selectFrom("integrated_release as r")
    .innerJoin("integrated_session_hour as h", (join) =>
      join.on(sql<SqlBool>`h.release_id = r.id${dialect.sameProject("h", "r")}`),
    )
    .select(({ fn }) => [
      "h.hour",
      fn.sum<number>("h.total").as("total"),
      fn.sum<number>("h.errored").as("errored"),
      fn.sum<number>("h.crashed").as("crashed"),
      fn.sum<number>("h.abnormal").as("abnormal"),
    ])
    .where("r.project_id", "=", request.projectId)
    .where("h.hour", ">=", first)
    .where("h.hour", "<", first + length)
    .groupBy("h.hour");
  // For all releases, skips releases that ended earlier, because each would cost a lookup in the hours.
  query = version === "" ? query.where("r.last_hour", ">=", first) : query.where("r.version", "=", version);
  if (environment !== undefined) {
    query = query.where("r.environment", "=", environment).where("r.version", "<>", ""); // not the nameless release
  }
  const counted = new Map((await query.execute(limits)).map((row) => [row.hour, row]));
  const none = { total: 0, errored: 0, crashed: 0, abnormal: 0 };
  return {
    startTime: timestamp(first * hourMs),
    hours: Array.from({ length }, (_, n) => sessionCountsToProto(counted.get(first + n) ?? none)),
    lastHourRunning,
  };
}
