import type { ChannelRequest } from "./channel-kind.ts";

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
