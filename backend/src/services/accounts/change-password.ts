import { ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { PasswordResetEntity } from "../users/password-reset.ts";
import { SessionEntity } from "../access/session.ts";
import { UserEntity } from "../users/user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import { revokeAccessTokens } from "./access-tokens.ts";
import { hashPassword, knownUser, newPassword, verifyPassword } from "./password.ts";
import { beginSession } from "../access/sessions.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

/** Changes the caller's password, begins a new session, and ends all others. */
export function changePassword({
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
    const { id: userId, passwordHash } = await orm.em.fork().findOneOrFail(UserEntity, { id: caller.user.id });
    const isRight = await verifyPassword(currentPassword, passwordHash, knownUser(userId)).catch((refusal: unknown) => {
      throttle.tookBack(attempt);
      throw refusal;
    });
    if (!isRight) {
      throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "The current password is wrong.", {
        field: "current_password",
      });
    }
    throttle.succeeded(attempt);
    const newHash = await hashPassword(password, knownUser(userId));
    const begun = await orm.em.fork().transactional(async (em) => {
      const old = await em.findOne(SessionEntity, { id: caller.sessionId ?? 0 });
      // A concurrent change of the password has ended this session.
      if (!old) throw new ServiceError(ErrorReason.TOKEN_REQUIRED, "The session has expired. Sign in again.");
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
  };
}
