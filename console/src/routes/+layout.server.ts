import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { LayoutServerLoad } from "./$types";

export const load: LayoutServerLoad = async ({ locals }) => {
  const shared = { preferences: locals.preferences, now: Date.now() };
  const signedOut = { ...shared, user: null, version: "" };
  if (locals.token === undefined) return signedOut;
  try {
    const { user, serviceVersion } = await locals.api.account.current({});
    return { ...shared, user: user ?? null, version: serviceVersion };
  } catch (error) {
    // What is told to people is told by the page itself; a redirect to the sign-in page goes through.
    if (refusalOfTrpc(error).reason === "UNKNOWN") throw error;
    return signedOut;
  }
};
