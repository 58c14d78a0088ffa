import { ServiceError, type Announcements, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "./guard.ts";
import { PasswordResetEntity, SessionEntity, UserEntity } from "../database/entities.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { sessionToProto, userToProto } from "../to-proto.ts";
import { displayName, emailAddress, refuseTaken, signsInAs } from "../users/user-fields.ts";
import type { AccessMemory } from "./access-memory.ts";
import { accessTokens } from "./access-tokens.ts";
import { hashPassword, newPassword, verifyPassword } from "./password.ts";
import { beginSession, sessionEnd } from "./sessions.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

const sessionsListed = 100;

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

  return {
    ...accessTokens(parts),

    async signIn({ username, password, clientAddress, userAgent }) {
      const attempt = { name: username, clientAddress };
      throttle.begin(attempt);
      const finding = orm.em.fork();
      const found = await finding.findOne(UserEntity, signsInAs(finding, username));
      const isRight = await verifyPassword(password, found?.passwordHash);
      const session = await orm.em.fork().transactional(async (em) => {
        // Read anew: while the password was checked the user may have been blocked or have got another one.
        const user = isRight && (await em.findOne(UserEntity, { id: found?.id ?? 0 }));
        if (!user || user.isBlocked || user.passwordHash !== found?.passwordHash) {
          throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "Wrong user name or password.");
        }
        const now = clock.now();
        user.lastSignInAt = now;
        const begun = await beginSession(em, { keyRing, now, userId: user.id, clientAddress, userAgent });
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
      if (request.email !== undefined) user.email = emailAddress(request.email);
      await em.flush().catch(refuseTaken);
      memory.changed();
      return { user: userToProto(user, user) };
    },

    async changePassword({ currentPassword, newPassword: wanted }, { caller }) {
      const password = newPassword(wanted, "new_password");
      const attempt = { name: caller.user.username, clientAddress: "" };
      throttle.begin(attempt); // whoever finds an open page must not guess faster than at the door
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
        // Whoever changed the password meanwhile ended this session with it.
        if (!old) throw new ServiceError(ErrorReason.TOKEN_REQUIRED, "The session is over. Sign in again.");
        await em.nativeUpdate(UserEntity, { id: userId }, { passwordHash: newHash });
        const { clientAddress, userAgent } = old;
        await em.nativeDelete(SessionEntity, { userId });
        await em.nativeDelete(PasswordResetEntity, { userId });
        return beginSession(em, { keyRing, now: clock.now(), userId, clientAddress, userAgent });
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
