import { typeOf } from "../../kinds.ts";
import type { Message } from "../../messages/message.ts";

/**
 * The body of a webhook without a template, described in docs/schemas/webhook-1.json. Fields are added but never
 * removed.
 */
export const webhookBody = (message: Message) => ({
  type: typeOf(message.kind),
  timestamp: new Date(message.at).toISOString(),
  version: 1,
  data: {
    headline: message.headline,
    project: message.project,
    error_id: message.errorId,
    title: message.title,
    place: message.place,
    level: message.level,
    facts: message.facts,
    lines: message.lines,
    rule: message.rule,
    note: message.note,
    url: message.url,
  },
});
