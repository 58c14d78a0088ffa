import { ServiceError, type Handlers } from "@faultline/plugin";
import { ErrorReason, type UserService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { UserEntity, userToProto } from "./user.ts";

/** Marks the address that a user has now as known to be the user's. */
export function confirmUserEmail(parts: {
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
