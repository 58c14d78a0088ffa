import { ServiceError, type Announcements, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { SessionEntity, sessionToProto, sessionEnd, beginSession } from "../access/sessions.ts";
import { knownUser } from "../identity/identity-kind.ts";
import { IdentityEntity, passwordOf, setPassword, PasswordResetEntity } from "../tables/identity.ts";
import { hashPassword, newPassword, passwordKind } from "../identity/password.ts";
import { SignInThrottle } from "../identity/sign-in-throttle.ts";
import { signIn } from "../identity/sign-in.ts";
import { displayName, emailAddress, refuseTaken } from "../identity/user-fields.ts";
import { UserEntity, userToProto } from "../tables/user.ts";
import { accessTokens, revokeAccessTokens } from "./access-tokens.ts";
import { UserThrottle } from "./user-throttle.ts";

const sessionsListed = 100;

/** Few changes are needed, and each reveals whether another user has an address. */
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
  /** The public address of the installation; undefined if it is not known. */
  origin: () => string | undefined;
}): Handlers<typeof AccountService, CoreCall> {
  const { orm, clock, memory, announcements, version } = parts;
  const throttle = new SignInThrottle(clock, announcements);
  const signInBy = signIn({ ...parts, throttle, kinds: [passwordKind] });
  const emailThrottle = new UserThrottle(clock, emailChanges);

  return {
    ...accessTokens(parts),
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
      if (user.isAdmin && request.email !== undefined) user.confirmedEmail = email; // administrators may set any
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
    // Somebody at an unlocked page must not guess faster than at sign-in. Guesses at sign-in neither delay nor refuse
    // the owner here.
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
