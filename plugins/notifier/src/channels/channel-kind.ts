import { type OutboundAnswer, retryAfter } from "@faultline/plugin";
import type { SettingsField } from "@faultline/plugin/fields";
import type { Message } from "../messages/message.ts";

/** A kind of channel: its fields, how a message becomes a request, and the meaning of answers. */
export interface ChannelKind {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly SettingsField[];
  /** Whether the other side recognizes a repeated delivery, so that an unanswered delivery may be sent again. */
  readonly isIdempotent: boolean;
  /** Older deliveries are dropped. */
  readonly expiresAfterMs: number;
  /** The request that delivers a message. */
  request(message: Message, config: ChannelConfig, delivery: Delivery): ChannelRequest;
  /** The meaning of an answer. Default: `outcomeOfStatus`. */
  outcome?(answer: OutboundAnswer): Outcome | undefined;
}

/** The stored settings of a channel, encrypted as a whole. */
export interface ChannelConfig {
  readonly fields: Readonly<Record<string, string>>;
  /** The keys that sign the deliveries of a webhook: `whsec_` and base64. */
  readonly signing?: {
    readonly current: string;
    /** The previous key, which also signs deliveries until then. */
    readonly previous?: { readonly key: string; readonly until: number };
  };
}

/** The facts about the delivery in a request. */
export interface Delivery {
  /** The same for each try. */
  readonly uid: string;
  /** When this try begins, in milliseconds since 1970. */
  readonly at: number;
}

export interface ChannelRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The outcome of a try. */
export type Outcome =
  | { readonly is: "sent" }
  /** A later try may work, after `afterMs` at the earliest. */
  | { readonly is: "retry"; readonly afterMs?: number }
  /** The other side will not accept this message. */
  | { readonly is: "drop"; readonly reason: string }
  /** The other side refuses the channel's address or credentials. */
  | { readonly is: "disable"; readonly reason: string };

/** The meaning of a status for most channels. */
export function outcomeOfStatus({ status, headers }: OutboundAnswer): Outcome {
  if (status >= 200 && status < 300) return { is: "sent" };
  if (status === 429 || status >= 500) return { is: "retry", ...retryAfter(headers["retry-after"]) };
  if (status === 401 || status === 403 || status === 404 || status === 410) {
    return { is: "disable", reason: `The server answered with HTTP status ${status}.` };
  }
  if (status >= 300 && status < 400) return { is: "drop", reason: "The server answered with a redirect." };
  return { is: "drop", reason: `The server answered with HTTP status ${status}.` };
}

/** A POST of JSON. */
export const jsonRequest = (
  url: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ChannelRequest => ({
  url: url ?? "",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
