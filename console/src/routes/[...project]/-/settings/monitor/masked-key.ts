import type { ClientKey } from "#lib/messages.ts";

/** A client key as the page gets it: recognised by its first digits, useless for sending. */
export interface MaskedKey {
  readonly keyId: number;
  readonly maskedDsn: string;
  readonly createdTime: string | undefined;
  /** When it last sent an event, exact to a minute. Undefined if it never did. */
  readonly lastUsedTime: string | undefined;
  /** False: events sent with it are refused. */
  readonly active: boolean;
}

/** Four digits, behind the prefix that newer keys have. */
const shownPart = /^(?:flck_)?.{4}/;

export const maskedKey = ({ keyId, dsn, publicKey, createdTime, lastUsedTime, active }: ClientKey): MaskedKey => ({
  keyId,
  maskedDsn: dsn.replace(publicKey, `${shownPart.exec(publicKey)?.[0] ?? ""}…`),
  createdTime,
  lastUsedTime,
  active,
});
