import { setTimeout as delay } from "node:timers/promises";
import { clientNetwork, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type AccountService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { UserEntity, userToProto } from "../users/user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { signsInAs } from "../users/user-fields.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import { isDeviceOf } from "../access/device-tokens.ts";
import { knownUser, verifyPassword, type HashFor } from "./password.ts";
import { beginSession } from "../access/sessions.ts";
import { SignInThrottle, type Attempt } from "./sign-in-throttle.ts";

/** Signs a person in by name or e-mail address and password; attempts that may be guesses are delayed. */
export function signIn({
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
}): Handlers<typeof AccountService, CoreCall>["signIn"] {
  return async ({ username, password, clientAddress, userAgent, deviceToken = "" }, { signal }) => {
    const finding = orm.em.fork();
    const found = await finding.findOne(UserEntity, signsInAs(finding, username));
    const isKnownDevice = found !== null && isDeviceOf(keyRing, found, deviceToken, clock.now());
    const attempt = { name: username, clientAddress, device: isKnownDevice ? deviceToken : undefined };
    const isKnownNetwork = throttle.knowsNetwork(attempt);
    const waitMs = throttle.begin(attempt);
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(leftWaiting);
    const by = hashFor({ ...attempt, userId: found?.id ?? 0, isKnownNetwork });
    const isRight = await verifyPassword(password, found?.passwordHash, by).catch((refusal: unknown) => {
      throttle.tookBack(attempt);
      throw refusal;
    });
    const session = await orm.em.fork().transactional(async (em) => {
      // Read again: during the check the user may have been blocked or the password changed.
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
  };
}

/** Whose turn the check of a password is. Guesses from the network of a user do not wait in the line of the user's devices. */
function hashFor(of: Attempt & { userId: number; isKnownNetwork: boolean }): HashFor {
  const { name, clientAddress, device, isKnownNetwork, userId } = of;
  if (device !== undefined) return knownUser(userId);
  if (isKnownNetwork) return { known: `user ${userId} at ${clientNetwork(clientAddress)}` };
  return { clientAddress: clientAddress === "" ? name : clientAddress };
}

/** Ends a delayed attempt whose caller left, without checking the password. */
function leftWaiting(): never {
  throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "The sign-in was canceled while it waited.");
}
