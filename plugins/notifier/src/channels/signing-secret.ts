import { randomBytes } from "node:crypto";
import type { ChannelConfig } from "./channel-kind.ts";

const overlapMs = 86_400_000;

/** A new key of Standard Webhooks: 32 bytes. */
const newKey = () => `whsec_${randomBytes(32).toString("base64")}`;

/** A new signing key; the one before it signs as well for 24 hours. */
export function newSigning(before: ChannelConfig["signing"], now: number): NonNullable<ChannelConfig["signing"]> {
  return { current: newKey(), ...(before && { previous: { key: before.current, until: now + overlapMs } }) };
}
