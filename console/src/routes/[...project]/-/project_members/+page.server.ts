import { fail, redirect } from "@sveltejs/kit";
import { chosenRole, givenName } from "#lib/people/roles.ts";
import { route } from "#lib/navigation/route.ts";
import { action } from "#lib/server/action.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, locals, url }) => {
  const { project } = await parent();
  const { projectId } = project;
  const query = url.searchParams.get("q") ?? "";
  const [page, { memberRoles }, invitations] = await Promise.all([
    locals.api.members.listMembers({
      projectId,
      query,
      pageSize: 50,
      pageToken: url.searchParams.get("cursor") ?? "",
    }),
    locals.api.memberRoles.listMemberRoles({}),
    project.capabilities?.adminMembers?.allowed ? locals.api.members.listInvitations({ projectId }) : null,
  ]);
  return {
    query,
    ...page,
    memberRoles,
    invitations: invitations?.invitations ?? [],
    removing: Number(url.searchParams.get("remove") ?? 0),
  };
};

export const actions: Actions = {
  role: async ({ request, locals, params }) => {
    const form = await request.formData();
    const userId = Number(form.get("user_id"));
    return action(async () => {
      const { member } = await locals.api.members.updateMember({
        projectPath: params.project,
        userId,
        ...chosenRole(String(form.get("role") ?? "")),
      });
      if (member === undefined) return {};
      return { done: `${member.user?.name ?? ""} now has the role ${givenName(member)}.` };
    });
  },
  remove: async ({ request, locals, params }) => {
    const userId = Number((await request.formData()).get("user_id"));
    return action(async () => {
      const { user } = await locals.api.accounts.getCurrentUser({});
      const { member } = await locals.api.members.removeMember({ projectPath: params.project, userId });
      if (user?.userId === userId) redirect(303, route.projects());
      return { done: `${member?.user?.name ?? ""} is no longer a member.`, removed: userId };
    });
  },
  add: async ({ request, locals, params }) => {
    const form = await request.formData();
    const username = String(form.get("username") ?? "").trim();
    const role = String(form.get("role") ?? "");
    const run = async () => {
      const userId = await userIdOf(locals.api, username);
      if (userId === undefined) {
        const message = "No user has this user name. Invite the person by link.";
        return fail(404, { act: "add" as const, username, role, message, field: "username" });
      }
      const { member } = await locals.api.members.addMember({
        projectPath: params.project,
        userId,
        ...chosenRole(role),
      });
      return { done: `${member?.user?.name ?? username} is a member now.`, member };
    };
    return action(run, ({ reason }) => ({
      act: "add" as const,
      username,
      role,
      field: reason === "MEMBER_EXISTS" ? "username" : "",
    }));
  },
  invite: async ({ request, locals, params }) => {
    const form = await request.formData();
    const role = String(form.get("role") ?? "");
    const note = String(form.get("note") ?? "").trim();
    return action(
      async () => {
        const { url, invitation } = await locals.api.members.createInvitation({
          projectPath: params.project,
          note,
          ...chosenRole(role),
        });
        return { url, invitedAs: invitation === undefined ? "" : givenName(invitation), invitation };
      },
      { act: "invite" as const, role, note },
    );
  },
  revoke: async ({ request, locals, params }) => {
    const invitationId = Number((await request.formData()).get("invitation_id"));
    return action(async () => {
      await locals.api.members.revokeInvitation({ projectPath: params.project, invitationId });
      return { done: "The invitation was revoked. Its link no longer works.", revoked: invitationId };
    });
  },
};

async function userIdOf(api: Api, username: string): Promise<number | undefined> {
  if (username === "") return undefined;
  const { users } = await api.users.listUsers({ username, pageSize: 1 });
  return users[0]?.userId;
}
