import crypto, { randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { invalidField, ServiceError, wideNetwork } from "@faultline/plugin";
import { FairQueue, RecentTimes, type Turn } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import { passwordOf } from "../tables/identity.ts";
import type { Claimant, IdentityKind } from "./identity-kind.ts";

const derive = promisify(crypto.argon2); // no named import: an older Node would fail to link before it can be refused

/** OWASP's minimum for argon2id: 19 MiB, 2 passes, 1 lane; about 30 ms on the machines we measured. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

const leastBytes = 12;
const mostBytes = 1024;

/**
 * Concurrent hashes: one core stays free. With two concurrent hashes on two cores, guesses at one name raised the p99
 * of other projects' reads to 97 to 389 ms.
 */
const atOnce = Math.min(2, Math.max(1, availableParallelism() - 1));

/** Hashes of a person, or of a wide network of strangers, that may wait. */
const waitingOfOwner = 5;

/**
 * Hashes that may wait in total; further hashes are refused because a flood of sign-ins must not use up the memory.
 * Hashes that go ahead are counted separately.
 */
const waiting = 50;

const hashing = new FairQueue({
  atOnce,
  ofOwner: 1,
  waitingOfOwner,
  waiting,
  refusal: () =>
    new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many people are signing in. Try again in a few seconds.", {
      retryAfterSeconds: 5,
    }),
});

/**
 * Hashes of a person that go ahead of strangers in a minute, so that a person who keeps signing in locks nobody out.
 */
const aheadAMinute = 10;
const wentAhead = new RecentTimes({ now: () => performance.now() }, { windowMs: 60_000, timesKept: aheadAMinute });

/** The kind of identity with a password. A person signs in to it by user name or e-mail address. */
export const passwordKind: IdentityKind = {
  kind: "password",
  async subjectOf(name, userOf) {
    const userId = await userOf(name);
    return userId === undefined ? undefined : passwordOf(userId).subject;
  },
  verify: verifyPassword,
};

/** Returns a password that may be set, 12 to 1,024 bytes; refuses others and names the request field. */
export function newPassword(password: string, field = "password"): string {
  const bytes = Buffer.byteLength(password);
  if (bytes >= leastBytes && bytes <= mostBytes) return password;
  throw invalidField(field, "Use a password of 12 to 1,024 bytes (one per ASCII letter).");
}

/** The password's hash as a PHC string. Refuses with TOO_MANY_ATTEMPTS if too many hashes wait. */
export async function hashPassword(password: string, by: Claimant): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await hash(password, nonce, by);
  const [m, t, p] = [cost.memory, cost.passes, cost.parallelism];
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

/**
 * Whether `phc` is the hash of `password`; refuses like hashPassword. Without a hash, or with a password that is too
 * long, it takes the same time and returns false, so that time reveals nothing.
 */
export async function verifyPassword(password: string, phc: string | undefined, by: Claimant): Promise<boolean> {
  const isPossible = Buffer.byteLength(password) <= mostBytes;
  const [nonce, tag] = (phc?.split("$").slice(4) ?? []).map((part) => Buffer.from(part, "base64url"));
  const made = await hash(isPossible ? password : "", nonce ?? randomBytes(16), by);
  return isPossible && tag !== undefined && timingSafeEqual(made, tag);
}

function hash(password: string, nonce: Buffer, by: Claimant): Promise<Buffer> {
  return hashing.run(turnOf(by), () => derive("argon2id", { message: password, nonce, ...cost }));
}

function turnOf(by: Claimant): Turn {
  if (!("known" in by)) return { owners: [`network ${wideNetwork(by.clientAddress)}`] };
  const isAhead = wentAhead.of(by.known).length < aheadAMinute;
  if (isAhead) wentAhead.note(by.known);
  return { owners: [by.known], isAhead };
}
