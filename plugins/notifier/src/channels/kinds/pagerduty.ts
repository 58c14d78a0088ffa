import { secret } from "@faultline/plugin/fields";
import { cut } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { isEnding } from "../../kinds.ts";
import { headOf, type Level, type Message, plainText } from "../../messages/message.ts";

const severities: Readonly<Record<Level, string>> = {
  fatal: "critical",
  error: "error",
  warning: "warning",
  info: "info",
  debug: "info",
};

/** PagerDuty Events API v2. Each error is an incident, which is resolved when the error is. */
export const pagerduty: ChannelKind = {
  kind: "pagerduty",
  name: "PagerDuty",
  fields: [
    secret("routing_key", "Integration key", {
      hint: "Of a service's Events API v2 integration",
      check: (value) => (/^[\da-zA-Z]{32}$/.test(value) ? undefined : "Enter 32 letters and digits."),
    }),
  ],
  isIdempotent: true, // by dedup_key
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest("https://events.pagerduty.com/v2/enqueue", {
      routing_key: fields["routing_key"],
      event_action: isOver(message) ? "resolve" : "trigger",
      dedup_key: `faultline:${message.thread}`,
      payload: {
        summary: cut(`${headOf(message)}: ${message.title}`, 1_000),
        source: message.project,
        severity: severities[message.level],
        timestamp: new Date(message.at).toISOString(),
        component: message.place,
        custom_details: { text: plainText(message) },
      },
      links: [{ href: message.url, text: "Open in Faultline" }],
      client: "Faultline",
      client_url: message.url,
    }),
};

const isOver = ({ kind }: Message) => isEnding(kind) || kind === "test";
