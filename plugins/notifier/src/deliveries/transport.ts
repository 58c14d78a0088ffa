import type { Host } from "@faultline/plugin";
import { openConfig, kindNamed } from "../channels/channel.ts";
import type { Message } from "../messages/message.ts";
import type { ChannelRow } from "../tables.ts";
import { callChannel, type Tried } from "../channels/call-channel.ts";

/** How the messages of a channel are delivered. */
export interface Transport {
  /** See ChannelKind. */
  readonly isIdempotent: boolean;
  readonly expiresAfterMs: number;
  /** Sends a message once. Throws when `signal` is aborted. */
  send(
    message: Message,
    one: { readonly uid: string; readonly at: number; readonly signal: AbortSignal },
  ): Promise<Tried>;
}

/** The channels that projects set up, by HTTP requests. */
export function httpTransport(
  { outbound, secrets }: Pick<Host, "outbound" | "secrets">,
  channel: ChannelRow,
): Transport {
  const kind = kindNamed(channel.kind);
  return {
    isIdempotent: kind.isIdempotent,
    expiresAfterMs: kind.expiresAfterMs,
    send: (message, { signal, ...delivery }) =>
      callChannel(outbound, kind, { message, config: openConfig(secrets, channel), delivery, signal }),
  };
}
