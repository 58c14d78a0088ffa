import { invalidField } from "@faultline/plugin";
import type { ChannelKind } from "./channel-kind.ts";
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

/** All kinds of channels, in the order of their names. */
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

/** The kind with this name; refuses another one with INVALID_FIELD. */
export function kindNamed(name: string): ChannelKind {
  const found = channelKinds.find(({ kind }) => kind === name);
  if (found) return found;
  throw invalidField(
    "kind",
    `This kind of channel does not exist. Choose one of ${channelKinds.map(({ kind }) => kind).join(", ")}.`,
  );
}
