import { invalidField, millisecondsOf, type Clock, type Handlers } from "@faultline/plugin";
import type { AccountService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { AccessTokenEntity, type AccessTokenRow, accessTokenToProto } from "./access-token.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import { sentrySpelling } from "../access/sentry-token.ts";
import { accessTokenPurpose, newToken } from "../access/tokens.ts";
import { accessTokenNotFound } from "./access-tokens.ts";

const scopes = ["api", "read_api", "upload"];
const weekMs = 7 * 24 * 3_600_000;
const yearMs = 365 * 24 * 3_600_000;

/** Creates personal access tokens. */
export function newAccessTokens(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  /** The public address of the installation; undefined where it is not known. */
  origin: () => string | undefined;
}): Pick<Handlers<typeof AccountService, CoreCall>, "createAccessToken" | "rotateAccessToken"> {
  const { orm, keyRing, clock, memory, origin } = parts;

  /** Stores a new token; its fields must already be checked. */
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

  /** Empty where CreateAccessTokenResponse.sentry_token is. */
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
        // Shortened, not refused: a job that rotates each day asks for whole days and runs some seconds sooner or
        // later, so an exact limit would fail it now and then.
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

/** Refuses what is no first part of a path. It need not exist: the claims of a token are hints. */
function organizationName(text: string): string {
  if (text === "" || text === "-" || /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/.test(text)) return text;
  throw invalidField("organization", "Name the first part of the path of your projects, such as acme in acme/web.");
}
