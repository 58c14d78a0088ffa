import { pageSizeOf, pageToken, readPageToken, type Handlers } from "@faultline/plugin";
import type { MemberService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { contains } from "../../storage/database/contains.ts";
import { MemberEntity, memberToProto } from "./member.ts";
import { UserEntity } from "../users/user.ts";
import { givenRole } from "./given-role.ts";

/** A page of the members of a project, by user name. */
export function listMembers({ orm }: { orm: MikroORM }): Handlers<typeof MemberService, CoreCall>["listMembers"] {
  return async (request, { caller }) => {
    const { projectId } = request;
    const query = request.query.trim();
    const list = `members ${projectId} ${query}`;
    const place = readPageToken(list, request.pageToken, ["string"]);
    const size = pageSizeOf(request);
    const em = orm.em.fork();
    const ids = em.createQueryBuilder(MemberEntity).select("userId").where({ projectId });
    const where = {
      id: { $in: ids.toRaw() },
      ...(query !== "" && { $or: [{ username: contains(em, query) }, { name: contains(em, query) }] }),
    };
    const users = await em.find(
      UserEntity,
      { ...where, ...(place && { username: { $gt: place[0] } }) },
      { orderBy: { username: "asc" }, limit: size + 1, offset: place ? 0 : request.skip },
    );
    const page = users.slice(0, size);
    const rows = await em.find(MemberEntity, { projectId, userId: { $in: page.map(({ id }) => id) } });
    const rowOf = new Map(rows.map((row) => [row.userId, row]));
    const listed = [];
    for (const user of page) {
      const row = rowOf.get(user.id);
      if (row) listed.push(memberToProto(row, user, (await givenRole(em, row)).memberRole, caller.user));
    }
    const last = page.at(-1);
    return {
      members: listed,
      nextPageToken: users.length > size && last ? pageToken(list, [last.username]) : "",
      totalSize: await em.count(UserEntity, where),
    };
  };
}
