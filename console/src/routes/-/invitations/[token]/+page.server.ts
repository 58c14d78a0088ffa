import { redirect } from "@sveltejs/kit";
import { mustSignIn } from "#lib/failures/refusal.server.ts";
import type { Role } from "#lib/messages.ts";
import { route } from "#lib/navigation/route.ts";
import { action, refusedCall } from "#lib/server/action.ts";
import { signingIn, startSession } from "#lib/server/session.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ params: { token }, locals }) => {
  try {
    return { ...(await locals.api.members.getInvitation({ token })), refusal: "" };
  } catch (error) {
    const { message } = refusedCall(error);
    return { invitation: undefined, projectPath: "", refusal: message };
  }
};

/** Guests may not read errors. */
const firstPage = (projectPath: string, role: Role | undefined) =>
  role === "ROLE_GUEST" ? route.projectMembers(projectPath) : route.errors(projectPath);

export const actions: Actions = {
  accept: async ({ params: { token }, locals }) => {
    const run = async () => {
      const { projectPath, member } = await locals.api.members.acceptInvitation({ token });
      redirect(303, firstPage(projectPath, member?.role));
    };
    return action(run, (refusal) => {
      if (mustSignIn(refusal)) redirect(303, route.signIn(route.invitation(token)));
      return {};
    });
  },
  register: async (event) => {
    const { token } = event.params;
    const { members } = event.locals.api;
    const form = await event.request.formData();
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const typed = { username: text("username"), name: text("name"), email: text("email") };
    const password = String(form.get("password") ?? "");
    const run = async () => {
      const { invitation } = await members.getInvitation({ token });
      const request = { token, ...typed, password, ...signingIn(event) };
      const begun = await members.registerByInvitation(request);
      await startSession(event, begun);
      redirect(303, firstPage(begun.projectPath, invitation?.role));
    };
    return action(run, typed);
  },
};
