import { action, refusedCall } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

// Opening the link changes nothing, because programs that check mails open every link.

export const load: PageServerLoad = async ({ params: { token }, locals }) => {
  try {
    const { projectPath, subscribed } = await locals.api.notificationMail.getMailSubscription({ token });
    return { projectPath, subscribed, refusal: "" };
  } catch (error) {
    return { projectPath: "", subscribed: false, refusal: refusedCall(error).message };
  }
};

export const actions: Actions = {
  default: ({ params: { token }, locals }) =>
    action(async () => {
      await locals.api.notificationMail.unsubscribeFromMail({ token });
      return { message: "" };
    }),
};
