import { contractVersion, type HttpApi, type HttpApiRoute, type Plugin } from "@faultline/plugin";
import { needsToken, routes, detail, refusal } from "./routes.ts";

export { pathOf, slugsOf } from "./slugs.ts";

/** What clients of the original send about how much of an answer is shown; our answers have all of it, or never have it. */
const ignores = [
  "collapse",
  "detailed",
  "display",
  "expand",
  "getFeatureFlags",
  "referrer",
  "savedSearch",
  "shortIdLookup",
  "useGroupSnubaDataset",
  "utc",
];

/**
 * The API under `/api/0/` that clients of Sentry's web API expect: projects, issues and events of this installation, to
 * read and to update, with a personal access token as Bearer. Another Faultline reads this one through it. `others`: further
 * addresses, each of which needs a token.
 */
export function sentryApi(others: readonly HttpApiRoute[] = []): Plugin & { readonly api: HttpApi } {
  let now = (): number => Date.now(); // until the host's clock is known; nothing is served before
  return {
    name: "sentry-api",
    contract: contractVersion,
    api: {
      prefix: "/api/0",
      ignores,
      routes: [...others.map(needsToken), ...routes(() => now())],
      refusal,
      notFound: detail(404, "The requested resource does not exist"),
    },
    async start({ clock }) {
      now = () => clock.now();
    },
  };
}
