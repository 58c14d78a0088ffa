/**
 * The way out of mails: its link is the whole proof, and mail programs post it from their own servers (RFC 8058), so a POST to it
 * need not come from a page of ours.
 */
export const unsubscribeRoute = "/-/unsubscribe/[token]";

/** The procedures of the pages, which take JSON and refuse forms themselves. */
export const procedureRoute = "/-/trpc/[...procedure]";

/** Pages for people who are not signed in; the unknown route is open too, so that a missing page is a 404. */
const openRoutes: ReadonlySet<string | null> = new Set([
  "/-/sign_in",
  "/-/sign_out",
  procedureRoute, // each procedure asks for itself
  "/[...project]/-/error_tracking/projects.json", // so does this; its callers have tokens
  "/-/invitations/[token]",
  "/-/password_resets/[token]",
  "/-/confirm_email/[token]",
  unsubscribeRoute,
  null,
]);

export const isOpen = (routeId: string | null) => openRoutes.has(routeId);
