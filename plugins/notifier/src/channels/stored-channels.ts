import { randomBytes } from "node:crypto";
import { invalidField, ServiceError, type Host } from "@faultline/plugin";
import { ErrorReason, NotificationChannelState, type UpdateNotificationChannelRequest } from "@faultline/proto";
import type { Kysely } from "kysely";
import { change } from "../change.ts";
import { checkedName, refuseTakenName } from "@faultline/plugin/text";
import { firstDigestMinutes, fullBudget } from "./budget.ts";
import type { ChannelRow, Tables } from "../tables.ts";
import type { ChannelConfig } from "./channel-kind.ts";
import { changedFields } from "@faultline/plugin/fields";
import { openConfig, readChannel, sealConfig, kindNamed } from "./channel.ts";

const mostChannels = 20;

/** A channel with its settings. */
export interface OpenChannel {
  readonly row: ChannelRow;
  readonly config: ChannelConfig;
}

/** The channels that a project set up, ordered by id. */
export function channelsIn(tables: Kysely<Tables>, projectId: number): Promise<ChannelRow[]> {
  return tables
    .selectFrom("notifier_channel")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("user_id", "is", null)
    .orderBy("id")
    .execute();
}

/** Stores a new channel. A webhook gets a key that signs its deliveries. */
export async function addChannel(
  { database, secrets, clock }: Host,
  given: { projectId: number; kind: string; name: string; fields: Readonly<Record<string, string>>; by: string },
): Promise<OpenChannel> {
  const { projectId, name, by } = given;
  const kind = kindNamed(given.kind);
  const now = clock.now();
  const config: ChannelConfig = {
    fields: changedFields(kind, {}, given.fields),
    ...(kind.kind === "webhook" && { signing: newSigning(undefined, now) }),
  };
  const row = await change(database, "notifier_channel", async (transaction) => {
    const others = await channelsIn(transaction, projectId);
    if (others.length >= mostChannels) throw tooMany();
    const values = {
      project_id: projectId,
      kind: kind.kind,
      name: refuseTakenName(others, checkedName(name)),
      ...newChannel(now),
      created_by: by,
    };
    const insert = transaction.insertInto("notifier_channel").values(values);
    const made = await insert.returningAll().executeTakeFirstOrThrow();
    const sealed = { config: sealConfig(secrets, made.id, config) }; // sealed for this row's id
    await transaction.updateTable("notifier_channel").set(sealed).where("id", "=", made.id).execute();
    return { ...made, ...sealed };
  });
  return { row, config };
}

/** Changes the given fields of a channel, and enables it. */
export function changeChannel(
  { database, secrets, clock }: Host,
  projectId: number,
  request: UpdateNotificationChannelRequest,
): Promise<OpenChannel> {
  const { channelId, name, fields, rotateSigningSecret } = request;
  const now = clock.now();
  return change(database, "notifier_channel", async (transaction) => {
    const stored = await readChannel(transaction, projectId, channelId);
    const kind = kindNamed(stored.kind);
    const before = openConfig(secrets, stored);
    if (rotateSigningSecret && !before.signing) {
      throw invalidField("rotate_signing_secret", `Messages to ${kind.name} are not signed.`);
    }
    const others = (await channelsIn(transaction, projectId)).filter(({ id }) => id !== channelId);
    const config: ChannelConfig = {
      ...before,
      fields: changedFields(kind, before.fields, fields),
      ...(rotateSigningSecret && { signing: newSigning(before.signing, now) }),
    };
    const columns = {
      name: name === "" ? stored.name : refuseTakenName(others, checkedName(name)),
      config: sealConfig(secrets, channelId, config),
      ...sendingFrom(now),
    };
    await transaction.updateTable("notifier_channel").set(columns).where("id", "=", channelId).execute();
    return { row: { ...stored, ...columns }, config };
  });
}

/** Deletes a channel with its deliveries, and returns its last state. */
export function removeChannel({ database }: Host, projectId: number, channelId: number): Promise<ChannelRow> {
  return change(database, "notifier_channel", async (transaction) => {
    const stored = await readChannel(transaction, projectId, channelId);
    await transaction.deleteFrom("notifier_channel").where("id", "=", channelId).execute();
    return stored;
  });
}

/**
 * The columns of a channel that has sent nothing. Its settings are sealed for its id, so they are written afterwards.
 */
export const newChannel = (now: number) => ({
  config: "",
  ...sendingFrom(now),
  lease_token: null,
  lease_until: 0,
  last_sent_at: null,
  budget: fullBudget,
  budget_at: now,
  digest_at: null,
  digest_minutes: firstDigestMinutes,
  created_at: now,
  user_id: null,
});

const sendingFrom = (now: number) => ({
  state: NotificationChannelState.ACTIVE,
  state_reason: "",
  failed_tries: 0,
  next_try_at: now,
  server: "",
});

const tooMany = () =>
  new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `A project has at most ${mostChannels} notification channels. Delete one first.`,
  );

const overlapMs = 86_400_000;

/** A new key for Standard Webhooks: 32 bytes. */
const newKey = () => `whsec_${randomBytes(32).toString("base64")}`;

/** A new signing key. The previous key also signs for 24 hours. */
function newSigning(before: ChannelConfig["signing"], now: number): NonNullable<ChannelConfig["signing"]> {
  return { current: newKey(), ...(before && { previous: { key: before.current, until: now + overlapMs } }) };
}
