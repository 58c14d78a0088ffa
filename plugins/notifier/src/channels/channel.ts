import type { MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError, timestamp, type SealedColumn, type Secrets, invalidField } from "@faultline/plugin";
import { ErrorReason, type NotificationChannelSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { ChannelRow, Tables } from "../tables.ts";
import type { ChannelConfig, ChannelKind } from "./channel-kind.ts";
import { discord } from "./kinds/discord.ts";
import { gitlabAlert } from "./kinds/gitlab-alert.ts";
import { googleChat } from "./kinds/google-chat.ts";
import { gotify } from "./kinds/gotify.ts";
import { mattermost } from "./kinds/mattermost.ts";
import { ntfy } from "./kinds/ntfy.ts";
import { pagerduty } from "./kinds/pagerduty.ts";
import { rocketChat } from "./kinds/rocket-chat.ts";
import { slack } from "./kinds/slack.ts";
import { teams } from "./kinds/teams.ts";
import { telegram } from "./kinds/telegram.ts";
import { webhook } from "./kinds/webhook.ts";

/** The column with the encrypted settings. */
export const configColumn: SealedColumn = { table: "notifier_channel", name: "config" };

export const openConfig = (secrets: Secrets, { id, config }: Pick<ChannelRow, "id" | "config">): ChannelConfig =>
  JSON.parse(secrets.open(configColumn, id, config)) as ChannelConfig; // written by sealConfig

export const sealConfig = (secrets: Secrets, id: number, config: ChannelConfig): string =>
  secrets.seal(configColumn, id, JSON.stringify(config));

/** `failing` holds the failing servers, with the time of their next try. */
export function channelToProto(
  row: ChannelRow,
  config: ChannelConfig,
  failing: ReadonlyMap<string, number> = new Map(),
): MessageInitShape<typeof NotificationChannelSchema> {
  const kind = kindNamed(row.kind);
  const given = (isSecret: boolean) =>
    kind.fields.filter((field) => field.isSecret === isSecret && config.fields[field.key] !== undefined);
  const valueOf = (key: string) => config.fields[key] ?? "";
  return {
    channelId: row.id,
    projectId: row.project_id,
    kind: row.kind,
    name: row.name,
    settings: Object.fromEntries(given(false).map(({ key }) => [key, valueOf(key)])),
    secretHints: Object.fromEntries(given(true).map(({ key }) => [key, hintOf(valueOf(key))])),
    state: row.state,
    stateReason: row.state_reason,
    ...(row.last_sent_at !== null && { lastSentTime: timestamp(row.last_sent_at) }),
    failedTries: row.failed_tries,
    createdTime: timestamp(row.created_at),
    createdBy: row.created_by,
    ...(row.failed_tries > 0 && { nextTryTime: timestamp(Math.max(row.next_try_at, failing.get(row.server) ?? 0)) }),
    failingServer: failing.has(row.server) ? row.server : "",
  };
}

/** The server of an address and its last four characters. A short secret shows no characters. */
function hintOf(secret: string): string {
  const end = secret.length >= 16 ? secret.slice(-4) : "";
  const url = URL.parse(secret);
  return url ? `${url.origin}/…${end}` : `…${end}`;
}

/** Returns a channel that a project set up, or refuses. */
export async function readChannel(tables: Kysely<Tables>, projectId: number, channelId: number): Promise<ChannelRow> {
  const row = await tables
    .selectFrom("notifier_channel")
    .selectAll()
    .where("id", "=", channelId)
    .where("project_id", "=", projectId)
    .where("user_id", "is", null)
    .executeTakeFirst();
  if (row) return row;
  throw new ServiceError(
    ErrorReason.NOTIFICATION_CHANNEL_NOT_FOUND,
    "This notification channel does not exist in this project. It may have been deleted.",
  );
}

/** All kinds of channels, sorted by name. */
export const channelKinds: readonly ChannelKind[] = [
  discord,
  gitlabAlert,
  googleChat,
  gotify,
  mattermost,
  teams,
  ntfy,
  pagerduty,
  rocketChat,
  slack,
  telegram,
  webhook,
];

/** The kind with this name. Refuses an unknown name with INVALID_FIELD. */
export function kindNamed(name: string): ChannelKind {
  const found = channelKinds.find(({ kind }) => kind === name);
  if (found) return found;
  throw invalidField(
    "kind",
    `This kind of channel does not exist. Choose one of ${channelKinds.map(({ kind }) => kind).join(", ")}.`,
  );
}
