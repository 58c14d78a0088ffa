import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartRefusal } from "@faultline/plugin";
import { writeFileDurably } from "./write-file-durably.ts";

/**
 * The form of the file. The first key encrypts, and all keys decrypt. `pepper` never changes, because lookups depend on
 * it.
 */
interface KeyFile {
  readonly pepper: string;
  readonly keys: readonly KeyEntry[];
}

interface KeyEntry {
  /** A number that grows with each rotation. */
  readonly id: string;
  readonly secret: string;
}

/** The key file in a data directory. */
export function keyFile(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

/**
 * The installation's own secrets: digests for lookups of secrets, and encryption of secrets that must be shown again. A
 * thief with only the database can read neither.
 */
export class KeyRing {
  readonly #path: string;
  readonly #pepper: Buffer;
  #file: KeyFile;
  #keys: ReadonlyMap<string, Buffer>;
  #activeId: string;

  private constructor(path: string, file: KeyFile) {
    this.#path = path;
    this.#file = file;
    this.#pepper = secretBytes(file.pepper);
    [this.#activeId, this.#keys] = keysOf(file);
  }

  /**
   * Reads `secrets.json` in the data directory; creates it if `mayCreate`, which is true only before the database
   * exists.
   */
  static open(dataDir: string, mayCreate: boolean): KeyRing {
    const path = keyFile(dataDir);
    if (!existsSync(path)) {
      if (!mayCreate) {
        throw new StartRefusal(
          `The key file ${path} is missing, so the stored tokens and client keys cannot be read. Restore it from a backup.`,
        );
      }
      const fresh: KeyFile = {
        pepper: randomBytes(32).toString("base64"),
        keys: [newKey(1)],
      };
      writeKeys(path, fresh);
    }
    try {
      return new KeyRing(path, JSON.parse(readFileSync(path, "utf8")) as KeyFile); // invalid forms are refused below
    } catch (error) {
      throw new StartRefusal(`The key file ${path} cannot be read. Restore it from a backup.`, error);
    }
  }

  /** A keyed digest, 64 hexadecimal digits, to be stored and looked up. */
  digest(purpose: string, secret: string): string {
    return createHmac("sha256", this.#pepper).update(purpose).update("\0").update(secret).digest("hex");
  }

  /** Encrypts `text` for one place (`table:row:column`); it cannot be decrypted in another place. */
  encrypt(place: string, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#dataKey(this.#activeId), nonce).setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return ["v1", this.#activeId, ...[nonce, body, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(
      ".",
    );
  }

  /** Decrypts a value that `encrypt` made for the same place. */
  decrypt(place: string, sealed: string): string {
    const [version, keyId, ...parts] = sealed.split(".");
    const [nonce, body, tag] = parts.map((part) => Buffer.from(part, "base64url"));
    if (version !== "v1" || keyId === undefined || !nonce || !body || !tag) throw new Error("not an encrypted value");
    const decipher = createDecipheriv("aes-256-gcm", this.#dataKey(keyId), nonce);
    decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  }

  /** Whether `decrypt` reads a value. */
  canDecrypt(place: string, sealed: string): boolean {
    try {
      this.decrypt(place, sealed);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether a value was encrypted with a key that the file lacks, because the file is older than a rotation. */
  lacksKeyOf(sealed: string): boolean {
    const keyId = /^v1\.(\d+)\./.exec(sealed)?.[1];
    return keyId !== undefined && !this.#keys.has(keyId);
  }

  /** The number of keys; more than one while stored values wait to be encrypted with the first key. */
  get keyCount(): number {
    return this.#keys.size;
  }

  /** The prefix of every value that the first key encrypted. */
  get activePrefix(): string {
    return `v1.${this.#activeId}.`;
  }

  /** Adds a new first key. It is in the file before anything is encrypted with it. */
  rotate(): void {
    const newest = Math.max(...this.#file.keys.map(({ id }) => Number(id) || 0));
    this.#replaceKeys([newKey(newest + 1), ...this.#file.keys]);
  }

  /** Deletes all keys but the first. No stored value may need them any more. */
  dropOldKeys(): void {
    this.#replaceKeys(this.#file.keys.slice(0, 1));
  }

  #replaceKeys(keys: readonly KeyEntry[]): void {
    const file = { ...this.#file, keys };
    writeKeys(this.#path, file);
    this.#file = file;
    [this.#activeId, this.#keys] = keysOf(file);
  }

  #dataKey(keyId: string): Buffer {
    const secret = this.#keys.get(keyId);
    if (!secret) throw new Error(`key ${keyId} is not in the key file`);
    return Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), "faultline data", 32));
  }
}

function newKey(id: number): KeyEntry {
  return { id: String(id), secret: randomBytes(32).toString("base64") };
}

function writeKeys(path: string, file: KeyFile): void {
  writeFileDurably(path, JSON.stringify(file, null, 2) + "\n");
}

/** The id of the first key, and all keys. */
function keysOf({ keys }: KeyFile): [activeId: string, keys: ReadonlyMap<string, Buffer>] {
  const [first] = keys;
  if (first === undefined) throw new Error("no key");
  return [first.id, new Map(keys.map(({ id, secret }) => [id, secretBytes(secret)]))];
}

/** The 32 bytes of a secret in the key file. HMAC and HKDF would silently accept a shorter secret. */
function secretBytes(base64: string): Buffer {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== 32) throw new Error("a secret must have 32 bytes");
  return bytes;
}
