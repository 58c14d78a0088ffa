import { fail, redirect } from "@sveltejs/kit";
import { GetInvitationResponseSchema } from "@faultline/proto";
import { mustSignIn } from "#lib/failures/handle-error.ts";
import type { Role } from "#lib/messages.ts";
import { route } from "#lib/navigation/route.ts";
import { core } from "#lib/server/core.ts";
import { refusedAction } from "#lib/server/refused-action.ts";
import { signingIn, startSession } from "#lib/server/session.ts";
import { json } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ params: { token } }) => {
  try {
    return { ...(await invitationOf(token)), refusal: "" };
  } catch (error) {
    const { message } = refusedAction(error);
    return { invitation: undefined, projectPath: "", refusal: message };
  }
};

/** The link is the proof, so the core is called without a session. */
async function invitationOf(token: string) {
  return json(GetInvitationResponseSchema, await core.members.getInvitation({ token }));
}

/** Guests may not read errors. */
const firstPage = (projectPath: string, role: Role | undefined) =>
  role === "ROLE_GUEST" ? route.projectMembers(projectPath) : route.errors(projectPath);

export const actions: Actions = {
  accept: async ({ params: { token }, locals }) => {
    let joined;
    try {
      joined = await locals.api.members.acceptInvitation({ token });
    } catch (error) {
      const refusal = refusedAction(error);
      if (mustSignIn(refusal)) redirect(303, route.signIn(route.invitation(token)));
      return fail(refusal.status, { message: refusal.message });
    }
    redirect(303, firstPage(joined.projectPath, joined.member?.role));
  },
  register: async (event) => {
    const { token } = event.params;
    const form = await event.request.formData();
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const typed = { username: text("username"), name: text("name"), email: text("email") };
    const password = String(form.get("password") ?? "");
    let first;
    try {
      const { invitation } = await invitationOf(token);
      const request = { token, ...typed, password, ...signingIn(event) };
      const begun = await core.members.registerByInvitation(request);
      await startSession(event, begun);
      first = firstPage(begun.projectPath, invitation?.role);
    } catch (error) {
      const { status, message, field } = refusedAction(error);
      return fail(status, { ...typed, message, field });
    }
    redirect(303, first);
  },
};
