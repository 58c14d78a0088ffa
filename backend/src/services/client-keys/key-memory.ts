import { ServiceError, type Admission, type Clock, type ClosedDoor } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { isStorageFailure } from "../../storage/database/storage-failure.ts";

/** The cached result of a lookup: a key, or that the key is unknown. */
export type Known = FoundKey | "unknown";

export interface FoundKey extends Omit<Admission, "network"> {
  /** The reason why the key is refused now, if it is. */
  readonly closed: ClosedDoor | undefined;
  readonly allowedOrigins: readonly string[];
}

/** A key takes about 200 bytes. Unknown keys are cached too, so that a flood of guesses costs no database reads. */
const keysRemembered = 50_000;
const guessesRemembered = 10_000;

/**
 * How long a request waits for the database. Then a cached key is used, and a request with any other key is refused.
 */
const patienceMs = 2_000;

/** How long no lookup is tried after a failure of the database. */
const failureFreshMs = 500;

interface Entry {
  readonly known: Known;
  readonly generation: number;
}

/**
 * Caches the lookups of public keys. Entries that may have changed are looked up again. While the database is
 * unavailable, valid keys remain valid, so that events are still accepted into a queue. Then a single request at a time
 * waits for another try, and all others get the cached result.
 */
export class KeyMemory {
  readonly #find: (publicKey: string) => Promise<Known>;
  readonly #clock: Clock;
  readonly #keys = new Map<string, Entry>();
  /** Separate, so that a flood of guesses evicts no key. */
  readonly #guesses = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<Known>>();
  /** Grows with every change, which makes earlier results stale. */
  #generation = 0;
  /** Grows with every revoked key. */
  #goneCount = 0;
  #failure: { readonly refusal: ServiceError; readonly at: number; isTriedAgain: boolean } | undefined;

  constructor(parts: { find: (publicKey: string) => Promise<Known>; clock: Clock }) {
    this.#find = parts.find;
    this.#clock = parts.clock;
  }

  /**
   * Returns without a promise if the result is fresh. Refuses with STORAGE_UNAVAILABLE if the database is unavailable.
   */
  get(publicKey: string): Known | Promise<Known> {
    const entry = this.#keys.get(publicKey) ?? this.#guesses.get(publicKey);
    if (entry?.generation === this.#generation) return entry.known;
    const stale = entry && entry.known !== "unknown" && !entry.known.closed ? entry.known : undefined;
    const failure = this.#failure;
    if (failure) {
      const isFresh = this.#clock.now() - failure.at < failureFreshMs;
      if (stale && (isFresh || failure.isTriedAgain)) return stale;
      if (isFresh) return Promise.reject(failure.refusal);
      failure.isTriedAgain = true;
    }
    return this.#askPatiently(publicKey, stale);
  }

  /** Marks all entries as stale. */
  doubt(): void {
    this.#generation++;
    this.#asking.clear(); // lookups in progress may have read before the change
  }

  /** Revokes a key, regardless of what the database returns. */
  forget(keyId: number): void {
    for (const [publicKey, { known }] of this.#keys) {
      if (known !== "unknown" && known.keyId === keyId) this.#keys.delete(publicKey);
    }
    this.#goneCount++;
    this.doubt();
  }

  /** The answer of the database. Without an answer, the earlier valid result, if any. */
  async #askPatiently(publicKey: string, stale: Known | undefined): Promise<Known> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#failed(new Error(`no answer within ${patienceMs} ms`))), patienceMs);
    try {
      return await Promise.race([this.#ask(publicKey), late]);
    } catch (error) {
      if (stale && error instanceof ServiceError) return stale;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Concurrent requests share one query. */
  #ask(publicKey: string): Promise<Known> {
    let asking = this.#asking.get(publicKey);
    if (!asking) {
      asking = this.#look(publicKey);
      this.#asking.set(publicKey, asking);
      const end = () => {
        if (this.#asking.get(publicKey) === asking) this.#asking.delete(publicKey);
      };
      asking.then(end, end);
    }
    return asking;
  }

  async #look(publicKey: string): Promise<Known> {
    const [generation, goneCount] = [this.#generation, this.#goneCount];
    try {
      const known = await this.#find(publicKey);
      this.#failure = undefined;
      // A result from before a change is cached as stale, unless it may be the revoked key.
      if (goneCount === this.#goneCount) this.#remember(publicKey, { known, generation });
      return known;
    } catch (error) {
      throw isStorageFailure(error) ? this.#failed(error) : error;
    }
  }

  #failed(cause: unknown): ServiceError {
    const why = "The client key cannot be looked up because the database is not responding. Try again in a moment.";
    const refusal = new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, why, { cause });
    this.#failure = { refusal, at: this.#clock.now(), isTriedAgain: false };
    return refusal;
  }

  #remember(publicKey: string, entry: Entry): void {
    const held = this.#keys.get(publicKey) ?? this.#guesses.get(publicKey);
    if (held && held.generation > entry.generation) return; // a later lookup was answered sooner
    const isGuess = entry.known === "unknown";
    const [entries, others] = isGuess ? [this.#guesses, this.#keys] : [this.#keys, this.#guesses];
    others.delete(publicKey);
    if (entries.size >= (isGuess ? guessesRemembered : keysRemembered)) entries.clear();
    entries.set(publicKey, entry);
  }
}
