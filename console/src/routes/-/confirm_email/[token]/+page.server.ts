import { action, refusedCall } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ params: { token }, locals }) => {
  try {
    const { username, email } = await locals.api.notificationMail.getAddressConfirmation({ token });
    return { username, email, refusal: "" };
  } catch (error) {
    return { username: "", email: "", refusal: refusedCall(error).message };
  }
};

export const actions: Actions = {
  default: ({ params: { token }, locals }) =>
    action(async () => {
      await locals.api.notificationMail.confirmAddress({ token });
      return { confirmed: true };
    }),
};
