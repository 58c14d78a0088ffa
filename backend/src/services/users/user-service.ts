import {
  ServiceError,
  type Clock,
  type Handlers,
  pageSizeOf,
  pageToken,
  readPageToken,
  timestamp,
} from "@faultline/plugin";
import { ErrorReason, type UserService, type ListUsersRequest } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import { contains } from "../../storage/database/conditions.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { SessionEntity } from "../access/sessions.ts";
import { newToken, passwordResetPurpose } from "../access/tokens.ts";
import { AccessTokenEntity } from "../tables/access-token.ts";
import { revokeAccessTokens, workingTokens } from "../accounts/access-tokens.ts";
import { knownUser } from "../identity/identity-kind.ts";
import { setPassword, PasswordResetEntity } from "../tables/identity.ts";
import { hashPassword, newPassword } from "../identity/password.ts";
import { displayName, emailAddress, refuseTaken, username, hasEmail } from "../identity/user-fields.ts";
import { UserEntity, userToProto, type UserRow } from "../tables/user.ts";

/** The users of this installation. */
export function userService(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
}): Handlers<typeof UserService, CoreCall> {
  const { orm, memory } = parts;

  return {
    listUsers: listUsers(parts),
    createUser: createUser(parts),
    ...passwordResets(parts),
    confirmUserEmail: confirmUserEmail(parts),

    async getUser({ userId }, { caller }) {
      const row = await userRow(orm.em.fork(), userId);
      if (row.isBlocked && !caller.user.isAdmin) throw userNotFound();
      return { user: userToProto(row, caller.user) };
    },

    async updateUser(request, { caller }) {
      const row = await orm.em
        .fork()
        .transactional(async (em) => {
          const user = await userRow(em, request.userId);
          if (request.isBlocked === true && user.id === caller.user.id) {
            throw new ServiceError(ErrorReason.FORBIDDEN, "You cannot block your own account.", {
              field: "is_blocked",
            });
          }
          if (request.isAdmin === false || request.isBlocked === true) await checkNotLastAdministrator(em, user);
          if (request.username !== undefined) user.username = username(request.username);
          if (request.name !== undefined) user.name = displayName(request.name);
          if (request.email !== undefined) user.email = user.confirmedEmail = emailAddress(request.email);
          if (request.isAdmin !== undefined) user.isAdmin = request.isAdmin;
          if (request.isBlocked !== undefined) user.isBlocked = request.isBlocked;
          if (user.isBlocked) await em.nativeDelete(SessionEntity, { userId: user.id });
          return user;
        })
        .catch(refuseTaken);
      memory.changed();
      return { user: userToProto(row, caller.user) };
    },

    async deleteUser({ userId }, { caller }) {
      const row = await orm.em.fork().transactional(async (em) => {
        const user = await userRow(em, userId);
        if (user.id === caller.user.id) {
          throw new ServiceError(ErrorReason.FORBIDDEN, "You cannot delete your own account.", { field: "user_id" });
        }
        await checkNotLastAdministrator(em, user);
        await em.nativeDelete(UserEntity, { id: userId }); // foreign keys delete everything that belongs to the user
        return user;
      });
      memory.changed();
      return { user: userToProto(row, caller.user) };
    },
  };
}

/** Creates a user, with a password if the request has one. */
function createUser({
  orm,
  clock,
}: {
  orm: MikroORM;
  clock: Clock;
}): Handlers<typeof UserService, CoreCall>["createUser"] {
  return async (request, { caller }) => {
    const name = username(request.username);
    const email = emailAddress(request.email);
    const fields = {
      username: name,
      name: displayName(request.name || name),
      email,
      confirmedEmail: email,
      isAdmin: request.isAdmin,
      isBlocked: false,
      lastSignInAt: null,
    };
    const { password } = request;
    const verifier = password === "" ? "" : await hashPassword(newPassword(password), knownUser(caller.user.id));
    const now = clock.now();
    const row = await orm.em
      .fork()
      .transactional(async (em) => {
        const made = em.create(UserEntity, { ...fields, createdAt: now });
        await em.flush();
        if (verifier !== "") await setPassword(em, { userId: made.id, verifier, now });
        return made;
      })
      .catch(refuseTaken);
    return { user: userToProto(row, caller.user) };
  };
}

