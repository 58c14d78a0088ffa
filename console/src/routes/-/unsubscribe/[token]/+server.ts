import { refusedCall } from "#lib/server/action.ts";
import type { RequestHandler } from "./$types";

/**
 * The one-click request of a mail program (RFC 8058), sent from its own server, without cookies, origin or redirects.
 */
export const POST: RequestHandler = async ({ params: { token }, locals }) => {
  try {
    const { projectPath } = await locals.api.notificationMail.unsubscribeFromMail({ token });
    return new Response(`You will get no more e-mails about errors in ${projectPath}.\n`);
  } catch (error) {
    const { status, message } = refusedCall(error);
    return new Response(`${message}\n`, { status });
  }
};
