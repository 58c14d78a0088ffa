import { grpcClient } from "../../support/core/grpc.ts";
import { bytesOf } from "../../support/http/raw-request.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { arrive } from "../arrivals.ts";
import type { Bench, Row } from "../bench.ts";
import { databaseSize } from "../database-files.ts";
import { startGenerator } from "../generate.ts";
import { residentMiB } from "../process-memory.ts";
import { nextSeed } from "../rounds.ts";
import { startService, type Service } from "../service.ts";
import { megabytes, ms, whole } from "../text.ts";

const eventsPerSecond = 300;
const sessionsPerSecond = 30;
const users = 5_000;
const errorCount = 200;
const bytes = 5_000;

/** Empty values are none: the limits of a new installation. */
const asInstalled = { FAULTLINE_RATE_LIMIT_KEY: "", FAULTLINE_RATE_LIMIT_PROJECT: "" };

/**
 * The worst day of an honest application: 300 events a second for ten minutes, 200 errors, five releases, two
 * environments and 5,000 users, with sessions, to a new installation with one DSN. Nothing may be refused, filtered,
 * sampled or counted elsewhere.
 */
export async function* storm(bench: Bench): AsyncGenerator<Row> {
  const seconds = bench.stormSeconds;
  bench.progress(`an honest storm of ${seconds} s`);
  await using service = await startService(undefined, asInstalled);
  const { server, door } = service;
  const load = { ...door, bytes, groups: "200", rate: eventsPerSecond, seconds, bodies: 4 * users } as const;
  const generator = startGenerator({
    ...load,
    connections: bench.connections,
    maxConnections: 1_000,
    seed: nextSeed(),
  });
  await generator.ready;
  generator.go();
  const sessions = await sendSessions(service, seconds);
  const events = await generator.result;
  bench.progress(JSON.stringify(events));

  const faults = await faultsOf(service, { events: events.acknowledged, sessions });
  const expected = { events: eventsPerSecond * seconds, sessions: sessionsPerSecond * seconds };
  if (events.acknowledged !== expected.events) {
    const { refused, unanswered, unsent } = events;
    faults.push(
      `of ${expected.events} events ${events.acknowledged} were acknowledged: ${JSON.stringify({ refused, unanswered, unsent })}`,
    );
  }
  if (sessions !== expected.sessions) faults.push(`of ${expected.sessions} sessions ${sessions} were acknowledged`);
  if (faults.length > 0) throw new Error(faults.join("; "));

  const { file, log } = databaseSize(server.dataDir);
  yield {
    measure: `honest storm: ${eventsPerSecond} events/s for ${seconds} s, ${errorCount} errors, ${whole(users)} users, ${sessionsPerSecond} sessions/s`,
    goal: "nothing refused, filtered, sampled or under others; counts equal",
    measured: `${whole(events.acknowledged)} events and ${whole(sessions)} sessions acknowledged and counted; p50 ${ms(events.p50Ms)}, p99 ${ms(events.p99Ms)}, longest ${ms(events.maxMs)}; ${residentMiB(server.pid, "at most")} MiB; database ${megabytes(file)}, log ${megabytes(log)}`,
    isMet: true,
  };
}

/** Sends a session of each user in turn at a constant rate; how many were acknowledged. */
async function sendSessions({ door, project }: Service, seconds: number): Promise<number> {
  let acknowledged = 0;
  const requests = Array.from({ length: sessionsPerSecond * seconds }, (_, n) => {
    const user = n % users;
    const session = {
      sid: newEventId(),
      did: `user-${user}`,
      started: new Date().toISOString(),
      status: "exited",
      attrs: { release: releaseOf(user) },
    };
    const body = `{}\n{"type":"session"}\n${JSON.stringify(session)}`;
    return { id: session.sid, parts: [bytesOf(project, { door: "envelope", body })] };
  });
  await arrive({
    url: door.url,
    requests,
    rate: sessionsPerSecond,
    connections: 2,
    maxConnections: 100,
    signal: new AbortController().signal,
    onAnswer: ({ status }) => (acknowledged += Number(status === 200)),
  });
  return acknowledged;
}

/** As of the events (node-event.ts). */
const releaseOf = (user: number) => `shop@1.${user % 5}.0`;

/** The faults among the acknowledged events. */
async function faultsOf(
  { server, project }: Service,
  acknowledged: { events: number; sessions: number },
): Promise<string[]> {
  const client = grpcClient(server);
  const projectId = project.id;
  const errors = await storedErrors(client, projectId);
  const { releases } = await client.releases.listReleases({ projectId, hourCount: 24, pageSize: 100 }, client.auth);
  const { outcomes } = await client.outcomes.listOutcomes({ projectId }, client.auth);
  client.close();
  const sum = <T>(all: readonly T[], pick: (one: T) => number) => all.reduce((total, one) => total + pick(one), 0);
  const counted = {
    errors: errors.length,
    events: sum(errors, ({ eventCount }) => eventCount),
    sessions: sum(releases, (release) => release.sessions?.total ?? 0),
    sessionUsers: sum(releases, ({ userCount }) => userCount),
  };
  const expected = { errors: errorCount, ...acknowledged, sessionUsers: Math.min(users, acknowledged.sessions) };
  const faults = outcomes.map(
    ({ kind, category, reason, quantity }) =>
      `${quantity} of category ${category} have an outcome of kind ${kind}: ${reason}`,
  );
  if (JSON.stringify(counted) !== JSON.stringify(expected))
    faults.push(`counted are ${JSON.stringify(counted)} instead of ${JSON.stringify(expected)}`);
  return faults;
}
