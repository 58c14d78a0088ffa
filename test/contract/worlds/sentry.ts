import { fakeExternal, type FakeExternal } from "../../support/external/fake-external.ts";
import { acme, type FakeIssueInit, shop } from "../../support/external/played-sentry/data.ts";
import type { GrpcClient } from "../../support/core/grpc.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { errors, now } from "../data.ts";
import type { World } from "../world.ts";

const otherShop = { ...shop, id: "12", slug: "other", name: "Other" };
const otherEventId = "f".repeat(32);

/** A system that plays Sentry, with the errors of data.ts. */
export function sentrySystem(clock: { now(): number }): Promise<FakeExternal> {
  const other: FakeIssueInit = {
    project: otherShop.id,
    title: "of another project",
    events: [{ id: otherEventId, payload: { message: "of another project" } }],
  };
  return fakeExternal({
    clock,
    organizations: [acme],
    projects: [shop, otherShop],
    issues: [...errors.map(issueOf), other],
  });
}

/** The world of a project that reads it. */
export async function sentryWorld(client: GrpcClient, system: FakeExternal): Promise<World> {
  const { projectId } = await linkedProject(client, system, { external: shop.slug });
  const other = await linkedProject(client, system, { external: otherShop.slug });
  const errorId = system.data.issues.find(({ project }) => project === otherShop.id)?.id ?? "";
  return { kind: "sentry", client, projectId, other: { projectId: other.projectId, errorId, eventId: otherEventId } };
}

function issueOf(error: (typeof errors)[number]): FakeIssueInit {
  const { events, ...fields } = error;
  return {
    ...fields,
    platform: "node",
    count: events.length,
    firstSeen: events[0]?.occurredAt ?? 0,
    lastSeen: events.at(-1)?.occurredAt ?? 0,
    events: events.map(({ id, occurredAt, payload }) => ({ id, occurredAt, receivedAt: now, payload })).toReversed(),
  };
}
