import { OutboundFailure, type Outbound } from "@faultline/plugin";
import { cleanText } from "@faultline/plugin/text";
import type { Message } from "../messages/message.ts";
import { outcomeOfStatus, type ChannelConfig, type ChannelKind, type Delivery, type Outcome } from "./channel-kind.ts";

/** A slower call would hold a place that others wait for. */
const timeoutMs = 5_000;
const maxAnswerBytes = 65_536;
const shownAnswer = 2_000;

/** The result of a try: the outcome, and the facts for the log. */
export interface Tried {
  readonly outcome: Outcome | { readonly is: "unknown" };
  /** 0 if there was no answer. */
  readonly httpStatus: number;
  readonly answer: string;
  /** Host and port of the called server. Undefined if channels do not share it. */
  readonly server?: string;
}

/** Sends a message to a channel once. Throws when `signal` is aborted. */
export async function callChannel(
  outbound: Outbound,
  kind: ChannelKind,
  parts: { message: Message; config: ChannelConfig; delivery: Delivery; signal?: AbortSignal | undefined },
): Promise<Tried> {
  const { message, config, delivery, signal } = parts;
  const request = kind.request(message, config, delivery);
  const server = serverOf(request.url);
  try {
    const answer = await outbound.request({ method: "POST", ...request, maxBytes: maxAnswerBytes, timeoutMs, signal });
    const { status, body, isPublic } = answer;
    // An answer from a private network is not shown to everybody who may add a channel.
    const shown = isPublic ? withoutSecrets(body.toString(), config) : `${body.length} bytes`;
    return { outcome: kind.outcome?.(answer) ?? outcomeOfStatus(answer), httpStatus: status, answer: shown, server };
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    signal?.throwIfAborted();
    return { outcome: outcomeOf(error), httpStatus: 0, answer: sentences[error.fault], server };
  }
}

/** Whether the other side may have received the message although it did not answer. */
const outcomeOf = ({ mayHaveArrived }: OutboundFailure): Tried["outcome"] => ({
  is: mayHaveArrived ? "unknown" : "retry",
});

/** The server of an address, with its port. Cut, because an address may be long. */
function serverOf(address: string): string {
  const url = URL.parse(address);
  if (!url) return "";
  return `${url.hostname}:${url.port || (url.protocol === "http:" ? "80" : "443")}`.slice(0, 300);
}

const sentences: Readonly<Record<OutboundFailure["fault"], string>> = {
  address: "The address was not found, or connections to it are blocked.",
  connect_timeout: "The server could not be reached in time.",
  read_timeout: "The server did not answer in time.",
  refused: "The server refused the connection.",
  socket: "The connection broke.",
  tls: "The server's certificate is not valid.",
  protocol: "The server did not answer in HTTP.",
  too_big: "The server's answer was too long.",
  aborted: "The service stopped while it was sending.",
};

/** The answer without the channel's secrets, because a server may repeat them. */
function withoutSecrets(answer: string, { fields, signing }: ChannelConfig): string {
  const values = [...Object.values(fields), signing?.current, signing?.previous?.key];
  const secrets = values.filter((value) => value !== undefined && value.length >= 6) as string[];
  const spelt = secrets.flatMap((secret) => [
    secret,
    ...pathOf(secret),
    ...wordsOf(secret),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
  return cleanText(
    spelt.reduce((text, secret) => text.replaceAll(secret, "[Filtered]"), answer),
    shownAnswer,
  );
}

/** A server often repeats an address without its host: `Cannot POST /hooks/...`. */
function pathOf(secret: string): string[] {
  const path = URL.parse(secret)?.pathname ?? "";
  return path.length >= 6 ? [path] : [];
}

/** Headers hold several secrets in one value, each after a name and perhaps a scheme: `Authorization: Bearer ...`. */
function wordsOf(secret: string): string[] {
  return secret.includes(": ") ? secret.split(/\s+/).filter((word) => word.length >= 6 && !word.endsWith(":")) : [];
}
