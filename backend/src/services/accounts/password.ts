import crypto, { randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { invalidField, ServiceError } from "@faultline/plugin";
import { Semaphore } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";

const derive = promisify(crypto.argon2); // no named import: an older Node would fail to link before it can be refused

/** OWASP's minimum for argon2id: 19 MiB, 2 passes, 1 lane; about 30 ms on the machines we measured. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

const leastBytes = 12;
const mostBytes = 1024;

/**
 * Concurrent hashes: one core stays free of them. With two at once on two cores, guesses at one name raised the p99 of
 * other projects' reads to 97 to 389 ms.
 */
const atOnce = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Further ones are refused: a flood of sign-ins must not use up the memory. */
const waitingAtMost = 50;
const hashing = new Semaphore(atOnce, {
  waitingAtMost,
  refusal: () =>
    new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many people sign in now. Try again in some seconds."),
});

/** Returns a password that may be set, 12 to 1,024 bytes; refuses others and names the request field. */
export function newPassword(password: string, field = "password"): string {
  const bytes = Buffer.byteLength(password);
  if (bytes >= leastBytes && bytes <= mostBytes) return password;
  throw invalidField(field, "A password has 12 to 1,024 bytes (one for each ASCII letter). Choose another.");
}

/** The password's hash as a PHC string; refuses with TOO_MANY_ATTEMPTS when too many wait for theirs. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await hash(password, nonce);
  const [m, t, p] = [cost.memory, cost.passes, cost.parallelism];
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

/**
 * Whether `phc` is the hash of `password`; refuses like hashPassword. Without a hash, and with a password longer than
 * allowed, it takes the same time and returns false, so that time reveals nothing.
 */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const isPossible = Buffer.byteLength(password) <= mostBytes;
  const [nonce, tag] = (phc?.split("$").slice(4) ?? []).map((part) => Buffer.from(part, "base64url"));
  const made = await hash(isPossible ? password : "", nonce ?? randomBytes(16));
  return isPossible && tag !== undefined && timingSafeEqual(made, tag);
}

function hash(password: string, nonce: Buffer): Promise<Buffer> {
  return hashing.run(() => derive("argon2id", { message: password, nonce, ...cost }));
}
