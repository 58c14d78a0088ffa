import { setTimeout as delay } from "node:timers/promises";
import { ServiceError, type Announcements, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "./guard.ts";
import { PasswordResetEntity } from "../users/password-reset.ts";
import { UserEntity, userToProto } from "../users/user.ts";
import { SessionEntity, sessionToProto } from "./session.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { displayName, emailAddress, refuseTaken, signsInAs } from "../users/user-fields.ts";
import type { AccessMemory } from "./access-memory.ts";
import { accessTokens, revokeAccessTokens } from "./access-tokens.ts";
import { isDeviceOf } from "./device-tokens.ts";
import { hashPassword, newPassword, verifyPassword } from "./password.ts";
import { beginSession, sessionEnd } from "./sessions.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";
import { UserThrottle } from "./user-throttle.ts";

const sessionsListed = 100;

/** A person needs few; each one shows whether another user has an address. */
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
}): Handlers<typeof AccountService, CoreCall> {
  const { orm, keyRing, clock, memory, announcements, version } = parts;
  const throttle = new SignInThrottle(clock, announcements);
  const emailThrottle = new UserThrottle(clock, emailChanges);

  return {
    ...accessTokens(parts),

    async signIn({ username, password, clientAddress, userAgent, deviceToken = "" }, { signal }) {
      const finding = orm.em.fork();
      const found = await finding.findOne(UserEntity, signsInAs(finding, username));
      const isKnownDevice = found !== null && isDeviceOf(keyRing, found, deviceToken, clock.now());
      const attempt = { name: username, clientAddress, device: isKnownDevice ? deviceToken : undefined };
      const waitMs = throttle.begin(attempt);
      if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(leftWaiting);
      const isRight = await verifyPassword(password, found?.passwordHash);
      const session = await orm.em.fork().transactional(async (em) => {
        // Read again: while the password was checked the user may have been blocked or have got another one.
        const user = isRight && (await em.findOne(UserEntity, { id: found?.id ?? 0 }));
        if (!user || user.isBlocked || user.passwordHash !== found?.passwordHash) {
          throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "Wrong user name or password.");
        }
        const now = clock.now();
        user.lastSignInAt = now;
        const begun = await beginSession(em, { keyRing, now, user, clientAddress, userAgent });
        return { ...begun, user: userToProto(user, user) };
      });
      throttle.succeeded(attempt);
      memory.changed();
      return session;
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
      await em.flush().catch(refuseTaken);
      memory.changed();
      return { user: userToProto(user, user) };
    },

    async changePassword({ currentPassword, newPassword: wanted, revokeAccessTokens: revokesTokens }, { caller }) {
      const password = newPassword(wanted, "new_password");
      const attempt = { name: caller.user.username, clientAddress: "" };
      // Who finds an open page must not guess faster than at the door. Its owner waits for no guesses at the door.
      throttle.begin(attempt);
      const { id: userId, passwordHash } = await orm.em.fork().findOneOrFail(UserEntity, { id: caller.user.id });
      if (!(await verifyPassword(currentPassword, passwordHash))) {
        throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "The current password is wrong.", {
          field: "current_password",
        });
      }
      throttle.succeeded(attempt);
      const newHash = await hashPassword(password);
      const begun = await orm.em.fork().transactional(async (em) => {
        const old = await em.findOne(SessionEntity, { id: caller.sessionId ?? 0 });
        // A change of the password meanwhile has ended this session.
        if (!old) throw new ServiceError(ErrorReason.TOKEN_REQUIRED, "The session is over. Sign in again.");
        await em.nativeUpdate(UserEntity, { id: userId }, { passwordHash: newHash });
        const { clientAddress, userAgent } = old;
        await em.nativeDelete(SessionEntity, { userId });
        await em.nativeDelete(PasswordResetEntity, { userId });
        const now = clock.now();
        const user = { id: userId, passwordHash: newHash };
        return {
          ...(await beginSession(em, { keyRing, now, user, clientAddress, userAgent })),
          revokedTokenCount: revokesTokens ? await revokeAccessTokens(em, userId, now) : 0,
        };
      });
      memory.changed();
      return begun;
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

/** The caller of a delayed attempt left: nobody waits for the password to be checked. */
function leftWaiting(): never {
  throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "The sign-in was given up while it waited.");
}
