import { invalidField, millisecondsOf, pageSizeOf, pageToken, readPageToken, ServiceError } from "@faultline/plugin";
import type { Clock, Handlers } from "@faultline/plugin";
import { AccountService, ErrorReason } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import { AccessTokenEntity, SessionEntity, UserEntity } from "../database/entities.ts";
import type { CoreCall } from "../core.ts";
import type { AccessMemory } from "./access-memory.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { accessTokenToProto, userToProto } from "../to-proto.ts";
import { timestamp } from "@faultline/plugin";
import { notBuilt } from "../not-built.ts";
import { verifyPassword } from "./password.ts";
import { sessionMs } from "./sessions.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";
import { accessTokenPurpose, newToken, sessionPurpose } from "./tokens.ts";

const scopes = ["api", "read_api"];

/** Sign-in, sessions and personal access tokens. */
export function accountService(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  version: string;
}): Handlers<typeof AccountService, CoreCall> {
  const { orm, keyRing, clock, memory, version } = parts;
  const throttle = new SignInThrottle(clock);

  return {
    ...notBuilt(AccountService),

    async signIn({ username, password }) {
      if (throttle.isBlocked(username)) {
        throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many attempts. Try again in a minute.");
      }
      throttle.began(username);
      const em = orm.em.fork();
      const user = await em.findOne(UserEntity, { username });
      if (!(await verifyPassword(password.slice(0, 1024), user?.passwordHash)) || !user) {
        throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "Wrong user name or password.");
      }
      throttle.succeeded(username);
      const token = newToken("session");
      const now = clock.now();
      await em.nativeDelete(SessionEntity, { expiresAt: { $lte: now } });
      await em.insert(SessionEntity, {
        userId: user.id,
        tokenDigest: keyRing.digest(sessionPurpose, token),
        createdAt: now,
        expiresAt: now + sessionMs,
        lastUsedAt: now,
        clientAddress: "",
        userAgent: "",
      });
      return { sessionToken: token, expiresTime: timestamp(now + sessionMs), user: userToProto(user) };
    },

    async signOut(_request, { caller }) {
      if (caller.sessionId !== undefined) await orm.em.fork().nativeDelete(SessionEntity, { id: caller.sessionId });
      memory.changed();
      return {};
    },

    async getCurrentUser(_request, { caller }) {
      return { user: userToProto(caller.user), serviceVersion: version };
    },

    async createAccessToken(request, { caller }) {
      const name = request.name.trim();
      if (name === "" || name.length > 255) throw invalidField("name", "Give the token a name of 1 to 255 characters.");
      if (request.scopes.length === 0) throw invalidField("scopes", "Choose at least one scope: api or read_api.");
      const unknown = request.scopes.find((scope) => !scopes.includes(scope));
      if (unknown !== undefined) throw invalidField("scopes", `There is no scope ${unknown}; choose api or read_api.`);
      const now = clock.now();
      const expiresAt = request.expiresTime ? millisecondsOf(request.expiresTime) : null;
      if (expiresAt !== null && expiresAt <= now) throw invalidField("expires_time", "Choose a day in the future.");

      const token = newToken("accessToken");
      const em = orm.em.fork();
      const row = em.create(AccessTokenEntity, {
        userId: caller.user.id,
        name,
        scopes: [...new Set(request.scopes)].join(" "),
        tokenDigest: keyRing.digest(accessTokenPurpose, token),
        createdAt: now,
        expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      });
      await em.flush();
      return { accessToken: accessTokenToProto(row), token };
    },

    async listAccessTokens(request, { caller }) {
      const place = readPageToken("access tokens", request.pageToken, ["number"]);
      const size = pageSizeOf(request);
      const rows = await orm.em
        .fork()
        .find(
          AccessTokenEntity,
          { userId: caller.user.id, ...(place && { id: { $lt: place[0] } }) },
          { orderBy: { id: "desc" }, limit: size + 1 },
        );
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return {
        accessTokens: page.map(accessTokenToProto),
        nextPageToken: rows.length > size && last ? pageToken("access tokens", [last.id]) : "",
      };
    },

    async revokeAccessToken({ tokenId }, { caller }) {
      const em = orm.em.fork();
      const row = await em.findOne(AccessTokenEntity, { id: tokenId, userId: caller.user.id });
      if (!row) throw new ServiceError(ErrorReason.ACCESS_TOKEN_NOT_FOUND, "You have no such personal access token.");
      row.revokedAt ??= clock.now();
      await em.flush();
      memory.changed();
      return { accessToken: accessTokenToProto(row) };
    },
  };
}
