import { zoneOf } from "#lib/time/clock.svelte.ts";
import { currencyOf, lagWords } from "#lib/live/ingest-lag.ts";
import type { IngestLag } from "#lib/messages.ts";
import type { Preferences } from "#lib/preferences/preferences.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { LayoutServerLoad } from "./$types";

export const load: LayoutServerLoad = async ({ locals }) => {
  const shared = { preferences: locals.preferences, now: Date.now() };
  const signedOut = { ...shared, user: null, version: "", plugins: [] };
  if (locals.token === undefined) return signedOut;
  try {
    const [{ user, serviceVersion }, { instance }, { ingestLag }] = await Promise.all([
      locals.api.accounts.getCurrentUser({}),
      locals.api.instance.getInstance({}),
      locals.api.instance.getIngestLag({}),
    ]);
    const lag = ingestLag && { read: ingestLag, words: wordsNow(ingestLag, locals.preferences) };
    return { ...shared, user: user ?? null, version: serviceVersion, plugins: instance?.plugins ?? [], lag };
  } catch (error) {
    // The page itself shows refusals with a sentence; redirects to the sign-in page are thrown on.
    if (refusalOfTrpc(error).reason === "UNKNOWN") throw error;
    return signedOut;
  }
};

const wordsNow = (lag: IngestLag, preferences: Preferences) =>
  lagWords(currencyOf(lag, { kind: "current" }), Date.now(), zoneOf(preferences));
