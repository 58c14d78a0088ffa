import { ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type UserService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import { hashPassword, knownUser, newPassword } from "../accounts/password.ts";
import type { CoreCall } from "../access/guard.ts";
import { SessionEntity } from "../access/session.ts";
import { confirmUserEmail } from "./confirm-user-email.ts";
import { UserEntity, userToProto, type UserRow } from "./user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { passwordResets } from "./password-resets.ts";
import { displayName, emailAddress, refuseTaken, username } from "./user-fields.ts";
import { listUsers } from "./list-users.ts";

/** The users of this installation. */
export function userService(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
}): Handlers<typeof UserService, CoreCall> {
  const { orm, clock, memory } = parts;

  return {
    listUsers: listUsers(parts),
    ...passwordResets(parts),
    confirmUserEmail: confirmUserEmail(parts),

    async getUser({ userId }, { caller }) {
      const row = await userRow(orm.em.fork(), userId);
      if (row.isBlocked && !caller.user.isAdmin) throw userNotFound();
      return { user: userToProto(row, caller.user) };
    },

    async createUser(request, { caller }) {
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
      const passwordHash = password === "" ? "" : await hashPassword(newPassword(password), knownUser(caller.user.id));
      const em = orm.em.fork();
      const row = em.create(UserEntity, { ...fields, passwordHash, createdAt: clock.now() });
      await em.flush().catch(refuseTaken);
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

/** The user, or a refusal. */
async function userRow(em: EntityManager, id: number): Promise<UserRow> {
  const row = await em.findOne(UserEntity, { id });
  if (!row) throw userNotFound();
  return row;
}

function userNotFound(): ServiceError {
  return new ServiceError(ErrorReason.USER_NOT_FOUND, "This user does not exist.");
}
