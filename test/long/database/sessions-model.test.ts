// limit: 240 s
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Backend, SessionStatus, type Release } from "@faultline/proto";
import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { rounds } from "../../support/run/rounds.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { recountOf, recountSessionsOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

// A model of the specification judges each session by all its updates together. The product gets the updates one by
// one, shuffled, repeated and cut into calls, and must produce the same numbers.

const seed = 20_261_121;
/** A run takes 0.2 s on PostgreSQL, because each call waits for at least one round trip. */
const runs = rounds({ short: 20, long: process.env["TEST_DATABASE"] !== "postgresql" ? 200 : 100 });
const hourMs = 3_600_000;
const now = Date.UTC(2026, 10, 21, 12, 30);
const runningHour = Math.floor(now / hourMs);

const { OK, EXITED, ERRORED, UNHANDLED, ABNORMAL, CRASHED } = SessionStatus;

/** An update of a session; release, environment and start are the same in all of them. */
interface Update {
  readonly status: SessionStatus;
  readonly sequence: number;
  readonly updatedAt: number;
  readonly errors: number;
  /** Whether it names the session's user. */
  readonly namesUser: boolean;
}

interface Place {
  readonly release: string;
  readonly environment: string;
  readonly hoursAgo: number;
  readonly user: string;
}

type Session = Place & { readonly updates: readonly Update[] };

interface Counts {
  readonly exited: number;
  readonly errored: number;
  readonly unhandled: number;
  readonly abnormal: number;
  readonly crashed: number;
}

interface Load {
  readonly sessions: readonly Session[];
  readonly aggregates: readonly (Place & Counts)[];
  /** The rule for the order of updates, and the updates that are sent once more. */
  readonly order: readonly number[];
  readonly repeated: readonly number[];
  /** How many go into each call. */
  readonly callSizes: readonly number[];
  /** The questions at the end. */
  readonly questions: readonly Question[];
}

interface Question {
  readonly environment: string | undefined;
  /** All releases when empty. */
  readonly version: string;
  readonly hourCount: number;
}

const place = {
  release: fc.constantFrom("a", "b", "c"),
  environment: fc.constantFrom("", "prod", "staging"),
  hoursAgo: fc.constantFrom(0, 1, 2, 23, 24, 25, 60),
  user: fc.constantFrom("", "ann", "bob", "eve"),
};
const update = fc.record({
  status: fc.constantFrom(OK, OK, EXITED, ERRORED, UNHANDLED, ABNORMAL, CRASHED),
  sequence: fc.nat(3), // few values, so that many are equal
  updatedAt: fc.nat(2),
  errors: fc.constantFrom(0, 0, 1, 3),
  namesUser: fc.boolean(),
});
const few = fc.nat(2);
const question = fc.record({
  environment: fc.constantFrom(undefined, "", "prod"),
  version: fc.constantFrom("", "a"),
  hourCount: fc.constantFrom(1, 2, 24, 25, 72),
});

function loads({ aggregateCount }: { aggregateCount: number }): fc.Arbitrary<Load> {
  return fc.record({
    sessions: fc.array(fc.record({ ...place, updates: fc.array(update, { minLength: 1, maxLength: 5 }) }), {
      maxLength: 12,
    }),
    aggregates: fc.array(
      fc.record({ ...place, exited: few, errored: few, unhandled: few, abnormal: few, crashed: few }),
      { maxLength: aggregateCount },
    ),
    order: fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
    repeated: fc.array(fc.nat(), { maxLength: 10 }),
    callSizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 80, maxLength: 80 }),
    questions: fc.array(question, { minLength: 3, maxLength: 3 }),
  });
}

