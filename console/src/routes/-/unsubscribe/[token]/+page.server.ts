import { core } from "#lib/server/core.ts";
import { action, refusedCall } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

// The link is the proof, so the core is called without a session. Opening it changes nothing: programs that check mails open
// every link.

export const load: PageServerLoad = async ({ params: { token } }) => {
  try {
    const { projectPath, subscribed } = await core.notificationMail.getMailSubscription({ token });
    return { projectPath, subscribed, refusal: "" };
  } catch (error) {
    return { projectPath: "", subscribed: false, refusal: refusedCall(error).message };
  }
};

export const actions: Actions = {
  default: ({ params: { token } }) =>
    action(async () => {
      await core.notificationMail.unsubscribeFromMail({ token });
      return { message: "" };
    }),
};
