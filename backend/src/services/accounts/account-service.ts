import { ServiceError, type Announcements, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { SessionEntity, sessionToProto } from "../access/session.ts";
import { UserEntity, userToProto } from "../users/user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { displayName, emailAddress, refuseTaken } from "../users/user-fields.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import { accessTokens } from "./access-tokens.ts";
import { sessionEnd } from "../access/sessions.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";
import { UserThrottle } from "./user-throttle.ts";
import { newAccessTokens } from "./new-access-tokens.ts";
import { signIn } from "./sign-in.ts";
import { changePassword } from "./change-password.ts";

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
  const emailThrottle = new UserThrottle(clock, emailChanges);

  return {
    ...accessTokens(parts),
    ...newAccessTokens(parts),
    signIn: signIn({ ...parts, throttle }),
    changePassword: changePassword({ ...parts, throttle }),

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
