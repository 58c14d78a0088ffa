import { serve } from "@faultline/plugin";
import { projectPlace, type ProjectPlace } from "@faultline/plugin/text";
import { NotificationChannelService } from "@faultline/proto";
import type { ChannelKind } from "./channel-kind.ts";
import { channelKinds, channelToProto, kindNamed, openConfig, readChannel } from "./channel.ts";
import { channelTests, RecentLimit } from "./recent-limit.ts";
import { addChannel, changeChannel, channelsIn, removeChannel } from "./stored-channels.ts";
import { callChannel } from "./call-channel.ts";
import { failingAmong } from "./failing-servers.ts";
import { testHeadline } from "../kinds.ts";
import type { Message } from "../messages/message.ts";
import type { ChannelRow } from "../tables.ts";

/** The channels of projects. `baseUrl` is the address of the console. */
export const channelService = (baseUrl: () => string) =>
  serve(NotificationChannelService, (host) => {
    const { database, secrets, clock } = host;
    const tests = new RecentLimit(clock, channelTests);
    const shown = (row: ChannelRow) => channelToProto(row, openConfig(secrets, row));
    return {
      async listNotificationChannelKinds() {
        return { kinds: channelKinds.map(kindToProto) };
      },

      async listNotificationChannels(_, { grant }) {
        const rows = await channelsIn(database.read(), grant.project.id);
        const servers = rows.map(({ server }) => server);
        const failing = await failingAmong(database.read(), servers);
        return { channels: rows.map((row) => channelToProto(row, openConfig(secrets, row), failing)) };
      },

      async createNotificationChannel({ kind, name, fields }, { grant, caller }) {
        const given = { projectId: grant.project.id, kind, name, fields, by: caller.user.username };
        const { row, config } = await addChannel(host, given);
        return { channel: channelToProto(row, config), signingSecret: config.signing?.current ?? "" };
      },

      async updateNotificationChannel(request, { grant }) {
        const { row, config } = await changeChannel(host, grant.project.id, request);
        const signingSecret = request.rotateSigningSecret ? (config.signing?.current ?? "") : "";
        return { channel: channelToProto(row, config), signingSecret };
      },

      async deleteNotificationChannel({ channelId }, { grant }) {
        return { channel: shown(await removeChannel(host, grant.project.id, channelId)) };
      },

      async testNotificationChannel({ channelId }, { grant, caller, signal }) {
        const row = await readChannel(database.read(), grant.project.id, channelId);
        tests.spend(grant.project.id);
        const at = clock.now();
        const { outcome, httpStatus, answer } = await callChannel(host.outbound, kindNamed(row.kind), {
          message: testMessage(projectPlace(grant.project.path, baseUrl()), { by: caller.user.username, at }),
          config: openConfig(secrets, row),
          delivery: { uid: `test_${row.id}_${at}`, at },
          signal,
        });
        return { accepted: outcome.is === "sent", httpStatus, answer };
      },
    };
  });

const kindToProto = ({ kind, name, fields }: ChannelKind) => ({
  kind,
  name,
  fields: fields.map(({ key, label, hint, isRequired, isSecret, isMultiline = false }) => {
    return { key, label, hint, required: isRequired, secret: isSecret, multiline: isMultiline };
  }),
});

/** The message of the test button. */
export const testMessage = (project: ProjectPlace, { by, at }: { by: string; at: number }): Message => ({
  kind: "test",
  headline: testHeadline,
  project: project.path,
  errorId: "",
  title: `${by} sent this test from Faultline.`,
  place: "",
  level: "info",
  facts: [],
  lines: [],
  url: project.url,
  rule: "",
  note: "",
  at,
  thread: `test.${at}`,
});
