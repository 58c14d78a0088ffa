import { ServiceError, type Call, type Clock, clientNetwork } from "@faultline/plugin";
import { RecentTimes } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { AccessTokenEntity } from "../tables/access-token.ts";
import { UserEntity, type UserRow } from "../tables/user.ts";
import type { AccessMemory } from "./access-memory.ts";
import { plainSpelling } from "./sentry-token.ts";
import { SessionEntity, sessionEnd } from "./sessions.ts";
import { accessTokenPurpose, hasWrongChecksum, isSessionToken, maxTokenLength, sessionPurpose } from "./tokens.ts";

/** The identity behind a call. */
export interface Caller {
  readonly user: UserRow;
  /** The scopes of a personal access token; a session allows everything its user may do. */
  readonly scopes: readonly string[] | "session";
  readonly sessionId?: number;
  readonly tokenId?: number;
}

const minuteMs = 60_000;

/** Resolves tokens to callers. */
export class CallerDirectory {
  readonly #orm: MikroORM;
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;
  readonly #memory: AccessMemory;
  readonly #wrongTokens: WrongTokens;

  constructor(parts: { orm: MikroORM; keyRing: KeyRing; clock: Clock; memory: AccessMemory }) {
    this.#orm = parts.orm;
    this.#keyRing = parts.keyRing;
    this.#clock = parts.clock;
    this.#memory = parts.memory;
    this.#wrongTokens = new WrongTokens(parts.clock);
  }

  /**
   * The caller behind a token. Refuses with TOKEN_REQUIRED, TOKEN_EXPIRED or TOKEN_REVOKED, and an unknown token with
   * TOO_MANY_ATTEMPTS if its network sent many.
   */
  async callerOf({ token, clientAddress }: Pick<Call, "token" | "clientAddress">): Promise<Caller> {
    if (!token) throw tokenRequired();
    try {
      return await this.#lookUp(token);
    } catch (refusal) {
      const isOfNobody = refusal instanceof ServiceError && refusal.reason === ErrorReason.TOKEN_REQUIRED;
      if (isOfNobody && clientAddress !== undefined) this.#wrongTokens.count(clientAddress);
      throw refusal;
    }
  }

  async #lookUp(sent: string): Promise<Caller> {
    if (sent.length > maxTokenLength) throw tokenRequired();
    const token = plainSpelling(sent);
    if (hasWrongChecksum(token)) throw tokenRequired();
    return isSessionToken(token) ? this.#bySession(token) : this.#byAccessToken(token);
  }

  async #bySession(token: string): Promise<Caller> {
    const digest = this.#keyRing.digest(sessionPurpose, token);
    const session = await this.#memory.remembered(`session ${digest}`, async () => {
      const em = this.#orm.em.fork();
      const row = await em.findOne(SessionEntity, { tokenDigest: digest });
      const user = row && (await em.findOne(UserEntity, { id: row.userId, isBlocked: false }));
      if (!user) throw tokenRequired();
      return { row, user };
    });
    const now = this.#clock.now();
    if (sessionEnd(session.row) <= now) {
      throw new ServiceError(ErrorReason.TOKEN_EXPIRED, "The session has expired. Sign in again.");
    }
    await this.#noteUse(SessionEntity, session.row, now);
    return { user: session.user, scopes: "session", sessionId: session.row.id };
  }

  async #byAccessToken(token: string): Promise<Caller> {
    const digest = this.#keyRing.digest(accessTokenPurpose, token);
    const found = await this.#memory.remembered(`token ${digest}`, async () => {
      const em = this.#orm.em.fork();
      const row = await em.findOne(AccessTokenEntity, { tokenDigest: digest });
      const user = row && (await em.findOne(UserEntity, { id: row.userId, isBlocked: false }));
      if (!user) throw tokenRequired();
      return { row, user };
    });
    const now = this.#clock.now();
    const { row, user } = found;
    if (row.revokedAt != null) {
      throw new ServiceError(ErrorReason.TOKEN_REVOKED, "The personal access token was revoked. Create a new one.");
    }
    if (row.expiresAt != null && row.expiresAt <= now) {
      throw new ServiceError(ErrorReason.TOKEN_EXPIRED, "The personal access token has expired. Create a new one.");
    }
    await this.#noteUse(AccessTokenEntity, row, now);
    return { user, scopes: row.scopes.split(" "), tokenId: row.id };
  }

  /** Records the last use, once a minute. While the database refuses writes, reads continue. */
  async #noteUse(
    entity: typeof SessionEntity | typeof AccessTokenEntity,
    row: { id: number; lastUsedAt?: number | null | undefined },
    now: number,
  ): Promise<void> {
    if (row.lastUsedAt != null && now - row.lastUsedAt < minuteMs) return;
    row.lastUsedAt = now; // set before the write, so that concurrent calls do not write it too
    const update = { lastUsedAt: now };
    await this.#orm.em
      .fork()
      .nativeUpdate(entity as typeof SessionEntity, { id: row.id }, update)
      .catch(() => undefined); // written again in the next minute
  }
}

function tokenRequired(): ServiceError {
  return new ServiceError(
    ErrorReason.TOKEN_REQUIRED,
    "The call needs a valid token. Send a personal access token as `authorization: Bearer <token>`.",
  );
}

const windowMs = 60_000;
const perNetwork = 20;

/**
 * Counts unknown tokens by the network that sent them. Tokens are looked up first, so a valid token is never refused
 * because of wrong tokens from its neighbors: only the answer to further wrong tokens changes. In memory, per process.
 */
class WrongTokens {
  readonly #times: RecentTimes;

  constructor(clock: Clock) {
    this.#times = new RecentTimes(clock, { windowMs, timesKept: perNetwork });
  }

  /**
   * Counts a wrong token. Refuses with TOO_MANY_ATTEMPTS if 20 came within the last minute; refused tokens do not
   * count.
   */
  count(clientAddress: string): void {
    const network = clientNetwork(clientAddress);
    if (this.#times.of(network).length < perNetwork) {
      this.#times.note(network);
      return;
    }
    throw new ServiceError(
      ErrorReason.TOO_MANY_ATTEMPTS,
      `${perNetwork} invalid tokens came from your network within a minute. Check the token before you try again; a valid token is accepted at any time.`,
      { retryAfterSeconds: this.#times.secondsUntilFewer(network) },
    );
  }
}
