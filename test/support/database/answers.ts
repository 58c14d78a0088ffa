import { Backend } from "@faultline/proto";
import { status } from "@grpc/grpc-js";
import * as assert from "uvu/assert";
import type { GrpcClient } from "../core/grpc.ts";
import { samples } from "../samples/samples.ts";
import { storedErrors, storedEventIds } from "./stored.ts";

const dayMs = 86_400_000;

/** All stored data that the public API returns. Times are moved back by `daysEarlier`. */
export async function answers(client: GrpcClient, daysEarlier = 0): Promise<unknown> {
  const { auth } = client;
  const { projects } = await client.projects.listProjects({ pageSize: 100 }, auth);
  const collected = {
    projects,
    users: await ifOffered(() => client.users.listUsers({ pageSize: 100 }, auth)),
    ofProjects: await inTurn(projects, async ({ projectId }) => {
      const { settings } = await client.settings.getSettings({ projectId }, auth);
      const isOurs = settings?.backend === Backend.INTEGRATED; // does not ask another system
      const stored = isOurs ? await storedErrors(client, projectId) : [];
      const errorIds = stored.map(({ errorId }) => errorId);
      const sampled = await inTurn([...samples], async ([name, sample]) => {
        return [name, await ifOffered(() => sample.read(client, { projectId, errorIds }))] as const;
      });
      return {
        ...Object.fromEntries(sampled),
        settings,
        keys: await client.clientKeys.listClientKeys({ projectId }, auth),
        members: await ifOffered(() => client.members.listMembers({ projectId }, auth)),
        invitations: await ifOffered(() => client.members.listInvitations({ projectId }, auth)),
        outcomes: await ifOffered(() => client.outcomes.listOutcomes({ projectId, hourCount: 168 }, auth)),
        channels: await ifOffered(() => client.notificationChannels.listNotificationChannels({ projectId }, auth)),
        rules: await ifOffered(() => client.notificationRules.listNotificationRules({ projectId }, auth)),
        bulkUpdates: isOurs && (await ifOffered(() => client.bulkUpdates.listBulkUpdates({ projectId }, auth))),
        releases: await ifOffered(() => client.releases.listReleases({ projectId, hourCount: 168 }, auth)),
        errors: await inTurn(stored, (error) => eventsOf(client, error)),
      };
    }),
  };
  return JSON.parse(JSON.stringify(collected, (key, value: unknown) => plain(key, value, daysEarlier * dayMs)));
}

async function eventsOf(client: GrpcClient, error: { projectId: number; errorId: string }) {
  const { projectId, errorId } = error;
  const ids = await storedEventIds(client, projectId, errorId);
  const { event } = await client.errors.getEvent({ projectId, eventId: ids[0] ?? "" }, client.auth);
  const activity = await ifOffered(() => client.activity.listErrorActivity({ projectId, errorId }, client.auth));
  return { error, ids, event, activity };
}

async function inTurn<A, B>(list: readonly A[], ask: (one: A) => Promise<B>): Promise<B[]> {
  const all: B[] = [];
  for (const one of list) all.push(await ask(one));
  return all;
}

/** The answer; undefined if the release does not have the method yet. */
async function ifOffered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if ((error as { code?: unknown }).code === status.UNIMPLEMENTED) return undefined;
    throw error;
  }
}

/** Fields that depend on the release, the caller or the current time. */
const passing = new Set(
  (
    "$typeName $unknown capabilities permissions lastSignInTime " +
    "hourlyCounts hourlyCountsStartTime settledLastSeenTime startTime endTime hours refusedPerHour"
  ).split(" "),
);

/**
 * Writes times as text. Leaves out passing fields, and default values, because a release without the field has no
 * value.
 */
function plain(key: string, value: unknown, earlierMs: number): unknown {
  if (passing.has(key) || value === 0 || value === "" || value === false) return undefined;
  if (isTimestamp(value)) return new Date(Number(value.seconds) * 1_000 + value.nanos / 1e6 - earlierMs).toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return typeof value === "bigint" ? String(value) : value;
}

function isTimestamp(value: unknown): value is { seconds: bigint; nanos: number } {
  return typeof value === "object" && value !== null && "seconds" in value && "nanos" in value;
}

/**
 * Asserts that everything returned before is returned now. Later releases may return more fields of an object, but not
 * more or fewer objects.
 */
export function assertHolds(now: unknown, before: unknown, where = "the answers"): void {
  if (Array.isArray(before)) {
    assert.ok(Array.isArray(now), `${where} was a list`);
    assert.is((now as unknown[]).length, before.length, `the length of ${where}`);
    before.forEach((one, n) => assertHolds((now as unknown[])[n], one, `${where}[${n}]`));
  } else if (typeof before === "object" && before !== null) {
    assert.ok(typeof now === "object" && now !== null, `${where} was there`);
    for (const [key, one] of Object.entries(before)) {
      assertHolds((now as Record<string, unknown>)[key], one, `${where}.${key}`);
    }
  } else {
    assert.is(now, before, where);
  }
}
