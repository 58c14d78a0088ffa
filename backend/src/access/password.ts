import crypto, { randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(crypto.argon2); // not by name: an older Node would fail to link before it can be refused

/** OWASP's minimum for argon2id: 19 MiB, 2 passes, 1 lane; about 30 ms on the machines we measured. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** At most two hashes at once, so that a flood of sign-ins cannot take the memory and both cores. */
let running = 0;
const waiting: (() => void)[] = [];

async function hash(password: string, nonce: Buffer): Promise<Buffer> {
  if (running >= 2) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await derive("argon2id", { message: password, nonce, ...cost });
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** The password's hash as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await hash(password, nonce);
  const [m, t, p] = [cost.memory, cost.passes, cost.parallelism];
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

/** Whether `password` made `phc`. Without a hash it works as long and says no, so that time tells nothing. */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const [nonce, tag] = (phc?.split("$").slice(4) ?? []).map((part) => Buffer.from(part, "base64url"));
  const made = await hash(password, nonce ?? randomBytes(16));
  return tag !== undefined && timingSafeEqual(made, tag);
}
