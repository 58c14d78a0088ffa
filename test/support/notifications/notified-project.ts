import type { NotificationDelivery, NotificationTrigger } from "@faultline/proto";
import type { GrpcClient } from "../core/grpc.ts";
import { createProject, type Project } from "../core/project.ts";

/** A rule of a project that a test sets up. */
export interface GivenRule {
  readonly triggers: readonly NotificationTrigger[];
  /** Indexes of `channels`. */
  readonly channels: readonly number[];
  readonly filter?: string;
}

/** A channel, by its kind and fields. */
export interface GivenChannel {
  readonly kind: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A project that takes events, with channels and rules. */
export interface NotifiedProject extends Project {
  /** The ids of the channels, in the order of `channels`. */
  readonly channelIds: readonly number[];
}

/** Makes such a project. */
export async function notifiedProject(
  { client, url }: { client: GrpcClient; url: string },
  { channels, rules }: { channels: readonly GivenChannel[]; rules: readonly GivenRule[] },
): Promise<NotifiedProject> {
  const project = await createProject({ url });
  const projectId = project.id;
  const channelIds: number[] = [];
  for (const [n, { kind, fields }] of channels.entries()) {
    const { channel } = await client.notificationChannels.createNotificationChannel(
      { projectId, kind, name: `Channel ${n + 1}`, fields: { ...fields } },
      client.auth,
    );
    channelIds.push(channel?.channelId ?? 0);
  }
  for (const [n, { triggers, channels: places, filter = "" }] of rules.entries()) {
    const rule = {
      name: `Rule ${n + 1}`,
      enabled: true,
      triggers: [...triggers],
      filter,
      channelIds: places.map((place) => channelIds[place] ?? 0),
    };
    await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  }
  return { ...project, channelIds };
}

/** All deliveries of a project, oldest first. */
export async function allDeliveries(client: GrpcClient, projectId: number): Promise<NotificationDelivery[]> {
  const found: NotificationDelivery[] = [];
  let pageToken = "";
  do {
    const page = await client.notificationDeliveries.listNotificationDeliveries(
      { projectId, pageSize: 100, pageToken },
      client.auth,
    );
    found.push(...page.deliveries);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return found.toReversed();
}
