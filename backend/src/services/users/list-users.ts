import { pageSizeOf, pageToken, readPageToken, type Handlers } from "@faultline/plugin";
import type { ListUsersRequest, UserService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { contains } from "../../storage/database/contains.ts";
import { UserEntity, type UserRow, userToProto } from "./user.ts";
import { hasEmail } from "./user-fields.ts";

/** A page of the users, by id. */
export function listUsers({ orm }: { orm: MikroORM }): Handlers<typeof UserService, CoreCall>["listUsers"] {
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