/** Sends a load to a project. */
async function send({ ingest, auth }: GrpcClient, projectId: number, load: Load): Promise<void> {
  const described = ({ release, environment, hoursAgo }: Place) => ({
    projectId,
    release,
    environment,
    startedTime: timestampFromMs(now - hoursAgo * hourMs),
  });
  const all = load.sessions.flatMap((session) => {
    const sessionId = newEventId();
    return session.updates.map(({ status, sequence, updatedAt, errors, namesUser }) => ({
      ...described(session),
      sessionId,
      status,
      sequence: BigInt(sequence),
      updatedTime: timestampFromMs(now - 1000 + updatedAt),
      errorCount: errors,
      userDigest: namesUser ? session.user : "",
    }));
  });
  const once = all.map((message, n) => ({ message, key: load.order[n] ?? 0 }));
  const again = load.repeated.flatMap((n, key) => (all.length > 0 ? { message: all[n % all.length] ?? {}, key } : []));
  const waiting = [...once, ...again].toSorted((a, b) => a.key - b.key).map(({ message }) => message);
  for (const size of load.callSizes) {
    const updates = waiting.splice(0, size);
    if (updates.length > 0) await ingest.reportSessions({ updates }, auth);
  }
  const aggregates = load.aggregates.map((one) => ({ ...described(one), ...one, userDigest: one.user }));
  if (aggregates.length > 0) await ingest.reportSessions({ aggregates }, auth);
}

type Kind = "healthy" | "errored" | "crashed" | "abnormal";

/** Sessions of a kind and place: what the model counts. */
type Counted = Place & { readonly kind: Kind; readonly count: number };

function judge({ updates, user, ...rest }: Session): Counted {
  const ends = updates.filter(({ status }) => status !== OK);
  const candidates = ends.length > 0 ? ends : updates;
  const last = candidates.reduce((best, one) => {
    if (one.sequence !== best.sequence) return one.sequence > best.sequence ? one : best;
    if (one.updatedAt !== best.updatedAt) return one.updatedAt > best.updatedAt ? one : best;
    return one.status > best.status ? one : best;
  });
  const hadErrors = updates.some(({ errors }) => errors > 0) || last.status === ERRORED || last.status === UNHANDLED;
  const kind =
    last.status === CRASHED ? "crashed" : last.status === ABNORMAL ? "abnormal" : hadErrors ? "errored" : "healthy";
  return { ...rest, user: updates.some(({ namesUser }) => namesUser) ? user : "", kind, count: 1 };
}

function judgeAggregate({ exited, errored, unhandled, abnormal, crashed, ...rest }: Place & Counts): Counted[] {
  const counts: [Kind, number][] = [
    ["healthy", exited],
    ["errored", errored + unhandled],
    ["abnormal", abnormal],
    ["crashed", crashed],
  ];
  return counts.flatMap(([kind, count]) => (count > 0 ? { ...rest, kind, count } : []));
}

function totals(counted: readonly Counted[]) {
  const of = (kind?: Kind) =>
    counted.filter((one) => kind === undefined || one.kind === kind).reduce((sum, { count }) => sum + count, 0);
  const [healthy, errored, crashed, abnormal] = [of("healthy"), of("errored"), of("crashed"), of("abnormal")];
  return { total: of(), healthy, errored, crashed, abnormal };
}

/** The releases as they must be listed, by their names; the order among equal hours is by name as well. */
function expectedReleases(counted: readonly Counted[], hours: number) {
  const firstDay = Math.floor((runningHour - hours + 1) / 24);
  const listed = ["a", "b", "c"].flatMap((version) => {
    const all = counted.filter(({ release }) => release === version);
    const inWindow = all.filter(({ hoursAgo }) => hoursAgo < hours);
    if (inWindow.length === 0) return [];
    const named = all.filter(
      ({ user, hoursAgo }) => user !== "" && Math.floor((runningHour - hoursAgo) / 24) >= firstDay,
    );
    const users = new Set(named.map(({ user }) => user)).size;
    const crashedUsers = new Set(named.flatMap(({ kind, user }) => (kind === "crashed" ? [user] : []))).size;
    const sessions = totals(inWindow);
    return {
      version,
      sessions,
      users,
      crashedUsers,
      crashFreeSessions: percent(sessions.total - sessions.crashed, sessions.total),
      crashFreeUsers: users === 0 ? undefined : percent(users - crashedUsers, users),
      firstHour: runningHour - Math.max(...all.map(({ hoursAgo }) => hoursAgo)),
      lastHour: runningHour - Math.min(...inWindow.map(({ hoursAgo }) => hoursAgo)),
    };
  });
  return listed.toSorted((a, b) => b.firstHour - a.firstHour || (a.version < b.version ? 1 : -1));
}

