import { fail, redirect } from "@sveltejs/kit";
import { chosenRole, givenName } from "#lib/people/role-choice.ts";
import { route } from "#lib/navigation/route.ts";
import { refusedAction } from "#lib/server/refused-action.ts";
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

const projectIdOf = async (api: Api, path: string) => (await api.projects.getProject({ path })).project?.projectId ?? 0;

export const actions: Actions = {
  role: async ({ request, locals, params }) => {
    const form = await request.formData();
    const userId = Number(form.get("user_id"));
    try {
      const projectId = await projectIdOf(locals.api, params.project);
      const { member } = await locals.api.members.updateMember({
        projectId,
        userId,
        ...chosenRole(String(form.get("role") ?? "")),
      });
      if (member === undefined) return {};
      return { done: `${member.user?.name ?? ""} now has the role ${givenName(member)}.` };
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { message });
    }
  },
  remove: async ({ request, locals, params }) => {
    const userId = Number((await request.formData()).get("user_id"));
    let isSelf;
    try {
      const [projectId, { user }] = await Promise.all([
        projectIdOf(locals.api, params.project),
        locals.api.accounts.getCurrentUser({}),
      ]);
      isSelf = user?.userId === userId;
      const { member } = await locals.api.members.removeMember({ projectId, userId });
      if (!isSelf) return { done: `${member?.user?.name ?? ""} is no longer a member.` };
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { message });
    }
    redirect(303, route.projects());
  },
  add: async ({ request, locals, params }) => {
    const form = await request.formData();
    const username = String(form.get("username") ?? "").trim();
    const role = String(form.get("role") ?? "");
    try {
      const [projectId, userId] = await Promise.all([
        projectIdOf(locals.api, params.project),
        userIdOf(locals.api, username),
      ]);
      if (userId === undefined) {
        const message = "Nobody here has this user name. Invite the person by a link.";
        return fail(404, { act: "add" as const, username, role, message, field: "username" });
      }
      const { member } = await locals.api.members.addMember({ projectId, userId, ...chosenRole(role) });
      return { done: `${member?.user?.name ?? username} is a member now.` };
    } catch (error) {
      const { status, reason, message } = refusedAction(error);
      const field = reason === "MEMBER_EXISTS" ? "username" : "";
      return fail(status, { act: "add" as const, username, role, message, field });
    }
  },
  invite: async ({ request, locals, params }) => {
    const form = await request.formData();
    const role = String(form.get("role") ?? "");
    const note = String(form.get("note") ?? "").trim();
    try {
      const projectId = await projectIdOf(locals.api, params.project);
      const { url, invitation } = await locals.api.members.createInvitation({ projectId, note, ...chosenRole(role) });
      return { url, invitedAs: invitation === undefined ? "" : givenName(invitation) };
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { act: "invite" as const, role, note, message });
    }
  },
  revoke: async ({ request, locals, params }) => {
    const invitationId = Number((await request.formData()).get("invitation_id"));
    try {
      const projectId = await projectIdOf(locals.api, params.project);
      await locals.api.members.revokeInvitation({ projectId, invitationId });
      return { done: "The invitation was revoked. Its link no longer works." };
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { message });
    }
  },
};

async function userIdOf(api: Api, username: string): Promise<number | undefined> {
  if (username === "") return undefined;
  const { users } = await api.users.listUsers({ username, pageSize: 1 });
  return users[0]?.userId;
}
