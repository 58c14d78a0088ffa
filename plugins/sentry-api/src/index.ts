import { contractVersion, type HttpApi, type Plugin } from "@faultline/plugin";

/**
 * The API under `/api/0/` that clients of Sentry's web API expect: projects, issues and events of this installation, to
 * read and to update, with a personal access token as Bearer. Another Faultline links to this one by it.
 */
export function sentryApi(): Plugin & { readonly api: HttpApi } {
  return {
    name: "sentry-api",
    contract: contractVersion,
    api: {
      prefix: "/api/0",
      routes: [],
      refusal: ({ message }) => ({ status: 400, body: { detail: message } }),
      notFound: { status: 404, body: { detail: "The requested resource does not exist" } },
    },
  };
}