const percent = (part: number, whole: number) => Math.round((part / whole) * 1e8) / 1e6;

/** Compares what the product says of a project with the model. */
async function check({ releases, auth }: GrpcClient, projectId: number, load: Load): Promise<void> {
  const all = [...load.sessions.map(judge), ...load.aggregates.flatMap(judgeAggregate)];
  for (const { environment, version, hourCount } of load.questions) {
    const counted = all.filter((one) => environment === undefined || one.environment === environment);
    const filter = { projectId, hourCount, ...(environment !== undefined && { environment }) };
    const [list, stats] = await Promise.all([
      releases.listReleases(filter, auth),
      releases.getSessionStats({ ...filter, version }, auth),
    ]);
    assert.equal(list.releases.map(plainRelease), expectedReleases(counted, hourCount));
    const inWindow = all.filter(({ hoursAgo }) => hoursAgo < hourCount);
    assert.equal(list.environments, [...new Set(inWindow.map((one) => one.environment))].toSorted());
    const ofVersion = counted.filter(({ release }) => version === "" || release === version);
    assert.equal(
      stats.hours.map(plainCounts),
      Array.from({ length: hourCount }, (_, n) =>
        totals(ofVersion.filter(({ hoursAgo }) => hoursAgo === hourCount - 1 - n)),
      ),
    );
  }
}

function plainRelease(release: Release) {
  return {
    version: release.version,
    sessions: plainCounts(release.sessions),
    users: release.userCount,
    crashedUsers: release.crashedUserCount,
    crashFreeSessions: percent(release.crashFreeSessions, 100),
    crashFreeUsers: release.crashFreeUsers === undefined ? undefined : percent(release.crashFreeUsers, 100),
    firstHour: release.firstSessionTime && timestampMs(release.firstSessionTime) / hourMs,
    lastHour: release.lastSessionTime && timestampMs(release.lastSessionTime) / hourMs,
  };
}

function plainCounts(counts: ReturnType<typeof totals> | undefined) {
  const { total = 0, healthy = 0, errored = 0, crashed = 0, abnormal = 0 } = counts ?? {};
  return { total, healthy, errored, crashed, abnormal };
}

/** Runs loads, each in a separate project, against one service. Returns its data directory. */
async function runLoads(arbitrary: fc.Arbitrary<Load>): Promise<string> {
  const dataDir = tempDir();
  const config = testConfig(dataDir);
  const faultline = await startFaultline(config, { now: () => now });
  const client = grpcClient(faultline);
  let count = 0;
  const property = fc.asyncProperty(arbitrary, async (load) => {
    const { project } = await client.projects.createProject({ path: `model-${++count}` }, client.auth);
    const projectId = project?.projectId ?? 0;
    await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
    await send(client, projectId, load);
    await check(client, projectId, load);
  });
  try {
    // The time limit is for the search of a smaller counterexample.
    await fc.assert(property, { seed, numRuns: runs, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true });
  } finally {
    client.close();
    await faultline.stop();
  }
  return dataDir;
}

test(`sessions in any order, repeated and in any batches come to the numbers of the model (seed ${seed})`, async () => {
  const dataDir = await runLoads(loads({ aggregateCount: 0 }));
  assert.equal(await recountOf(dataDir), []);
  assert.equal(await recountSessionsOf(dataDir), []);
});

test(`so do sessions together with counted ones (seed ${seed})`, async () => {
  const dataDir = await runLoads(loads({ aggregateCount: 4 }));
  assert.equal(await recountOf(dataDir), []);
});

test.run();
