import { contractVersion, type HttpApi, type HttpApiRoute, type Plugin } from "@faultline/plugin";
import { needsToken, routes, detail, refusal } from "./routes.ts";

export { pathOf, slugsOf } from "./slugs.ts";

/** Parameters that shape answers of the original. Here the affected parts are always or never included. */
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
 * The API under `/api/0/` for clients of Sentry's web API: reads and updates projects, issues and events of this
 * installation, with a personal access token as Bearer. Other Faultline installations read this one through it.
 * `others` are further addresses, each of which needs a token.
 */
export function sentryApi(others: readonly HttpApiRoute[] = []): Plugin & { readonly api: HttpApi } {
  let now = (): number => Date.now(); // until the host's clock is known; requests come only afterwards
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
