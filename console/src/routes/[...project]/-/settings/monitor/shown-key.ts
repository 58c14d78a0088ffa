import type { ClientKey } from "#lib/messages.ts";
import { counted } from "#lib/number-format.ts";

/** A client key in the form for pages: recognizable by its first digits, useless for sending. */
export interface MaskedKey {
  readonly keyId: number;
  readonly maskedDsn: string;
  readonly createdTime: string | undefined;
  /** When it last sent an event, exact to a minute; undefined if it never did. */
  readonly lastUsedTime: string | undefined;
  /** If false, events sent with it are refused. */
  readonly active: boolean;
}

/** Four digits, after the prefix of newer keys. */
const shownPart = /^(?:flck_)?.{4}/;

export const maskedKey = ({ keyId, dsn, publicKey, createdTime, lastUsedTime, active }: ClientKey): MaskedKey => ({
  keyId,
  maskedDsn: dsn.replace(publicKey, `${shownPart.exec(publicKey)?.[0] ?? ""}…`),
  createdTime,
  lastUsedTime,
  active,
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

interface Used {
  /** Undefined if it never sent an event. */
  readonly lastUsedTime: string | undefined;
}

/** The time since a key last sent something, in milliseconds; Infinity if it never did. */
export const silentMs = ({ lastUsedTime }: Used, now: number) =>
  lastUsedTime === undefined ? Infinity : Math.max(0, now - Date.parse(lastUsedTime));

/** Whether applications seem to use the key: it was used in the last 24 hours. */
export const isInUse = (key: Used, now: number) => silentMs(key, now) < dayMs;

/** A sentence about how long a key to be deleted has been unused. */
export function silence(key: Used & { readonly keyId: number }, now: number): string {
  const ms = silentMs(key, now);
  const name = `Key ${key.keyId}`;
  if (ms === Infinity) return `${name} has never sent an event: it is safe to delete.`;
  if (ms < 10 * minuteMs) return `${name} is still in use.`;
  const silent = `${name} has been silent for ${lengthOf(ms)}`;
  return ms < dayMs
    ? `${silent}. An application that reports rarely may still use it: wait for 24 hours to be sure.`
    : `${silent}: it is safe to delete.`;
}

function lengthOf(ms: number): string {
  if (ms < hourMs) return counted(Math.floor(ms / minuteMs), "minute");
  return ms < 2 * dayMs ? counted(Math.floor(ms / hourMs), "hour") : counted(Math.floor(ms / dayMs), "day");
}
