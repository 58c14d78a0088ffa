import { pageSizeOf, pageToken, readPageToken, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { AccessTokenEntity, accessTokenToProto } from "./access-token.ts";
import type { AccessMemory } from "../access/access-memory.ts";

type AccessTokenMethods = "getAccessToken" | "listAccessTokens" | "revokeAccessToken";

/** Shows and revokes personal access tokens. */
export function accessTokens(parts: {
  orm: MikroORM;
  clock: Clock;
  memory: AccessMemory;
}): Pick<Handlers<typeof AccountService, CoreCall>, AccessTokenMethods> {
  const { orm, clock, memory } = parts;

  return {
    async getAccessToken(request, { caller }) {
      const id = request.tokenId || (caller.tokenId ?? 0);
      const row = await orm.em.fork().findOne(AccessTokenEntity, { id, userId: caller.user.id });
      if (!row) throw accessTokenNotFound();
      return { accessToken: accessTokenToProto(row) };
    },

    async listAccessTokens(request, { caller }) {
      const userId = request.userId || caller.user.id;
      if (userId !== caller.user.id && !caller.user.isAdmin) {
        throw new ServiceError(ErrorReason.FORBIDDEN, "Only administrators can see the tokens of other users.");
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

/** The refusal for a token that is missing, or of another user. */
export function accessTokenNotFound(): ServiceError {
  return new ServiceError(ErrorReason.ACCESS_TOKEN_NOT_FOUND, "You have no such personal access token.");
}
