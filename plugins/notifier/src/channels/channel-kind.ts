import { type OutboundAnswer, retryAfter } from "@faultline/plugin";
import type { SettingsField } from "@faultline/plugin/fields";
import type { Message } from "../messages/message.ts";

/** A kind of channels: its fields, how a message becomes a request, and what the answers mean. */
export interface ChannelKind {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly SettingsField[];
  /** Whether the other side recognises a repeated delivery, so that one without an answer may be sent again. */
  readonly isIdempotent: boolean;
  /** A delivery that is older is given up. */
  readonly expiresAfterMs: number;
  /** The request that delivers a message. */
  request(message: Message, config: ChannelConfig, delivery: Delivery): ChannelRequest;
  /** What an answer means. Default: `outcomeOfStatus`. */
  outcome?(answer: OutboundAnswer): Outcome | undefined;
}

/** The stored settings of a channel, encrypted as a whole. */
export interface ChannelConfig {
  readonly fields: Readonly<Record<string, string>>;
  /** The keys that sign the deliveries of a webhook: `whsec_` and base64. */
  readonly signing?: {
    readonly current: string;
    /** The one before, which signs as well until then. */
    readonly previous?: { readonly key: string; readonly until: number };
  };
}

/** What a request says of the delivery. */
export interface Delivery {
  /** The same in each try. */
  readonly uid: string;
  /** When this try begins, in milliseconds since 1970. */
  readonly at: number;
}

export interface ChannelRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of a try. */
export type Outcome =
  | { readonly is: "sent" }
  /** It may work later, at the earliest after `afterMs`. */
  | { readonly is: "retry"; readonly afterMs?: number }
  /** This message will not be accepted. */
  | { readonly is: "drop"; readonly reason: string }
  /** The channel's address or credentials are refused. */
  | { readonly is: "disable"; readonly reason: string };

/** What a status means for most channels. */
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
