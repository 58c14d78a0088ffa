import {
  ServiceError,
  type Announcements,
  type Clock,
  type Handlers,
  invalidField,
  millisecondsOf,
} from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM, EntityManager } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { SessionEntity, sessionToProto } from "../access/session.ts";
import { UserEntity, userToProto } from "../users/user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { displayName, emailAddress, refuseTaken } from "../users/user-fields.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import { accessTokens, revokeAccessTokens, accessTokenNotFound } from "./access-tokens.ts";
import { sessionEnd, beginSession } from "../access/sessions.ts";
import { IdentityEntity, knownUser, passwordOf, setPassword } from "../identity/identity.ts";
import { hashPassword, newPassword, passwordKind } from "../identity/password.ts";
import { SignInThrottle } from "../identity/sign-in-throttle.ts";
import { signIn } from "../identity/sign-in.ts";
import { UserThrottle } from "./user-throttle.ts";
import { PasswordResetEntity } from "../users/password-reset.ts";
import { AccessTokenEntity, type AccessTokenRow, accessTokenToProto } from "./access-token.ts";
import { sentrySpelling } from "../access/sentry-token.ts";
import { accessTokenPurpose, newToken } from "../access/tokens.ts";

const sessionsListed = 100;

/** A person needs few; each change reveals whether another user has an address. */
const emailChanges = {
  windowMs: 3_600_000,
  most: 10,
  refusal: "You changed your e-mail address ten times within an hour. Try again later.",
};

/** Sign-in, the caller's own profile and sessions, and personal access tokens. */
export function accountService(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  announcements: Announcements;
  version: string;
  /** See newAccessTokens. */
  origin: () => string | undefined;
}): Handlers<typeof AccountService, CoreCall> {
  const { orm, clock, memory, announcements, version } = parts;
  const throttle = new SignInThrottle(clock, announcements);
  const signInBy = signIn({ ...parts, throttle, kinds: [passwordKind] });
  const emailThrottle = new UserThrottle(clock, emailChanges);

  return {
    ...accessTokens(parts),
    ...newAccessTokens(parts),
    changePassword: changePassword({ ...parts, throttle }),

    async signIn({ username, password, ...device }, { signal }) {
      return signInBy("password", { ...device, name: username, proof: password }, signal);
    },

    async signOut({ everywhere }, { caller }) {
      const which = everywhere ? { userId: caller.user.id } : { id: caller.sessionId ?? 0 };
      await orm.em.fork().nativeDelete(SessionEntity, which);
      memory.changed();
      return {};
    },

    async getCurrentUser(_request, { caller }) {
      return { user: userToProto(caller.user, caller.user), serviceVersion: version };
    },

    async updateProfile(request, { caller }) {
      const em = orm.em.fork();
      const user = await em.findOneOrFail(UserEntity, { id: caller.user.id });
      if (request.name !== undefined) user.name = displayName(request.name);
      const email = request.email === undefined ? user.email : emailAddress(request.email);
      if (email !== user.email) emailThrottle.begin(user.id);
      user.email = email;
      if (user.isAdmin && request.email !== undefined) user.confirmedEmail = email; // may set any, anybody's too
      await em.flush().catch(refuseTaken);
      memory.changed();
      return { user: userToProto(user, user) };
    },

    async listSessions(_request, { caller }) {
      const now = clock.now();
      const rows = await orm.em
        .fork()
        .find(
          SessionEntity,
          { userId: caller.user.id, expiresAt: { $gt: now } },
          { orderBy: { lastUsedAt: "desc", id: "desc" }, limit: sessionsListed },
        );
      const open = rows.filter((row) => sessionEnd(row) > now);
      return { sessions: open.map((row) => sessionToProto(row, sessionEnd(row), row.id === caller.sessionId)) };
    },

    async endSession({ sessionId }, { caller }) {
      const ended = await orm.em.fork().nativeDelete(SessionEntity, { id: sessionId, userId: caller.user.id });
      if (ended === 0) {
        throw new ServiceError(ErrorReason.SESSION_NOT_FOUND, "You have no such session. It may have ended already.");
      }
      memory.changed();
      return {};
    },
  };
}

/** Changes the caller's password, begins a new session, and ends all others. */
function changePassword({
  orm,
  keyRing,
  clock,
  memory,
  throttle,
}: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  throttle: SignInThrottle;
}): Handlers<typeof AccountService, CoreCall>["changePassword"] {
  return async ({ currentPassword, newPassword: wanted, revokeAccessTokens: revokesTokens }, { caller }) => {
    const password = newPassword(wanted, "new_password");
    const attempt = { name: caller.user.username, clientAddress: "", isSignedIn: true };
    // A person who finds an open page must not guess faster than at the sign-in. Guesses at the sign-in neither
    // delay nor refuse its owner here.
    throttle.begin(attempt);
    const userId = caller.user.id;
    const by = knownUser(userId);
    const present = await orm.em.fork().findOne(IdentityEntity, passwordOf(userId));
    const isRight = await passwordKind.verify(currentPassword, present?.verifier, by).catch((refusal: unknown) => {
      throttle.tookBack(attempt);
      throw refusal;
    });
    if (!isRight) {
      throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "The current password is wrong.", {
        field: "current_password",
      });
    }
    throttle.succeeded(attempt);
    const verifier = await hashPassword(password, by);
    const begun = await orm.em.fork().transactional(async (em) => {
      const old = await em.findOne(SessionEntity, { id: caller.sessionId ?? 0 });
      // A concurrent change of the password has ended this session.
      if (!old) throw new ServiceError(ErrorReason.TOKEN_REQUIRED, "The session has expired. Sign in again.");
      const now = clock.now();
      await setPassword(em, { userId, verifier, now });
      const { clientAddress, userAgent } = old;
      await em.nativeDelete(SessionEntity, { userId });
      await em.nativeDelete(PasswordResetEntity, { userId });
      const identity = { userId, verifier };
      return {
        ...(await beginSession(em, { keyRing, now, identity, clientAddress, userAgent })),
        revokedTokenCount: revokesTokens ? await revokeAccessTokens(em, userId, now) : 0,
      };
    });
    memory.changed();
    return begun;
  };
}

const scopes = ["api", "read_api", "upload"];
const weekMs = 7 * 24 * 3_600_000;
const yearMs = 365 * 24 * 3_600_000;

/** Creates personal access tokens. */
function newAccessTokens(parts: {
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
