import type { MikroORM } from "@mikro-orm/sql";
import type { Clock } from "@faultline/plugin";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { AccessTokenEntity, SessionEntity, UserEntity, type UserRow } from "../database/entities.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { accessTokenPurpose, isSessionToken, sessionPurpose } from "./tokens.ts";

/** Who makes a call. */
export interface Caller {
  readonly user: UserRow;
  /** What a personal access token allows; a session allows everything its user may do. */
  readonly scopes: readonly string[] | "session";
  /** The session's id, to end it. */
  readonly sessionId?: number;
}

const minuteMs = 60_000;

/** Finds out who a token belongs to. Reads the database on each call, so that a revocation holds at once. */
export class CallerDirectory {
  readonly #orm: MikroORM;
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;

  constructor(orm: MikroORM, keyRing: KeyRing, clock: Clock) {
    this.#orm = orm;
    this.#keyRing = keyRing;
    this.#clock = clock;
  }

  /** The caller a token stands for; refuses with TOKEN_REQUIRED, TOKEN_EXPIRED or TOKEN_REVOKED. */
  async callerOf(token: string | undefined): Promise<Caller> {
    if (!token || token.length > 1024) throw tokenRequired();
    return isSessionToken(token) ? this.#bySession(token) : this.#byAccessToken(token);
  }

  async #bySession(token: string): Promise<Caller> {
    const em = this.#orm.em.fork();
    const session = await em.findOne(SessionEntity, { tokenDigest: this.#keyRing.digest(sessionPurpose, token) });
    if (!session) throw tokenRequired();
    if (session.expiresAt <= this.#clock.now()) {
      throw new ServiceError(ErrorReason.TOKEN_EXPIRED, "The session is over. Sign in again.");
    }
    return { user: await em.findOneOrFail(UserEntity, session.userId), scopes: "session", sessionId: session.id };
  }

  async #byAccessToken(token: string): Promise<Caller> {
    const em = this.#orm.em.fork();
    const found = await em.findOne(AccessTokenEntity, { tokenDigest: this.#keyRing.digest(accessTokenPurpose, token) });
    if (!found) throw tokenRequired();
    const now = this.#clock.now();
    if (found.revokedAt != null) {
      throw new ServiceError(ErrorReason.TOKEN_REVOKED, "The personal access token was revoked. Make a new one.");
    }
    if (found.expiresAt != null && found.expiresAt <= now) {
      throw new ServiceError(ErrorReason.TOKEN_EXPIRED, "The personal access token has expired. Make a new one.");
    }
    if (found.lastUsedAt == null || now - found.lastUsedAt >= minuteMs) {
      await em.nativeUpdate(AccessTokenEntity, { id: found.id }, { lastUsedAt: now }); // at most one write a minute
    }
    return { user: await em.findOneOrFail(UserEntity, found.userId), scopes: found.scopes.split(" ") };
  }
}

function tokenRequired(): ServiceError {
  return new ServiceError(
    ErrorReason.TOKEN_REQUIRED,
    "The call needs a valid token. Send a personal access token as `authorization: Bearer <token>`.",
  );
}
