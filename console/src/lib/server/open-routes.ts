/** Pages for people who are not signed in; the unknown route is open too, so that a missing page is a 404. */
const openRoutes: ReadonlySet<string | null> = new Set([
  "/-/sign_in",
  "/-/sign_out",
  "/-/trpc/[...procedure]", // each procedure asks for itself
  "/[...project]/-/error_tracking/projects.json", // so does this; its callers have tokens
  "/-/invitations/[token]",
  "/-/password_resets/[token]",
  null,
]);

export const isOpen = (routeId: string | null) => openRoutes.has(routeId);
