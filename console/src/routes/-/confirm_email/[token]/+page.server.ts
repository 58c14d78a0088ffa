import { core } from "#lib/server/core.ts";
import { action, refusedCall } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

// The link is the proof, so the core is called without a session.

export const load: PageServerLoad = async ({ params: { token } }) => {
  try {
    const { username, email } = await core.notificationMail.getAddressConfirmation({ token });
    return { username, email, refusal: "" };
  } catch (error) {
    return { username: "", email: "", refusal: refusedCall(error).message };
  }
};

export const actions: Actions = {
  default: ({ params: { token } }) =>
    action(async () => {
      await core.notificationMail.confirmAddress({ token });
      return { confirmed: true };
    }),
};
