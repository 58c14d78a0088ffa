import { timingSafeEqual } from "node:crypto";
import { ServiceError, type Secrets } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/**
 * The parts from which links in mails are made: the console's address, never a Host header, and the installation's key.
 */
export interface LinkParts {
  readonly secrets: Pick<Secrets, "digest">;
  readonly baseUrl: () => string;
}

/** A person's mail of a project. */
export interface Subscription {
  readonly userId: number;
  readonly projectId: number;
}

const confirmationMs = 24 * 3_600_000;

/** The page that permanently ends a person's mails of a project, without a sign-in. */
export const unsubscribeUrl = ({ secrets, baseUrl }: LinkParts, one: Subscription): string =>
  `${pageUrl(baseUrl(), "unsubscribe")}/${one.userId}.${one.projectId}.${subscriptionMac(secrets, one)}`;

/**
 * The person and the project for which the token of such a link ends mails. Refuses another token with
 * INVITATION_NOT_FOUND.
 */
export function readUnsubscribe(secrets: LinkParts["secrets"], token: string): Subscription {
  const [, userId, projectId, mac = ""] = /^(\d{1,10})\.(\d{1,10})\.([\w-]{22})$/.exec(token) ?? [];
  const one = { userId: Number(userId), projectId: Number(projectId) };
  if (userId !== undefined && isSame(mac, subscriptionMac(secrets, one))) return one;
  throw wrongLink("This link is incomplete. Copy the full link from the e-mail.");
}

/** The page that confirms that an address belongs to the user. The link is valid for a day. */
export const confirmationUrl = (
  { secrets, baseUrl }: LinkParts,
  { userId, email, now }: { userId: number; email: string; now: number },
): string => {
  const until = now + confirmationMs;
  return `${pageUrl(baseUrl(), "confirm_email")}/${userId}.${until}.${confirmationMac(secrets, { userId, until, email })}`;
};

/** The user, and the check of the address, that the token of such a link confirms. */
export function readConfirmation(secrets: LinkParts["secrets"], token: string, now: number) {
  const [, user = "0", until = "0", mac = ""] = /^(\d{1,10})\.(\d{1,15})\.([\w-]{22})$/.exec(token) ?? [];
  const [userId, untilTime] = [Number(user), Number(until)];
  if (userId === 0 || now > untilTime) throw wrongConfirmation();
  const isFor = (email: string) => isSame(mac, confirmationMac(secrets, { userId, until: untilTime, email }));
  return { userId, isFor };
}

export const wrongConfirmation = () =>
  wrongLink(
    "This link has expired, or the address of your account has changed. Send a new link from your account page.",
  );

const wrongLink = (sentence: string) => new ServiceError(ErrorReason.INVITATION_NOT_FOUND, sentence);

const pageUrl = (baseUrl: string, page: string) => `${baseUrl.replace(/\/+$/, "")}/-/${page}`;

const subscriptionMac = (secrets: LinkParts["secrets"], { userId, projectId }: Subscription) =>
  mac(secrets, "unsubscribe v1", `${userId}|${projectId}`);

const confirmationMac = (
  secrets: LinkParts["secrets"],
  { userId, until, email }: { userId: number; until: number; email: string },
) => mac(secrets, "confirm address v1", `${userId}|${until}|${email}`);

/** 128 bits, so that the link fits in a line of a mail. */
const mac = (secrets: LinkParts["secrets"], purpose: string, text: string): string =>
  Buffer.from(secrets.digest(purpose, text), "hex").subarray(0, 16).toString("base64url");

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
