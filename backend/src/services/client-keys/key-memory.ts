import { ServiceError, type Admission, type Clock, type ClosedDoor } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { isStorageFailure } from "../../storage/database/storage-failure.ts";

/** What is known of a public key, or that there is no such key. */
export type Known = FoundKey | "unknown";

export interface FoundKey extends Omit<Admission, "network"> {
  /** Why nothing is taken that comes with it now, if so. */
  readonly closed: ClosedDoor | undefined;
  readonly allowedOrigins: readonly string[];
}

/** Keys take some 200 bytes each. Guesses are remembered too, so that a flood of them costs no database reads. */
const keysRemembered = 50_000;
const guessesRemembered = 10_000;

/** How long a request waits for the database when something is known of its key already. */
const patienceMs = 2_000;

/** So long after the database could not be asked nobody tries it again. */
const failureFreshMs = 500;

interface Entry {
  readonly known: Known;
  readonly generation: number;
}

/**
 * Remembers what was found of public keys. What may have changed since is asked for again; while the database cannot be
 * asked, a key that was good is still good, so that events are accepted into a queue meanwhile. One request at a time then
 * waits for another try, and all others get what is known.
 */
export class KeyMemory {
  readonly #find: (publicKey: string) => Promise<Known>;
  readonly #clock: Clock;
  readonly #keys = new Map<string, Entry>();
  /** Apart, so that a flood of guesses makes no key forgotten. */
  readonly #guesses = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<Known>>();
  /** Grows with every change; what was found before is stale. */
  #generation = 0;
  /** Grows with every key that is gone. */
  #goneCount = 0;
  #failure: { readonly refusal: ServiceError; readonly at: number; isTriedAgain: boolean } | undefined;

  constructor(parts: { find: (publicKey: string) => Promise<Known>; clock: Clock }) {
    this.#find = parts.find;
    this.#clock = parts.clock;
  }

  /** At once when it is known for sure. Refuses with STORAGE_UNAVAILABLE when the database cannot be asked. */
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
    return stale ? this.#askFor(publicKey, stale) : this.#ask(publicKey);
  }

  /** All is asked for again. */
  doubt(): void {
    this.#generation++;
    this.#asking.clear(); // what is under way may have read before the change
  }

  /** A key that is gone is not good any more, whatever the database answers. */
  forget(keyId: number): void {
    for (const [publicKey, { known }] of this.#keys) {
      if (known !== "unknown" && known.keyId === keyId) this.#keys.delete(publicKey);
    }
    this.#goneCount++;
    this.doubt();
  }

  /** The answer of the database, or what was good before when there is none. */
  async #askFor(publicKey: string, stale: Known): Promise<Known> {
    const { promise: late, resolve } = Promise.withResolvers<Known>();
    const timer = setTimeout(() => {
      this.#failed(new Error(`no answer within ${patienceMs} ms`));
      resolve(stale);
    }, patienceMs);
    try {
      return await Promise.race([this.#ask(publicKey), late]);
    } catch (error) {
      if (error instanceof ServiceError) return stale;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Requests that come at once share one question. */
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
      // Of what changed meanwhile it is remembered as stale, unless it may be the key that is gone.
      if (goneCount === this.#goneCount) this.#remember(publicKey, { known, generation });
      return known;
    } catch (error) {
      throw isStorageFailure(error) ? this.#failed(error) : error;
    }
  }

  #failed(cause: unknown): ServiceError {
    const why = "The client key cannot be looked up now, as the database does not answer. Try again in a moment.";
    const refusal = new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, why, { cause });
    this.#failure = { refusal, at: this.#clock.now(), isTriedAgain: false };
    return refusal;
  }

  #remember(publicKey: string, entry: Entry): void {
    const held = this.#keys.get(publicKey) ?? this.#guesses.get(publicKey);
    if (held && held.generation > entry.generation) return; // it was asked for later and answered sooner
    const isGuess = entry.known === "unknown";
    const [entries, others] = isGuess ? [this.#guesses, this.#keys] : [this.#keys, this.#guesses];
    others.delete(publicKey);
    if (entries.size >= (isGuess ? guessesRemembered : keysRemembered)) entries.clear();
    entries.set(publicKey, entry);
  }
}