/** Refuses to block, demote or delete the last administrator who can sign in. */
async function checkNotLastAdministrator(em: EntityManager, user: UserRow): Promise<void> {
  if (!user.isAdmin || user.isBlocked) return;
  const others = await em.count(UserEntity, { isAdmin: true, isBlocked: false, id: { $ne: user.id } });
  if (others > 0) return;
  throw new ServiceError(
    ErrorReason.LAST_OWNER,
    `${user.username} is the last administrator. Make another user an administrator first.`,
  );
}

/** Returns the user, or refuses. */
async function userRow(em: EntityManager, id: number): Promise<UserRow> {
  const row = await em.findOne(UserEntity, { id });
  if (!row) throw userNotFound();
  return row;
}

function userNotFound(): ServiceError {
  return new ServiceError(ErrorReason.USER_NOT_FOUND, "This user does not exist.");
}

/** Marks the current address of a user as known to be the user's. */
function confirmUserEmail(parts: {
  orm: MikroORM;
  memory: AccessMemory;
}): Handlers<typeof UserService, CoreCall>["confirmUserEmail"] {
  return async ({ userId, email }, { caller }) => {
    const em = parts.orm.em.fork();
    const user = await em.findOne(UserEntity, { id: userId });
    if (!user) throw new ServiceError(ErrorReason.USER_NOT_FOUND, "This user does not exist.");
    if (email === "" || user.email !== email) {
      throw new ServiceError(
        ErrorReason.INVITATION_NOT_FOUND,
        "The e-mail address of the account has changed. Send a new confirmation to the new address.",
      );
    }
    user.confirmedEmail = email;
    await em.flush();
    parts.memory.changed();
    return { user: userToProto(user, caller.user) };
  };
}

/** A page of the users, by id. */
function listUsers({ orm }: { orm: MikroORM }): Handlers<typeof UserService, CoreCall>["listUsers"] {
  return async (request, { caller }) => {
    const list = `users ${JSON.stringify([request.query, request.username, request.afterUserId])}`;
    const place = readPageToken(list, request.pageToken, ["number"]);
    const size = pageSizeOf(request);
    const em = orm.em.fork();
    const where = matching(em, request, caller.user);
    const rows = await em.find(UserEntity, place ? { $and: [where, { id: { $gt: place[0] } }] } : where, {
      orderBy: { id: "asc" },
      limit: size + 1,
      offset: place ? 0 : request.skip,
    });
    const page = rows.slice(0, size);
    const last = page.at(-1);
    return {
      users: page.map((row) => userToProto(row, caller.user)),
      nextPageToken: rows.length > size && last ? pageToken(list, [last.id]) : "",
      totalSize: await em.count(UserEntity, where),
    };
  };
}

/** The condition that a list shows a user to `viewer`. */
function matching(em: EntityManager, request: ListUsersRequest, viewer: Pick<UserRow, "isAdmin">) {
  const query = request.query.trim();
  const text = [{ username: contains(em, query) }, { name: contains(em, query) }];
  return {
    id: { $gt: request.afterUserId },
    ...(!viewer.isAdmin && { isBlocked: false }),
    ...(request.username !== "" && { username: request.username }),
    ...(query !== "" && { $or: viewer.isAdmin ? [...text, hasEmail(em, query)] : text }),
  };
}

const linkMs = 24 * 3_600_000;

type PasswordResetMethods = "createPasswordReset" | "getPasswordReset" | "resetPassword";

/** Links with which a person sets a password once. Only the digest of a link's token is stored. */
function passwordResets(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
}): Pick<Handlers<typeof UserService, CoreCall>, PasswordResetMethods> {
  const { orm, keyRing, clock, memory, baseUrl } = parts;

  /** Returns the user of a link, or refuses. */
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
      const { id, username: name } = await userOf(em, token);
      return { username: name, accessTokenCount: await em.count(AccessTokenEntity, workingTokens(id, clock.now())) };
    },

    async resetPassword({ token, password, keepAccessTokens = false }) {
      const wanted = newPassword(password);
      const { id } = await userOf(orm.em.fork(), token); // before hashing: only the owner of a link may cause that work
      const verifier = await hashPassword(wanted, knownUser(id));
      const reset = await orm.em.fork().transactional(async (em) => {
        const user = await userOf(em, token);
        await setPassword(em, { userId: user.id, verifier, now: clock.now() });
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
