import { permissions, reaches, roles } from "#lib/people/roles.ts";
import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ locals }) => {
  const { memberRoles } = await locals.api.memberRoles.listMemberRoles({});
  return { memberRoles };
};

export const actions: Actions = {
  create: async ({ request, locals }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const description = String(form.get("description") ?? "").trim();
    const baseRole = roles.find(({ role }) => role === form.get("base_role"))?.role ?? "ROLE_GUEST";
    const asked = new Set(form.getAll("permissions"));
    const added = permissions
      .filter(({ permission, least }) => asked.has(permission) && !reaches(baseRole, least))
      .map(({ permission }) => permission);
    return action(
      async () => {
        await locals.api.memberRoles.createMemberRole({ name, description, baseRole, permissions: added });
        return { act: "create" as const, done: `The role ${name} was created.` };
      },
      { act: "create" as const, name, description, baseRole, added },
    );
  },
  delete: async ({ request, locals }) => {
    const memberRoleId = Number((await request.formData()).get("id"));
    return action(
      async () => {
        const { memberRole } = await locals.api.memberRoles.deleteMemberRole({ memberRoleId });
        return { act: "delete" as const, done: `The role ${memberRole?.name} was deleted.` };
      },
      { act: "delete" as const },
    );
  },
};
