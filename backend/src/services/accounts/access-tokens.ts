import {
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  type Clock,
  type Handlers,
  invalidField,
  millisecondsOf,
} from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { sentrySpelling } from "../access/sentry-token.ts";
import { accessTokenPurpose, newToken } from "../access/tokens.ts";
import { AccessTokenEntity, accessTokenToProto, type AccessTokenRow } from "../tables/access-token.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";

type AccessTokenMethods =
  "getAccessToken" | "listAccessTokens" | "revokeAccessToken" | "createAccessToken" | "rotateAccessToken";

interface Parts {
  readonly orm: MikroORM;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly memory: AccessMemory;
  /** The public address of the installation; undefined if it is not known. */
  readonly origin: () => string | undefined;
}

export function accessTokens(parts: Parts): Pick<Handlers<typeof AccountService, CoreCall>, AccessTokenMethods> {
  const { orm, clock, memory } = parts;

  return {
    ...newAccessTokens(parts),

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

/** The tokens of a user that are valid now. */
export const workingTokens = (userId: number, now: number) => ({
  userId,
  revokedAt: null,
  $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
});

/** Revokes all tokens of a user, and returns how many were valid. */
export function revokeAccessTokens(em: EntityManager, userId: number, now: number): Promise<number> {
  return em.nativeUpdate(AccessTokenEntity, workingTokens(userId, now), { revokedAt: now });
}

/** The refusal for a missing token, or a token of another user. */
export function accessTokenNotFound(): ServiceError {
  return new ServiceError(ErrorReason.ACCESS_TOKEN_NOT_FOUND, "You have no such personal access token.");
}

const scopes = ["api", "read_api", "upload"];
const weekMs = 7 * 24 * 3_600_000;
const yearMs = 365 * 24 * 3_600_000;

function newAccessTokens(
  parts: Parts,
): Pick<Handlers<typeof AccountService, CoreCall>, "createAccessToken" | "rotateAccessToken"> {
  const { orm, keyRing, clock, memory, origin } = parts;

  /** Stores a new token with fields that were already checked. */
  const make = async (
    em: EntityManager,
    of: Pick<AccessTokenRow, "userId" | "name" | "scopes" | "expiresAt">,
    organization: string,
  ) => {
    const token = newToken("accessToken");
    const row = em.create(AccessTokenEntity, {
      ...of,
      tokenDigest: keyRing.digest(accessTokenPurpose, token),
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    await em.persist(row).flush();
    return { accessToken: accessTokenToProto(row), token, sentryToken: spelledForSentry(row, { token, organization }) };
  };

  /** Empty in the same cases as CreateAccessTokenResponse.sentry_token. */
  const spelledForSentry = (
    { scopes: allowed }: AccessTokenRow,
    { token, organization }: { token: string; organization: string },
  ) => {
    const address = origin();
    if (allowed !== "upload" || organization === "" || address === undefined) return "";
    return sentrySpelling(token, { origin: address, organization, now: clock.now() }) ?? "";
  };

  return {
    async createAccessToken(request, { caller }) {
      const name = request.name.trim();
      if (name === "" || name.length > 255) throw invalidField("name", "Give the token a name of 1 to 255 characters.");
      if (request.scopes.length === 0)
        throw invalidField("scopes", "Choose at least one scope: api, read_api or upload.");
      const unknown = request.scopes.find((scope) => !scopes.includes(scope));
      if (unknown !== undefined)
        throw invalidField("scopes", `There is no scope ${unknown}; choose api, read_api or upload.`);
      const expiresAt = request.expiresTime ? millisecondsOf(request.expiresTime) : null;
      checkFuture(expiresAt, clock.now());
      const organization = organizationName(request.organization);
      const of = { userId: caller.user.id, name, scopes: [...new Set(request.scopes)].join(" "), expiresAt };
      return make(orm.em.fork(), of, organization);
    },

    async rotateAccessToken(request, { caller }) {
      const now = clock.now();
      const wanted = request.expiresTime ? millisecondsOf(request.expiresTime) : now + weekMs;
      checkFuture(wanted, now);
      const organization = organizationName(request.organization);
      if (wanted > now + yearMs) throw invalidField("expires_time", "Choose a day within a year.");
      const made = await orm.em.fork().transactional(async (em) => {
        const id = request.tokenId || (caller.tokenId ?? 0);
        const old = await em.findOne(AccessTokenEntity, { id, userId: caller.user.id });
        if (!old) throw accessTokenNotFound();
        if (old.revokedAt != null || (old.expiresAt != null && old.expiresAt <= now)) {
          throw invalidField("token_id", "The token was revoked or has expired. Create a new one instead.");
        }
        old.revokedAt = now;
        // Shortened instead of refused: a daily rotation job asks for whole days but runs some seconds sooner or later,
        // so an exact limit would fail now and then.
        const expiresAt = Math.min(wanted, old.expiresAt == null ? wanted : now + (old.expiresAt - old.createdAt));
        return make(em, { userId: old.userId, name: old.name, scopes: old.scopes, expiresAt }, organization);
      });
      memory.changed();
      return made;
    },
  };
}

function checkFuture(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw invalidField("expires_time", "Choose a day in the future.");
}

/** Refuses an invalid first part of a path. The organization need not exist because the claims of a token are hints. */
function organizationName(text: string): string {
  if (text === "" || text === "-" || /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/.test(text)) return text;
  throw invalidField("organization", "Name the first part of the path of your projects, such as acme in acme/web.");
}
