import { secret, secretUrl } from "@faultline/plugin/fields";
import { cut, fenced, inertTitle } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { isEnding } from "../../kinds.ts";
import { headOf, type Level, plainText } from "../../messages/message.ts";

const severities: Readonly<Record<Level, string>> = {
  fatal: "critical",
  error: "high",
  warning: "medium",
  info: "info",
  debug: "info",
};

/** GitLab's HTTP endpoint for alerts. Each error is an alert, which ends when the error does. */
export const gitlabAlert: ChannelKind = {
  kind: "gitlab-alert",
  name: "GitLab alert",
  fields: [secretUrl("The webhook URL of an alert integration"), secret("token", "Authorization key")],
  isIdempotent: true, // alerts with the same fingerprint are merged
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(
      fields["url"],
      {
        title: inertTitle(`${headOf(message)}: ${message.title}`, 200),
        description: fenced(cut(plainText(message), 900)), // a fence stops quick actions and references
        start_time: new Date(message.at).toISOString(),
        ...(isEnding(message.kind) && { end_time: new Date(message.at).toISOString() }),
        service: message.project,
        monitoring_tool: "Faultline",
        severity: severities[message.level],
        fingerprint: message.thread,
        faultline_url: message.url,
      },
      { authorization: `Bearer ${fields["token"] ?? ""}` },
    ),
};
