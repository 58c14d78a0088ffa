/**
 * The unsubscribe link of mails: the link is the complete proof, and mail programs post it from their own servers (RFC
 * 8058), so a POST need not come from our own pages.
 */
export const unsubscribeRoute = "/-/unsubscribe/[token]";

/** The procedures of the pages, which accept JSON and refuse forms themselves. */
export const procedureRoute = "/-/trpc/[...procedure]";

/** Pages for people who are not signed in. The unknown route is also open, so that a missing page is a 404. */
const openRoutes: ReadonlySet<string | null> = new Set([
  "/-/sign_in",
  "/-/sign_out",
  procedureRoute, // each procedure checks the session itself
  "/[...project]/-/error_tracking/projects.json", // also checks its callers itself: they have tokens
  "/-/invitations/[token]",
  "/-/password_resets/[token]",
  "/-/confirm_email/[token]",
  unsubscribeRoute,
  null,
]);

export const isOpen = (routeId: string | null) => openRoutes.has(routeId);
