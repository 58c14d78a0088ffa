import { setTimeout as delay } from "node:timers/promises";
import { clientNetwork, ServiceError, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import { beginSession, isDeviceOf } from "../access/sessions.ts";
import { signsInAs } from "./user-fields.ts";
import { UserEntity, userToProto } from "../tables/user.ts";
import { IdentityEntity } from "../tables/identity.ts";
import { knownUser, type Claimant, type IdentityKind } from "./identity-kind.ts";
import type { Attempt, SignInThrottle } from "./sign-in-throttle.ts";

/** The input of a person who signs in. */
interface Claim {
  /** As typed; the kind of identity defines its meaning. */
  readonly name: string;
  readonly proof: string;
  /** Empty if unknown. */
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly deviceToken?: string | undefined;
}

/** Signs people in by each kind of identity. Attempts that may be guesses are delayed, regardless of the kind. */
export function signIn(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  throttle: SignInThrottle;
  kinds: readonly IdentityKind[];
}) {
  const { orm, keyRing, clock, memory, throttle } = parts;
  const kinds = new Map(parts.kinds.map((one) => [one.kind, one]));

  return async (kindName: string, claim: Claim, signal: AbortSignal | undefined) => {
    const kind = kinds.get(kindName);
    if (!kind) throw new Error(`There is no kind of identity ${kindName}.`);
    const { name, proof, clientAddress, userAgent, deviceToken = "" } = claim;
    const finding = orm.em.fork();
    const userOf = async (text: string) => (await finding.findOne(UserEntity, signsInAs(finding, text)))?.id;
    const subject = (await kind.subjectOf(name, userOf)) ?? "";
    const found = await finding.findOne(IdentityEntity, { kind: kindName, subject });
    const isKnownDevice = found !== null && isDeviceOf(keyRing, found, deviceToken, clock.now());
    const attempt = { name, clientAddress, device: isKnownDevice ? deviceToken : undefined };
    const isKnownNetwork = throttle.knowsNetwork(attempt);
    const waitMs = throttle.begin(attempt);
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(leftWaiting);
    const by = claimantOf({ ...attempt, userId: found?.userId ?? 0, isKnownNetwork });
    const isRight = await kind.verify(proof, found?.verifier, by).catch((refusal: unknown) => {
      throttle.tookBack(attempt);
      throw refusal;
    });
    const session = await orm.em.fork().transactional(async (em) => {
      // Read again: during the check the user may have been blocked or the identity changed.
      const identity = isRight && (await em.findOne(IdentityEntity, { kind: kindName, subject }));
      const user = identity && (await em.findOne(UserEntity, { id: identity.userId }));
      if (!user || user.isBlocked || identity.verifier !== found?.verifier) {
        throw new ServiceError(ErrorReason.WRONG_CREDENTIALS, "Wrong user name or password.");
      }
      const now = clock.now();
      user.lastSignInAt = now;
      const begun = await beginSession(em, { keyRing, now, identity, clientAddress, userAgent });
      return { ...begun, user: userToProto(user, user) };
    });
    throttle.succeeded(attempt);
    memory.changed();
    return session;
  };
}

/**
 * The line in which the check of a proof waits. Guesses from the network of a user do not wait in the line of the
 * user's devices.
 */
function claimantOf(of: Attempt & { userId: number; isKnownNetwork: boolean }): Claimant {
  const { name, clientAddress, device, isKnownNetwork, userId } = of;
  if (device !== undefined) return knownUser(userId);
  if (isKnownNetwork) return { known: `user ${userId} at ${clientNetwork(clientAddress)}` };
  return { clientAddress: clientAddress === "" ? name : clientAddress };
}

/** Ends a delayed attempt after its caller left, without checking the proof. */
function leftWaiting(): never {
  throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "The sign-in was canceled while it waited.");
}
