import { ServiceError, timestamp, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type UserService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import { revokeAccessTokens, workingTokens } from "../accounts/access-tokens.ts";
import { hashPassword, knownUser, newPassword } from "../accounts/password.ts";
import { newToken, passwordResetPurpose } from "../access/tokens.ts";
import type { CoreCall } from "../access/guard.ts";
import { AccessTokenEntity } from "../accounts/access-token.ts";
import { SessionEntity } from "../access/session.ts";
import { PasswordResetEntity } from "./password-reset.ts";
import { UserEntity, type UserRow } from "./user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";

const linkMs = 24 * 3_600_000;

type PasswordResetMethods = "createPasswordReset" | "getPasswordReset" | "resetPassword";

/** Links with which a person sets a password once. Only the digest of a link's token is stored. */
export function passwordResets(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
}): Pick<Handlers<typeof UserService, CoreCall>, PasswordResetMethods> {
  const { orm, keyRing, clock, memory, baseUrl } = parts;

  /** The user whose password the link sets, or a refusal. */
  const userOf = async (em: EntityManager, token: string): Promise<UserRow> => {
    const tokenDigest = keyRing.digest(passwordResetPurpose, token.slice(0, 1024));
    const link = await em.findOne(PasswordResetEntity, { tokenDigest, expiresAt: { $gt: clock.now() } });
    if (link) return em.findOneOrFail(UserEntity, { id: link.userId });
    throw new ServiceError(
      ErrorReason.INVITATION_NOT_FOUND,
      "This link was used, replaced by a newer link, or has expired. Ask an administrator for a new link.",
    );
  };

  return {
    async createPasswordReset({ userId }) {
      const token = newToken("passwordReset");
      const now = clock.now();
      await orm.em.fork().transactional(async (em) => {
        if ((await em.count(UserEntity, { id: userId })) === 0) {
          throw new ServiceError(ErrorReason.USER_NOT_FOUND, "This user does not exist.");
        }
        await em.nativeDelete(PasswordResetEntity, { $or: [{ userId }, { expiresAt: { $lte: now } }] });
        await em.insert(PasswordResetEntity, {
          userId,
          tokenDigest: keyRing.digest(passwordResetPurpose, token),
          createdAt: now,
          expiresAt: now + linkMs,
        });
      });
      return { url: `${baseUrl()}/-/password_resets/${token}`, expiresTime: timestamp(now + linkMs) };
    },

    async getPasswordReset({ token }) {
      const em = orm.em.fork();
      const { id, username } = await userOf(em, token);
      return { username, accessTokenCount: await em.count(AccessTokenEntity, workingTokens(id, clock.now())) };
    },

    async resetPassword({ token, password, keepAccessTokens = false }) {
      const wanted = newPassword(password);
      const { id } = await userOf(orm.em.fork(), token); // before hashing, as only the owner of a link may cause that work
      const passwordHash = await hashPassword(wanted, knownUser(id));
      const reset = await orm.em.fork().transactional(async (em) => {
        const user = await userOf(em, token);
        user.passwordHash = passwordHash;
        await em.nativeDelete(PasswordResetEntity, { userId: user.id });
        await em.nativeDelete(SessionEntity, { userId: user.id });
        const revokedTokenCount = keepAccessTokens ? 0 : await revokeAccessTokens(em, user.id, clock.now());
        return { username: user.username, revokedTokenCount };
      });
      memory.changed();
      return reset;
    },
  };
}
