import { webhookSignature } from "@faultline/plugin";
import type { ChannelKind } from "../channel-kind.ts";
import { plain, secret, secretUrl } from "@faultline/plugin/fields";
import { webhookBody } from "../webhook/body.ts";
import { extraHeaders, headersFault } from "../webhook/extra-headers.ts";
import { filledTemplate, templateFault } from "../webhook/template.ts";

const dayMs = 86_400_000;

/** A webhook, signed according to Standard Webhooks 1.0.0. */
export const webhook: ChannelKind = {
  kind: "webhook",
  name: "Webhook",
  fields: [
    secretUrl("Receives each message as JSON by POST, signed with Standard Webhooks."),
    {
      ...plain("template", "Body", { isRequired: false, check: templateFault }),
      hint: `The JSON to send instead of the default, such as {"text": "{{headline}}: {{error.title}}"}. Leave empty for the default.`,
      isMultiline: true,
    },
    {
      ...secret("headers", "Headers", { isRequired: false, check: headersFault }),
      hint: "One per line, such as Authorization: Bearer abc.",
      isMultiline: true,
    },
  ],
  isIdempotent: true, // by webhook-id
  expiresAfterMs: 4 * dayMs,
  request(message, { fields, signing }, { uid, at }) {
    const { url = "", template, headers = "" } = fields;
    const body = template === undefined ? JSON.stringify(webhookBody(message)) : filledTemplate(template, message);
    const timestamp = String(Math.floor(at / 1000));
    const keys = signing
      ? [signing.current, ...(at < (signing.previous?.until ?? 0) ? [signing.previous?.key ?? ""] : [])]
      : [];
    return {
      url,
      headers: {
        ...extraHeaders(headers),
        "content-type": "application/json",
        "webhook-id": uid,
        "webhook-timestamp": timestamp,
        "webhook-signature": keys.map((key) => webhookSignature(key, `${uid}.${timestamp}.${body}`)).join(" "),
      },
      body,
    };
  },
  outcome: ({ status }) =>
    // Standard Webhooks: 410 asks to disable the webhook. Other refusals may be temporary mistakes.
    status === 401 || status === 403 || status === 404 ? { is: "retry" } : undefined,
};
