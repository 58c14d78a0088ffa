import { randomBytes } from "node:crypto";
import { ErrorStatus, NotificationDeliveryState, NotificationTrigger } from "@faultline/proto";
import type { GrpcClient } from "../core/grpc.ts";
import type { LinkedProject } from "../core/linked-project.ts";
import { createKey, type Project } from "../core/project.ts";
import type { FakeExternal } from "../external/fake-external.ts";
import { rest } from "../rest/rest.ts";
import { until } from "../run/until.ts";
import { newEventId, sendEvent } from "../sentry/send.ts";
import type { MovableClock } from "../service/movable-faultline.ts";
import { receiver } from "./receiver.ts";

type Kind = Exclude<keyof typeof NotificationTrigger, "UNSPECIFIED" | "ANNOUNCED">;

/** All kinds of the notifier, so that the test also waits for kinds that are added later. Plugins announce the other kinds. */
const kinds = (Object.keys(NotificationTrigger) as (keyof typeof NotificationTrigger)[]).filter(
  (name) => name !== "UNSPECIFIED" && name !== "ANNOUNCED",
);

interface Given {
  readonly client: GrpcClient;
  readonly url: string;
  readonly clock: MovableClock;
  readonly project: Project;
  /** A project with the external backend. */
  readonly far: LinkedProject;
  readonly external: FakeExternal;
}

/**
 * The servers of channels: one is never ready, the other is gone for good. The service must be allowed to call their
 * ports.
 */
export async function refusingReceivers() {
  const [unready, gone] = await Promise.all([receiver(), receiver()]);
  unready.answers({ status: 503 });
  gone.answers({ status: 410 });
  return { unready, gone, ports: [unready.port, gone.port] };
}

type Refusing = Awaited<ReturnType<typeof refusingReceivers>>;

/** Causes notifications of every kind that wait for a channel that accepts none. */
export async function causeEveryKind(given: Given, refusing: Refusing): Promise<void> {
  const due = await channelsOfKinds(given, refusing);
  await causeChanges(given, due);
  await causeQuotas(given, due);
  await causeRefusals(given, due);
  await causeFailures(given, due);
  for (const kind of kinds) await due(kind, 0);
}

/** Moves the clock, and does `meanwhile`, until the expected number of notifications of a kind is due. */
type Due = (kind: Kind, stepMs: number, more?: { meanwhile?: () => Promise<unknown>; count?: number }) => Promise<void>;

/** Makes a rule and a channel for each kind, so that no kind is held back for a digest of others. */
async function channelsOfKinds({ client, clock, project, far }: Given, { unready, gone }: Refusing): Promise<Due> {
  const projectOf = (kind: Kind) => (kind === "BACKEND_FAILING" ? far.projectId : project.id);
  const addRule = async (name: string, { kind, to }: { kind: Kind; to: string }) => {
    const projectId = projectOf(kind);
    const { channel } = await client.notificationChannels.createNotificationChannel(
      { projectId, kind: "webhook", name, fields: { url: `${to}/${name}` } },
      client.auth,
    );
    const channelId = channel?.channelId ?? 0;
    const spike = kind === "SPIKE" ? { spike: { count: 5, windowMinutes: 1 } } : {};
    const rule = { name, enabled: true, channelIds: [channelId], triggers: [NotificationTrigger[kind]], ...spike };
    await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
    return channelId;
  };
  const channels = new Map<Kind, number>();
  for (const kind of kinds) channels.set(kind, await addRule(kind, { kind, to: unready.url }));
  await addRule("switched off", { kind: "CREATED", to: gone.url });
  const dueNow = async (kind: Kind) => {
    const asked = { projectId: projectOf(kind), channelId: channels.get(kind) ?? 0 };
    const state = NotificationDeliveryState.PENDING;
    return client.notificationDeliveries.listNotificationDeliveries({ ...asked, state }, client.auth);
  };
  return async (kind, stepMs, { meanwhile, count = 1 } = {}) => {
    await until(
      `${count} of ${kind}`,
      async () => {
        clock.at += stepMs;
        await meanwhile?.();
        return (await dueNow(kind)).deliveries.length >= count;
      },
      { deadlineMs: 30_000 },
    );
  };
}

async function causeChanges({ client, url, project }: Given, due: Due): Promise<void> {
  const message = "every kind";
  const send = (one = message) =>
    sendEvent({ url }, project, { event_id: newEventId(), message: one, release: "every@1" });
  await send();
  await due("CREATED", 1_000);
  await due("RELEASE", 1_000);
  await due("SPIKE", 5_000, { meanwhile: () => send() });
  await due("MILESTONE", 5_000, { meanwhile: () => send("a tenth event") }); // since the check that found the spike
  const { errors } = await client.errors.listErrors({ projectId: project.id, query: message }, client.auth);
  const changes = errors.map(({ errorId }) => ({ errorId, status: ErrorStatus.RESOLVED }));
  await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
  await due("STATUS", 1_000);
  await send();
  await due("REOPENED", 1_000);
}

/** Causes quota notifications with limits around what was received, and removes the limits. */
async function causeQuotas({ client, url, project }: Given, due: Due): Promise<void> {
  const projectId = project.id;
  const received = async () => Number((await client.quotas.getQuota({ projectId }, client.auth)).quota?.dayBytes);
  const limitTo = (bytes: number) =>
    client.quotas.updateQuota({ projectId, dayLimitBytes: BigInt(Math.round(bytes)) }, client.auth);
  await until("a megabyte, the least that a limit may be", async () => {
    const noise = randomBytes(80_000).toString("base64");
    await sendEvent({ url }, project, { event_id: newEventId(), message: "large", extra: { noise } });
    return (await received()) > 1_000_000;
  });
  await limitTo((await received()) / 0.9);
  await due("QUOTA_NEAR", 61_000);
  await limitTo(await received());
  await due("QUOTA_REACHED", 61_000);
  await limitTo(0);
}

async function causeRefusals({ url, project }: Given, due: Due): Promise<void> {
  const key = await createKey({ url }, project.id);
  const path = `/projects/${project.id}/error_tracking/client_keys/${key.keyId}`;
  await rest({ url }, `PUT ${path}`, { body: { active: false } });
  const refused = { ...project, ...key };
  const meanwhile = () => sendEvent({ url }, refused, { event_id: newEventId(), message: "refused" });
  await due("REFUSED", 61_000, { meanwhile });
}

async function causeFailures({ external }: Given, due: Due): Promise<void> {
  const answerAgain = external.answerWith({ status: 503 });
  await due("BACKEND_FAILING", 61_000);
  answerAgain();
  await due("BACKEND_FAILING", 61_000, { count: 2 }); // so that it answers again
  await due("CHANNEL_FAILING", 61_000);
}
