import {
  invalidField,
  millisecondsOf,
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  type Clock,
  type Handlers,
} from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "./guard.ts";
import { AccessTokenEntity, accessTokenToProto, type AccessTokenRow } from "./access-token.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "./access-memory.ts";
import { accessTokenPurpose, newToken } from "./tokens.ts";

const scopes = ["api", "read_api"];
const weekMs = 7 * 24 * 3_600_000;
const yearMs = 365 * 24 * 3_600_000;

type AccessTokenMethods =
  "createAccessToken" | "getAccessToken" | "listAccessTokens" | "revokeAccessToken" | "rotateAccessToken";

/** Personal access tokens. */
export function accessTokens(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
}): Pick<Handlers<typeof AccountService, CoreCall>, AccessTokenMethods> {
  const { orm, keyRing, clock, memory } = parts;

  /** Stores a new token; what it is made of must be checked. */
  const make = async (em: EntityManager, of: Pick<AccessTokenRow, "userId" | "name" | "scopes" | "expiresAt">) => {
    const token = newToken("accessToken");
    const row = em.create(AccessTokenEntity, {
      ...of,
      tokenDigest: keyRing.digest(accessTokenPurpose, token),
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    await em.persist(row).flush();
    return { accessToken: accessTokenToProto(row), token };
  };

  return {
    async createAccessToken(request, { caller }) {
      const name = request.name.trim();
      if (name === "" || name.length > 255) throw invalidField("name", "Give the token a name of 1 to 255 characters.");
      if (request.scopes.length === 0) throw invalidField("scopes", "Choose at least one scope: api or read_api.");
      const unknown = request.scopes.find((scope) => !scopes.includes(scope));
      if (unknown !== undefined) throw invalidField("scopes", `There is no scope ${unknown}; choose api or read_api.`);
      const expiresAt = request.expiresTime ? millisecondsOf(request.expiresTime) : null;
      checkFuture(expiresAt, clock.now());
      return make(orm.em.fork(), {
        userId: caller.user.id,
        name,
        scopes: [...new Set(request.scopes)].join(" "),
        expiresAt,
      });
    },

    async getAccessToken(request, { caller }) {
      const id = request.tokenId || (caller.tokenId ?? 0);
      const row = await orm.em.fork().findOne(AccessTokenEntity, { id, userId: caller.user.id });
      if (!row) throw accessTokenNotFound();
      return { accessToken: accessTokenToProto(row) };
    },

    async listAccessTokens(request, { caller }) {
      const userId = request.userId || caller.user.id;
      if (userId !== caller.user.id && !caller.user.isAdmin) {
        throw new ServiceError(ErrorReason.FORBIDDEN, "Only administrators may see the tokens of other users.");
      }
      const list = `access tokens ${userId}`;
      const place = readPageToken(list, request.pageToken, ["number"]);
      const size = pageSizeOf(request);
      const em = orm.em.fork();
      const rows = await em.find(
        AccessTokenEntity,
        { userId, ...(place && { id: { $lt: place[0] } }) },
        { orderBy: { id: "desc" }, limit: size + 1, offset: place ? 0 : request.skip },
      );
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return {
        accessTokens: page.map(accessTokenToProto),
        nextPageToken: rows.length > size && last ? pageToken(list, [last.id]) : "",
        totalSize: await em.count(AccessTokenEntity, { userId }),
      };
    },

    async revokeAccessToken({ tokenId }, { caller }) {
      const em = orm.em.fork();
      const mine = caller.user.isAdmin ? {} : { userId: caller.user.id };
      const row = await em.findOne(AccessTokenEntity, { id: tokenId, ...mine });
      if (!row) throw accessTokenNotFound();
      row.revokedAt ??= clock.now();
      await em.flush();
      memory.changed();
      return { accessToken: accessTokenToProto(row) };
    },

    async rotateAccessToken(request, { caller }) {
      const now = clock.now();
      const wanted = request.expiresTime ? millisecondsOf(request.expiresTime) : now + weekMs;
      checkFuture(wanted, now);
      if (wanted > now + yearMs) throw invalidField("expires_time", "Choose a day within a year.");
      const made = await orm.em.fork().transactional(async (em) => {
        const id = request.tokenId || (caller.tokenId ?? 0);
        const old = await em.findOne(AccessTokenEntity, { id, userId: caller.user.id });
        if (!old) throw accessTokenNotFound();
        if (old.revokedAt != null || (old.expiresAt != null && old.expiresAt <= now)) {
          throw invalidField("token_id", "The token was revoked or has expired. Make a new one instead.");
        }
        old.revokedAt = now;
        // Brought forward, not refused: a job that rotates each day asks for whole days and runs some seconds sooner or
        // later, so that an exact limit would fail it now and then.
        const expiresAt = Math.min(wanted, old.expiresAt == null ? wanted : now + (old.expiresAt - old.createdAt));
        return make(em, { userId: old.userId, name: old.name, scopes: old.scopes, expiresAt });
      });
      memory.changed();
      return made;
    },
  };
}

/** The tokens of a user that work at the moment. */
export const workingTokens = (userId: number, now: number) => ({
  userId,
  revokedAt: null,
  $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
});

/** Revokes all tokens of a user and returns how many worked until now. */
export function revokeAccessTokens(em: EntityManager, userId: number, now: number): Promise<number> {
  return em.nativeUpdate(AccessTokenEntity, workingTokens(userId, now), { revokedAt: now });
}

function checkFuture(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw invalidField("expires_time", "Choose a day in the future.");
}

function accessTokenNotFound(): ServiceError {
  return new ServiceError(ErrorReason.ACCESS_TOKEN_NOT_FOUND, "You have no such personal access token.");
}
